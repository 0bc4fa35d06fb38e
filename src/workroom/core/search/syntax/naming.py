"""How what a node defines is called, and what that makes of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workroom.core.search.syntax.model import Kind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["BLOCKS", "Named", "is_class", "is_function", "named", "refined", "text_of"]

_FIELDS = ("name", "declarator", "left", "key", "property", "pattern")
"""Where grammars put the name, or what holds it."""
_OWN_FIELDS = {"impl_item": ("type",), "pair": ("key",), "type_alias": ("name", "type")}
_FIRST = frozenset(
    {"const_element", "enum_entry", "property_declaration", "variable_declaration", "table", "table_array_element"}
    | {"pair", "rule", "mixin_statement", "function_statement", "macro_declaration", "variable_declarator"}
    | {"create_table", "create_view", "create_function", "class_interface", "class_implementation"}
    | {"protocol_declaration", "method_definition", "method_declaration", "test_declaration"}
    | {"message", "enum", "service", "rpc", "field", "enum_field", "section", "setting"}
    | {"function_statement", "class_statement", "enum_statement", "class_method_definition"}
    | {"class_property_definition", "enum_member", "object_type_definition", "interface_type_definition"}
    | {"enum_type_definition", "input_object_type_definition", "union_type_definition", "scalar_type_definition"}
    | {"field_definition", "directive_definition"}
)
"""Where the name is the first of some children that hasn't a field."""
_FIRST_TYPES = frozenset(
    {"name", "identifier", "simple_identifier", "variable_declaration", "bare_key", "quoted_key", "dotted_key"}
    | {"targets", "object_reference", "message_name", "enum_name", "service_name", "rpc_name", "function_name"}
    | {"simple_name", "variable", "section_name", "setting_name", "string"}
)
_SEVERAL = frozenset({"declaration", "field_declaration", "type_definition", "var_spec", "const_spec", "enum_entry"})
_CALLED = {
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "subscript_declaration": "subscript",
    "secondary_constructor": "constructor",
}
_STYLES = frozenset({"rule_set", "media_statement", "keyframes_statement", "supports_statement", "at_rule"})
BLOCKS = frozenset({"block", "keyframe_block_list", "class_body", "enum_class_body", "function_body"})
_NAMELESS = frozenset(
    {"pattern_list", "tuple_pattern", "object_pattern", "array_pattern", "subscript", "subscript_expression"}
    | {"attribute", "list_pattern", "left_assignment_list", "bracket_index_expression", "template_string"}
)
_HOLDING = frozenset({"variable_declaration", "variable_name", "section_name"})
_QUALIFIED = frozenset(
    {"member_expression", "dot_index_expression", "method_index_expression", "scope_resolution", "qualified_name"}
)
_FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function_definition", "lambda_expression"}
    | {"anonymous_function"}
)
_INTO = ("declarator", "bound_identifier", "type", "name", "field", "method", "property")
_BLANKS = re.compile(r"\s+")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_BESIDE = re.compile(r"\b(?:prototype|exports|module|this|window|self)\b\.?")
_HEADINGS = re.compile(r"h[1-6]")


@dataclass(frozen=True, slots=True)
class Named:
    """One name that a node defines; `scope` is what is said before it, as `A::b` in `A::b::c`."""

    name: str
    node: Node
    scope: str = ""
    value: Node | None = None
    function: bool = False
    """Whether it is declared with parameters."""


def named(node: Node) -> Iterator[Named]:
    """The names that a node defines: none, one, or those of a declaration of several."""
    kind = node.type
    if kind in _STYLES:
        yield Named(_before_block(node), node)
    elif kind == "block":
        yield Named(" ".join(_bare(text_of(each)) for each in _labels(node)), node)
    elif kind == "element":
        name = _element(node)
        if name:
            yield Named(name, node)
    elif (kind in _CALLED and node.child_by_field_name("name") is None) or kind == "subscript_declaration":
        yield Named(_CALLED[kind], node)
    else:
        for holder in _holders(node):
            found = _unwrapped(holder)
            if found is not None:
                yield _completed(node, found)


def text_of(node: Node) -> str:
    """What stands there, on one line."""
    return _BLANKS.sub(" ", (node.text or b"").decode("utf-8", "replace")).strip()


def _before_block(node: Node) -> str:
    """What stands before the block of a node, on one line."""
    body = next((child for child in node.children if child.type in BLOCKS), None)
    whole = node.text or b""
    until = len(whole) if body is None else body.start_byte - node.start_byte
    return _BLANKS.sub(" ", whole[:until].decode("utf-8", "replace")).strip(" ;{")


def _holders(node: Node) -> list[Node]:
    """The children that hold names."""
    if node.type == "assignment_statement":
        lists = [child for child in node.named_children if child.type == "variable_list"]
        return [name for each in lists for name in each.children_by_field_name("name")][:1]
    for field in _OWN_FIELDS.get(node.type, _FIELDS):
        found = node.children_by_field_name(field)
        if found:
            return found if node.type in _SEVERAL else found[:1]
    if node.type in _FIRST:
        return [child for child in node.named_children if child.type in _FIRST_TYPES][:1]
    return []


