"""A proxy that shows a token for a client that can't: the conformance suite has no way to send one.

All else passes as it is: methods, headers, bodies, streams. A Host or Origin that names the proxy comes to name the
server, as behind any reverse proxy; every other one stays, for the server to refuse.
"""

from __future__ import annotations

import contextlib
import re
import socket
import socketserver
import threading
from collections.abc import Iterator

__all__ = ["proxied"]

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class _Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.port = port
        self.token = token

    @property
    def own(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])


class _Connection(socketserver.BaseRequestHandler):
    server: _Proxy

    def handle(self) -> None:
        upstream = socket.create_connection(("127.0.0.1", self.server.port))
        back = threading.Thread(target=_copy, args=(upstream, self.request), daemon=True)
        back.start()
        held = b""
        with contextlib.suppress(OSError):
            while True:
                while b"\r\n\r\n" not in held:
                    if not (chunk := self.request.recv(1 << 16)):
                        return self._end(upstream)
                    held += chunk
                head, _, held = held.partition(b"\r\n\r\n")
                length = _LENGTH.search(head)
                wanted = int(length[1]) if length else 0
                while len(held) < wanted:
                    held += self.request.recv(1 << 16)
                upstream.sendall(self._changed(head) + b"\r\n\r\n" + held[:wanted])
                held = held[wanted:]
        return self._end(upstream)

    def _changed(self, head: bytes) -> bytes:
        head = head.replace(f"localhost:{self.server.own}".encode(), f"localhost:{self.server.port}".encode())
        return head + f"\r\nAuthorization: Bearer {self.server.token}".encode()

    def _end(self, upstream: socket.socket) -> None:
        with contextlib.suppress(OSError):
            upstream.shutdown(socket.SHUT_RDWR)
        upstream.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while chunk := source.recv(1 << 16):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def proxied(port: int, token: str) -> Iterator[int]:
    """The proxy's port; it leads to the server on `port`, as the client whose token this is."""
    proxy = _Proxy(port, token)
    thread = threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield proxy.own
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()
