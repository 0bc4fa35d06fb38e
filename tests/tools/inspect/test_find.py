"""workspace_inspect search and find, as a client calls them."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.core.search.text import Matches, Skipped
from workroom.tools.dispatch import call
from workroom.tools.inspect.find import Searched, answered
from workroom.tools.tool import Call


@pytest.fixture
def inspect(house):
    house.write("a.txt", "one\nneedle two\nthree\n")
    house.write("src/b.py", "needle = 1\nneedle = 2\n")
    house.write("src/bin", b"needle\n\0")
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(action, **arguments):
        return call(caller, "workspace_inspect", {"action": action, **arguments})

    return ask


def test_lines(inspect):
    answer = inspect("search", query="needle")
    assert answer.data == {
        "path": ".",
        "matches": [
            {"path": "a.txt", "line": 2, "column": 1, "text": "needle two"},
            {"path": "src/b.py", "line": 1, "column": 1, "text": "needle = 1"},
            {"path": "src/b.py", "line": 2, "column": 1, "text": "needle = 2"},
        ],
        "total": 3,
        "filesMatched": 2,
        "filesSearched": 2,
        "truncated": False,
        "skipped": {"binary": 1, "tooLarge": 0, "unreadable": 0},
        "leftOut": [".git", ".agentic"],
    }
    assert answer.text.splitlines()[0] == "a.txt:2: needle two"
    assert answer.summary == ("3 matches in 2 files; 2 files searched. Skipped: 1 binary. Left out: .git, .agentic.")


def test_context(inspect):
    answer = inspect("search", query="needle two", context_lines=1)
    assert answer.data["matches"][0]["before"] == ["one"]
    assert answer.data["matches"][0]["after"] == ["three"]
    assert answer.text.splitlines() == ["a.txt-1- one", "a.txt:2: needle two", "a.txt-3- three"]


def test_files_and_counts(inspect):
    answer = inspect("search", query="needle", output="files")
    assert answer.data["files"] == [{"path": "a.txt"}, {"path": "src/b.py"}]
    assert answer.text == "a.txt\nsrc/b.py"
    answer = inspect("search", query="needle", output="counts")
    assert answer.data["files"] == [{"path": "a.txt", "lines": 1}, {"path": "src/b.py", "lines": 2}]
    assert answer.text == "a.txt: 1\nsrc/b.py: 2"
    assert answer.summary.startswith("2 files; 2 files searched.")


@pytest.mark.parametrize(("output", "count"), [("lines", 3), ("files", 2), ("counts", 2)])
def test_pages(inspect, output, count):
    cursor, seen = {}, []
    while True:
        answer = inspect("search", query="needle", output=output, limit=1, **cursor)
        seen += answer.data["matches" if output == "lines" else "files"]
        if not answer.data["truncated"]:
            break
        assert answer.data["total"] is None
        assert "There may be more" in answer.summary
        cursor = {"cursor": answer.data["cursor"]}
    assert len(seen) == count
    assert len({json.dumps(row) for row in seen}) == count


def test_a_cursor_of_nobody(inspect):
    for cursor in ("9" * 5_000 + ":f", "1", ":f", "1:"):
        assert inspect("search", query="x", cursor=cursor).error["code"] == "INVALID_INPUT"


def test_what_doesnt_fit_is_cut_where_the_cursor_goes_on(inspect, house):
    house.settings = Settings(max_tool_result_chars=2_000)
    house.write("many", "".join(f"needle {n} {'x' * 80}\n" for n in range(1, 101)))
    answer = inspect("search", query="needle", path="many")
    count = len(answer.data["matches"])
    assert 2 < count < 20
    assert answer.artifacts == ()
    assert answer.data["cursor"] == f"{count}:many"
    again = inspect("search", query="needle", path="many", cursor=answer.data["cursor"])
    assert again.data["matches"][0]["line"] == count + 1


def test_a_long_line_is_marked(inspect, house):
    house.write("long", "x" * 1000 + "needle")
    assert inspect("search", query="needle", path="long").data["matches"][0]["cut"] is True


def test_names_that_are_no_utf8(inspect, house):
    for name in (b"n\xe9", b"n\xea"):
        (house.folder / os.fsdecode(name)).write_text("odd")
    first = inspect("search", query="odd", limit=1)
    json.dumps(first.to_json(), ensure_ascii=False).encode()
    second = inspect("search", query="odd", limit=1, cursor=first.data["cursor"])
    assert (second.data["matches"][0]["path"], second.data["truncated"]) == ("n\ufffd", False)


@pytest.mark.parametrize("cursor", ["x", "a:b", "1:", "²:a", "1:é"])
def test_a_wrong_cursor(inspect, cursor):
    answer = inspect("search", query="x", cursor=cursor)
    assert answer.error["code"] == "INVALID_INPUT"
    assert answer.error["details"] == {"field": "cursor"}


def test_what_a_search_that_was_stopped_says():
    found = Matches((), (), None, Skipped(binary=1, long_lines=2, exact=False), (), True, True)
    answer = answered(Searched(query="x"), "src", found, 10_000)
    assert answer.data["timedOut"]
    assert answer.data["skipped"] == {"binary": 1, "tooLarge": 0, "unreadable": 0, "longLines": 2, "atLeast": True}
    assert answer.summary == (
        "0 matches in 0 files. It took too long and was stopped. Skipped: 1 binary, 2 longLines (at least)."
    )


def test_a_wrong_expression(inspect):
    assert "look-around" in inspect("search", query="(?!a)", regex=True).summary


def test_find(inspect, house):
    house.write(".gitignore", "ignored\n")
    house.write("ignored/b.py", "")
    answer = inspect("find", query="bpy")
    assert answer.data["matches"][0]["path"] == "src/b.py"
    assert answer.data["matches"][0]["positions"] == [4, 6, 7]
    assert (answer.data["total"], answer.data["truncated"], answer.data["scanned"]) == (1, False, 5)
    assert answer.text == "src/b.py"
    assert answer.summary.startswith("1 of 5 paths below . fit 'bpy'. Left out: ")
    assert "1 ignored" in answer.summary


def test_find_by_kind_and_place(inspect, house):
    (house.folder / "srclink").symlink_to("src")
    matches = lambda **options: [row["path"] for row in inspect("find", **options).data["matches"]]  # noqa: E731
    assert matches(query="src", kind="directory") == ["src"]
    assert matches(query="src", kind="symlink") == ["srclink"]
    assert matches(query="", path="src") == ["src/b.py", "src/bin"]
    assert matches(query="b", path="srclink") == ["src/bin", "src/b.py"][::-1]
    answer = inspect("find", query="", limit=1)
    assert answer.data["truncated"]
    assert answer.data["total"] is None
    assert "there are more" in answer.summary


def found(answer):
    return [row["path"] for row in answer.data["matches"]]


def test_find_takes_the_names_that_quick_open_keeps(inspect, house):
    house.workspace.watch.start()
    assert house.workspace.watch.settled(60)
    assert found(inspect("find", query="b.py")) == ["src/b.py"]
    read = house.workspace.names.read
    assert found(inspect("find", query="bin")) == ["src/bin"]
    assert found(inspect("find", query="bin", path="src", kind="file")) == ["src/bin"]
    assert house.workspace.names.read == read
    house.write("src/binary", "")
    assert found(inspect("find", query="bin")) == ["src/bin", "src/binary"]


def test_find_below_a_folder_tells_of_that_folder_alone(inspect, house):
    house.write(".gitignore", "*.log\n")
    for path in ("x.log", "src/y.log", "src/z.log", "source/b.py", ".git/HEAD"):
        house.write(path, "")
    answer = inspect("find", query="b", path="src")
    assert found(answer) == ["src/bin", "src/b.py"][::-1]
    assert (answer.data["scanned"], answer.data["ignored"], "leftOut" in answer.data) == (2, 2, False)
    assert inspect("find", query="b").data["ignored"] == 3
    assert inspect("find", query="b").data["leftOut"] == [".agentic", ".git"]
    assert found(inspect("find", query="b", path="source")) == ["source/b.py"]


def test_find_in_what_is_left_out_is_asked_for_by_path(inspect, house):
    house.write(".gitignore", "built/\n")
    for path in ("built/deep/b.py", ".git/hooks/b.py", ".agentic/notes/b.py", "src/.git/b.py"):
        house.write(path, "")
    assert found(inspect("find", query="b.py")) == ["src/b.py"]
    for folder in ("built", "built/deep", ".git", ".git/hooks", ".agentic", ".agentic/notes", "src/.git"):
        path = found(inspect("find", query="b.py", path=folder))
        assert len(path) == 1, folder
        assert path[0].startswith(folder)
        assert path[0].endswith("b.py")
    assert found(inspect("find", query="deep", path="built", kind="directory")) == ["built/deep"]


def test_find_knows_kinds_as_they_are_now(inspect, house):
    names = lambda kind: found(inspect("find", query="thing", kind=kind))  # noqa: E731
    for number in range(60):
        (house.folder / f"thing{number}").symlink_to("a.txt")
    house.write("a_thing_behind_many_links", "")
    assert names("file") == ["a_thing_behind_many_links"]
    assert len(names("symlink")) == 50
    (house.folder / "thing7").unlink()
    house.write("thing7", "")
    assert names("file") == ["thing7", "a_thing_behind_many_links"]
    assert "thing7" not in found(inspect("find", query="thing7", kind="symlink", limit=500))
    (house.folder / "thing8").unlink()
    (house.folder / "thing8").mkdir()
    assert names("directory") == ["thing8"]


def test_find_offers_what_git_tracks_and_only_what_is_there(inspect, house):
    git = lambda *words: subprocess.run(["git", "-C", house.folder, *words], check=True, capture_output=True)  # noqa: E731
    git("init")
    house.write(".gitignore", "*.log\n")
    for path in ("kept.log", "dropped.log", "gone.log", "src/kept.log"):
        house.write(path, "")
    git("add", "-f", "kept.log", "gone.log", "src/kept.log")
    (house.folder / "gone.log").unlink()
    assert found(inspect("find", query="log")) == ["kept.log", "src/kept.log"]
    assert found(inspect("find", query="log", path="src")) == ["src/kept.log"]
    assert found(inspect("find", query="log", limit=1)) == ["kept.log"]


def test_find_says_what_was_not_looked_at(inspect, house):
    house.settings = Settings(editor_max_find_candidates=2)
    answer = inspect("find", query="bin")
    assert (answer.data["truncated"], answer.data["total"]) == (True, None)
    assert "(not all could be looked at)" in answer.summary
