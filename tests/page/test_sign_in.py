"""Who may speak as the person over HTTP, and what nobody learns on the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.interfaces.conftest import Room
from tests.interfaces.http.conftest import Web
from tests.page.conftest import Page

from workroom.base.errors import WorkroomError
from workroom.base.ids import new_id
from workroom.server.signin import CODE_SECONDS, SignIn
from workroom.system.state import StateDirectory


@pytest.fixture
def state(tmp_path: Path) -> StateDirectory:
    made = StateDirectory(tmp_path / "state")
    made.make()
    return made


def audit_of(room: Room) -> str:
    return json.dumps(room.person().get("audit.export", server=True)["lines"])


def staged(room: Room) -> str:
    """An agent's request that waits for the person."""
    room.person(room.folder).get("mode", mode="manual")
    agent = room.agent()
    agent.initialize()
    operations = [{"type": "create", "path": "new.txt", "content": "one\n"}]
    answer = agent.call("workspace_edit", action="apply", title="Say one", operations=operations)
    found: str = answer["structuredContent"]["data"]["approval"]["id"]
    return found


def test_a_code_counts_once(web: Web) -> None:
    code = web.room.person().get("page.code")["code"]
    page = Page(web)
    assert page.sign_in(code).status == 200
    again = page.sign_in(code)
    assert (again.status, again.code) == (403, "PROTECTED_PATH")
    assert page.ask("status").json["result"]["workspaces"]


def test_a_code_expires_after_two_minutes(state: StateDirectory) -> None:
    time = [1000.0]
    signin = SignIn(state, lambda: time[0], new_id)
    late, timely = signin.new_code(), signin.new_code()
    time[0] += CODE_SECONDS - 1
    assert signin.exchange(timely, "")[0].created_at == time[0]
    time[0] += 1
    with pytest.raises(WorkroomError, match="too old"):
        signin.exchange(late, "")


def test_guessing_is_bounded_and_ends_by_itself(state: StateDirectory) -> None:
    time = [1000.0]
    signin = SignIn(state, lambda: time[0], new_id)
    for _ in range(30):
        with pytest.raises(WorkroomError, match="used already"):
            signin.exchange("code_wrong", "")
    code = signin.new_code()
    with pytest.raises(WorkroomError, match="Too many"):
        signin.exchange(code, "")
    time[0] += 61
    signin.exchange(code, "")


def test_codes_and_keys_are_few(state: StateDirectory) -> None:
    signin = SignIn(state, lambda: 1000.0, new_id)
    first, *others = [signin.new_code() for _ in range(21)]
    with pytest.raises(WorkroomError, match="used already"):
        signin.exchange(first, "")
    keys = [signin.exchange(code, "x" * 300)[1] for code in others]
    keys += [signin.exchange(signin.new_code(), "")[1] for _ in range(31)]
    assert len(signin.list()) == 50
    assert signin.find(keys[0]) is None
    assert signin.find(keys[-1]) == signin.list()[-1]
    assert len(signin.list()[0].browser) == 200


def test_a_key_stands_in_no_file_and_no_log(page: Page, web: Web) -> None:
    web.ask("POST", "/page/v1/call", b"{}", authorization="Bearer page_wrong")
    page.ask("nothing")
    state = web.room.state
    files = [path for path in state.rglob("*") if path.is_file() and not path.is_symlink()]
    assert state / "page.json" in files
    assert all(page.key.encode() not in path.read_bytes() for path in files)


def test_a_page_that_is_signed_out_is_nobody(page: Page, web: Web) -> None:
    person = web.room.person()
    [row] = person.get("pages.list")["pages"]
    assert person.get("pages.revoke", name=row["id"])["page"] == row
    assert (page.ask("status").status, page.ask("status").code) == (401, "INVALID_INPUT")
    assert person.ask("pages.revoke", name=row["id"])["error"]["code"] == "NOT_FOUND"


