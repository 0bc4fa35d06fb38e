"""The JSON API's own description (OpenAPI 3.1), made from what the calls are parsed by.

Each action has a path of its own here, with the JSON Schema of its arguments. Answers are envelopes; which status an
error has stands in `answers.STATUSES`, what a request can be refused for before any tool in `_REFUSALS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from workroom.base.envelope import PROTOCOL
from workroom.base.errors import ERROR_MEANINGS, ErrorCode
from workroom.interfaces.http.answers import STATUSES
from workroom.interfaces.http.events import TYPES
from workroom.interfaces.link import VERSION
from workroom.tools.catalog import PROFILES
from workroom.tools.explain import full_schema
from workroom.tools.schema import answer_schema
from workroom.tools.tool import Action, Arguments, Tool

__all__ = ["document"]

Json = dict[str, Any]

_REFUSALS: Mapping[int, str] = {
    400: "The request or the call is wrong; the message names the place.",
    401: "No token, or one that doesn't count.",
    403: "Another page asks; or the call isn't allowed.",
    404: "There is nothing at this path, or no such workspace for this token.",
    408: "The body took too long.",
    413: "The body is too long.",
    414: "The address is too long.",
    415: "The body isn't JSON.",
    416: "Too many ranges.",
    421: "Host names another server.",
    429: "Too many connections or requests, or too much sent at once.",
    431: "The request's head is too long.",
    500: "A fault of Workroom's own.",
    503: "The server stops.",
}
"""What any request can be answered with; all of it envelopes with `ok: false`."""

_WORKSPACE: Json = {
    "name": "workspace",
    "in": "path",
    "required": True,
    "description": "The id of a workspace, as the list of workspaces has it; or `active`, where the token works: its "
    "only one, or where editor_workspace_open went.",
    "schema": {"type": "string", "pattern": "^([0-9a-f]{16}|active)$"},
}


@lru_cache(maxsize=1)
def document() -> Json:
    """The whole document; not to be changed."""
    schemas = _common_schemas()
    paths = dict(_fixed_paths())
    for tool in _tools():
        for action in tool.actions:
            below = tool.name if tool.flat else f"{tool.name}/{action.name}"
            path = f"/api/v1/workspaces/{{workspace}}/tools/{below}"
            paths[path] = {"post": _operation(tool, action, schemas)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Workroom",
            "version": VERSION,
            "description": "The tools of the workspaces that a token is bound to. A token decides nothing.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:7117", "description": "This machine; `workroom status` has the port."}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "wrt_ and 64 hex digits",
                    "description": "Made by the person with `workroom token create NAME`.",
                }
            },
            "schemas": dict(sorted(schemas.items())),
            "responses": {
                **{f"Refused{status}": _answer(said, "Refusal") for status, said in _REFUSALS.items()},
                **{f"Failed{status}": _answer(said, "Failure") for status, said in _REFUSALS.items()},
            },
        },
    }


def _tools() -> Iterator[Tool]:
    """Every tool of every profile, once."""
    yield from {tool.name: tool for tools in PROFILES.values() for tool in tools}.values()


# Paths.


def _fixed_paths() -> Iterator[tuple[str, Json]]:
    yield "/api/v1/openapi.json", {"get": _get("describe", "This document.", {"type": "object"}, security=[])}
    yield "/api/v1/workspaces", {"get": _get("list_workspaces", "The workspaces of the token.", _ref("Workspaces"))}
    tools = _get("list_tools", "The tools as they are registered in the mode that is set now.", _ref("Tools"))
    yield "/api/v1/workspaces/{workspace}/tools", {"parameters": [_WORKSPACE], "get": tools}
    yield "/api/v1/workspaces/{workspace}/events", {"parameters": [_WORKSPACE], "get": _events()}
    yield "/api/v1/workspaces/{workspace}/approvals/{approval}/{decision}", {"post": _decision()}


def _get(name: str, summary: str, schema: Json, **more: Any) -> Json:
    answer = {"description": summary, "content": {"application/json": {"schema": schema}}}
    return {"operationId": name, "summary": summary, "responses": {"200": answer, **_shared()}, **more}


def _events() -> Json:
    number = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
    return {
        "operationId": "follow_events",
        "summary": "What happens, as server-sent events; the stream ends with the token or the server.",
        "parameters": [
            {"name": "since", "in": "query", "description": "The number behind which to begin.", "schema": number},
            {"name": "Last-Event-ID", "in": "header", "description": "The same; it counts more.", "schema": number},
        ],
        "responses": {
            "200": {
                "description": "Events `ready`, `resync` (each with a number) and those that Event lists.",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            **_shared(),
        },
    }


def _decision() -> Json:
    return {
        "operationId": "decide",
        "summary": "Refused to every token: nobody decides but the person, and not over HTTP.",
        "parameters": [
            _WORKSPACE,
            {"name": "approval", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}},
            {"name": "decision", "in": "path", "required": True, "schema": {"enum": ["accept", "deny"]}},
        ],
        "responses": _shared(),
    }


def _operation(tool: Tool, action: Action, schemas: Json) -> Json:
    name = tool.name if tool.flat else f"{tool.name}_{action.name}"
    schemas[name] = _arguments(action.arguments, schemas)
    done, refused = "Envelope", "Refusal"
    if tool.output is not None:
        done, refused = f"{name}_answer", "Failure"
        schemas[done] = _fields(tool.output)
    answers = {"200": _answer("What was done or found.", done)}
    if action.propose is not None:
        at = "approval" if tool.flat else "data.approval"
        answers["202"] = _answer(f"The call waits for the person; `{at}` says how it goes on.", done)
    answers["409"] = _answer("What is there doesn't allow it: " + ", ".join(_codes_of(409)) + ".", refused)
    return {
        "operationId": name,
        "summary": action.help,
        "tags": [tool.name],
        "parameters": [_WORKSPACE],
        "requestBody": {"required": True, "content": {"application/json": {"schema": _ref(name)}}},
        "responses": dict(sorted({**answers, **_shared(tool.flat), "422": _answer(_limits(), refused)}.items())),
    }


def _limits() -> str:
    return "It was understood, and can't be carried out: " + ", ".join(_codes_of(422)) + "."


def _shared(flat: bool = False) -> Json:
    name = "Failed" if flat else "Refused"
    return {str(status): {"$ref": f"#/components/responses/{name}{status}"} for status in _REFUSALS}


def _answer(description: str, schema: str) -> Json:
    return {"description": description, "content": {"application/json": {"schema": _ref(schema)}}}


def _codes_of(status: int) -> list[str]:
    return [str(code) for code, own in STATUSES.items() if own == status]


# Schemas.


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _arguments(model: type[Arguments], schemas: Json) -> Json:
    """The schema of an action's arguments; what it refers to goes to the components, under its own name."""
    schema: Json = _moved(full_schema(model))
    for name, inner in schema.pop("$defs", {}).items():
        if schemas.setdefault(name, inner) != inner:
            raise ValueError(f"two different models are called {name}")
    schema["properties"] = {
        name: node for name, node in schema.get("properties", {}).items() if not node.get("unshown")
    }
    return schema


