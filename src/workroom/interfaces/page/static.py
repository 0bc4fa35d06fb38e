"""The page's own files, under a policy by which nothing but them ever runs.

    GET /               index.html, anew each time, with a nonce for the styles that the editor makes
    GET /assets/NAME    a script or style, with a hash in its name: kept for a year

They are read once and are all that is served here: no name leads into a folder, and no byte of a workspace is among
them. They are the same for everybody, so that no key is asked for.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from workroom.base.errors import ErrorCode
from workroom.interfaces.http.answers import RefusedError

__all__ = ["BUILT", "Static"]

BUILT = Path(__file__).resolve().parents[2] / "page"
"""What `web/` was built into."""

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' blob: data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "worker-src 'self'; require-trusted-types-for 'script'; trusted-types workroom-worker"
)
_WORKERS_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"
"""A worker has the policy that its script comes with, not its page's."""
_INDEX_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True, slots=True)
class _Asset:
    kind: str
    data: bytes
    packed: bytes | None
    """The same in gzip."""
    tag: str


class Static:
    """Answers for the page's files, and hands everything else on."""

    def __init__(self, app: ASGIApp, built: Path = BUILT) -> None:
        self._app = app
        self._index = _read(built / "index.html").decode("utf-8")
        self._assets = _assets(built / "assets")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path != "/" and not path.startswith("/assets/"):
            await self._app(scope, receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            raise RefusedError(405, ErrorCode.INVALID_INPUT, "The path takes GET.", headers={"Allow": "GET, HEAD"})
        response = self._page() if path == "/" else self._asset(path.removeprefix("/assets/"), Headers(scope=scope))
        await response(scope, receive, send)

    def _page(self) -> Response:
        if not self._index:
            raise RefusedError(
                404,
                ErrorCode.NOT_FOUND,
                "The page was not built with this installation.",
                next_step="`make web` builds it in a checkout; then `workroom stop`, and serve again.",
            )
        nonce = secrets.token_urlsafe(18)
        headers = {**_INDEX_HEADERS, "content-security-policy": _POLICY.format(nonce=nonce)}
        return Response(self._index.replace("%NONCE%", nonce), headers=headers, media_type="text/html")

    def _asset(self, name: str, asked: Headers) -> Response:
        asset = self._assets.get(name)
        if asset is None:
            raise RefusedError(
                404, ErrorCode.NOT_FOUND, "There is no such part of the page.", next_step="Load the page anew."
            )
        headers = {
            "cache-control": "public, max-age=31536000, immutable",
            "content-security-policy": _WORKERS_POLICY,
            "content-type": asset.kind,
            "etag": asset.tag,
            "vary": "accept-encoding",
        }
        if asked.get("if-none-match") == asset.tag:
            return Response(status_code=304, headers=headers)
        if asset.packed is None or "gzip" not in asked.get("accept-encoding", ""):
            return Response(asset.data, headers=headers)
        return Response(asset.packed, headers={**headers, "content-encoding": "gzip"})


def _assets(folder: Path) -> Mapping[str, _Asset]:
    """Every asset by its name."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.name: _asset_of(path) for path in found if path.suffix in _TYPES}


def _asset_of(path: Path) -> _Asset:
    data = path.read_bytes()
    packed = _read(path.with_name(f"{path.name}.gz")) or None
    return _Asset(_TYPES[path.suffix], data, packed, f'"{hashlib.sha256(data).hexdigest()[:32]}"')


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
