"""The mutants of a module: mutmut's operators, and what they leave out; each a small change of the source. Pure.

mutmut itself changes only what stands in functions without decorators. Here module and class bodies are changed, too
(the gate is a table), and functions under any decorator. See docs/decisions/0035.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst
import libcst.matchers as m
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

__all__ = ["Mutant", "mutants"]

MODULE = "<module>"
"""What the code outside of functions and classes is called."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change. It is known by function, `before`, `after` and `number`, whatever stands above it in the file."""

    module: str
    function: str
    before: str
    after: str
    number: int
    """How many the same stand before it in the function."""
    lines: tuple[int, int]
    """First and last line of the statement that it is in; of a block, its head."""
    early: bool
    """It is run when the module is imported, or when a function is defined."""
    digest: str
    """Of the function that it changes, so that a verdict holds as long as that stands."""
    start: int
    end: int
    text: str
    """Bytes `start` to `end` of the source are replaced by this."""

    @property
    def name(self) -> str:
        return "\t".join((self.module, self.function, self.before, self.after, str(self.number)))

    def source(self, original: bytes) -> bytes:
        """The whole module, changed."""
        return original[: self.start] + self.text.encode() + original[self.end :]


def mutants(module: str, original: bytes) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    visitor = _Visitor(module, original)
    MetadataWrapper(cst.parse_module(original), unsafe_skip_copy=True).visit(visitor)
    return visitor.found


# Operators: from a node to the nodes that may stand there instead.


def _string(node: cst.SimpleString) -> Iterator[cst.CSTNode]:
    """A word that a program reads. What has a blank in it is for people (or SQL), and its wording is free."""
    if " " not in node.value and not node.value.startswith(('"""', "'''")):
        yield from list(mutators.operator_string(node))[:1]


def _argument(node: cst.Call) -> Iterator[cst.CSTNode]:
    """An argument that is None; one with a name also left out."""
    for number, arg in enumerate(node.args):
        if arg.star or _is_message(arg.value):
            continue
        if not m.matches(arg.value, m.Name("None")):
            args = [*node.args[:number], arg.with_changes(value=cst.Name("None")), *node.args[number + 1 :]]
            yield node.with_changes(args=args)
        if arg.keyword is not None:
            yield node.with_changes(args=[*node.args[:number], *node.args[number + 1 :]])


def _is_message(node: cst.BaseExpression) -> bool:
    """Words for people; their presence and wording is what tests of messages ask about, one by one."""
    if isinstance(node, cst.ConcatenatedString):
        return True
    if isinstance(node, cst.FormattedString):
        return any(isinstance(part, cst.FormattedStringText) and " " in part.value for part in node.parts)
    return isinstance(node, cst.SimpleString) and " " in node.value


def _membership(node: cst.ComparisonTarget) -> Iterator[cst.CSTNode]:
    opposites: dict[type[cst.CSTNode], type[cst.CSTNode]] = {
        cst.Is: cst.IsNot, cst.IsNot: cst.Is, cst.In: cst.NotIn, cst.NotIn: cst.In
    }  # fmt: skip
    kind = opposites.get(type(node.operator))
    if kind is not None:
        yield node.with_changes(operator=kind())


def _condition(node: cst.If | cst.While | cst.CompIf) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """The other way round, unless the operators of comparisons and `not` do that already."""
    if m.matches(node.test, m.UnaryOperation(operator=m.Not()) | m.Comparison() | m.Name("True")):
        return
    inner = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    yield node.test, cst.UnaryOperation(cst.Not(), inner)


def _dropped(node: cst.SimpleStatementLine) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """A call for its effect, a refusal, a way out of a loop: not there."""
    for statement in node.body:
        empty = isinstance(statement, cst.Return) and statement.value is None
        if not m.matches(statement, _LOGGED) and (
            empty or m.matches(statement, m.Expr(m.Call()) | m.Raise() | m.Del() | m.Break() | m.Continue())
        ):
            yield statement, cst.Pass()


def _handler(node: cst.ExceptHandler) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """An error that is caught no more."""
    if isinstance(node.type, cst.Tuple):
        for number in range(len(node.type.elements)):
            rest = [*node.type.elements[:number], *node.type.elements[number + 1 :]]
            yield node.type, node.type.with_changes(elements=[one.with_changes(comma=cst.Comma()) for one in rest])
    elif node.type is not None:
        yield node.type, cst.Tuple([])


_OPERATORS: tuple[tuple[Any, Callable[[Any], Iterable[cst.CSTNode]]], ...] = (
    (cst.BaseNumber, mutators.operator_number),
    (cst.SimpleString, _string),
    (cst.Name, mutators.operator_name),
    (cst.Assign, mutators.operator_assignment),
    (cst.AnnAssign, mutators.operator_assignment),
    (cst.AugAssign, mutators.operator_augmented_assignment),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.Call, _argument),
    (cst.Call, mutators.operator_symmetric_string_methods_swap),
    (cst.Call, mutators.operator_unsymmetrical_string_methods_swap),
    (cst.Lambda, mutators.operator_lambda),
    (cst.BinaryOperation, mutators.operator_swap_op),
    (cst.BooleanOperation, mutators.operator_swap_op),
    (cst.ComparisonTarget, mutators.operator_swap_op),
    (cst.AugAssign, mutators.operator_swap_op),
    (cst.ComparisonTarget, _membership),
    (cst.IfExp, mutators.operator_if_exp),
)
_INSIDE: tuple[tuple[Any, Callable[[Any], Iterable[tuple[cst.CSTNode, cst.CSTNode]]]], ...] = (
    (cst.If | cst.While | cst.CompIf, _condition),
    (cst.SimpleStatementLine, _dropped),
    (cst.ExceptHandler, _handler),
)

