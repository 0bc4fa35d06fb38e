"""What a request to the endpoint must say in its headers, and which status an answer has; no input or output.

Two eras meet at one address. In the revisions up to 2025-11-25 a client introduces itself and gets a session; since
2026-07-28 each request says all there is to say, and its headers repeat what a router between the two wants to know:

    MCP-Protocol-Version: 2026-07-28     as in params._meta
    Mcp-Method: tools/call               as in the message
    Mcp-Name: workspace_edit             as in params.name or params.uri, of the methods that have one

What disagrees is refused, so that nobody routes, counts or allows by a header what the body doesn't do.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any

from workroom.interfaces.mcp.eras import HANDSHAKE, MODERN, REVISIONS, UNSUPPORTED_VERSION
from workroom.interfaces.mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR

__all__ = [
    "Headers",
    "RefusedError",
    "check_accept",
    "check_content_type",
    "check_mirrored",
    "check_revision",
    "check_stateless",
    "is_stateless",
    "status_of",
]

HEADER_MISMATCH, MISSING_CAPABILITY = -32020, -32021

_REVISION_KEY = "io.modelcontextprotocol/protocolVersion"
_MIRRORED = ("mcp-protocol-version", "mcp-method", "mcp-name")
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The methods whose `Mcp-Name` header repeats a parameter, and which."""

_BAD_REQUEST = frozenset(
    {PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION}
)
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")


class RefusedError(Exception):
    """A request that is turned away: the HTTP status, and a JSON-RPC error for the body."""

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        data: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.data = data
        self.headers = dict(headers or {})


class Headers:
    """A request's headers; names are lower case, as ASGI gives them."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1").strip())

    def get(self, name: str) -> str | None:
        """The value; the first one where it was sent more than once."""
        values = self._values.get(name)
        return values[0] if values else None

    def is_repeated(self, name: str) -> bool:
        return len(self._values.get(name, ())) > 1

    def listed(self, name: str) -> list[str]:
        """The values of a header that is a list, without their parameters, in lower case."""
        parts = ",".join(self._values.get(name, ())).split(",")
        return [part.partition(";")[0].strip().lower() for part in parts]


def check_accept(headers: Headers, *wanted: str) -> None:
    """Refuse a client that couldn't read an answer; one that says nothing reads anything."""
    accepted = headers.listed("accept")
    if accepted == [""] or "*/*" in accepted:
        return
    for kind in wanted:
        if kind not in accepted and f"{kind.partition('/')[0]}/*" not in accepted:
            raise RefusedError(406, INVALID_REQUEST, f"The Accept header must name {' and '.join(wanted)}.")


def check_content_type(headers: Headers) -> None:
    """Refuse a body that isn't said to be JSON."""
    if headers.listed("content-type") != ["application/json"]:
        raise RefusedError(415, INVALID_REQUEST, "The Content-Type header must be application/json.")


def is_stateless(headers: Headers, message: Any) -> bool:
    """Whether a request is of the era without sessions; one that can't be told by its header tells it itself."""
    revision = headers.get("mcp-protocol-version")
    if revision is not None:
        return revision not in HANDSHAKE
    return headers.get("mcp-session-id") is None and _claimed(message) is not None


def check_revision(headers: Headers) -> None:
    """Refuse a revision that isn't spoken with a session. Without the header, the one that was agreed upon is meant."""
    revision = headers.get("mcp-protocol-version")
    if revision is not None and revision not in HANDSHAKE:
        raise _unsupported(revision)


def check_stateless(headers: Headers) -> None:
    """Refuse a revision without sessions that isn't spoken."""
    revision = headers.get("mcp-protocol-version")
    if revision is not None and revision not in MODERN:
        raise _unsupported(revision)


def check_mirrored(headers: Headers, message: dict[str, Any]) -> None:
    """Refuse a request whose headers don't say what its body says.

    A body that doesn't name its revision is left to the peer, which says what is missing.
    """
    for name in _MIRRORED:
        if headers.is_repeated(name):
            raise RefusedError(400, HEADER_MISMATCH, f"The {name} header is there more than once.")
    revision = _claimed(message)
    if revision is None:
        return
    if headers.get("mcp-protocol-version") != revision:
        raise RefusedError(400, HEADER_MISMATCH, f"The MCP-Protocol-Version header doesn't repeat {_REVISION_KEY}.")
    method = message.get("method")
    if headers.get("mcp-method") != method:
        raise RefusedError(400, HEADER_MISMATCH, "The Mcp-Method header doesn't repeat the method.")
    key = _NAMED.get(method) if isinstance(method, str) else None
    value = message["params"].get(key) if key is not None else None
    if value is not None and _decoded(headers.get("mcp-name")) != value:
        raise RefusedError(400, HEADER_MISMATCH, f"The Mcp-Name header doesn't repeat params.{key}.")


def status_of(code: int | None) -> int:
    """The HTTP status of an answer without session, by its JSON-RPC error code."""
    if code in _BAD_REQUEST:
        return 400
    return 404 if code == METHOD_NOT_FOUND else 200


def _unsupported(revision: str) -> RefusedError:
    data = {"supported": list(REVISIONS), "requested": revision[:100]}
    return RefusedError(400, UNSUPPORTED_VERSION, f"Protocol version {revision[:100]!r} is not supported.", data)


def _claimed(message: Any) -> Any:
    """The revision that a message names itself; None where it names none."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta.get(_REVISION_KEY) if isinstance(meta, dict) else None


def _decoded(value: str | None) -> str | None:
    """A header's value, unwrapped where it was none that a header can hold; None where the wrapping is broken."""
    wrapped = _ENCODED.fullmatch(value) if value is not None else None
    if wrapped is None:
        return value
    try:
        decoded = base64.b64decode(wrapped[1], validate=True)
        return decoded.decode("utf-8") if base64.b64encode(decoded).decode("ascii") == wrapped[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None
