"""Envelopes as HTTP responses, and the one table of statuses."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.base.envelope import Envelope, failure
from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["STATUSES", "Answering", "RefusedError", "answer", "json_response", "refusal", "stopped"]

_log = logging.getLogger(__name__)

STATUSES: Mapping[ErrorCode, int] = {
    ErrorCode.INVALID_INPUT: 400,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.PATH_OUTSIDE_WORKSPACE: 403,
    ErrorCode.PROTECTED_PATH: 403,
    ErrorCode.EDIT_CONFLICT: 409,
    ErrorCode.TRANSACTION_STATE: 409,
    ErrorCode.APPROVAL_REQUIRED: 403,
    ErrorCode.APPROVAL_DENIED: 403,
    ErrorCode.AMBIGUOUS_APPROVAL: 409,
    ErrorCode.EXECUTABLE_DENIED: 403,
    ErrorCode.AGENT_DISABLED: 403,
    ErrorCode.LIMIT_EXCEEDED: 422,
    ErrorCode.TIMEOUT: 422,
    ErrorCode.CANCELLED: 503,
    ErrorCode.UNSUPPORTED: 422,
    ErrorCode.IO_ERROR: 409,
    ErrorCode.INTERNAL: 500,
}
"""The status of a tool's error. What a caller can cause is never in the five hundreds; 503 is a server that stops."""

_PENDING = 202
"""A call that waits for the person was taken, and isn't done."""


class RefusedError(WorkroomError):
    """A request that is refused with a status of its own, before any tool was asked."""

    def __init__(
        self,
        status: int,
        code: ErrorCode,
        message: str,
        *,
        next_step: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code, message, next_step=next_step)
        self.status = status
        self.headers = dict(headers or {})


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON value as a response."""
    try:
        data = to_json(body)
    except PydanticSerializationError:  # half of a surrogate pair, which UTF-8 can't hold
        data = json.dumps(body, separators=(",", ":")).encode("ascii")
    return Response(data, status, headers, media_type="application/json")


def answer(envelope: Envelope) -> Response:
    """A call's answer: 200, 202 while it waits for the person, else the status of its error."""
    if envelope.error is not None:
        status = STATUSES[ErrorCode(envelope.error["code"])]
    else:
        status = _PENDING if envelope.data.get("status") == "pending_approval" else 200
    return json_response(envelope.carried(), status)


def refusal(error: WorkroomError) -> Response:
    """A refusal outside of a call, in the same form."""
    status, headers = STATUSES[error.code], {}
    if isinstance(error, RefusedError):
        status, headers = error.status, error.headers
    return json_response(failure("http", error).to_json(), status, headers)


class Answering:
    """Turns what is raised inside into an answer; a fault of ours is logged and told as one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            told = _told(error)
            if begun:
                raise
            await refusal(told)(scope, receive, send)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if begun or task is None or task.cancelling():
                raise
            await refusal(stopped())(scope, receive, send)  # the pool is closed: what would have run was dropped


def _told(error: Exception) -> WorkroomError:
    if isinstance(error, WorkroomError):
        return error
    if isinstance(error, HTTPException):
        return _of_routing(error)
    _log.exception("a request failed", exc_info=error)
    return WorkroomError(ErrorCode.INTERNAL, "The server met a fault; its log tells more.")


def _of_routing(error: HTTPException) -> WorkroomError:
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        return RefusedError(
            405, ErrorCode.INVALID_INPUT, f"The path takes {allowed}.", headers={"Allow": allowed}
        )  # fmt: skip
    return RefusedError(
        404,
        ErrorCode.NOT_FOUND,
        "There is nothing at this path.",
        next_step="GET /api/v1/openapi.json describes what is there.",
    )


def stopped() -> RefusedError:
    """What is told to whoever waits while the server ends."""
    return RefusedError(
        503,
        ErrorCode.CANCELLED,
        "The server stops; the call was not begun, or nobody knows its end.",
        next_step="Look before you repeat it, when the server is back.",
        headers={"Retry-After": "1"},
    )