def _unwrapped(holder: Node) -> Named | None:
    """The name within a declarator, a pattern, a type or a path."""
    node, scope, function, value = holder, "", False, None
    while True:
        kind = node.type
        if kind in _NAMELESS:
            return None
        value = value or node.child_by_field_name("value")
        inner = node.child_by_field_name("name" if kind == "qualified_identifier" else _field_into(node))
        if kind == "operator_cast":
            function = True
        elif kind == "function_declarator":
            function = inner is not None and inner.type != "parenthesized_declarator"
        if kind == "qualified_identifier":
            before = node.child_by_field_name("scope")
            scope += f"{text_of(before)}::" if before is not None else ""
        if kind in _QUALIFIED and inner is not None:
            scope = text_of(node)[: -len(text_of(inner))]
        inner = inner or _only(node)
        if inner is None or kind in {"destructor_name", "operator_name", "operator_cast", "string"}:
            break
        node = inner
    name = text_of(node).partition("(")[0].strip() if node.type == "operator_cast" else text_of(node)
    return Named(_bare(name), node, _ARGUMENTS.sub("", scope), value, function)


def _field_into(node: Node) -> str:
    return next((field for field in _INTO if node.child_by_field_name(field) is not None), "")


def _only(node: Node) -> Node | None:
    """The child in which a name goes on where the grammar has no field for it."""
    if node.type.endswith(("_declarator", "_scalar", "_node")) or node.type in _HOLDING:
        return next(iter(node.named_children), None)
    return None


def _bare(name: str) -> str:
    name = name.removeprefix("$")
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`" else name


def _completed(node: Node, found: Named) -> Named:
    """With what the node itself says of it: its value, the type that a method is for, `~`."""
    value = found.value or node.child_by_field_name("value") or node.child_by_field_name("right")
    if node.type == "assignment_statement":
        lists = [child for child in node.named_children if child.type == "expression_list"]
        value = next((child for each in lists for child in each.named_children), None)
    scope, name = found.scope, found.name
    if node.type == "assignment_expression":
        scope = _BESIDE.sub("", scope)
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        of = re.findall(r"\w+", _ARGUMENTS.sub("", re.sub(r"\[.*\]", "", text_of(receiver))))
        scope = f"{of[-1]}." if of else ""
    if node.type == "destructor_declaration":
        name = f"~{name}"
    return Named(name, found.node, scope, value, found.function)


def is_function(value: Node | None) -> bool:
    """Whether a value is a function that is written out."""
    return value is not None and value.type in _FUNCTIONS


def is_class(value: Node | None) -> bool:
    """Whether a value is a class that is written out."""
    return value is not None and value.type in {"class", "class_expression"}


def refined(node: Node, kind: Kind) -> Kind:
    """The kind, where the node's type alone doesn't say it: Swift's, Kotlin's, Go's and C's types."""
    if node.type == "class_declaration":
        words = {child.type for child in node.children if not child.is_named}
        words |= {text_of(child) for child in node.named_children if child.type == "modifiers"}
        said = {"struct": Kind.STRUCT, "enum": Kind.ENUM, "interface": Kind.INTERFACE, "extension": Kind.IMPL}
        return next((of for word, of in said.items() if any(word in each.split() for each in words)), kind)
    if node.type == "variable_declaration":
        said = {"struct": Kind.STRUCT, "enum": Kind.ENUM, "union": Kind.UNION}
        words = {child.type.partition("_")[0] for child in node.children}
        found = next((of for word, of in said.items() if word in words), None)
        return found or (Kind.CONSTANT if "const" in words else kind)
    if node.type in {"type_spec", "type_definition"}:
        of = node.child_by_field_name("type")
        said = {"struct": Kind.STRUCT, "union": Kind.UNION, "enum": Kind.ENUM, "interface": Kind.INTERFACE}
        whole = of is not None and (of.type.endswith("_type") or of.child_by_field_name("body") is not None)
        return said.get(of.type.partition("_")[0], kind) if of is not None and whole else kind
    return kind


def _labels(block: Node) -> Iterator[Node]:
    """What a block of HCL is called: its type, and the names behind it."""
    return (child for child in block.named_children if child.type in {"identifier", "string_lit"})


def _element(node: Node) -> str:
    """A heading's text; or `#` and the id."""
    tags = [child for child in node.named_children if child.type in {"start_tag", "self_closing_tag"}]
    said = [child for tag in tags[:1] for child in tag.named_children]
    name = next((text_of(child) for child in said if child.type == "tag_name"), "")
    if _HEADINGS.fullmatch(name.lower()):
        return " ".join(text_of(child) for child in _texts(node))
    for attribute in said:
        parts = attribute.named_children
        if attribute.type == "attribute" and text_of(parts[0]).lower() == "id" and len(parts) > 1:
            return f"#{_bare(text_of(parts[1]))}"
    return ""


def _texts(node: Node) -> Iterator[Node]:
    waiting = [*reversed(node.named_children)]
    while waiting:
        child = waiting.pop()
        if child.type == "text":
            yield child
        waiting += reversed(child.named_children)
