"""Names of nodes, where the samples don't show it."""

from __future__ import annotations

import pytest
from semble_grammars import get_parser  # type: ignore[import-untyped]

from workroom.core.search.syntax.naming import Named, is_class, is_function, named, text_of


def first(grammar: str, source: str, kind: str):
    waiting = [get_parser(grammar).parse(source.encode()).root_node]
    while waiting:
        node = waiting.pop(0)
        if node.type == kind:
            return node
        waiting += node.children
    raise LookupError(kind)


def found(grammar: str, source: str, kind: str) -> list[Named]:
    return list(named(first(grammar, source, kind)))


@pytest.mark.parametrize(
    ("grammar", "source", "kind", "names"),
    [
        ("go", "package a\nvar a, b int", "var_spec", ["a", "b"]),
        ("c", "int *a[3], (*b)(void), c;", "declaration", ["a", "b", "c"]),
        ("javascript", "const {a, b} = c", "variable_declarator", []),
        ("javascript", "a[0] = () => 1", "assignment_expression", []),
        ("python", "a, b = 1, 2", "assignment", []),
        ("lua", "a['x'] = 1", "assignment_statement", []),
        ("json", '{"a b": 1}', "pair", ["a b"]),
        ("json", '{"": 1}', "pair", ['""']),
        ("html", "<p><b>x</b></p>", "element", []),
        ("html", "<p>x", "element", []),
        ("html", "<br id=x />", "element", ["#x"]),
        ("html", "<p id></p>", "element", []),
        ("css", "a  >\n b { c: d }", "rule_set", ["a > b"]),
        ("css", "@import 'x';", "import_statement", []),
    ],
)
def test_names(grammar, source, kind, names):
    assert [each.name for each in found(grammar, source, kind)] == names


@pytest.mark.parametrize(
    ("grammar", "source", "kind", "scope"),
    [
        ("go", "package a\nfunc (r *Room[T]) Open() {}", "method_declaration", "Room."),
        ("go", "package a\nfunc () Open() {}", "method_declaration", ""),
        ("cpp", "void a::B<int>::c() {}", "function_definition", "a::B::"),
        ("javascript", "module.exports.a.b = () => 1", "assignment_expression", "a."),
        ("lua", "function a.b:c() end", "function_declaration", "a.b:"),
    ],
)
def test_what_is_said_before_a_name(grammar, source, kind, scope):
    assert [each.scope for each in found(grammar, source, kind)] == [scope]


def test_values():
    (function,) = found("javascript", "const a = () => 1", "variable_declarator")
    (klass,) = found("javascript", "const a = class {}", "variable_declarator")
    (number,) = found("javascript", "const a = 1", "variable_declarator")
    assert [is_function(each.value) for each in (function, klass, number)] == [True, False, False]
    assert [is_class(each.value) for each in (function, klass, number)] == [False, True, False]
    assert not is_function(None)
    assert not is_class(None)


def test_text_is_on_one_line():
    assert text_of(first("python", "f(1,\n    2)", "argument_list")) == "(1, 2)"
