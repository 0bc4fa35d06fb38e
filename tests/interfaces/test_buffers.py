"""Whose buffers are whose over HTTP: a living session's are its own, an ended one's go to who comes back."""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.interfaces.conftest import Room
from tests.interfaces.http.conftest import *  # noqa: F403 - its fixtures are this module's, too
from tests.interfaces.http.conftest import Answer, Web
from tests.interfaces.test_rooms import Mcp, api, tool
from tests.page.conftest import Page

from workroom.interfaces import link
from workroom.interfaces.daemon import Daemon, open_state
from workroom.interfaces.http.limits import Limits
from workroom.interfaces.http.serving import Serving
from workroom.interfaces.page.late import LatePage
from workroom.person.credential import PersonCredential

ONE, TWO = "tab-00000001", "tab-00000002"


@pytest.fixture
def token(room: Room, web: Web) -> str:
    (room.folder / "a.txt").write_text("a\n")
    (room.folder / "b.txt").write_text("b\n")
    return web.make_token("editor", profile="editor")


def rows(buffers: list[dict]) -> list[tuple[str, bool]]:
    return [(row["path"], row["mine"]) for row in buffers]


def test_a_living_session_over_http_keeps_its_buffers_and_an_ended_ones_go_on(web, token):
    first, second = Mcp(web, token, web.workspace), Mcp(web, token, web.workspace)
    opened = first.call("open", path="a.txt")
    assert rows(second.call("buffers_list")["buffers"]) == [("a.txt", False)]
    refused = second.call("save", path="a.txt", content="mine\n")
    assert refused["conflict"] is True, "the second has read nothing"
    assert rows(first.call("buffers_list")["buffers"]) == [("a.txt", True)]
    headers = {"mcp_session_id": first.session, "authorization": f"Bearer {token}"}
    assert web.ask("DELETE", first.path, **headers).status == 204
    [row] = second.call("buffers_list")["buffers"]
    assert (row["mine"], row["version"]) == (True, opened["version"])


def test_what_a_token_opens_without_a_session_is_no_sessions(web, token):
    session = Mcp(web, token, web.workspace)
    assert api(web, token, web.workspace, "open", path="a.txt").status == 200
    assert Mcp(web, token, web.workspace, modern=True).call("buffers_list")["buffers"][0]["mine"] is True
    assert rows(session.call("buffers_list")["buffers"]) == [("a.txt", False)]
    assert api(web, token, web.workspace, "buffers_close", path="a.txt").json["closed"] is True


def test_each_tab_has_buffers_of_its_own(room, web, token):
    page = Page(web)
    page.sign_in()
    at = str(room.folder)
    tool(page, ONE, "open", at=at, path="a.txt")
    tool(page, TWO, "open", at=at, path="b.txt")
    assert rows(tool(page, ONE, "buffers_list", at=at).json["result"]["buffers"]) == [
        ("a.txt", True), ("b.txt", False),
    ]  # fmt: skip
    (room.folder / "a.txt").write_text("another\n")
    tool(page, TWO, "open", at=at, path="a.txt")
    saved = tool(page, ONE, "save", at=at, path="a.txt", content="mine\n").json["result"]
    assert (saved["saved"], saved["conflict"]) == (False, True), "what another tab has read is no base of this one"
    assert tool(page, TWO, "save", at=at, path="a.txt", content="mine\n").json["result"]["saved"] is True


class Brief:
    """A server in a thread of this process, whose sessions without a connection last a moment."""

    def __init__(self, folder: Path, state: Path) -> None:
        place = link.Place({"WORKROOM_STATE": str(state)})
        self.daemon = Daemon(place, open_state(place))
        self.folder = folder
        self.daemon.hub.open(str(folder))
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(listener),))
        self._thread.start()
        assert self._ready.wait(60)

    async def _serve(self, listener: socket.socket) -> None:
        person = PersonCredential.grant("k", "k", 0, 0, name="ann", surface="page")
        page = LatePage(self.daemon, self.daemon.pages, person)
        serving = Serving(self.daemon.hub, [self.host], Limits(tab_seconds=0.3, session_seconds=0.3), page)
        await serving.begin([listener])
        self._ready.set()
        await asyncio.to_thread(self._over.wait)
        serving.rest()
        await serving.end(5)

    def end(self) -> None:
        self._over.set()
        self._thread.join()
        assert self.daemon.hub.stop(10)

    def there(self) -> bool:
        """Whether any session is: each hears of folders that are closed."""
        return any("Rooms" in repr(each) for each in self.daemon.hub.closing)


