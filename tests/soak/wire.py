"""HTTP/1.1 over one kept connection, as little of it as a load generator needs: it must cost less than the server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

__all__ = ["Answer", "Wire"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One response, whole."""

    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """One client's connection; it is made anew when the server has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """One request and its response. Raises OSError or EOFError when the connection is lost on the way."""
        if self._writer is None or self._writer.is_closing() or (self._reader and self._reader.at_eof()):
            await self._connect()
        status, named = await self._begin(method, path, body, headers)
        assert self._reader is not None
        if named.get("transfer-encoding") == "chunked":
            data = b"".join([chunk async for chunk in self._chunks()])
        else:
            data = await self._reader.readexactly(int(named.get("content-length", "0")))
        if named.get("connection") == "close":
            self.close()
        return Answer(status, named, data)

    async def stream(self, path: str, headers: dict[str, str]) -> AsyncIterator[bytes]:
        """The chunks of a response that goes on; the first is its status."""
        await self._connect()
        status, _ = await self._begin("GET", path, b"", headers)
        yield str(status).encode()
        if status == 200:
            async for chunk in self._chunks():
                yield chunk

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def _connect(self) -> None:
        self.close()
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def _begin(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
        assert self._reader is not None
        assert self._writer is not None
        lines = [f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{self._port}"]
        if body:
            lines += ["content-type: application/json", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await self._writer.drain()
        first, *rest = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        named = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
        return int(first.split()[1]), named

    async def _chunks(self) -> AsyncIterator[bytes]:
        assert self._reader is not None
        with contextlib.suppress(asyncio.IncompleteReadError):
            while size := int((await self._reader.readuntil(b"\r\n")), 16):
                yield await self._reader.readexactly(size)
                await self._reader.readexactly(2)
            await self._reader.readexactly(2)
