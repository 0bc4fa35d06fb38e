"""workspace_inspect list, as a client calls it."""

from __future__ import annotations

import json
import os

import pytest

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.core.search.listing import Page, Tally
from workroom.tools.dispatch import call
from workroom.tools.inspect.folder import listed
from workroom.tools.tool import Call


@pytest.fixture
def inspect(house):
    for path in ("README.md", "src/app.py", "src/core/one.py", "src/core/two.py", "docs/a.md", "Makefile"):
        house.write(path, "x")
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(action, **arguments):
        return call(caller, "workspace_inspect", {"action": action, **arguments})

    return ask


def test_a_list(inspect, house):
    (house.folder / "link").symlink_to("src")
    os.mkfifo(house.folder / "pipe")
    (house.folder / ".git").mkdir()
    answer = inspect("list")
    rows = answer.data["entries"]
    assert [row["path"] for row in rows] == ["Makefile", "README.md", "docs", "link", "pipe", "src"]
    assert [row["kind"] for row in rows] == ["file", "file", "directory", "symlink", "other", "directory"]
    assert rows[0]["size"] == 1
    assert rows[3]["target"] == "src"
    assert rows[0]["mtime"].endswith("Z")
    assert (answer.data["total"], answer.data["truncated"]) == (6, False)
    assert ".git" in answer.data["leftOut"]
    assert answer.text.splitlines() == [
        "Makefile (1 bytes)", "README.md (1 bytes)", "docs/", "link -> src", "pipe (other)", "src/",
    ]  # fmt: skip
    assert ".git." in answer.summary


def test_a_list_of_what_matches(inspect, house):
    house.write("src/.hidden.py", "")
    house.write(".gitignore", "two.py\n")
    names = lambda **options: [row["path"] for row in inspect("list", **options).data["entries"]]  # noqa: E731
    assert names(path="src", recursive=True, pattern="*.py") == ["src/.hidden.py", "src/app.py", "src/core/one.py"]
    assert names(pattern="src/**/*.py", include_hidden=False) == ["src/app.py", "src/core/one.py"]
    assert "src/core/two.py" in names(recursive=True, include_ignored=True)
    assert names(path="src", depth=1) == ["src/.hidden.py", "src/app.py", "src/core"]
    assert inspect("list", path="src", include_hidden=False).data["hidden"] == 1


def test_pages(inspect):
    cursor, seen = {}, []
    while True:
        answer = inspect("list", recursive=True, limit=2, **cursor)
        assert answer.data["total"] == (None if cursor else 9)
        assert answer.data.get("remaining") == (9 - len(seen) if cursor else None)
        seen += [row["path"] for row in answer.data["entries"]]
        if not answer.data["truncated"]:
            break
        assert repr(answer.data["cursor"]) in answer.summary
        cursor = {"cursor": answer.data["cursor"]}
    assert len(seen) == len(set(seen)) == 9


def test_a_page_that_doesnt_fit_is_cut_where_the_cursor_goes_on(inspect, house):
    house.settings = Settings(max_tool_result_chars=2_000)
    for number in range(100):
        house.write(f"many/{number:02}-{'n' * 60}", "")
    answer = inspect("list", path="many")
    count = len(answer.data["entries"])
    assert 2 < count < 20
    assert answer.artifacts == ()
    again = inspect("list", path="many", cursor=answer.data["cursor"])
    assert again.data["entries"][0]["path"].startswith(f"many/{count:02}-")


def test_more_than_is_counted():
    answer = listed("src", Page((), 100, False, "src/last one", Tally(cut=True)), 1_000, resumed=False)
    assert (answer.data["total"], answer.data["totalIsMinimum"]) == (100, True)
    assert answer.summary == "src: at least 100 entries, 0 shown; go on with cursor 'src/last%20one'."


def test_names_that_are_no_utf8(inspect, house):
    (house.folder / os.fsdecode(b"odd/\xff\xfe")).parent.mkdir()
    for name in (b"odd/\xff\xfe", b"odd/b\xe9.\xe9", b"odd/a"):
        (house.folder / os.fsdecode(name)).touch()
    answer = inspect("list", path="odd", limit=2)
    json.dumps(answer.to_json(), ensure_ascii=False).encode()
    assert [row["path"] for row in answer.data["entries"]] == ["odd/a", "odd/b\ufffd.\ufffd"]
    rest = inspect("list", path="odd", cursor=answer.data["cursor"])
    assert [row["path"] for row in rest.data["entries"]] == ["odd/\ufffd\ufffd"]


def test_a_wrong_cursor(inspect):
    assert inspect("list", path="src", cursor="docs/a.md").error["code"] == "INVALID_INPUT"
    assert inspect("list", path="nothing").error["code"] == "NOT_FOUND"


def test_one_entry_is_not_called_entries(inspect, house):
    (house.folder / "docs" / "deep").mkdir()
    house.write("docs/deep/one.txt", "")
    assert inspect("list", path="docs/deep").summary == "docs/deep: 1 entry."
