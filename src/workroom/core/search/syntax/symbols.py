"""Where a symbol is defined: in one file, or in those below a folder.

name ─> files that hold it (text search, narrowed by the index) ─> those with a line that looks like its definition
     ─> parsed ─> the places; where that is none, the other files are parsed too, as far as there is time
"""

from __future__ import annotations

import difflib
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from workroom.base.changes import Kind as PathKind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.syntax.language import may_have_grammar
from workroom.core.search.syntax.model import Definition, Kind
from workroom.core.search.syntax.service import LARGEST, Syntax, Unparsed
from workroom.core.search.text import Narrows, Query, search
from workroom.system.root import Root

__all__ = ["Place", "Places", "defined", "matching"]

_NAMED = 5_000
"""Files that hold the name, at most."""
_SECONDS = 4.0
"""How long they are looked into."""
_MORE_SECONDS = 1.0
"""The same, once one definition is found: there may be others."""
_AROUND = 1_000
"""Bytes of a line before and behind a name that are looked at."""
_NEAR = 5
_COMPARED = 5_000
"""Names that are compared with one that isn't there."""
_WEAK = frozenset({Kind.DECLARATION, Kind.IMPL, Kind.MODULE})
"""What stands for something that is defined elsewhere, or again and again."""

_BETWEEN = re.compile(r"(?<=[\w)>\]])(?:::|->|#|\\|\.)(?=[\w~])| > ")
_WORDS = (
    "def|func|fn|function|fun|impl|module|namespace|mod|macro_rules!|define|const|let|var|val|object|mixin|(?i:create)"
)
_TYPES = "class|struct|union|enum|interface|trait|type|record|protocol|extension|actor|typealias"
"""What stands before a name that is defined, in one language or another; and what stands before types also where they
are used."""


@dataclass(frozen=True, slots=True)
class Place:
    """One definition, in the file of these bytes."""

    path: str
    definition: Definition
    sha256: str


@dataclass(slots=True)
class Places:
    """What was found, what it is before what only stands for it.

    `parsed` files were parsed of the `named` that hold the name; None for a single file. `cut`: there may be more, for
    there was no time for all. `near`: names that are there and much like it.
    """

    found: list[Place] = field(default_factory=list)
    parsed: int = 0
    named: int | None = None
    cut: bool = False
    unparsed: Counter[Unparsed] = field(default_factory=Counter)
    near: list[str] = field(default_factory=list)

    def meant(self) -> list[Place]:
        """Those that a caller means who wants one: the definitions, if there are any, and not what stands for them."""
        return [place for place in self.found if place.definition.kind not in _WEAK] or self.found


def matching(definitions: Sequence[Definition], symbol: str) -> list[Definition]:
    """Which of a file's definitions a symbol names: by the whole of its qualified name or the end of it.

    What stands in another one that is named so (a constructor in its class) isn't meant.
    """
    wanted = _plain(symbol)
    last = wanted.rpartition(".")[2]
    found: dict[int, Definition] = {}
    for number, each in enumerate(definitions):
        if last not in each.qualified:
            continue
        qualified = _plain(each.qualified)
        if qualified != wanted and not qualified.endswith(f".{wanted}") and each.name != symbol:
            continue
        above = each.parent
        while above is not None and above not in found:
            above = definitions[above].parent
        if above is None:
            found[number] = each
    return list(found.values())


def defined(
    root: Root,
    syntax: Syntax,
    path: str,
    symbol: str,
    *,
    index: Narrows | None = None,
    pulse: Pulse = STILL,
    seconds: float = _SECONDS,
) -> Places:
    """Where a symbol is defined in the file, or below the folder, at a canonical path. NOT_FOUND; INVALID_INPUT for
    what is no name."""
    last = _BETWEEN.split(symbol)[-1].strip().lstrip("#.")
    if not last or "\n" in symbol or "\0" in symbol:
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"{symbol!r} names no symbol.", details={"field": "symbol"})
    seen = root.stat(path)
    if seen is None or seen.kind is not PathKind.DIRECTORY:
        return _in_file(syntax, path, symbol)
    word = re.fullmatch(r"\w+", last) is not None
    query = Query(last, case_sensitive=True, whole_word=word)
    holding = search(root, path, query, _NAMED, by_file=True, index=index, pulse=pulse)
    found = _Search(root, syntax, symbol, pulse, time.monotonic() + seconds)
    found.take([file.path for file in holding.files], _Looks(last, re.findall(r"\w+", symbol)))
    found.places.cut |= holding.truncated
    found.places.found.sort(key=lambda place: place.definition.kind in _WEAK)
    return found.places


