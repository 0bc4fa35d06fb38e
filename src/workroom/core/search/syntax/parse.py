"""The definitions in a file's bytes, by tree-sitter.

    data ─> tree ─> the nodes that define something, in order ─┬─ which one stands in which: by their ranges
                    (a query of the grammar's table)           └─ names, kinds, decorators and comments above

A grammar is code that others wrote in C: it may crash, or take its time. This is called in a process of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

from workroom.core.search.syntax.model import Definition, Kind, Outline
from workroom.core.search.syntax.naming import BLOCKS, Named, is_class, is_function, named, refined, text_of
from workroom.core.search.syntax.table import GRAMMARS, Grammar

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

__all__ = ["definitions", "load", "unpack_into"]

_MOST = 20_000
"""Definitions of one file; of what has more the rest is left out."""
_SIGNATURE = 200
"""Characters of a signature."""
_NAME, _QUALIFIED = 200, 400
"""Of a name, and of one with what it stands in."""
_KEYS = 3
"""Levels of keys in data that are told."""
_SINGLE = 8
"""A declaration with more children than this isn't that of one thing."""
_CLASSLIKE = frozenset({Kind.CLASS, Kind.STRUCT, Kind.UNION, Kind.ENUM, Kind.INTERFACE, Kind.TRAIT, Kind.IMPL})
_FUNCTIONS = frozenset({Kind.FUNCTION, Kind.METHOD})
_ITEMS = frozenset({"array", "block_sequence_item", "flow_sequence"})
_BLANKS = re.compile(r"\s+")


@dataclass(slots=True)
class _Open:
    """A node that isn't over: what is defined in it, until its `end`, belongs to the definition at `place`."""

    end: int
    place: int | None
    kind: Kind | None
    mute: bool = False


def definitions(grammar: str, data: bytes) -> Outline:
    """What is defined in `data`, UTF-8, read by a grammar of `GRAMMARS`. Lone carriage returns end lines where no
    others do."""
    source = data if b"\n" in data else data.replace(b"\r", b"\n")
    nodes, faulty = _captured(grammar, _parsed(grammar, source).root_node)
    found = (
        _headings(nodes, source) if grammar == "markdown" else _Reader(GRAMMARS[grammar], grammar, source).read(nodes)
    )
    return Outline(tuple(found[:_MOST]), faulty=faulty, cut=len(found) > _MOST)


def unpack_into(folder: str) -> None:
    """Have grammars unpacked below this folder when they are first used, each version's apart."""
    from semble_grammars import __version__  # type: ignore[import-untyped] # noqa: PLC0415 - heavy

    os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] = os.path.join(folder, __version__)


@cache
def load(grammar: str) -> Language:
    """The language that a grammar is for, unpacked where it wasn't yet."""
    from semble_grammars import get_language  # noqa: PLC0415 - heavy

    return cast("Language", get_language(grammar))


def _parsed(grammar: str, data: bytes) -> Tree:
    from tree_sitter import Parser  # noqa: PLC0415 - heavy

    return Parser(load(grammar)).parse(data)


@cache
def _query(grammar: str) -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - heavy

    language = load(grammar)
    wanted = (*GRAMMARS[grammar].by_node, *GRAMMARS[grammar].local)
    return Query(language, f"[{' '.join(f'({node})' for node in wanted)}] @definition [(ERROR) (MISSING)] @fault")


