"""A real Chromium on the page, driven by role and name; what it complains of on the way fails the test."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, sync_playwright
from tests.interfaces.conftest import Client, Room

__all__ = ["Visit", "launched", "visiting"]

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 380, "height": 740}

_EXPECTED = ("Failed to load resource", "net::ERR_")
"""What the browser itself says of an answer that a test asks for: a refusal, or a server that isn't there."""


@dataclass
class Visit:
    """One browser context on one folder. `agent` is a client that asks there."""

    room: Room
    port: int
    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list)
    _agents: dict[str, Client] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def sign_in(self) -> Page:
        """Open a new link, and wait until the page is live."""
        link = self.room.person().get("page.code")["link"]
        self.page.goto(link)
        self.page.get_by_text("Live", exact=True).wait_for(state="attached")
        return self.page

    def ask(self, method: str, **params: Any) -> Any:
        """What the person asks elsewhere, in a terminal."""
        return self.room.person(self.room.folder).get(method, **params)

    def edit(self, *operations: dict[str, Any], title: str = "A change", name: str = "tester") -> Any:
        """An agent asks for an edit; the data of its answer."""
        if name not in self._agents:
            client = self.room.shim()
            client.request(
                "initialize",
                protocolVersion="2025-11-25",
                capabilities={},
                clientInfo={"name": name, "version": "1"},
            )
            client.send(method="notifications/initialized")
            self._agents[name] = client
        arguments = {"action": "apply", "title": title, "operations": list(operations)}
        answer = self._agents[name].call("workspace_edit", **arguments)["structuredContent"]
        assert "data" in answer, answer
        return answer["data"]

    def stage(self, *operations: dict[str, Any], title: str = "A change", name: str = "tester") -> str:
        """The same where it waits; the approval's id."""
        found: str = self.edit(*operations, title=title, name=name)["approval"]["id"]
        return found

    def write(self, path: str, text: str) -> None:
        target = self.room.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def read(self, path: str) -> str:
        return (self.room.folder / path).read_bytes().decode()

    def changes(self) -> Locator:
        """The left bar's view of what was changed, shown."""
        self.page.get_by_role("navigation", name="Views").get_by_role("button", name="Changes").click()
        return self.page.get_by_role("region", name="Changes")

    def settle(self) -> None:
        """Wait as long as a reader looks, so that a click counts."""
        self.page.wait_for_timeout(600)


@contextmanager
def launched() -> Iterator[Browser]:
    """The machine's own Chromium; skips where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@contextmanager
def visiting(browser: Browser, room: Room, port: int, **options: Any) -> Iterator[Visit]:
    """A context of its own on the room's folder."""
    context = browser.new_context(viewport=options.pop("viewport", WIDE), reduced_motion="reduce", **options)
    context.set_default_timeout(20_000)
    folder = json.dumps(str(room.folder))
    context.add_init_script(
        f"localStorage.getItem('workroom.folder') || localStorage.setItem('workroom.folder', {folder})"
    )
    visit = Visit(room, port, context, context.new_page())
    visit.page.on("console", lambda message: _hear(visit, message))
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    try:
        yield visit
    finally:
        context.close()
    assert not visit.complaints, visit.complaints


def _hear(visit: Visit, message: ConsoleMessage) -> None:
    if message.type in {"error", "warning"} and not any(known in message.text for known in _EXPECTED):
        visit.complaints.append(message.text)
