"""A server that a page can speak to, a page by raw HTTP, and the page itself in Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.interfaces.conftest import *  # noqa: F403 - its fixtures are this folder's, too
from tests.interfaces.conftest import Room
from tests.interfaces.http.conftest import Answer, Web, listening, shared_web, visitor  # noqa: F401 - fixtures
from tests.page.browsing import Visit, launched, visiting

from tools import build_page


class Page:
    """A page's half: its key, and what it asks with it."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.key = ""

    def sign_in(self, code: str | None = None) -> Answer:
        shown = self.web.room.person().get("page.code")["code"] if code is None else code
        answer = self.web.ask("POST", "/page/v1/sign-in", json.dumps({"code": shown}).encode(), authorization=None)
        if answer.status == 200:
            self.key = answer.json["key"]
        return answer

    def ask(self, method: str, params: dict[str, Any] | None = None, /, **headers: Any) -> Answer:
        body = {"method": method, "params": params or {}, "workspace": str(self.web.room.folder)}
        given = {"authorization": f"Bearer {self.key}", **headers}
        return self.web.ask("POST", "/page/v1/call", json.dumps(body).encode(), **given)


@pytest.fixture
def web(room: Room) -> Iterator[Web]:
    web = listening(room)
    yield web
    web.close()


@pytest.fixture
def page(web: Web) -> Page:
    made = Page(web)
    assert made.sign_in().status == 200
    return made


@pytest.fixture(scope="session", autouse=True)
def _built() -> None:
    """The page as its sources are now."""
    build_page.build()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for the tests of a module."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def shared_port() -> dict[str, int]:
    """Where the server of a module's tests listens."""
    return {}


@pytest.fixture
def visit(chromium: Browser, guest: Room, shared_port: dict[str, int]) -> Iterator[Visit]:
    """A folder of the test's own in manual mode, and a browser context; the tests of a module share a server."""
    with visiting(chromium, guest, port_of(guest, shared_port)) as made:
        yield made


def port_of(room: Room, shared: dict[str, int]) -> int:
    """Open the folder, ask about each change there, and have the server listen."""
    person = room.person()
    person.get("open", path=str(room.folder))
    room.person(room.folder).get("mode", mode="manual")
    if "port" not in shared:
        shared["port"] = int(person.get("http", port=0)["url"].rpartition(":")[2])
    return shared["port"]