@pytest.fixture
def brief(tmp_path: Path) -> Iterator[Brief]:
    folder = tmp_path / "ws"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(name)
    with tempfile.TemporaryDirectory(prefix="wr-") as state:
        made = Brief(folder, Path(state))
        yield made
        made.end()


@pytest.fixture
def brief_page(brief: Brief) -> Iterator[Page]:
    page = Page(Web(Room(brief.folder, brief.folder, brief.folder), brief.port, "", "", ""))
    assert page.sign_in(brief.daemon.pages.new_code()).status == 200
    yield page
    page.web.close()


def wait_until(true) -> None:
    deadline = threading.Event()
    for _ in range(600):
        if true():
            return
        deadline.wait(0.05)
    raise AssertionError("it doesn't come to pass")


def stream(page: Page, tab: str):
    """A tab's stream of events, begun."""
    raw = page.web.connect()
    path = f"/page/v1/events?workspace={page.web.room.folder}"
    raw.send(page.web.request("GET", path, authorization=f"Bearer {page.key}", workroom_tab=tab))
    assert b"event: ready" in raw.until(b"event: ready")
    return raw


def test_a_tab_is_there_while_it_follows_and_its_buffers_go_to_who_comes_back(brief, brief_page):
    at = str(brief.folder)
    following = stream(brief_page, ONE)
    tool(brief_page, ONE, "open", at=at, path="a.txt")
    threading.Event().wait(0.6)
    assert rows(_buffers(brief_page, TWO, at)) == [("a.txt", False)], "it follows: it is there"
    following.connection.close()
    wait_until(lambda: not brief.there())
    assert rows(_buffers(brief_page, TWO, at)) == [("a.txt", True)]
    assert rows(_buffers(brief_page, ONE, at)) == [("a.txt", False)], "the new one has them"


def test_tabs_that_share_a_stream_are_each_there_until_it_is_theirs_no_more(brief, brief_page):
    at = str(brief.folder)
    shared = stream(brief_page, f"{ONE},{TWO}")
    tool(brief_page, ONE, "open", at=at, path="a.txt")
    tool(brief_page, TWO, "open", at=at, path="b.txt")
    threading.Event().wait(0.6)
    both = [("a.txt", False), ("b.txt", True)]
    assert sorted(rows(_buffers(brief_page, TWO, at))) == both, "neither has asked for anything for a while"
    left = stream(brief_page, TWO)
    shared.connection.close()
    wait_until(lambda: len(brief.daemon.hub.presence.list(brief.daemon.hub.open(at))) == 1)
    assert ("a.txt", True) in rows(_buffers(brief_page, TWO, at)), "the other has left"
    left.connection.close()


@pytest.mark.parametrize("tabs", ["short", f"{ONE},", f"{ONE}, {TWO}", ",".join(f"tab-{n:05}" for n in range(201))])
def test_what_names_no_tabs_is_refused(brief, brief_page, tabs):
    path = f"/page/v1/events?workspace={brief.folder}"
    answer = brief_page.web.ask("GET", path, authorization=f"Bearer {brief_page.key}", workroom_tab=tabs)
    assert (answer.status, answer.code) == (400, "INVALID_INPUT")


def test_a_call_is_made_by_one_tab(brief, brief_page):
    answer = tool(brief_page, f"{ONE},{TWO}", "buffers_list", at=str(brief.folder))
    assert (answer.status, answer.code) == (400, "INVALID_INPUT")


def test_a_tab_that_reloads_is_the_same(brief, brief_page):
    at = str(brief.folder)
    tool(brief_page, ONE, "open", at=at, path="a.txt")
    tool(brief_page, ONE, "workspace_open", at=at, root=".")
    stream(brief_page, ONE).connection.close()
    assert rows(_buffers(brief_page, ONE, None)) == [("a.txt", True)]


def _buffers(page: Page, tab: str, at: str | None) -> list[dict]:
    answer: Answer = tool(page, tab, "buffers_list", at=at)
    assert answer.status == 200, json.dumps(answer.json)
    found: list[dict] = answer.json["result"]["buffers"]
    return found


def test_a_tokens_calls_are_of_one_session_until_it_rests(brief):
    client, token = brief.daemon.hub.clients.add(
        "editor", [brief.daemon.hub.open(str(brief.folder)).store.folder.name], "editor", None
    )  # fmt: skip
    web = Web(Room(brief.folder, brief.folder, brief.folder), brief.port, token, client.workspaces[0], "")
    api(web, token, "active", "open", path="a.txt")
    assert brief.there()
    wait_until(lambda: not brief.there())
    session = Mcp(web, token, client.workspaces[0])
    assert rows(session.call("buffers_list")["buffers"]) == [("a.txt", True)]
    web.close()