_LOGGED = m.Expr(m.Call(m.Attribute(m.Name("_log") | m.Name("logging"))))
_LEFT_OUT = (
    m.Annotation()
    | m.Decorator()
    | m.Import()
    | m.ImportFrom()
    | m.TypeAlias()
    | m.Assign(targets=[m.AssignTarget(m.Name("__all__") | m.Name("_log"))])
    | m.Call(m.Name("cast") | m.Name("TypeVar") | m.Name("len") | m.Name("isinstance"))
    | m.Expr(m.SimpleString())
    | _LOGGED
)
"""No behaviour (types, what a module exports, what is logged for its developers), or what mutmut leaves out too."""


class _Visitor(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (ByteSpanPositionProvider, PositionProvider)

    def __init__(self, module: str, original: bytes) -> None:
        super().__init__()
        self.found: list[Mutant] = []
        self._module, self._original = module, original
        self._numbers = Counter[tuple[str, str, str]]()
        self._scopes: list[tuple[str, cst.CSTNode | None]] = [(MODULE, None)]
        self._statements: list[cst.CSTNode] = []
        self._parameters = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if m.matches(node, _LEFT_OUT) or _is_for_types(node):
            return False
        self._enter(node)
        for kind, operator in _OPERATORS:
            if isinstance(node, kind):
                for changed in operator(node):
                    self._add(node, changed)
        for kind, inner in _INSIDE:
            if isinstance(node, kind):
                for part, changed in inner(node):
                    self._add(part, changed)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._statements and self._statements[-1] is original_node:
            self._statements.pop()
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef) and self._scopes[-1][1] is original_node:
            self._scopes.pop()
        if isinstance(original_node, cst.Parameters):
            self._parameters -= 1

    def _enter(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            outer = self._scopes[-1][0]
            self._scopes.append((node.name.value if outer == MODULE else f"{outer}.{node.name.value}", node))
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement | cst.ExceptHandler):
            self._statements.append(node)
        if isinstance(node, cst.Parameters):
            self._parameters += 1

    def _add(self, node: cst.CSTNode, changed: cst.CSTNode) -> None:
        span = self.get_metadata(ByteSpanPositionProvider, node)
        start, end = span.start, span.start + span.length
        text = _code(node, changed)
        if not _compiles(self._original[:start] + text.encode() + self._original[end:]):
            return
        before, after = self._shown(start, end, text)
        scope, digest = self._scope()
        key = (scope, before, after)
        early = (
            self._parameters > 0
            or _frees(self._original[start:end], text)
            or not any(isinstance(one, cst.FunctionDef) for _, one in self._scopes)
        )
        number = self._numbers[key]
        self._numbers[key] += 1
        self.found.append(Mutant(self._module, *key, number, self._lines(), early, digest, start, end, text))

    def _scope(self) -> tuple[str, str]:
        """The innermost named scope, and a digest of its source."""
        name, node = self._scopes[-1]
        if node is None:
            return name, hashlib.sha256(self._original).hexdigest()[:12]
        span = self.get_metadata(ByteSpanPositionProvider, node)
        return name, hashlib.sha256(self._original[span.start : span.start + span.length]).hexdigest()[:12]

    def _lines(self) -> tuple[int, int]:
        node = self._statements[-1]
        where = self.get_metadata(PositionProvider, node)
        body = getattr(node, "body", None)
        if isinstance(body, cst.IndentedBlock):
            head = self.get_metadata(PositionProvider, body).start.line
            return where.start.line, max(where.start.line, min(head, where.end.line))
        return where.start.line, where.end.line

    def _shown(self, start: int, end: int, text: str) -> tuple[str, str]:
        """The changed lines as they were and as they are, blanks at their ends and between lines made one."""
        first = self._original.rfind(b"\n", 0, start) + 1
        last = self._original.find(b"\n", end)
        last = len(self._original) if last < 0 else last
        before = self._original[first:last].decode()
        after = (self._original[first:start] + text.encode() + self._original[end:last]).decode()
        return " ".join(before.split()), " ".join(after.split())


def _code(node: cst.CSTNode, changed: cst.CSTNode) -> str:
    """A node's text for the place of another; the place leaves out the other's own parentheses, so they stay."""
    if getattr(node, "lpar", ()) and getattr(changed, "lpar", ()) == node.lpar:
        changed = changed.with_changes(lpar=(), rpar=())
    return cst.Module([]).code_for_node(changed).strip()


def _frees(before: bytes, after: str) -> bool:
    """A function without its `super()` closes over nothing, and can't get the code of one that does."""
    return b"super()" in before and "super()" not in after


def _compiles(source: bytes) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _is_for_types(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.If) and m.matches(node.test, m.Name("TYPE_CHECKING"))
