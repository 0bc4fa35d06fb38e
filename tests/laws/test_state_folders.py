"""`.git` and `.agentic` are looked into when a call's path names them; else they are left out, and that is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workroom.base.actor import Actor
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

HIDDEN = (
    ".git/hooks/needle.py",
    ".agentic/notes/needle.md",
    "nested/.git/needle.py",
    "nested/.agentic/notes/needle.md",
)
LOOKS: dict[str, dict[str, Any]] = {
    "search": {"query": "needle"},
    "search for a glob": {"query": "needle", "include": ["*needle*", ".git/**", "**/.agentic/**"]},
    "search in what is ignored": {"query": "needle", "include_ignored": True},
    "search for files": {"query": "needle", "output": "files"},
    "list": {"recursive": True},
    "list what matches": {"pattern": "**/needle.*"},
    "list what is ignored": {"recursive": True, "include_ignored": True},
    "find": {"query": "needle"},
    "find folders": {"query": "hooks", "kind": "directory"},
    "overview": {"depth": 5},
}


@pytest.fixture
def look(house):
    house.write("src/plain.py", "plain = 1\n")
    for path in HIDDEN:
        house.write(path, "needle = 1\n")
    house.write("nested/plain.py", "plain = 2\n")
    (house.folder / "to_git").symlink_to(".git")
    (house.folder / "to_notes").symlink_to(".agentic/notes")
    (house.folder / "to_hooks").symlink_to("to_git/hooks")
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(name, **more):
        return call(caller, "workspace_inspect", {"action": name.partition(" ")[0], **LOOKS.get(name, {}), **more})

    return ask


def rows(answer):
    lists = (value for value in answer.data.values() if isinstance(value, list))
    return [row for each in lists for row in each if isinstance(row, dict) and "path" in row]


def said(answer):
    return json.dumps({name: value for name, value in answer.data.items() if name != "notes"})


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_around_leaves_them_out_and_says_so(look, name):
    answer = look(name)
    assert answer.ok
    assert sorted(answer.data["leftOut"]) == [".agentic", ".git"]
    assert "Left out:" in answer.summary
    assert "needle." not in said(answer)
    assert not [row for row in rows(answer) if row["path"].split("/")[-1] in ("hooks", "notes", ".git", ".agentic")]


@pytest.mark.parametrize("name", [name for name in LOOKS if name != "find folders"])
@pytest.mark.parametrize(
    ("path", "holds"),
    [
        (".git", ".git/hooks/needle.py"),
        (".git/hooks", ".git/hooks/needle.py"),
        (".agentic", ".agentic/notes/needle.md"),
        (".agentic/notes", ".agentic/notes/needle.md"),
        ("nested/.git", "nested/.git/needle.py"),
        ("nested/.agentic", "nested/.agentic/notes/needle.md"),
        ("to_git", ".git/hooks/needle.py"),
        ("to_hooks", ".git/hooks/needle.py"),
        ("to_notes", ".agentic/notes/needle.md"),
    ],
)
def test_a_path_that_names_one_reads_it_like_any_other(look, name, path, holds):
    answer = look(name, path=path)
    assert answer.ok, answer.summary
    assert (holds if name != "overview" else holds.rpartition("/")[2]) in said(answer)
    assert "leftOut" not in answer.data


def test_folders_in_one_are_found_by_path(look):
    assert [row["path"] for row in look("find folders", path=".git").data["matches"]] == [".git/hooks"]
    assert [
        row["path"] for row in look("find", query="note", path="nested/.agentic", kind="directory").data["matches"]
    ] == ["nested/.agentic/notes"]


def test_one_in_the_other_is_left_out(look, house):
    house.write(".agentic/notes/.git/needle.md", "needle = 1\n")
    for name in ("list", "find", "overview"):
        answer = look(name, path=".agentic")
        assert answer.data["leftOut"] == [".git"], name
        assert ".git/needle" not in said(answer)


@pytest.mark.parametrize("path", [*HIDDEN, "to_git/hooks/needle.py", "to_notes/needle.md"])
def test_a_file_in_one_is_read_and_told_of(look, path):
    assert look("read", path=path).text == "1 | needle = 1"
    assert look("stat", path=path).data["lines"] == 1
    assert look("search", path=path).data["matches"][0]["line"] == 1
