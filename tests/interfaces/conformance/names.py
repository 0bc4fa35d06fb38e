"""What the conformance suite calls by name, and what it expects there: data, as its own documentation has it."""

from __future__ import annotations

from typing import Any

__all__ = [
    "CONTENTS",
    "ELICITATIONS",
    "IMAGE",
    "INPUTS",
    "PROMPTS",
    "RESOURCES",
    "SCHEMAS",
    "TEMPLATES",
    "TOOLS",
]

_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
_WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

IMAGE: dict[str, Any] = {"type": "image", "data": _PNG, "mimeType": "image/png"}
_AUDIO = {"type": "audio", "data": _WAV, "mimeType": "audio/wav"}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _embedded(uri: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}}


CONTENTS: dict[str, list[dict[str, Any]]] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [_AUDIO],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        IMAGE,
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "json_schema_2020_12_tool": [_text("Called.")],
    "test_streaming_elicitation": [_text("Nothing was asked.")],
}
"""Tools that always answer the same."""


def _form(message: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"message": message, "requestedSchema": schema}


def _choices(**titles: str) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in titles.items()]


_TITLES = {"value1": "First", "value2": "Second", "value3": "Third"}
_PLAIN = ["option1", "option2", "option3"]

ELICITATIONS: dict[str, dict[str, Any]] = {
    "test_elicitation": _form("", ("response",), response={"type": "string", "description": "User's response"}),
    "test_elicitation_sep1034_defaults": _form(
        "Please review the defaults",
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    ),
    "test_elicitation_sep1330_enums": _form(
        "Please choose",
        untitledSingle={"type": "string", "enum": _PLAIN},
        titledSingle={"type": "string", "oneOf": _choices(**_TITLES)},
        legacyEnum={"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
        untitledMulti={"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": _PLAIN}},
        titledMulti={"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": _choices(**_TITLES)}},
    ),
}
"""Tools that ask the person, and what they ask."""


def _elicitation(message: str, key: str, kind: str = "string") -> dict[str, Any]:
    return {"method": "elicitation/create", "params": _form(message, (key,), **{key: {"type": kind}})}


def _sampling(text: str, tokens: int) -> dict[str, Any]:
    asked = {"role": "user", "content": _text(text)}
    return {"method": "sampling/createMessage", "params": {"messages": [asked], "maxTokens": tokens}}


_ROOTS = {"method": "roots/list", "params": {}}
_PREFIX = "test_input_required_result_"

INPUTS: dict[str, tuple[dict[str, Any], ...]] = {
    f"{_PREFIX}elicitation": ({"user_name": _elicitation("What is your name?", "name")},),
    f"{_PREFIX}sampling": ({"capital_question": _sampling("What is the capital of France?", 100)},),
    f"{_PREFIX}list_roots": ({"client_roots": _ROOTS},),
    f"{_PREFIX}request_state": ({"confirm": _elicitation("Please confirm", "ok", "boolean")},),
    f"{_PREFIX}tampered_state": ({"confirm": _elicitation("Please confirm", "ok", "boolean")},),
    f"{_PREFIX}multiple_inputs": (
        {
            "user_name": _elicitation("What is your name?", "name"),
            "greeting": _sampling("Generate a greeting", 50),
            "client_roots": _ROOTS,
        },
    ),
    f"{_PREFIX}multi_round": (
        {"step1": _elicitation("Step 1: What is your name?", "name")},
        {"step2": _elicitation("Step 2: What is your favorite color?", "color")},
    ),
    f"{_PREFIX}prompt": ({"user_context": _elicitation("What context should the prompt use?", "context")},),
}
"""Tools, and one prompt, that need answers first: what they ask for, round by round."""

TOOLS = (
    *CONTENTS,
    *ELICITATIONS,
    *(name for name in INPUTS if not name.endswith("prompt")),
    f"{_PREFIX}capabilities",
    "test_error_handling",
    "test_logging_tool",
    "test_missing_capability",
    "test_reconnection",
    "test_sampling",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_trigger_tool_change",
)

SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_elicitation": {"type": "object", "properties": {"message": {"type": "string"}}},
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
}

RESOURCES: dict[str, dict[str, Any]] = {
    "test://static-text": {
        "uri": "test://static-text",
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"uri": "test://static-binary", "mimeType": "image/png", "blob": _PNG},
    "test://watched-resource": {"uri": "test://watched-resource", "mimeType": "text/plain", "text": "Watched."},
}

TEMPLATES: list[dict[str, Any]] = [
    {"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}
]

PROMPTS: list[dict[str, Any]] = [
    {"name": "test_simple_prompt", "description": "A prompt without arguments."},
    {
        "name": "test_prompt_with_arguments",
        "description": "A prompt with arguments.",
        "arguments": [{"name": "arg1", "required": True}, {"name": "arg2", "required": True}],
    },
    {
        "name": "test_prompt_with_embedded_resource",
        "description": "A prompt with a resource.",
        "arguments": [{"name": "resourceUri", "required": True}],
    },
    {"name": "test_prompt_with_image", "description": "A prompt with an image."},
    {"name": f"{_PREFIX}prompt", "description": "A prompt that needs an answer first."},
]
