"""`workroom accept` in part and with --edit, against a real server and a real editor program."""

import json
import os
import shlex
import sys

import pytest

LINES = "".join(f"line {n}\n" for n in range(1, 41))
OPERATIONS = (
    {"type": "replace", "path": "a.txt", "search": "line 3\n", "replacement": "three\n"},
    {"type": "replace", "path": "a.txt", "search": "line 30\n", "replacement": "thirty\n"},
    {"type": "create", "path": "d/b.txt", "content": "b\n"},
)


@pytest.fixture
def waiting(manual):
    """Two hunks and a new file that wait; the record's id."""
    manual.write("a.txt", LINES)
    return manual.stage(*OPERATIONS, title="Both")


@pytest.fixture
def editor(tmp_path):
    """A program as an editor: runs Python on the text of each file; it notes which files it was given."""
    seen = tmp_path / "seen"

    def make(change):
        script = tmp_path / "editor.py"
        script.write_text(
            "import sys, pathlib\n"
            f"pathlib.Path({str(seen)!r}).write_text(chr(10).join(sys.argv[2:]))\n"
            "for name in sys.argv[2:]:\n"
            "    path = pathlib.Path(name)\n"
            "    text = path.read_bytes().decode()\n"
            f"    {change}\n"
            "    path.write_bytes(text.encode()) if path.exists() else None\n"
        )
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} --wait"

    make.seen = lambda: seen.read_text().split("\n")
    return make


def test_a_file_alone(manual, waiting):
    done = manual.run("accept", waiting, "--files", "d/b.txt", "--note", "the rest later")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Accepted {waiting} in part: ")
    assert "The rest stays planned as tx_" in done.out
    assert (manual.read("a.txt"), manual.read("d/b.txt")) == (LINES, "b\n")
    shown = manual.run("show", waiting).out
    assert "accepted in part: d/b.txt" in shown
    assert "the rest later" in shown
    told = manual.edit(*OPERATIONS, title="Both")
    assert "accepted only a part" in told["summary"]
    assert told["data"]["rest"]["files"] == ["a.txt"]


def test_hunks_by_the_ids_that_show_shows(manual, waiting):
    shown = manual.run("show", waiting).out
    assert "A part of it: add --files PATH or --hunks ID to the yes." in shown
    ids = [line.rpartition(" ")[2] for line in shown.splitlines() if line.startswith("@@") and " h" in line]
    assert len(ids) == 2
    done = manual.run("accept", waiting, "--hunks", f"{ids[1]},", "--files", "d")
    assert done.code == 0
    assert manual.read("a.txt") == LINES.replace("line 30\n", "thirty\n")
    assert manual.read("d/b.txt") == "b\n"


def test_a_word_beside_files_is_no_note(manual, waiting):
    for words in (("--files", "a.txt", "d/b.txt"), ("--files", "a.txt", waiting, "d/b.txt")):
        refused = manual.run("accept", *words)
        assert refused.code == 2
        assert "its own --files" in refused.err
    assert manual.run("accept", waiting, "--files", "a.txt", "--edit").code == 2
    assert manual.read("a.txt") == LINES
    wrong = manual.run("accept", waiting, "--files", "a.text")
    assert wrong.code == 1
    assert "The nearest is a.txt." in wrong.err


def test_the_person_edits_first(manual, waiting, editor):
    change = "text = text.replace('b\\n', 'better\\n').replace('three', '3')"
    done = manual.run("accept", waiting, "mine", "is", "better", "--edit", VISUAL=editor(change))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Accepted {waiting} as you edited it: ")
    assert "-b\n" in done.out
    assert "+better\n" in done.out
    assert [os.path.basename(name) for name in editor.seen()] == ["a.txt", "b.txt"]
    assert not any(os.path.exists(name) for name in editor.seen())
    assert manual.read("a.txt") == LINES.replace("line 3\n", "3\n").replace("line 30\n", "thirty\n")
    assert manual.read("d/b.txt") == "better\n"
    assert "mine is better" in manual.run("show", waiting).out
    told = manual.edit(*OPERATIONS, title="Both")
    assert "-three\n+3\n" in told["data"]["edited"]["patch"]
    history = json.loads(manual.run("log", "--json").out)["entries"][0]
    assert (history["actor"]["kind"], history["decidedBy"] != "") == ("agent", True)
    assert any(warning.startswith("Edited by ") for warning in history["warnings"])


