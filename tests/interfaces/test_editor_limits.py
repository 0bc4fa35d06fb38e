"""System C's seven limits are read at each call: a running server, and a client that is there already, follow them."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest
from tests.interfaces.conftest import Client, Person, Room
from tests.repositories import repository


@pytest.fixture
def client(room: Room) -> Client:
    """An agent of profile `editor`, in a repository, whose git takes its time."""
    (room.folder / "src").mkdir()
    for name in ("alpha.txt", "beta.txt", "gamma.txt"):
        (room.folder / name).write_text(NEEDLES)
    repository(room.folder, tracked="1")
    slow = room.folder.with_name("bin")
    slow.mkdir()
    (slow / "git").write_text(f'#!/bin/sh\nsleep 0.3\nexec {shutil.which("git")} "$@"\n')
    (slow / "git").chmod(0o755)
    return room.agent("--profile", "editor", str(room.folder), PATH=f"{slow}:{os.environ['PATH']}")


@pytest.fixture
def person(room: Room, client: Client) -> Person:
    return room.person(room.folder)


def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.call(f"editor_{tool}", **arguments)["structuredContent"]
    return found


NEEDLES = "needle one\nneedle two\n"
LINES = "".join(f"{number}\n" for number in range(20))
TEXTS = {"before": LINES, "after": LINES.replace("10\n", "ten\n")}


def _cut(answer: dict[str, Any]) -> Any:
    return answer["truncated"], answer["patch"] == ""


def _context(answer: dict[str, Any]) -> Any:
    return answer["patch"].count("\n ")


def _found(answer: dict[str, Any]) -> Any:
    return len(answer["matches"]), answer["more"]


def _scanned(answer: dict[str, Any]) -> Any:
    return answer["scanned"], answer["truncated"]


def _read(answer: dict[str, Any]) -> Any:
    return answer["content"], answer["truncated"]


def _matched(answer: dict[str, Any]) -> Any:
    return answer["total"], answer["truncated"]


def _failed(answer: dict[str, Any]) -> Any:
    return answer.get("error", {}).get("code")


@pytest.mark.parametrize(
    ("setting", "value", "tool", "arguments", "told", "before", "after"),
    [
        ("editor_max_diff_bytes", 10, "diff", TEXTS, _cut, (False, False), (True, True)),
        ("editor_diff_context_lines", 0, "diff", TEXTS, _context, 6, 0),
        ("editor_find_limit", 1, "find", {"query": "txt"}, _found, (3, False), (1, True)),
        ("editor_max_find_candidates", 2, "find", {"query": "txt"}, _scanned, (4, False), (2, True)),
        ("editor_max_file_bytes", 4, "open", {"path": "alpha.txt"}, _read, (NEEDLES, False), ("need", True)),
        ("editor_search_max_matches", 1, "search", {"pattern": "needle"}, _matched, (6, False), (1, True)),
        ("editor_git_timeout_ms", 100, "git_status", {}, _failed, None, "TIMEOUT"),
    ],
)
def test_a_limit_that_is_changed_counts_at_the_next_call(
    client, person, setting, value, tool, arguments, told, before, after
):
    assert told(ask(client, tool, **arguments)) == before
    person.get("settings.set", key=setting, value=value)
    assert told(ask(client, tool, **arguments)) == after
    person.get("settings.unset", key=setting)
    assert told(ask(client, tool, **arguments)) == before


def test_a_file_of_settings_that_is_edited_by_hand_counts_as_well_by_the_names_of_c(room, client, person):
    settings = room.state / "settings.toml"
    assert len(ask(client, "find", query="txt")["matches"]) == 3
    settings.write_text("find_limit = 2\n")
    assert len(ask(client, "find", query="txt")["matches"]) == 2
    settings.write_text("find_limit = 0\n")
    error = ask(client, "find", query="txt")["error"]
    assert error["code"] == "INVALID_INPUT"
    assert "find_limit" in error["message"]
    settings.unlink()
    assert len(ask(client, "find", query="txt")["matches"]) == 3
