"""What a client can read as resources, each by a call that only looks, on the one road.

    workroom://changes             workspace_inspect changes            what was done lately, what waits
    workroom://history/{number}    workspace_inspect changes, entry     one entry with its diff
    workroom://plan/current        workspace_plan current               in the modes that have plans
    workroom://artifacts/{+path}   workspace_inspect read               below .agentic/artifacts

So nothing can be read here that the same client couldn't read by a tool, and only what it may read is listed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote_from_bytes, unquote_to_bytes

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode
from workroom.base.events import ApprovalDecided, ApprovalStaged, Committed, Event, ModeChanged, PlanChanged
from workroom.interfaces.mcp.answers import readable
from workroom.interfaces.mcp.eras import RESOURCE_NOT_FOUND
from workroom.interfaces.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

__all__ = ["TEMPLATES", "artifact_paths", "entry_numbers", "is_ours", "listed", "read", "touched"]

CHANGES, PLAN, HISTORY, ARTIFACTS = (
    "workroom://changes", "workroom://plan/current", "workroom://history/", "workroom://artifacts/"
)  # fmt: skip
_FOLDER = ".agentic/artifacts"
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_LONGEST = 4_096
_CHARS = 1_000_000
"""The longest resource that is read, in characters; what is longer is cut, and says so."""
_MOST = 100
"""How many entries and artifacts are listed; all of them are found by their templates."""
_PAGE = 50
_MISSING = frozenset({ErrorCode.NOT_FOUND, ErrorCode.UNSUPPORTED, ErrorCode.PATH_OUTSIDE_WORKSPACE})
_TYPES = {"json": "application/json", "md": "text/markdown", "diff": "text/x-diff"}

TEMPLATES: tuple[Mapping[str, Any], ...] = (
    {
        "uriTemplate": HISTORY + "{number}",
        "name": "history-entry",
        "title": "An entry of the history",
        "description": "What one change did, by whom, with its diff; numbers from 1 on.",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": ARTIFACTS + "{+path}",
        "name": "artifact",
        "title": "An artifact",
        "description": "What an answer left out, by its path below .agentic/artifacts.",
    },
)


@dataclass(frozen=True, slots=True)
class _Target:
    """The call that reads a resource."""

    tool: str
    arguments: Mapping[str, Any]
    mime: str = "text/plain"
    raw: bool = False
    """Whether the resource is a file's own text, and not what an answer says of it."""


def is_ours(uri: str) -> bool:
    """Whether a uri can be one of a resource here, whether there is one now or not."""
    return _target(uri) is not None


