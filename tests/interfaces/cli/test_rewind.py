"""rewind, on real changes, and how moments are written."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from workroom.interfaces.cli.exits import FailureError
from workroom.interfaces.cli.rewind import moment

NOW = datetime(2026, 11, 30, 14, 30, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("12", "12"),
        ("tx_abc", "tx_abc"),
        ("30m", "2026-11-30T14:00:00+01:00"),
        ("2h", "2026-11-30T12:30:00+01:00"),
        ("1d", "2026-11-29T14:30:00+01:00"),
        ("09:15", "2026-11-30T09:15:00+01:00"),
        ("2026-11-01", "2026-11-01T00:00:00+01:00"),
        ("2026-11-01T10:00", "2026-11-01T10:00:00+01:00"),
        ("2026-11-01 10:00", "2026-11-01T10:00:00+01:00"),
        ("2026-11-01T10:00:00Z", "2026-11-01T10:00:00+00:00"),
    ],
)
def test_moments_are_written_as_people_write_them(text, meant):
    assert moment(text, NOW) == meant


@pytest.mark.parametrize("text", ["", "yesterday", "25:00", "5w", "12.5"])
def test_what_is_no_moment(text):
    with pytest.raises(FailureError) as caught:
        moment(text, NOW)
    assert "is no entry and no time" in caught.value.message


def replace(search, replacement):
    return {"type": "replace", "path": "a.txt", "search": search, "replacement": replacement}


def test_going_back_and_forth(auto):
    auto.edit(replace("world", "room"), title="First")
    auto.edit(replace("hello", "good day"), {"type": "create", "path": "b.txt", "content": "b\n"}, title="Second")
    preview = auto.run("rewind", "--to", "1", "--preview")
    assert preview.code == 0
    assert preview.out.startswith("Rewind to after entry 1, 1 entry taken back whole:\n")
    assert "     1        -good day\n           1  +hello\n" in preview.out
    assert auto.read("a.txt") == "good day\nroom\n"
    done = auto.run("rewind", "--to", "1", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "\nRewind to after entry 1: entry 3 (tx_" in done.out
    assert auto.read("a.txt") == "hello\nroom\n"
    assert not (auto.folder / "b.txt").exists()
    log = [line.split("\t") for line in auto.run("log").out.splitlines()]
    assert [row[3] for row in log] == ["rewind", "edit, undone by 3", "edit"]
    nothing = auto.run("rewind", "--to", "1", "--yes")
    assert (nothing.code, "nothing to do" in nothing.err) == (3, True)
    assert auto.run("undo", "--yes").code == 0
    assert auto.read("a.txt") == "good day\nroom\n"
    assert auto.run("--json", "rewind", "--to", "0", "--yes").json["entry"]["cause"] == "rewind"
    assert auto.read("a.txt") == "hello\nworld\n"


def test_only_a_path_or_an_actor(auto):
    auto.edit(replace("world", "room"), {"type": "create", "path": "d/b.txt", "content": "b\n"})
    assert auto.run("rewind", "--to", "0", "--only", "d", "--yes").code == 0
    assert (auto.read("a.txt"), (auto.folder / "d").exists()) == ("hello\nroom\n", False)
    nobody = auto.run("rewind", "--to", "1d", "--only", "person:nobody", "--yes")
    assert nobody.code == 3
    assert auto.run("rewind", "--to", "1d", "--only", "agent:", "--only", "a.txt", "--yes").code == 0
    assert auto.read("a.txt") == "hello\nworld\n"
    assert auto.run("rewind", "--to", "1", "--preview", "--json").json["paths"] == ["a.txt", "d", "d/b.txt"]


def test_a_pipe_needs_a_word_and_a_terminal_is_asked(auto):
    auto.edit(replace("world", "room"))
    asked = auto.run("rewind", "--to", "0", stdin="y\n")
    assert asked.code == 2
    assert "Add --yes to do it, or --preview to see all of it." in asked.err
    assert auto.run("rewind", "--to", "soon").code == 2
    no = auto.at_terminal("rewind", "--to", "0", typed="n\n")
    assert ("Go back to this? [y/N]" in no.out, no.code) == (True, 3)
    assert auto.read("a.txt") == "hello\nroom\n"
    assert auto.at_terminal("rewind", "--to", "0", typed="y\n").code == 0
    assert auto.read("a.txt") == "hello\nworld\n"


def test_other_work_is_in_the_way_unless_merged_or_forced(auto):
    auto.edit(replace("world", "room"))
    auto.write("a.txt", "top\nhello\nroom\n")
    refused = auto.run("rewind", "--to", "0", "--yes")
    assert refused.code == 1
    first, *differences = refused.err.splitlines()
    assert first.startswith("workroom: EDIT_CONFLICT: The rewind is stopped by what isn't taken back")
    assert first.endswith("or add --merge to keep both, or --force, which keeps what it overwrites.")
    assert "           1  +top" in differences
    merged = auto.run("rewind", "--to", "0", "--merge", "--yes")
    assert "that stays" in merged.out
    assert auto.read("a.txt") == "top\nhello\nworld\n"