def test_bare_and_held(manual, waiting, editor):
    held = manual.run("accept", "--edit", "--hold", "--json", EDITOR=editor("text = text.upper()"))
    assert held.json["approval"]["amended"]["how"] == "edited"
    assert manual.read("a.txt") == LINES
    assert manual.edit(*OPERATIONS)["data"]["committed"]
    assert manual.read("d/b.txt") == "B\n"
    assert held.json["approval"]["id"] == waiting


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ("pass", 3, "Nothing was edited; nothing was decided."),
        ("sys.exit(7)", 1, "The editor ended with 7; nothing was decided."),
        ("path.unlink()", 1, "can't be read after the editing"),
    ],
)
def test_an_edit_that_comes_to_nothing_decides_nothing(manual, waiting, editor, change, code, said):
    done = manual.run("accept", waiting, "--edit", EDITOR=editor(change))
    assert done.code == code
    assert said in done.err
    assert waiting in manual.run("pending").out
    assert manual.read("a.txt") == LINES


def test_an_editor_that_is_not_there(manual, waiting):
    for name in ("/nowhere/editor", "'"):
        done = manual.run("accept", waiting, "--edit", EDITOR=name)
        assert (done.code, "Set VISUAL or EDITOR" in done.err) == (1, True)
    assert waiting in manual.run("pending").out


def test_no_editor_is_opened_where_nobody_can_type(manual, waiting):
    done = manual.run("accept", waiting, "--edit")
    assert (done.code, "neither VISUAL nor EDITOR is set" in done.err) == (2, True)
    assert waiting in manual.run("pending").out


def test_what_cannot_be_edited_is_said_and_what_deceives_is_flagged(manual, editor):
    (manual.folder / "raw").write_bytes(b"\0\1\2")
    manual.write("moves", "x\n")
    manual.ask("settings.set", key="destructive_edits", value="ask")
    operations = [
        {"type": "copy", "from": "raw", "to": "copy"},
        {"type": "move", "from": "moves", "to": "moved"},
        {"type": "create", "path": "evil\u202e.txt", "content": "ok\x1b[2K\n"},
    ]
    record = manual.stage(*operations)
    done = manual.run("accept", record, "--edit", EDITOR=editor("text = 'fine\\n'"))
    assert done.code == 0
    assert "CAUTION: evil\\u202e.txt holds control characters" in done.err
    assert "Not to be edited: moved only moves" in done.err
    assert "Not to be edited: copy is no text." in done.err
    assert "\x1b" not in done.out + done.err
    record = manual.stage({"type": "copy", "from": "raw", "to": "again"})
    assert manual.run("accept", record, "--edit", EDITOR=editor("pass")).code == 3


def test_a_proposal_on_the_wire_and_bytes_that_are_none(manual, waiting):
    proposal = manual.ask("proposal", words=waiting)
    assert {file["path"]: file.get("encoding") for file in proposal["files"]} == {
        "a.txt": "utf-8", "d/b.txt": "utf-8",
    }  # fmt: skip
    from workroom.base.errors import WorkroomError

    with pytest.raises(WorkroomError) as caught:
        manual.ask("edit", words=waiting, contents={"a.txt": {"base64": "%%"}})
    assert caught.value.code == "INVALID_INPUT"
    done = manual.ask(
        "edit", words=waiting, contents={"d/b.txt": "as text\n"}, fingerprint=proposal["fingerprint"]
    )  # fmt: skip
    assert done["envelope"]["ok"]
    assert manual.read("d/b.txt") == "as text\n"
