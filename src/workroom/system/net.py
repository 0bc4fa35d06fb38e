"""One request over HTTP to a place that the person has named; nothing else is ever reached from here.

No proxy and no key comes from the environment, and a redirect isn't followed: what is sent goes to that place alone.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["post_json"]

_MOST_BYTES = 64 * 1024**2


def post_json(url: str, body: Any, headers: Mapping[str, str], timeout: float) -> Any:
    """Send a JSON value and answer the JSON value that comes back; `timeout` in seconds, twice that in all.

    IO_ERROR where the place can't be reached or answers anything else than 200 with JSON. What it says is not told:
    some places repeat there what they were sent.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        connection = _connection(parts.scheme, host, parts.port, timeout)
        connection.connect()
        late = threading.Timer(timeout, _hang_up, (connection.sock,))  # one that drips is never late by itself
        late.start()
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            sent = {"Content-Type": "application/json", "Accept": "application/json", **headers}
            connection.request("POST", path, json.dumps(body).encode(), sent)
            with connection.getresponse() as answer:
                if answer.status != 200:
                    raise _refused(host, f"it answered {answer.status}")
                return json.loads(_read(answer, host))
        finally:
            late.cancel()
            connection.close()
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
        raise _refused(host, f"{type(error).__name__}") from None


def _connection(scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout)


def _read(answer: http.client.HTTPResponse, host: str) -> bytes:
    data = answer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise _refused(host, "its answer is too long")
    return data


def _hang_up(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def _refused(host: str, why: str) -> WorkroomError:
    return WorkroomError(ErrorCode.IO_ERROR, f"{host} can't be asked: {why}.")