def _captured(grammar: str, root: Node) -> tuple[list[Node], bool]:
    """The nodes that define something, in order; and whether there are some that fit no rule of the grammar."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - heavy

    found = QueryCursor(_query(grammar)).captures(root)
    nodes = sorted(found.get("definition", []), key=lambda node: (node.start_byte, -node.end_byte))
    return nodes, "fault" in found


class _Reader:
    """Reads one file's nodes, each before those in it."""

    def __init__(self, grammar: Grammar, name: str, source: bytes) -> None:
        self._grammar = grammar
        self._keyed = name in {"json", "yaml", "toml"}
        self._source = source
        self._found: list[Definition] = []
        self._open: list[_Open] = []

    def read(self, nodes: list[Node]) -> list[Definition]:
        """The definitions, at most one more than are wanted."""
        for node in nodes:
            while self._open and self._open[-1].end <= node.start_byte:
                self._open.pop()
            inside = self._open[-1] if self._open else _Open(0, None, None)
            if not inside.mute:
                self._take(node, inside)
            if len(self._found) > _MOST:
                break
        return self._found

    def _take(self, node: Node, inside: _Open) -> None:
        if node.type in self._grammar.local:
            self._open.append(_Open(node.end_byte, inside.place, Kind.FUNCTION))
            return
        kind = refined(node, self._grammar.by_node[node.type])
        if node.type in self._grammar.bodied and node.child_by_field_name("body") is None:
            return
        if self._keyed and self._is_deep(node):
            self._open.append(_Open(node.end_byte, None, None, mute=True))
            return
        names = [each for each in named(node) if self._counts(node, each, inside)]
        for each in names:
            self._add(node, each, self._kind(node, kind, each, inside), inside)
        if names and not _holds_named_type(node):
            self._open.append(_Open(node.end_byte, len(self._found) - 1, self._found[-1].kind))

    def _counts(self, node: Node, found: Named, inside: _Open) -> bool:
        if node.type in self._grammar.outer and inside.kind in _FUNCTIONS:
            return node.type == "variable_declarator" and is_function(found.value)
        wanted = self._grammar.names.get(node.type)
        if not found.name or found.name.startswith(".PHONY") or (wanted is not None and found.node.type != wanted):
            return False
        if node.type not in self._grammar.valued:
            return True
        return is_function(found.value) or is_class(found.value)

    def _kind(self, node: Node, kind: Kind, found: Named, inside: _Open) -> Kind:
        """What it is by its value, by how it is declared, and by what it stands in."""
        if is_class(found.value):
            return Kind.CLASS
        if is_function(found.value) and kind is not Kind.KEY:
            kind = Kind.FUNCTION
        if kind in {Kind.VARIABLE, Kind.FIELD} and found.function:
            return Kind.DECLARATION
        if kind is Kind.FUNCTION:
            own = inside.kind in _CLASSLIKE or (found.scope and node.type == "function_definition")
            return Kind.METHOD if own else kind
        if kind is Kind.VARIABLE and inside.kind in _CLASSLIKE:
            return Kind.FIELD
        return _constant_or(kind, node, found, inside)

    def _add(self, node: Node, found: Named, kind: Kind, inside: _Open) -> None:
        around = self._around(node)
        above = self._above(around)
        start, end = above.start_byte, _end(self._source, around.start_byte, around.end_byte)
        last = around.start_point.row + self._source.count(b"\n", around.start_byte, end) + 1
        self._found.append(
            Definition(
                name=found.name[:_NAME],
                qualified=self._qualified(found, inside),
                kind=kind,
                line=found.node.start_point.row + 1,
                first=above.start_point.row + 1,
                last=last,
                start=start,
                end=end,
                parent=inside.place,
                signature=self._signature(node, around, found, kind),
            )
        )

    def _qualified(self, found: Named, inside: _Open) -> str:
        separator = self._grammar.separator
        own = re.sub(r"::|\.|:", separator, found.scope) + found.name if found.scope else found.name
        whole = own if inside.place is None else f"{self._found[inside.place].qualified}{separator}{own}"
        return whole[:_QUALIFIED]

    def _around(self, node: Node) -> Node:
        """The outermost node that holds nothing but this definition and what belongs to it."""
        while (parent := node.parent) is not None and parent.type in self._grammar.around:
            if parent.named_child_count > _SINGLE:
                break
            if sum(child.type in self._grammar.by_node for child in parent.named_children) > 1:
                break
            node = parent
        return node

    def _above(self, node: Node) -> Node:
        """The first of the comments and attributes on the lines just above a node, or the node."""
        while (before := node.prev_sibling) is not None and before.type in self._grammar.above:
            ended = before.end_point.row - (before.end_point.column == 0)
            line = self._source.rfind(b"\n", 0, before.start_byte) + 1
            shebang = before.start_byte == 0 and self._source.startswith(b"#!")
            if node.start_point.row - ended > 1 or shebang or self._source[line : before.start_byte].strip():
                break
            node = before
        return node

    def _signature(self, node: Node, around: Node, found: Named, kind: Kind) -> str:
        if kind in {Kind.KEY, Kind.RULE, Kind.ELEMENT}:
            return found.name
        start = (node if around.type == "decorated_definition" else around).start_byte
        body = _body(node, found)
        if body is not None:
            raw = self._source[start : body.start_byte]
        else:
            raw = self._source[start : node.end_byte].partition(b"\n")[0]
            raw = raw.partition(b"{")[0] if kind in _CLASSLIKE or kind in _FUNCTIONS else raw
        text = _BLANKS.sub(" ", raw[: 4 * _SIGNATURE].decode("utf-8", "replace")).strip().rstrip(" {;=,:")
        text = text if found.name in text else f"{text} {found.name}"
        return text if len(text) <= _SIGNATURE else f"{text[: _SIGNATURE - 1]}…"

    def _is_deep(self, node: Node) -> bool:
        """Whether a key is in an item of a list, or below more levels of keys than are told."""
        if sum(each.place is not None for each in self._open) >= _KEYS:
            return True
        above = node.parent
        while above is not None and above.type not in self._grammar.by_node:
            if above.type in _ITEMS:
                return True
            above = above.parent
        return False


