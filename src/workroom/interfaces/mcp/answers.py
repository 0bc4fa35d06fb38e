"""What a client is shown of tools and their answers, as JSON text."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from workroom.base.envelope import Envelope, Picture
from workroom.base.settings import Mode, Profile
from workroom.interfaces.mcp.jsonrpc import encode, on_one_line
from workroom.tools.catalog import tools_for
from workroom.tools.schema import input_schema, output_schema
from workroom.tools.tool import Tool

__all__ = ["ANSWER", "PICTURES", "call_result", "readable", "tool_list"]

ANSWER, PICTURES = "workroom/answer", "workroom/pictures"
"""Where a result with pictures has its envelope and their paths, in `_meta`."""


@lru_cache(maxsize=16)
def tool_list(profile: Profile, mode: Mode, structured: bool = True) -> str:
    """The result of `tools/list` as JSON text; `structured` as `Client.structured` has it. UNSUPPORTED for an empty
    profile.
    """
    return encode({"tools": [_tool(tool, structured) for tool in tools_for(profile, mode)]})


def call_result(envelope: Envelope, structured: bool = True) -> str:
    """The result of `tools/call`, in both forms: some clients show a model only the text, some what is structured.

    Where the revision knows no structured content, the text is all: a client that hands on the whole result would
    show the same twice. An answer with pictures has none either: some clients show a model nothing else where it is
    there. For programs what it would be stands in `_meta`, which no model is shown.
    """
    result: dict[str, Any] = {"content": [{"type": "text", "text": readable(envelope)}], "isError": not envelope.ok}
    if envelope.pictures:
        result["content"] += [_image(picture) for picture in envelope.pictures]
        if structured:
            result["_meta"] = {ANSWER: envelope.shown(), PICTURES: [picture.path for picture in envelope.pictures]}
    elif structured:
        result["structuredContent"] = envelope.shown()
    try:
        return on_one_line(to_json(result).decode())  # in a third of the time; answers are long
    except PydanticSerializationError:  # half of a surrogate pair, which UTF-8 can't hold
        return encode(result)


def _image(picture: Picture) -> dict[str, Any]:
    return {"type": "image", "data": picture.base64(), "mimeType": picture.mime}


def readable(envelope: Envelope) -> str:
    """An answer as text: its summary and what belongs to it."""
    if envelope.error is not None:
        details = envelope.error.get("details")
        body = envelope.text or (_compact(details) if details else "")
        parts = [f"{envelope.error['code']}: {envelope.summary}", body]
    else:
        body = envelope.text if envelope.text is not None else _compact(envelope.data) if envelope.data else ""
        parts = [envelope.summary, body]
    parts += [f"{artifact.kind}: {artifact.path}" for artifact in envelope.artifacts]
    return "\n\n".join(part for part in parts if part)


def _tool(tool: Tool, structured: bool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.help,
        "inputSchema": input_schema(tool),
        **({"outputSchema": output_schema(tool)} if structured and not tool.pictures else {}),
        "annotations": dict(tool.annotations),
    }


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
