"""A06 on every surface of the terminal: what hides, acts or pushes out of sight is escaped and flagged."""

from __future__ import annotations

import json
import shlex
import sys

import pytest
from tests.interfaces.cli.conftest import Program, manual, program, state

__all__ = ["manual", "program", "state"]

ESC, CR, RLO, TAG, RUN = "\x1b[2K\x1b[1A", "\r", "\u202e", "\U000e0041", " " * 5_000
HOSTILE = f"fine{ESC}{RLO}{TAG}{RUN}rm -rf ~"
FLAGS = ("control characters", "bidirectional controls", "invisible characters", "long run of blanks")
NAME = f"evil{RLO}{TAG}.txt"


def raw(text: str, *, terminal: bool = False) -> list[str]:
    """What stands there as it is and must not; a terminal gets colours of our own."""
    bad = [RLO, TAG, " " * 201, *([] if terminal else ["\x1b"])]
    bad += [ESC, "\x1b[2K", "\x1b[1A", "ok\r"]
    return [ascii(one) for one in bad if one in text]


@pytest.fixture
def hostile(manual: Program) -> Program:
    """A request whose title, names, old and new text try to deceive."""
    manual.ask("settings.set", key="destructive_edits", value="ask")
    manual.write("a.txt", f"old {HOSTILE}\nok{CR}overwritten\nlast\n")
    operations = (
        {"type": "replace", "path": "a.txt", "search": "last", "replacement": f"new {HOSTILE} ok{CR}x"},
        {"type": "create", "path": NAME, "content": f"{HOSTILE}\n"},
        {"type": "create", "path": f"{TAG}.mcp.json", "content": "{}\n"},
    )
    manual.stage(*operations, title=f"Tidy {HOSTILE[:150]}{RLO}")
    return manual


def test_a06_show_escapes_and_flags(hostile):
    shown = hostile.run("show")
    assert raw(shown.out + shown.err) == []
    for flag in FLAGS:
        assert flag in shown.out
    assert "\\x1b[2K" in shown.out
    assert "evil\\u202e\\U000e0041.txt" in shown.out
    assert "⟨5000 blanks⟩" in shown.out
    seen = hostile.at_terminal("show")
    assert raw(seen.out, terminal=True) == []
    body = hostile.run("show", "--json")
    assert raw(json.loads(body.out)["body"] + json.loads(body.out)["words"]) == []
    assert all(flag in json.loads(body.out)["flags"] for flag in FLAGS)


def test_a06_pending_escapes_and_flags(hostile):
    listed = hostile.run("pending")
    assert raw(listed.out + listed.err) == []
    assert "shown escaped: bidirectional controls" in listed.out
    assert raw(hostile.at_terminal("pending").out, terminal=True) == []
    (row,) = hostile.run("pending", "--json").json["pending"]
    assert "bidirectional controls" in row["flags"]
    assert raw(row["title"]) == []


def test_a06_a_refusal_that_lists_titles_escapes_them(hostile):
    hostile.stage({"type": "create", "path": "b.txt", "content": "b\n"}, title=f"Other {RLO}{ESC}")
    refused = hostile.run("accept", "fine", "by", "me")
    assert (refused.code, raw(refused.out + refused.err)) == (1, [])


def test_a06_what_is_accepted_in_part_logged_and_undone(hostile):
    done = hostile.run("accept", "--files", NAME, "--note", f"ok {ESC}{RLO}")
    assert (done.code, raw(done.out + done.err)) == (0, [])
    shown = hostile.run("log")
    assert raw(shown.out + shown.err) == []
    assert "CAUTION, shown escaped: bidirectional controls" in shown.out
    assert "evil\\u202e" in shown.out
    assert raw(hostile.at_terminal("log").out, terminal=True) == []
    (entry,) = hostile.run("log", "--json").json["entries"]
    assert "invisible characters" in entry["flags"]
    for arguments in (("undo", "--preview"), ("undo", "--yes")):
        undone = hostile.run(*arguments)
        assert (undone.code, raw(undone.out + undone.err)) == (0, [])
        assert "CAUTION, shown escaped: bidirectional controls" in undone.out
    assert "bidirectional controls" in hostile.run("log", "--json").json["entries"][0]["flags"]


def test_a06_the_edit_surface_warns_before_it_opens_and_escapes_what_it_tells(hostile, tmp_path):
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys, pathlib\nfor name in sys.argv[1:]:\n    path = pathlib.Path(name)\n"
        "    path.write_bytes(path.read_bytes().replace(b'fine', b'FINE'))\n"
    )
    done = hostile.run("accept", "--edit", EDITOR=f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}")
    assert (done.code, raw(done.out + done.err)) == (0, [])
    assert "CAUTION: evil\\u202e\\U000e0041.txt holds" in done.err
    for flag in FLAGS:
        assert flag in done.err
    assert "+old FINE\\x1b[2K" in done.out
    assert (hostile.folder / NAME).read_text() == HOSTILE.replace("fine", "FINE") + "\n"


def test_a06_a_denial_and_its_reason_and_a_name_that_deceives(hostile):
    done = hostile.run("deny", f"no{ESC}{RLO}")
    assert (done.code, raw(done.out + done.err)) == (0, [])
    shown = hostile.run("show", hostile_id(hostile))
    assert raw(shown.out + shown.err) == []


def hostile_id(program: Program) -> str:
    """The record that was decided; nothing waits by now."""
    view = json.loads((program.folder / ".agentic/approvals/state.json").read_text())
    return str(view["approvals"][0]["id"])
