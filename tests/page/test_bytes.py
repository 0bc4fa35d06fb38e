"""The bytes of a file: whose they are to have, what they are sent as, and where nobody gets to with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.http.conftest import Answer, Web
from tests.page.conftest import Page

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture
def page(visitor: Web) -> Page:
    made = Page(visitor)
    assert made.sign_in().status == 200
    return made


def folder_of(page: Page) -> Path:
    return page.web.room.folder


def fetch(page: Page, path: str, /, body: dict[str, Any] | None = None, **headers: str | None) -> Answer:
    asked = {"path": path, "workspace": str(folder_of(page)), **(body or {})}
    given = {"authorization": f"Bearer {page.key}", **headers}
    return page.web.ask("POST", "/page/v1/bytes", json.dumps(asked).encode(), **given)


@pytest.mark.parametrize(
    ("name", "data", "picture"),
    [
        ("a.png", PNG, "image/png"), ("b.txt", PNG, "image/png"), ("c.svg", SVG, "image/svg+xml"),
        ("d.png", b"<!doctype html><script>alert(1)</script>", None), ("e.html", b"\0" * 70_000, None),
        ("f.png", b"", None),
    ],
)  # fmt: skip
def test_bytes_come_as_they_are_and_as_nothing_that_acts(
    page: Page, name: str, data: bytes, picture: str | None
) -> None:
    Path(folder_of(page), name).write_bytes(data)
    answer = fetch(page, name)
    assert (answer.status, answer.body) == (200, data)
    assert answer.headers.get("workroom-picture") == picture
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"] == "attachment"
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"
    assert not [one for one in answer.headers if one.startswith("access-control") or one == "set-cookie"]


def test_nobody_else_gets_them(page: Page) -> None:
    Path(folder_of(page), "a.png").write_bytes(PNG)
    refused = {
        "nothing": fetch(page, "a.png", authorization=None),
        "another key": fetch(page, "a.png", authorization=f"Bearer page_{'0' * 64}"),
        "an agent's token": fetch(page, "a.png", authorization=f"Bearer {page.web.token}"),
        "a page of another port": fetch(page, "a.png", origin="http://127.0.0.1:1"),
        "another site": fetch(page, "a.png", sec_fetch_site="cross-site"),
        "another name of this host": fetch(page, "a.png", host="evil.example"),
    }
    assert {who: answer.status for who, answer in refused.items()} == {
        "nothing": 401, "another key": 401, "an agent's token": 403, "a page of another port": 403,
        "another site": 403, "another name of this host": 421,
    }  # fmt: skip
    assert all(PNG not in answer.body for answer in refused.values())
    assert page.ask("pages.revoke", {"name": page.ask("pages.list").json["result"]["pages"][-1]["id"]}).status == 200
    assert fetch(page, "a.png").status == 401


def test_no_key_ever_stands_in_an_address(page: Page) -> None:
    Path(folder_of(page), "a.svg").write_bytes(SVG)
    for way in (f"?key={page.key}&path=a.svg", f"?path=a.svg&workspace={folder_of(page)}", "/a.svg"):
        for key in (None, f"Bearer {page.key}"):
            answer = page.web.ask("GET", f"/page/v1/bytes{way}", authorization=key)
            assert answer.status in {401, 404, 405}
            assert SVG not in answer.body


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("../secret.png", 403, "PATH_OUTSIDE_WORKSPACE"), ("sub/../../secret.png", 403, "PATH_OUTSIDE_WORKSPACE"),
        ("/etc/hostname", 403, "PATH_OUTSIDE_WORKSPACE"), ("out.png", 403, "PATH_OUTSIDE_WORKSPACE"),
        ("up/secret.png", 403, "PATH_OUTSIDE_WORKSPACE"), ("%2e%2e/secret.png", 404, "NOT_FOUND"),
        ("sub", 400, "INVALID_INPUT"), ("a\0b", 400, "INVALID_INPUT"), ("", 400, "INVALID_INPUT"),
        ("gone.png", 404, "NOT_FOUND"), ("vast.png", 422, "LIMIT_EXCEEDED"),
    ],
)  # fmt: skip
def test_nothing_outside_of_the_folder_is_reached(page: Page, path: str, status: int, code: str) -> None:
    folder = folder_of(page)
    secret = folder.parent / "secret.png"
    secret.write_bytes(PNG + b"secret")
    (folder / "sub").mkdir()
    (folder / "out.png").symlink_to(secret)
    (folder / "up").symlink_to("..")
    with open(folder / "vast.png", "wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    answer = fetch(page, path)
    assert (answer.status, answer.code) == (status, code), answer.body
    assert b"secret" not in answer.body.replace(b"secret.png", b"")


def test_only_a_folder_that_the_person_opened_is_read(page: Page, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    assert fetch(page, "a.png", {"workspace": str(tmp_path)}).code == "NOT_FOUND"
    assert fetch(page, "a.png", {"workspace": "relative"}).code == "INVALID_INPUT"
    assert fetch(page, "a.png", {"workspace": None}).code == "INVALID_INPUT"  # a tab that is nowhere yet
    assert fetch(page, "a.png", {"other": 1}).code == "INVALID_INPUT"
    assert fetch(page, "a.png", workroom_tab="?").code == "INVALID_INPUT"


def test_where_the_tab_works_is_read_when_no_folder_is_named(page: Page) -> None:
    Path(folder_of(page), "a.png").write_bytes(PNG)
    tab = {"workroom_tab": "tab_00000001"}
    entered = {"name": "editor_workspace_open", "arguments": {"root": str(folder_of(page))}}
    assert page.ask("tool", entered, **tab).status == 200
    assert fetch(page, "a.png", {"workspace": None}, **tab).body == PNG


def test_what_protects_a_path_from_being_written_hides_it_from_nobody(page: Page) -> None:
    """As for every other read: patterns and `.git` say what may be changed."""
    room = page.web.room
    room.person(room.folder).get("settings.set", key="protected_patterns", value=["*.key.png"])
    for name in ("my.key.png", ".git/logo.png"):
        target = Path(room.folder, name)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(PNG)
        assert fetch(page, name).body == PNG
        assert page.ask("tool", {"name": "editor_open", "arguments": {"path": name}}).code == "INVALID_INPUT"  # binary