def _constant_or(kind: Kind, node: Node, found: Named, inside: _Open) -> Kind:
    """A constant, where the language or its custom makes it one."""
    if node.type == "variable_declarator" and kind is Kind.CONSTANT:
        return Kind.CONSTANT if node.parent is not None and node.parent.children[0].type == "const" else Kind.VARIABLE
    if node.type == "assignment" and found.name.isupper():
        return Kind.CONSTANT
    return Kind.CONSTANT if node.type == "enumerator" and inside.place is None else kind


def _body(node: Node, found: Named) -> Node | None:
    """What a definition's signature ends at."""
    body = node.child_by_field_name("body")
    if body is None and found.value is not None and is_function(found.value):
        body = found.value.child_by_field_name("body")
    body = body or next((child for child in node.named_children if child.type in BLOCKS), None)
    while body is not None and (before := body.prev_named_sibling) is not None and before.type == "comment":
        body = before
    return body


def _holds_named_type(node: Node) -> bool:
    """Whether a C declaration defines a type by the way, which then is what its fields belong to."""
    of = node.child_by_field_name("type")
    return of is not None and of.child_by_field_name("body") is not None and of.child_by_field_name("name") is not None


def _end(source: bytes, start: int, end: int) -> int:
    """Where a node ends without the blanks that some grammars count in."""
    return start + len(source[start:end].rstrip())


def _headings(nodes: list[Node], source: bytes) -> list[Definition]:
    """Headings, each with what follows it up to the next of its level or above."""
    levels = [_level(node) for node in nodes]
    found: list[Definition] = []
    path: list[int] = []
    for number, node in enumerate(nodes[: _MOST + 1]):
        while path and levels[path[-1]] >= levels[number]:
            path.pop()
        after = (later for later in range(number + 1, len(nodes)) if levels[later] <= levels[number])
        next_one = next(after, None)
        end = _end(source, node.start_byte, len(source) if next_one is None else nodes[next_one].start_byte)
        content = node.child_by_field_name("heading_content")
        name = text_of(content) if content is not None else ""
        above = f"{found[path[-1]].qualified} > " if path else ""
        row = node.start_point.row + 1
        last = row + source.count(b"\n", node.start_byte, end)
        parent = path[-1] if path else None
        signature = f"{'#' * levels[number]} {name}"[:_SIGNATURE]
        qualified = (above + name)[:_QUALIFIED]
        found.append(
            Definition(name[:_NAME], qualified, Kind.HEADING, row, row, last, node.start_byte, end, parent, signature)
        )
        path.append(number)
    return found


def _level(node: Node) -> int:
    marks: Iterator[str] = (child.type for child in node.named_children if "_h" in child.type)
    return int(re.sub(r"\D", "", next(marks, "1")) or 1)