def _fields(output: type[BaseModel]) -> Json:
    """The schema of a flat tool's answer, references written out; more fields may come with those it lists."""
    schema = answer_schema(output)
    return {**schema, "description": "What a call answers; with `status` pending_approval as far as it is known."}


def _moved(node: Any) -> Any:
    """The same with references into the components."""
    if isinstance(node, dict):
        return {key: _moved(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_moved(value) for value in node]
    if isinstance(node, str) and node.startswith("#/$defs/"):
        return node.replace("#/$defs/", "#/components/schemas/")
    return node


def _common_schemas() -> Json:
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    envelope: Json = {
        "type": "object",
        "properties": {
            "protocol": {"const": PROTOCOL},
            "ok": {"type": "boolean"},
            "operation": text,
            "summary": text,
            "retention": _ref("Retention"),
            "artifacts": {"type": "array", "items": _ref("Artifact")},
            "data": {"type": "object"},
            "pictures": {"type": "array", "items": _ref("Picture")},
            "error": _ref("Error"),
        },
        "required": ["protocol", "ok", "operation", "summary", "retention"],
        "additionalProperties": False,
    }
    return {
        "Envelope": {"description": "One answer of a tool.", **envelope},
        "Refusal": {
            "description": "An envelope with `ok: false`.",
            "allOf": [_ref("Envelope")],
            "properties": {"ok": {"const": False}},
            "required": ["error"],
        },
        **_failure(),
        **_error(),
        "Retention": _object(
            {"importance": {"enum": ["low", "normal", "high", "critical"]}},
            {"facts": texts, "omit_when_summarizing": texts},
            "What of the answer to keep when a conversation is summarised.",
        ),
        "Artifact": _object(
            {"kind": text, "path": text, "sha256": text, "bytes": {"type": "integer", "minimum": 0}},
            {"description": text},
            "A file in the folder that holds what the answer left out.",
        ),
        "Picture": _object({"path": text, "mimeType": text, "base64": text}, {}, "A picture that the answer shows."),
        "Event": {
            "description": "The data of an event; `type` says which.",
            "type": "object",
            "properties": {"number": {"type": "integer"}, "at": {"type": "number"}, "type": {"enum": _event_names()}},
            "required": ["number"],
        },
        "Workspaces": _object(
            {"workspaces": {"type": "array", "items": _ref("Workspace")}, "client": text, "profile": text}
        ),
        "Workspace": _object({"id": text, "name": {"type": ["string", "null"]}, "there": {"type": "boolean"}}),
        "Tools": _object({"mode": text, "tools": {"type": "array", "items": _ref("Tool")}}),
        "Tool": _object(
            {"name": text, "title": text, "description": text, "actions": {"type": "array", "items": _ref("Action")}},
            {"answer": {"type": "object"}},
        ),
        "Action": _object({"name": text, "description": text, "arguments": {"type": "object"}}),
    }


def _failure() -> Json:
    return {
        "Failure": {
            "description": "Why a flat tool's call wasn't carried out; a request that no tool saw gets an envelope.",
            "anyOf": [
                _object({"error": {"allOf": [_ref("Error")], "required": ["next_step"]}}),
                _ref("Refusal"),
            ],
        }
    }


def _error() -> Json:
    text = {"type": "string"}
    return {
        "Error": _object(
            {"code": _ref("ErrorCode"), "message": text},
            {"next_step": text, "details": {"type": "object"}},
            "What is wrong.",
        ),
        "ErrorCode": {
            "description": " ".join(f"{code} ({STATUSES[code]}): {said}" for code, said in ERROR_MEANINGS.items()),
            "enum": [str(code) for code in ErrorCode],
        },
    }


def _event_names() -> list[str]:
    return [each.type for each in TYPES]


def _object(required: Json, optional: Json | None = None, description: str = "") -> Json:
    schema: Json = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }
    return {"description": description, **schema} if description else schema
