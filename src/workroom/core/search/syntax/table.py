"""What of each grammar's trees is a definition. The names on the right are the node types of the grammars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workroom.core.search.syntax.model import Kind

__all__ = ["GRAMMARS", "Grammar"]


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one grammar's trees are read. Node types are written as one text, apart by blanks."""

    kinds: Mapping[Kind, str]
    """The nodes that define something, by kind."""
    outer: frozenset[str] = frozenset()
    """Those that count only outside of functions, where they don't name a function."""
    bodied: frozenset[str] = frozenset()
    """Those that count only with a body: without one they only name what is defined elsewhere."""
    valued: frozenset[str] = frozenset()
    """Those that count only where the value is a function or a class."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Those that count only with a name of a certain type."""
    around: frozenset[str] = frozenset()
    """Nodes that belong to the only definition in them: decorators, `export`, a declaration of one variable."""
    local: frozenset[str] = frozenset()
    """Nodes without a name in which things are local as they are in a function."""
    above: frozenset[str] = frozenset({"comment"})
    """Nodes that belong to the definition on the line after them."""
    separator: str = "."
    """Between the names of a definition and of what it stands in."""
    by_node: Mapping[str, Kind] = field(init=False)

    def __post_init__(self) -> None:
        spread = {node: kind for kind, nodes in self.kinds.items() for node in nodes.split()}
        object.__setattr__(self, "by_node", spread)


def _set(nodes: str) -> frozenset[str]:
    return frozenset(nodes.split())


_JAVASCRIPT: Mapping[Kind, str] = {
    Kind.CLASS: "class_declaration",
    Kind.FUNCTION: "function_declaration generator_function_declaration assignment_expression pair",
    Kind.METHOD: "method_definition",
    Kind.CONSTANT: "variable_declarator",
    Kind.FIELD: "field_definition",
}
_SCRIPT_LOCAL = _set("arrow_function function_expression generator_function")
_SCRIPT_VALUED = _set("assignment_expression pair")
_SCRIPT_AROUND = _set("export_statement lexical_declaration variable_declaration expression_statement")

_TYPESCRIPT = Grammar(
    {
        **_JAVASCRIPT,
        Kind.CLASS: "class_declaration abstract_class_declaration",
        Kind.INTERFACE: "interface_declaration",
        Kind.ENUM: "enum_declaration",
        Kind.TYPE: "type_alias_declaration",
        Kind.MODULE: "internal_module module",
        Kind.METHOD: "method_definition method_signature abstract_method_signature",
        Kind.DECLARATION: "function_signature",
        Kind.FIELD: "public_field_definition property_signature",
    },
    outer=_set("variable_declarator property_signature method_signature pair assignment_expression"),
    valued=_SCRIPT_VALUED,
    around=_SCRIPT_AROUND | {"ambient_declaration"},
    local=_SCRIPT_LOCAL,
    above=_set("comment decorator"),
)

_C: Mapping[Kind, str] = {
    Kind.FUNCTION: "function_definition",
    Kind.STRUCT: "struct_specifier",
    Kind.UNION: "union_specifier",
    Kind.ENUM: "enum_specifier",
    Kind.TYPE: "type_definition",
    Kind.MACRO: "preproc_def preproc_function_def",
    Kind.VARIABLE: "declaration",
    Kind.FIELD: "field_declaration enumerator",
}
_C_OUTER = _set(
    "declaration field_declaration preproc_def preproc_function_def struct_specifier union_specifier enum_specifier "
    "enumerator"
)
_C_BODIED = _set("struct_specifier union_specifier enum_specifier")

_STYLES: Mapping[Kind, str] = {Kind.RULE: "rule_set media_statement keyframes_statement supports_statement at_rule"}

