"""A real server that speaks OpenAI's protocol for embeddings, as far as the tests need it."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["Embedder"]

_THEMES = ("copy duplicate folder directory", "music song sound play", "mail letter message post")


class Embedder(ThreadingHTTPServer):
    """Its vectors tell how many words of three themes a text has. `seen`: what it was asked, with which key.

    `status`, `answer`: what it answers instead; `limit`: after so many requests it answers 503; while `go` is cleared
    it answers nothing.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen = []
        self.status = 200
        self.answer = None
        self.limit = None
        self.width = 8
        self.go = threading.Event()
        self.go.set()
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1/embeddings"

    def close(self):
        self.go.set()
        self.shutdown()
        self.server_close()

    def vector(self, text):
        words = text.lower().split()
        counts = [float(sum(words.count(word) for word in theme.split())) for theme in _THEMES]
        return [*counts, 0.1, *[0.0] * (self.width - 4)]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.seen.append((self.path, self.headers.get("Authorization"), body))
        server.go.wait()
        status = server.status if server.limit is None or len(server.seen) <= server.limit else 503
        rows = [{"index": n, "embedding": server.vector(text)} for n, text in enumerate(body["input"])]
        answer = server.answer if server.answer is not None else {"data": rows[::-1]}
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # who asked has gone
            self.wfile.write(data)

    def log_message(self, *_):
        """Say nothing."""
