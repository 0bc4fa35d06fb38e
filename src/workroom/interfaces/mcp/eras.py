"""The eras of the Model Context Protocol: what tells them apart, and what each asks of an answer.

    handshake   2024-11-05 to 2025-11-25   `initialize` says once what a client is and speaks
    modern      2026-07-28                 each request says so itself, in `params._meta`; nothing is remembered

A request is modern when its `_meta` names a protocol version: that key is the specification's own, and no older client
sends it. So both eras live on one connection, and nobody has to set which. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workroom.interfaces.mcp.jsonrpc import INVALID_PARAMS, RpcError, encode

__all__ = [
    "BATCHED",
    "HANDSHAKE",
    "METHODS",
    "MODERN",
    "RESOURCE_NOT_FOUND",
    "REVISIONS",
    "SUBSCRIPTION_ID",
    "UNSUPPORTED_VERSION",
    "Client",
    "capability_of",
    "is_modern",
    "modern_client",
    "negotiated",
    "stamped",
]

MODERN = ("2026-07-28",)
"""The revisions in which each request stands for itself, newest first."""

HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The revisions that begin with `initialize`, newest first. Older clients ignore most of what is new: see
`Client.structured`."""

REVISIONS = (*MODERN, *HANDSHAKE)
"""All that are spoken, newest first."""

_TEXT_ONLY = frozenset({"2025-03-26", "2024-11-05"})
"""The revisions in which a tool's result has no structured content."""

BATCHED = "2025-03-26"
"""The one revision that has JSON-RPC batches."""

UNSUPPORTED_VERSION = -32022
RESOURCE_NOT_FOUND = -32002
"""In the handshake era; the modern one has INVALID_PARAMS for it."""

_PREFIX = "io.modelcontextprotocol/"
_VERSION, _CAPABILITIES, _INFO = (_PREFIX + name for name in ("protocolVersion", "clientCapabilities", "clientInfo"))
_SERVER_INFO = _PREFIX + "serverInfo"
SUBSCRIPTION_ID = _PREFIX + "subscriptionId"

_BOTH = {
    "tools/list": "tools",
    "tools/call": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "completion/complete": "completions",
}
METHODS = {
    False: {
        **_BOTH,
        "initialize": "",
        "ping": "",
        "logging/setLevel": "",
        "resources/subscribe": "resources",
        "resources/unsubscribe": "resources",
    },
    True: {**_BOTH, "server/discover": "", "subscriptions/listen": ""},
}
"""By era: each method, and the capability that a server declares by serving it."""

_FRESH_MS = {
    "server/discover": 0,
    "tools/list": 0,
    "resources/list": 0,
    "resources/read": 0,
    "resources/templates/list": 300_000,
    "prompts/list": 300_000,
}
"""How long a client may take an answer for what still is, in milliseconds. Modes and histories change at any moment."""


class Client:
    """What a client says of itself: for its connection by `initialize`, or with each request."""

    __slots__ = ("capabilities", "modern", "name", "revision")

    def __init__(self, name: str, revision: str, capabilities: Any, *, modern: bool) -> None:
        self.name = name
        self.revision = revision
        self.capabilities: dict[str, Any] = capabilities if isinstance(capabilities, dict) else {}
        self.modern = modern

    @property
    def structured(self) -> bool:
        """Whether the client's revision has structured content in a tool's result, and schemas for it."""
        return self.revision not in _TEXT_ONLY


def is_modern(params: Mapping[str, Any]) -> bool:
    """Whether a request's params are of the modern era."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and _VERSION in meta


def modern_client(params: Mapping[str, Any]) -> Client:
    """What a request of the modern era says of its client.

    INVALID_PARAMS when it doesn't say what it must, UNSUPPORTED_VERSION when it speaks what we don't.
    """
    meta = params.get("_meta")
    missing = [key for key in (_VERSION, _CAPABILITIES) if not isinstance(meta, dict) or key not in meta]
    if missing or not isinstance(meta, dict):
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.", {"missing": missing})
    revision, capabilities = meta[_VERSION], meta[_CAPABILITIES]
    if not isinstance(revision, str):
        raise RpcError(INVALID_PARAMS, f"params._meta: {_VERSION} is a string.")
    if not isinstance(capabilities, dict):
        raise RpcError(INVALID_PARAMS, f"params._meta: {_CAPABILITIES} is an object.")
    if revision not in MODERN:
        begun = "; it begins with initialize" if revision in HANDSHAKE else ""
        raise RpcError(
            UNSUPPORTED_VERSION,
            f"Unsupported protocol version {revision[:40]!r}{begun}.",
            {"supported": list(REVISIONS), "requested": revision},
        )
    return Client(_name(meta.get(_INFO)), revision, capabilities, modern=True)


def negotiated(params: Mapping[str, Any]) -> Client:
    """What `initialize` agrees on: the client's revision where we speak it, else our newest. INVALID_PARAMS."""
    wanted = params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise RpcError(INVALID_PARAMS, "initialize needs protocolVersion, a string.", {"supported": list(HANDSHAKE)})
    revision = wanted if wanted in HANDSHAKE else HANDSHAKE[0]
    return Client(_name(params.get("clientInfo")), revision, params.get("capabilities"), modern=False)


def capability_of(method: str, *, modern: bool) -> str | None:
    """The capability that a method belongs to in an era, empty where all have it; None for a method it doesn't have."""
    return METHODS[modern].get(method)


def stamped(
    method: str,
    result: str,
    server: Mapping[str, str],
    *,
    kind: str = "complete",
    meta: Mapping[str, Any] | None = None,
) -> str:
    """A result, a JSON text, with what the modern era wants in each: its kind, who answers, how long it is fresh."""
    head: dict[str, Any] = {"resultType": kind, "_meta": {_SERVER_INFO: server, **(meta or {})}}
    if method in _FRESH_MS and kind == "complete":
        head |= {"ttlMs": _FRESH_MS[method], "cacheScope": "private"}
    rest = result[1:]
    return encode(head)[:-1] + ("," if rest != "}" else "") + rest


def _name(info: Any) -> str:
    name = info.get("name") if isinstance(info, dict) else None
    return name[:200] if isinstance(name, str) and name else "unknown client"
