"""What every request must be before anything looks at it: for this very host, from no other page, within bounds.

    Host            one of our own, exactly, with the port: a page whose name was bound to 127.0.0.1 names another (421)
    Origin          our own or none: a page of any other site or port is refused, also as a WebSocket (403)
    Sec-Fetch-Site  same-origin or none: a browser says here what it leaves out of Origin (403)
    the target      a path, of a length that a path has (400, 414)
    Range           a few ranges, not a thousand (416)
    the body        JSON, and no longer than the limit by what it declares (415, 413)

Nothing ever answers with a CORS header or a cookie: another page can neither read nor be somebody.
"""

from __future__ import annotations

from collections.abc import Collection
from email.utils import formatdate

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.base.errors import ErrorCode
from workroom.interfaces.http.answers import RefusedError, refusal
from workroom.interfaces.http.limits import Limits

__all__ = ["Guard"]

_SITES = frozenset({"same-origin", "none"})

_ALWAYS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""On every answer that doesn't say otherwise itself."""


class Guard:
    """The outermost application. `hosts` are `name:port` in lower case; `https` also admits origins of that scheme."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        receive, send = _completing(receive, send, has_body=_has_body(headers))
        try:
            self._check_source(headers)
            if scope["type"] == "http":
                _check_form(scope, headers, self._limits)
        except RefusedError as error:
            await self._refuse(error, scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _refuse(self, error: RefusedError, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": error.message})  # answered with 403
            return
        await refusal(error)(scope, receive, send)

    def _check_source(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise RefusedError(
                421,
                ErrorCode.INVALID_INPUT,
                "Host names another server.",
                next_step="Use the address that `workroom status` shows; `http_hosts` is the setting for others.",
            )
        origins = headers.getlist("origin")
        if origins and (len(origins) > 1 or origins[0].lower() not in self._origins):
            raise _foreign("Origin")
        if any(site not in _SITES for site in headers.getlist("sec-fetch-site")):
            raise _foreign("Sec-Fetch-Site")


def _foreign(header: str) -> RefusedError:
    return RefusedError(
        403,
        ErrorCode.PROTECTED_PATH,
        f"{header} says that another page asks; only programs with a token are answered.",
        next_step="Call from a program, not from a page in a browser.",
    )


def _check_form(scope: Scope, headers: Headers, limits: Limits) -> None:
    target = scope["raw_path"]
    if not target.startswith(b"/"):
        raise RefusedError(400, ErrorCode.INVALID_INPUT, "The request's target is a path that begins with `/`.")
    if len(target) + len(scope["query_string"]) > limits.target_bytes:
        raise RefusedError(414, ErrorCode.LIMIT_EXCEEDED, f"A target is at most {limits.target_bytes:,} bytes.")
    if sum(line.count(",") + 1 for line in headers.getlist("range")) > limits.ranges:
        raise RefusedError(416, ErrorCode.LIMIT_EXCEEDED, f"At most {limits.ranges} ranges are taken.")
    if _has_body(headers):
        _check_body(headers, limits)


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0").strip("0") != ""


def _check_body(headers: Headers, limits: Limits) -> None:
    length = headers.get("content-length", "0")
    if len(length) > 18 or int(length) > limits.body_bytes:
        raise RefusedError(413, ErrorCode.LIMIT_EXCEEDED, f"A body is at most {limits.body_bytes:,} bytes.")
    if "content-encoding" in headers:
        raise RefusedError(415, ErrorCode.INVALID_INPUT, "A body is sent as it is, without Content-Encoding.")
    types = headers.getlist("content-type")
    kind, _, rest = types[0].partition(";") if len(types) == 1 else ("", "", "")
    if kind.strip().lower() != "application/json" or rest.strip().lower().replace('"', "") not in ("", "charset=utf-8"):
        raise RefusedError(
            415,
            ErrorCode.INVALID_INPUT,
            "A body is JSON.",
            next_step="Send `Content-Type: application/json`.",
            headers={"Accept": "application/json"},
        )


def _completing(receive: Receive, send: Send, *, has_body: bool) -> tuple[Receive, Send]:
    """Give every answer the date, and what tells a browser to keep its hands off.

    An answer to a request whose body wasn't read ends the connection: what is on its way is read by nobody.
    """
    unread = has_body

    async def receiving() -> Message:
        nonlocal unread
        message = await receive()
        unread = unread and message.get("more_body", False)
        return message

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["date"] = formatdate(usegmt=True)
            if unread:
                headers["connection"] = "close"
            for name, value in _ALWAYS.items():
                headers.setdefault(name, value)
        await send(message)

    return receiving, sending
