"""JSON-RPC 2.0 as bytes and values: what both eras of the protocol have in common. Standard library only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workroom.text import strict_json

__all__ = [
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "RpcError",
    "decode",
    "encode",
    "error_text",
    "line_of",
    "notification_text",
    "on_one_line",
    "request_id",
    "result_text",
]

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603


class RpcError(Exception):
    """A JSON-RPC error: what answers a message that can't be answered otherwise."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def decode(text: bytes) -> Any:
    """The JSON value of a text. ValueError when it is none (nor are NaN and Infinity), too deep, or too much."""
    if strict_json.holds_too_much(text):
        raise ValueError(f"more than {strict_json.MOST:,} values")
    try:
        return _DECODER.decode(text.decode("utf-8"))
    except RecursionError as error:
        raise ValueError(str(error)) from None


def encode(value: Any) -> str:
    """A JSON value as compact text on one line."""
    return on_one_line(_ENCODER.encode(value))


def on_one_line(text: str) -> str:
    """A JSON text without what some readers take for the end of a line."""
    if text.isascii():
        return text
    for break_, escape in _LINE_BREAKS:
        text = text.replace(break_, escape)
    return text


def line_of(text: str) -> bytes:
    """The line of a message. A lone surrogate, which is no text and which strict readers refuse, becomes `?`."""
    return (text + "\n").encode("utf-8", "replace")


def request_id(value: Any) -> str | int:
    """The id of a request; INVALID_REQUEST for what can't be one."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise RpcError(INVALID_REQUEST, "A request's id is a string or an integer.")
    return value


def result_text(number: str | int, result: str) -> str:
    """The answer to a request; `result` is a JSON text."""
    return f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"result":{result}}}'


def error_text(number: str | int | None, fault: RpcError) -> str:
    """The error that answers a request, or something of which not even the id could be read."""
    error: dict[str, Any] = {"code": fault.code, "message": str(fault)}
    if fault.data is not None:
        error["data"] = fault.data
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}, separators=(",", ":"))


def notification_text(method: str, params: Mapping[str, Any] | None = None) -> str:
    """A notification; `params` are left out where there are none."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return encode(message | {"params": params} if params else message)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False)
_LINE_BREAKS = (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))