GRAMMARS: Mapping[str, Grammar] = {
    "bash": Grammar(
        {Kind.FUNCTION: "function_definition", Kind.VARIABLE: "variable_assignment"},
        outer=_set("variable_assignment"),
        around=_set("declaration_command"),
    ),
    "c": Grammar(_C, outer=_C_OUTER, bodied=_C_BODIED, local=_set("compound_statement"), separator="::"),
    "cpp": Grammar(
        {
            **_C,
            Kind.CLASS: "class_specifier",
            Kind.MODULE: "namespace_definition",
            Kind.TYPE: "type_definition alias_declaration concept_definition",
        },
        outer=_C_OUTER,
        bodied=_C_BODIED | {"class_specifier"},
        around=_set("template_declaration"),
        local=_set("compound_statement"),
        separator="::",
    ),
    "csharp": Grammar(
        {
            Kind.MODULE: "namespace_declaration",
            Kind.CLASS: "class_declaration record_declaration",
            Kind.STRUCT: "struct_declaration",
            Kind.INTERFACE: "interface_declaration",
            Kind.ENUM: "enum_declaration",
            Kind.TYPE: "delegate_declaration",
            Kind.METHOD: "method_declaration constructor_declaration destructor_declaration",
            Kind.FUNCTION: "local_function_statement",
            Kind.FIELD: "property_declaration variable_declarator enum_member_declaration",
        },
        outer=_set("variable_declarator"),
        around=_set("global_statement variable_declaration field_declaration event_field_declaration"),
        above=_set("comment attribute_list"),
    ),
    "css": Grammar(_STYLES, separator=" "),
    "go": Grammar(
        {
            Kind.FUNCTION: "function_declaration",
            Kind.METHOD: "method_declaration method_elem",
            Kind.TYPE: "type_spec type_alias",
            Kind.CONSTANT: "const_spec",
            Kind.VARIABLE: "var_spec",
            Kind.FIELD: "field_declaration",
        },
        outer=_set("const_spec var_spec type_spec type_alias field_declaration"),
        around=_set("const_declaration var_declaration type_declaration"),
        local=_set("func_literal"),
    ),
    "graphql": Grammar(
        {
            Kind.TYPE: "object_type_definition input_object_type_definition union_type_definition "
            "scalar_type_definition",
            Kind.INTERFACE: "interface_type_definition",
            Kind.ENUM: "enum_type_definition",
            Kind.FIELD: "field_definition",
        },
        around=_set("definition type_system_definition type_definition"),
    ),
    "hcl": Grammar({Kind.KEY: "block"}, above=_set("comment")),
    "html": Grammar({Kind.ELEMENT: "element"}, separator=" > "),
    "ini": Grammar({Kind.KEY: "section setting"}),
    "java": Grammar(
        {
            Kind.CLASS: "class_declaration record_declaration",
            Kind.INTERFACE: "interface_declaration annotation_type_declaration",
            Kind.ENUM: "enum_declaration",
            Kind.METHOD: "method_declaration constructor_declaration compact_constructor_declaration "
            "annotation_type_element_declaration",
            Kind.FIELD: "variable_declarator enum_constant",
        },
        outer=_set("variable_declarator"),
        around=_set("field_declaration constant_declaration"),
        above=_set("line_comment block_comment"),
    ),
    "javascript": Grammar(
        _JAVASCRIPT,
        outer=_set("variable_declarator pair assignment_expression"),
        valued=_SCRIPT_VALUED,
        around=_SCRIPT_AROUND,
        local=_SCRIPT_LOCAL,
        above=_set("comment decorator"),
    ),
    "json": Grammar({Kind.KEY: "pair"}),
    "kotlin": Grammar(
        {
            Kind.CLASS: "class_declaration object_declaration",
            Kind.FUNCTION: "function_declaration",
            Kind.METHOD: "secondary_constructor",
            Kind.TYPE: "type_alias",
            Kind.VARIABLE: "property_declaration",
            Kind.FIELD: "enum_entry",
        },
        outer=_set("property_declaration"),
        local=_set("lambda_literal"),
        above=_set("line_comment block_comment multiline_comment"),
    ),
    "lua": Grammar(
        {Kind.FUNCTION: "function_declaration", Kind.VARIABLE: "assignment_statement", Kind.FIELD: "field"},
        outer=_set("assignment_statement field"),
        valued=_set("field"),
        around=_set("variable_declaration"),
        local=_set("function_definition"),
    ),
    "make": Grammar({Kind.TARGET: "rule", Kind.VARIABLE: "variable_assignment", Kind.MACRO: "define_directive"}),
    "markdown": Grammar({Kind.HEADING: "atx_heading setext_heading"}, above=frozenset(), separator=" > "),
    "objc": Grammar(
        {
            **_C,
            Kind.INTERFACE: "class_interface protocol_declaration",
            Kind.CLASS: "class_implementation",
            Kind.METHOD: "method_definition",
            Kind.DECLARATION: "method_declaration",
        },
        outer=_C_OUTER,
        bodied=_C_BODIED,
        local=_set("compound_statement"),
    ),
    "php": Grammar(
        {
            Kind.MODULE: "namespace_definition",
            Kind.CLASS: "class_declaration",
            Kind.INTERFACE: "interface_declaration",
            Kind.TRAIT: "trait_declaration",
            Kind.ENUM: "enum_declaration",
            Kind.FUNCTION: "function_definition",
            Kind.METHOD: "method_declaration",
            Kind.CONSTANT: "const_element",
            Kind.FIELD: "property_element enum_case",
        },
        around=_set("const_declaration property_declaration"),
        above=_set("comment attribute_list"),
        separator="::",
    ),
    "powershell": Grammar(
        {
            Kind.FUNCTION: "function_statement",
            Kind.CLASS: "class_statement",
            Kind.ENUM: "enum_statement",
            Kind.METHOD: "class_method_definition",
            Kind.FIELD: "class_property_definition enum_member",
        },
    ),
    "proto": Grammar(
        {
            Kind.STRUCT: "message",
            Kind.ENUM: "enum",
            Kind.INTERFACE: "service",
            Kind.METHOD: "rpc",
            Kind.FIELD: "field enum_field",
        },
    ),
    "python": Grammar(
        {
            Kind.CLASS: "class_definition",
            Kind.FUNCTION: "function_definition",
            Kind.TYPE: "type_alias_statement",
            Kind.VARIABLE: "assignment",
        },
        outer=_set("assignment"),
        names={"assignment": "identifier"},
        around=_set("decorated_definition expression_statement"),
    ),
    "ruby": Grammar(
        {
            Kind.MODULE: "module",
            Kind.CLASS: "class",
            Kind.METHOD: "method singleton_method",
            Kind.CONSTANT: "assignment",
        },
        outer=_set("assignment"),
        names={"assignment": "constant"},
        separator="::",
    ),
    "rust": Grammar(
        {
            Kind.MODULE: "mod_item",
            Kind.STRUCT: "struct_item",
            Kind.ENUM: "enum_item",
            Kind.UNION: "union_item",
            Kind.TRAIT: "trait_item",
            Kind.IMPL: "impl_item",
            Kind.TYPE: "type_item associated_type",
            Kind.FUNCTION: "function_item",
            Kind.DECLARATION: "function_signature_item",
            Kind.MACRO: "macro_definition",
            Kind.CONSTANT: "const_item static_item",
            Kind.FIELD: "field_declaration enum_variant",
        },
        above=_set("line_comment block_comment attribute_item"),
        separator="::",
    ),
    "scala": Grammar(
        {
            Kind.CLASS: "class_definition object_definition",
            Kind.TRAIT: "trait_definition",
            Kind.ENUM: "enum_definition",
            Kind.FUNCTION: "function_definition function_declaration",
            Kind.TYPE: "type_definition",
            Kind.VARIABLE: "val_definition var_definition val_declaration var_declaration given_definition",
            Kind.FIELD: "simple_enum_case full_enum_case",
        },
        outer=_set("val_definition var_definition val_declaration var_declaration"),
        above=_set("comment block_comment"),
    ),
    "scss": Grammar({**_STYLES, Kind.FUNCTION: "mixin_statement function_statement"}, separator=" "),
    "sql": Grammar({Kind.TABLE: "create_table create_view", Kind.FUNCTION: "create_function"}),
    "swift": Grammar(
        {
            Kind.CLASS: "class_declaration",
            Kind.INTERFACE: "protocol_declaration",
            Kind.FUNCTION: "function_declaration",
            Kind.METHOD: "init_declaration deinit_declaration subscript_declaration protocol_function_declaration",
            Kind.TYPE: "typealias_declaration",
            Kind.MACRO: "macro_declaration",
            Kind.VARIABLE: "property_declaration protocol_property_declaration",
            Kind.FIELD: "enum_entry",
        },
        outer=_set("property_declaration"),
        local=_set("lambda_literal"),
        above=_set("comment multiline_comment"),
    ),
    "toml": Grammar({Kind.KEY: "pair table table_array_element"}),
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
    "yaml": Grammar({Kind.KEY: "block_mapping_pair flow_pair"}),
    "zig": Grammar(
        {
            Kind.VARIABLE: "variable_declaration",
            Kind.FUNCTION: "function_declaration test_declaration",
            Kind.FIELD: "container_field",
        },
        outer=_set("variable_declaration"),
    ),
}
