"""W03, W07: a real browser shows a page that somebody else serves on this machine; it tries everything a page can.

The page even knows the token, which no page would. The browser reaches the server through a relay, which reads along.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium (make packages)")

SECONDS = 60
"""A guard against hanging, no measure."""
PAGE = """<!doctype html><meta charset="utf-8"><title>A harmless page</title>
<form id="form" method="post" enctype="text/plain" target="frame" action="{apply}">
<input name='{{"operations":[{{"type":"create","path":"x.txt","content":"' value='"}}]}}'></form>
<iframe name="frame"></iframe>
<script>
const told = {{}};
const bearer = {{Authorization: "Bearer {token}"}};
const json = {{"Content-Type": "application/json"}};
const edit = '{{"operations":[{{"type":"create","path":"x.txt","content":"x"}}]}}';
const read = async (name, address, options) => {{
  try {{
    const answer = await fetch(address, options);
    told[name] = [answer.type, answer.status, await answer.text()];
  }} catch (error) {{ told[name] = ["failed", 0, ""]; }}
}};
const loads = (name, element) => new Promise((done) => {{
  element.onload = () => {{ told[name] = ["loaded", 0, element.contentDocument ? "readable" : ""]; done(); }};
  element.onerror = () => {{ told[name] = ["failed", 0, ""]; done(); }};
  document.body.append(element);
}});
const opens = (name, socket) => new Promise((done) => {{
  socket.onopen = socket.onmessage = () => {{ told[name] = ["opened", 0, ""]; done(); }};
  socket.onerror = () => {{ told[name] = ["failed", 0, ""]; socket.close(); done(); }};
}});
addEventListener("load", async () => {{
  await read("get", "{list}");
  await read("get with token", "{list}", {{headers: bearer}});
  await read("get no-cors", "{list}", {{mode: "no-cors", credentials: "include"}});
  await read("post text", "{apply}", {{method: "POST", mode: "no-cors", body: edit, credentials: "include"}});
  await read("post json", "{apply}", {{method: "POST", body: edit, headers: {{...bearer, ...json}}}});
  await read("accept", "{accept}", {{method: "POST", mode: "no-cors", body: "{{}}"}});
  await read("accept json", "{accept}", {{method: "POST", body: "{{}}", headers: {{...bearer, ...json}}}});
  const script = document.createElement("script");
  script.src = "{list}";
  await loads("script", script);
  const image = document.createElement("img");
  image.src = "{list}";
  await loads("image", image);
  const frame = document.createElement("iframe");
  frame.src = "{list}";
  await loads("iframe", frame);
  document.getElementById("form").submit();
  await new Promise((done) => {{ document.querySelector("iframe").onload = done; }});
  await opens("events", new EventSource("{events}"));
  await opens("socket", new WebSocket("{events}".replace("http", "ws")));
  navigator.sendBeacon("{apply}", edit);
  await read("beacon is away", "{list}", {{mode: "no-cors"}});
  await fetch("/told", {{method: "POST", body: JSON.stringify(told)}});
}});
</script>"""


@contextmanager
def dev_server(page: str) -> Iterator[tuple[int, dict, threading.Event]]:
    """The agent's own server on a port of its own: it serves the page, and hears what the page tells."""
    heard: dict = {}
    told = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def do_POST(self):
            heard.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            told.set()

        def log_message(self, *_arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, heard, told
        server.shutdown()


@contextmanager
def relay(port: int) -> Iterator[tuple[int, list[int]]]:
    """A port that leads to the server's, and the statuses of the answers that came by."""
    statuses: list[int] = []
    opened: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def carry(source: socket.socket, target: socket.socket, hear: Callable[[bytes], None]) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                hear(data)
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def hear(data: bytes) -> None:
        statuses.extend(int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", data))

    def accept() -> None:
        with suppress(OSError):  # it is closed in the end
            while True:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", port))
                opened.extend((near, far))
                threading.Thread(target=carry, args=(near, far, lambda _data: None), daemon=True).start()
                threading.Thread(target=carry, args=(far, near, hear), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield listener.getsockname()[1], statuses
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()
        for one in (listener, *opened):
            one.close()


def show(address: str, folder: Path, mapped: str, told: threading.Event) -> None:
    """Show a page in a browser until it has told what it found. `mapped` leads connections elsewhere, as `A:1 B:2`."""
    command = [
        "chromium",
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        f"--user-data-dir={folder / 'profile'}",
        f"--host-resolver-rules=MAP {mapped}",
        address,
    ]
    nothing = subprocess.DEVNULL
    browser = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    try:
        assert told.wait(SECONDS), "the page told nothing"
    finally:
        browser.terminate()
        browser.wait(SECONDS)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_w03_w07_a_page_of_another_port_reads_nothing_and_does_nothing(visitor, tmp_path, name):
    person = visitor.room.person(visitor.room.folder)
    person.get("mode", mode="manual")
    waiting = visitor.call("edit", "apply", operations=[{"type": "mkdir", "path": "d"}]).json["data"]["approval"]["id"]
    below = f"http://{name}:{visitor.port}/api/v1/workspaces"
    page = PAGE.format(
        list=below,
        apply=f"{below}/{visitor.workspace}/tools/workspace_edit/apply",
        accept=f"{below}/{visitor.workspace}/approvals/{waiting}/accept",
        events=f"{below}/{visitor.workspace}/events",
        token=visitor.token,
    )
    with dev_server(page) as (port, heard, told), relay(visitor.port) as (relayed, statuses):
        show(f"http://{name}:{port}/", tmp_path, f"{name}:{visitor.port} 127.0.0.1:{relayed}", told)
    assert {kind for kind, _, _ in heard.values()} <= {"failed", "loaded"}, heard
    assert {status for _, status, _ in heard.values()} == {0}, "no status is seen"
    assert {text for _, _, text in heard.values()} == {""}, "nothing is read"
    assert [tried for tried, one in heard.items() if one[0] == "loaded"] == ["iframe"], "the browser's own error page"
    assert len(statuses) >= len(heard), "each was sent, or the browser's question before it"
    assert set(statuses) == {403}
    assert [one["id"] for one in person.get("pending")["pending"]] == [waiting]
    assert not (visitor.room.folder / "x.txt").exists()
