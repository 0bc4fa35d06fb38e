"""A server that a page can speak to, and a page by raw HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.interfaces.conftest import *  # noqa: F403 - its fixtures are this folder's, too
from tests.interfaces.conftest import Room
from tests.interfaces.http.conftest import Answer, Web, listening


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