def test_a_page_signs_no_other_in(page: Page) -> None:
    answer = page.ask("page.code")
    assert (answer.status, answer.json["error"]["code"]) == (403, "PROTECTED_PATH")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"authorization": None}, 401),
        ({"authorization": "Bearer page_0000"}, 401),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_W07_another_page_is_refused(page: Page, headers: dict[str, str | None], status: int) -> None:
    answer = page.ask("status", **headers)
    assert answer.status == status
    assert not [name for name in answer.headers if name.startswith("access-control") or name == "set-cookie"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("headers", [{"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "same-site"}])
def test_W07_another_page_can_not_sign_in(web: Web, headers: dict[str, str]) -> None:
    code = web.room.person().get("page.code")["code"]
    body = json.dumps({"code": code}).encode()
    assert web.ask("POST", "/page/v1/sign-in", body, authorization=None, **headers).status == 403
    assert Page(web).sign_in(code).status == 200


def test_A01_a_token_decides_nothing_at_the_page(page: Page, web: Web) -> None:
    waiting = staged(web.room)
    answer = page.ask("accept", {"words": waiting}, authorization=f"Bearer {web.token}")
    assert (answer.status, answer.code) == (403, "PROTECTED_PATH")
    assert not (web.room.folder / "new.txt").exists()
    assert page.ask("pending").json["result"]["pending"][0]["id"] == waiting
    told = audit_of(web.room)
    assert "POST /page/v1/call" in told
    assert web.token not in told


def test_a_pages_key_is_no_token(page: Page, web: Web) -> None:
    bearer = f"Bearer {page.key}"
    assert web.get("/workspaces", authorization=bearer).status == 401
    assert web.ask("POST", "/mcp", b"{}", authorization=bearer).status == 401


def test_the_page_decides(page: Page, web: Web) -> None:
    waiting = staged(web.room)
    assert "new.txt" in page.ask("show", {"id": waiting}).json["result"]["text"]
    assert page.ask("accept", {"words": f"{waiting} fine"}).status == 200
    assert (web.room.folder / "new.txt").read_text() == "one\n"
    assert '"page"' in json.dumps(web.room.person(web.room.folder).get("audit.export")["lines"])


def test_a_refusal_is_the_methods_own(page: Page) -> None:
    answer = page.ask("show", {"id": "approval_none"})
    assert (answer.status, answer.json["error"]["code"]) == (404, "NOT_FOUND")
    assert page.ask("stop").code == "INVALID_INPUT"
    assert page.ask("log", {"limit": 0}).code == "INVALID_INPUT"


def test_what_is_no_call_is_told(page: Page, web: Web) -> None:
    bearer = f"Bearer {page.key}"
    for body in (b"[]", b"{}", b'{"method": 1}', b'{"method": "log", "workspace": "relative"}'):
        answer = web.ask("POST", "/page/v1/call", body, authorization=bearer)
        assert (answer.status, answer.code) == (400, "INVALID_INPUT")
    body = json.dumps({"method": "log", "workspace": str(web.room.folder.parent)}).encode()
    assert web.ask("POST", "/page/v1/call", body, authorization=bearer).code == "NOT_FOUND"
    assert web.ask("GET", "/page/v1/events", authorization=bearer).code == "NOT_FOUND"
    assert web.ask("GET", "/page/v1/nothing", authorization=bearer).status == 404


def test_what_is_no_code_is_told(web: Web) -> None:
    for body, status in ((b"[]", 400), (b'{"code": 1}', 400), (b'"' + b"x" * 1000 + b'"', 413)):
        assert web.ask("POST", "/page/v1/sign-in", body, authorization=None).status == status


def test_events_come_all_and_go_on_where_they_were(page: Page, web: Web) -> None:
    staged(web.room)
    raw = web.connect()
    path = f"/page/v1/events?workspace={web.room.folder}&since=0"
    raw.send(web.request("GET", path, authorization=f"Bearer {page.key}"))
    assert raw.head()[0] == 200
    first = raw.until(b"event: approval_staged")
    number = int(first.rpartition(b"id: ")[2].split()[0])
    again = web.connect()
    path = f"/page/v1/events?workspace={web.room.folder}&since={number}"
    again.send(web.request("GET", path, authorization=f"Bearer {page.key}"))
    page.ask("mode", {"mode": "auto"})
    assert b"event: approval_staged" not in again.until(b"event: mode_changed")