def _in_file(syntax: Syntax, path: str, symbol: str) -> Places:
    parsed = syntax.of(path)
    definitions = parsed.outline.definitions
    places = Places([Place(path, each, parsed.sha256) for each in matching(definitions, symbol)], 1)
    if parsed.unparsed is not None:
        places.unparsed[parsed.unparsed] += 1
    places.cut = parsed.outline.cut
    places.found.sort(key=lambda place: place.definition.kind in _WEAK)
    if not places.found:
        places.near = _nearest(symbol, definitions)
    return places


class _Search:
    """Parses files one after the other, for as long as there is time."""

    def __init__(self, root: Root, syntax: Syntax, symbol: str, pulse: Pulse, until: float) -> None:
        self.places = Places()
        self._root = root
        self._syntax = syntax
        self._symbol = symbol
        self._pulse = pulse
        self._until = until

    def take(self, paths: Sequence[str], looks: _Looks) -> None:
        """Look for the symbol in these files: first in those that look like it, and only then in the others."""
        known = [path for path in paths if may_have_grammar(path)]
        self.places.named = len(known)
        ranks: dict[str, int] = {}
        for path in known:
            if self._late():
                break
            ranks[path] = self._rank(path, looks)
        self._parse([path for path in known if ranks.get(path) == 0])
        self._parse([path for path in known if ranks.get(path) == 1])
        if not self.places.found:
            self._parse([path for path in known if ranks.get(path, 2) == 2])

    def _parse(self, paths: Sequence[str]) -> None:
        for number, path in enumerate(paths):
            if self._late():
                return
            self._pulse.beat(number, len(paths))
            self._one(path)
        if self.places.found:
            self._until = min(self._until, time.monotonic() + _MORE_SECONDS)

    def _late(self) -> bool:
        late = time.monotonic() > self._until
        self.places.cut |= late
        return late

    def _rank(self, path: str, looks: _Looks) -> int:
        self._pulse.check()
        try:
            return looks.rank(self._root.read(path, LARGEST))
        except WorkroomError:  # parsing it says why
            return 0

    def _one(self, path: str) -> None:
        try:
            parsed = self._syntax.of(path)
        except WorkroomError as error:
            if error.code is ErrorCode.CANCELLED:
                raise
            return  # it has gone meanwhile
        self.places.parsed += 1
        if parsed.unparsed is not None:
            self.places.unparsed[parsed.unparsed] += 1
        found = matching(parsed.outline.definitions, self._symbol)
        self.places.found += [Place(path, each, parsed.sha256) for each in found]


def _plain(name: str) -> str:
    return _BETWEEN.sub(".", name)


def _nearest(symbol: str, definitions: Sequence[Definition]) -> list[str]:
    names = {each.name.lower(): each.qualified for each in definitions[:_COMPARED]}
    last = _BETWEEN.split(symbol)[-1].lower()
    return [names[near] for near in difflib.get_close_matches(last, names, _NEAR)]


class _Looks:
    """How much a text looks as if it defined a name, in any language; without all the names `around` it doesn't."""

    def __init__(self, name: str, around: Sequence[str]) -> None:
        self._name = name.encode("utf-8", "surrogateescape")
        self._around = [each.encode("utf-8", "surrogateescape") for each in around]
        n = re.escape(name)
        self._clearly = _either(
            rf"\b(?:{_WORDS})\s+{n}",
            rf"\b(?:{_TYPES})\s+{n}\b\s*(?:\Z|[<({{:=]|extends|implements|where|for\b)",
            rf"^[A-Za-z_][\w\s*&:<>,()]*[\s*&:]{n}\s*\([^;]*\Z",
        )
        self._perhaps = _either(
            rf"\b(?:{_WORDS})\b.*\b{n}",
            rf"^(?:[\w~](?:[^;]*\W)?)?{n}\b[^;]*\Z",
            rf"^\s+(?:[\w<>\[\],.?&*~@:]+\s+)+[*&]*{n}\s*[(<][^;]*\Z",
            rf"^\s*[\"'#.@$&*\[]*{n}[\"'\]]*\s*(?:[:=,{{]|\(.*\{{)",
            rf"^\s*(?:typedef\b.*\W|\}}\s*){n}\b",
            rf"^\s*(?:#|=|<h).*{n}",
        )

    def rank(self, data: bytes) -> int:
        """0: clearly, 1: perhaps, 2: not."""
        if not all(each in data for each in self._around):
            return 2
        best, at = 2, data.find(self._name)
        while at >= 0:
            start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
            end = len(data) if end < 0 else end
            line = data[max(start, at - _AROUND) : min(end, at + _AROUND)].rstrip()
            if self._clearly.search(line):
                return 0
            best = 1 if best == 1 or self._perhaps.search(line) else 2
            at = data.find(self._name, end)
        return best


def _either(*looks: str) -> re.Pattern[bytes]:
    return re.compile("|".join(looks).encode("utf-8", "surrogateescape"))