def read(caller: Call, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of `resources/read`. INVALID_PARAMS for no uri; RESOURCE_NOT_FOUND, which the caller puts into the
    era's own code.
    """
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "resources/read needs uri, a string.")
    target = _target(uri)
    if target is None:
        raise RpcError(RESOURCE_NOT_FOUND, f"There is no resource {uri[:200]!r}.", {"uri": uri})
    envelope = _look(caller, target.tool, dict(target.arguments))
    if envelope.error is not None:
        raise _refusal(uri, envelope)
    if envelope.pictures:
        shown = envelope.pictures[0]
        return {"contents": [{"uri": uri, "mimeType": shown.mime, "blob": shown.base64()}]}
    contents: dict[str, Any] = {"uri": uri, "mimeType": target.mime, "text": _text(target, envelope)}
    if envelope.data.get("truncated") and (target.raw or "omitted" in envelope.data):
        contents["_meta"] = {"workroom/truncated": True}
    return {"contents": [contents]}


def listed(caller: Call, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of `resources/list`, in pages; INVALID_PARAMS for a cursor that no page ended with."""
    rows = list(_rows(caller))
    cursor, begin = params.get("cursor"), 0
    if cursor is not None:
        places = [place for place, row in enumerate(rows, 1) if row["uri"] == cursor]
        if not places:
            raise RpcError(INVALID_PARAMS, "cursor is not one that a page ended with, or what it named has gone.")
        begin = places[0]
    page: dict[str, Any] = {"resources": rows[begin : begin + _PAGE]}
    if begin + _PAGE < len(rows):
        page["nextCursor"] = rows[begin + _PAGE - 1]["uri"]
    return page


def entry_numbers(caller: Call) -> list[str]:
    """The newest entries of the history."""
    answer = _look(caller, "workspace_inspect", {"action": "changes", "limit": _MOST})
    return [str(row["id"]) for row in answer.data.get("history", ())]


def artifact_paths(caller: Call) -> list[str]:
    """The artifacts, as their template has them."""
    return [row["uri"].removeprefix(ARTIFACTS) for row in _artifacts(caller)]


def touched(event: Event) -> tuple[bool, Callable[[str], bool]]:
    """What an event means for resources: whether the list is another now, and which resources are."""
    if isinstance(event, Committed):
        undoes = event.cause == "rollback"  # then it stands in the undone entry, too
        return True, lambda uri: uri == CHANGES or (undoes and uri.startswith(HISTORY))
    if isinstance(event, PlanChanged):
        return True, lambda uri: uri in {CHANGES, PLAN}
    if isinstance(event, ModeChanged):
        return True, lambda uri: uri == PLAN
    waits = isinstance(event, ApprovalStaged | ApprovalDecided)
    return False, lambda uri: waits and uri == CHANGES


def _target(uri: str) -> _Target | None:
    if uri == CHANGES:
        return _Target("workspace_inspect", {"action": "changes", "limit": _MOST})
    if uri == PLAN:
        return _Target("workspace_plan", {"action": "current"}, "text/markdown")
    if uri.startswith(HISTORY) and _NUMBER.fullmatch(number := uri.removeprefix(HISTORY)):
        return _Target("workspace_inspect", {"action": "changes", "entry": int(number)})
    if uri.startswith(ARTIFACTS) and len(uri) <= _LONGEST and uri.isascii():
        path = os.fsdecode(unquote_to_bytes(uri.removeprefix(ARTIFACTS)))
        if {"", ".", ".."}.isdisjoint(path.split("/")) and "\0" not in path:
            # A notebook's own lines, and not what they look like.
            lines = {"start_line": 1} if path.endswith(".ipynb") else {}
            arguments = {"action": "read", "path": f"{_FOLDER}/{path}", "numbered": False, "max_chars": _CHARS, **lines}
            return _Target("workspace_inspect", arguments, _TYPES.get(path.rpartition(".")[2], "text/plain"), raw=True)
    return None


def _look(caller: Call, tool: str, arguments: dict[str, Any]) -> Envelope:
    return call(replace(caller, chars=_CHARS, profile="workspace"), tool, arguments)  # whatever tools it has itself


def _text(target: _Target, envelope: Envelope) -> str:
    return str(envelope.data["text"]) if target.raw else readable(envelope)


def _refusal(uri: str, envelope: Envelope) -> RpcError:
    error = envelope.error or {}
    code = error.get("code")
    told = {"uri": uri, "code": code}
    if code in _MISSING:
        return RpcError(RESOURCE_NOT_FOUND, f"There is no resource {uri[:200]!r}: {envelope.summary}", told)
    wrong = code in {ErrorCode.INVALID_INPUT, ErrorCode.LIMIT_EXCEEDED, ErrorCode.PROTECTED_PATH}
    return RpcError(INVALID_PARAMS if wrong else INTERNAL_ERROR, envelope.summary, told)


def _rows(caller: Call) -> Iterator[dict[str, Any]]:
    yield {
        "uri": CHANGES,
        "name": "changes",
        "title": "What happened and what waits",
        "mimeType": "text/plain",
    }
    plan = _look(caller, "workspace_plan", {"action": "current"})
    if "planId" in plan.data:
        title = f"Plan, {plan.data['status']}: {plan.data['plan']['title']}"
        yield {"uri": PLAN, "name": "plan", "title": title, "mimeType": "text/markdown"}
    yield from _artifacts(caller)
    changes = _look(caller, "workspace_inspect", {"action": "changes", "limit": _MOST})
    for row in changes.data.get("history", ()):
        yield {
            "uri": f"{HISTORY}{row['id']}",
            "name": f"history-{row['id']}",
            "title": f"{row['id']}: {row['title'] or row['cause']}",
            "mimeType": "text/plain",
            "annotations": {"lastModified": row["at"]},
        }


def _artifacts(caller: Call) -> Iterator[dict[str, Any]]:
    found = _look(caller, "workspace_inspect", {"action": "list", "path": _FOLDER, "recursive": True, "limit": _MOST})
    for row in found.data.get("entries", ()):
        if row["kind"] != "file":
            continue
        path = row["path"].removeprefix(f"{_FOLDER}/")
        yield {
            "uri": ARTIFACTS + quote_from_bytes(os.fsencode(path), safe="/"),
            "name": path,
            "mimeType": _TYPES.get(path.rpartition(".")[2], "text/plain"),
            "size": row["size"],
            "annotations": {"lastModified": row["mtime"]},
        }
