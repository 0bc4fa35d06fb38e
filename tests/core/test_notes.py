"""Notes and memory: names, sizes, appending, what is trusted."""

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.notes import MEMORY, MEMORY_BYTES, MIGRATIONS, NOTE_BYTES, READ_BYTES, Notes, note_name
from workroom.system.agentic import Agentic
from workroom.system.root import Root
from workroom.system.store import Store

AGENT = Actor("agent", "claude", "session-1")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


@pytest.fixture
def notes(tmp_path, folder):
    store = Store(tmp_path / "store", MIGRATIONS)
    with Root.open(folder) as root:
        yield Notes(root, Agentic(root), store, lambda: 1_000_000.0)
    store.close()


def refused(code, do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("plan", "plan"), ("plan.md", "plan"), ("plan.MD", "plan"), ("a.b_c-1", "a.b_c-1"), ("x" * 64, "x" * 64),
        ("memory", MEMORY), ("MEMORY.md", MEMORY), ("Memory", MEMORY), ("x" * 64 + ".md", "x" * 64),
    ],
)  # fmt: skip
def test_names(given, name):
    assert note_name(given) == name


@pytest.mark.parametrize(
    "given",
    [
        "",
        None,
        ".hidden",
        "-x",
        "_x",
        "a/b",
        "../x",
        "a b",
        "é",
        "x" * 65,
        "x\n",
        "x\0",
        ".md",
        "con",
        "NUL.md",
        "com1.x",
    ],
)
def test_wrong_names(given):
    assert "name" in refused(ErrorCode.INVALID_INPUT, note_name, given).lower()


def test_the_memory_is_named_by_a_flag_or_by_name():
    assert note_name(None, memory=True) == MEMORY
    assert note_name("memory.md", memory=True) == MEMORY
    assert note_name("", memory=True) == MEMORY
    message = refused(ErrorCode.INVALID_INPUT, note_name, "todo" * 1000, memory=True)
    assert "another file" in message
    assert len(message) < 300


def test_a_note_is_written_and_read(notes, folder):
    written = notes.write("todo", "one", AGENT)
    assert (written.path, written.size, written.untrusted) == (".agentic/notes/todo.md", 4, False)
    assert (folder / written.path).read_bytes() == b"one\n"
    read = notes.read("todo")
    assert (read.text, read.size, read.untrusted, read.memory) == ("one\n", 4, False, False)


def test_the_memory_is_written_and_read(notes, folder):
    assert notes.write(MEMORY, "we use tabs\n", AGENT).path == ".agentic/MEMORY.md"
    assert (folder / ".agentic/MEMORY.md").read_bytes() == b"we use tabs\n"
    assert notes.read(MEMORY).memory


def test_appending_leaves_a_blank_line_between(notes):
    notes.append("log", "one", AGENT)
    notes.append("log", "two\n", AGENT)
    assert notes.append("log", "three", AGENT).untrusted is False
    assert notes.read("log").text == "one\n\ntwo\n\nthree\n"


@pytest.mark.parametrize(
    ("before", "between"),
    [
        (b"a", b"\n\n"), (b"a\n", b"\n"), (b"a\n\n", b""), (b"a\n\n\n", b""), (b"a\r\n", b"\n"), (b"a\r\n\r\n", b""),
        (b"", b""), (b"\n", b""), (b"\r\n", b""), (b"a  \n \n", b"\n"),
    ],
)  # fmt: skip
def test_appending_keeps_every_byte_and_makes_one_blank_line(notes, folder, before, between):
    (folder / ".agentic/notes").mkdir(parents=True)
    (folder / ".agentic/notes/log.md").write_bytes(before)
    notes.append("log", "b", AGENT)
    assert (folder / ".agentic/notes/log.md").read_bytes() == before + between + b"b\n"


def test_blank_lines_of_somebody_else_are_nothing_to_distrust(notes, folder):
    (folder / ".agentic/notes").mkdir(parents=True)
    (folder / ".agentic/notes/log.md").write_bytes(b"\r\n\n")
    assert notes.append("log", "one", AGENT).untrusted is False


def test_sizes(notes, folder):
    assert notes.write("big", "x" * (NOTE_BYTES - 1), AGENT).size == NOTE_BYTES
    message = refused(ErrorCode.LIMIT_EXCEEDED, notes.write, "big", "x" * NOTE_BYTES, AGENT)
    assert "200,001" in message
    assert "200,000" in message
    refused(ErrorCode.LIMIT_EXCEEDED, notes.append, "big", "x", AGENT)
    assert notes.write(MEMORY, "é" * (MEMORY_BYTES // 2 - 1), AGENT).size == MEMORY_BYTES - 1
    refused(ErrorCode.LIMIT_EXCEEDED, notes.append, MEMORY, "x", AGENT)
    assert (folder / ".agentic/notes/big.md").stat().st_size == NOTE_BYTES


def test_a_lone_surrogate_is_refused(notes):
    refused(ErrorCode.INVALID_INPUT, notes.write, "x", "\ud800", AGENT)


def test_deleting(notes):
    notes.write("todo", "one", AGENT)
    notes.delete("todo")
    refused(ErrorCode.NOT_FOUND, notes.read, "todo")
    refused(ErrorCode.NOT_FOUND, notes.delete, "todo")
    notes.write(MEMORY, "x", AGENT)
    refused(ErrorCode.INVALID_INPUT, notes.delete, MEMORY)
    assert notes.read(MEMORY).text == "x\n"


def test_a_missing_memory(notes):
    assert "memory" in refused(ErrorCode.NOT_FOUND, notes.read, MEMORY)


def test_listing(notes, folder):
    empty = notes.list(10)
    assert (empty.notes, empty.total, empty.memory) == ((), 0, None)
    for name in "cab":
        notes.write(name, name, AGENT)
    notes.write(MEMORY, "m", AGENT)
    listed = notes.list(2)
    assert ([note.name for note in listed.notes], listed.total) == (["a", "b"], 3)
    assert listed.notes[0].modified_ns == (folder / ".agentic/notes/a.md").stat().st_mtime_ns
    assert (listed.memory.name, listed.memory.size, listed.memory.untrusted) == (MEMORY, 2, False)


def test_only_notes_are_listed(notes, folder):
    notes.write("good", "x", AGENT)
    place = folder / ".agentic/notes"
    (place / "deep.md").mkdir()
    (place / "link.md").symlink_to("good.md")
    for name in ("no-ending", "x.txt", ".md", "bad name.md", "MEMORY.md", "\x1b[2J.md"):
        (place / name).write_text("x")
    assert [note.name for note in notes.list(10).notes] == ["good"]


def test_what_a_person_writes_by_hand_is_untrusted(notes, folder):
    notes.write("todo", "one", AGENT)
    (folder / ".agentic/notes/todo.md").write_text("two\n")
    assert notes.read("todo").untrusted
    assert notes.list(1).notes[0].untrusted
    assert notes.append("todo", "three", AGENT).untrusted
    assert notes.read("todo").untrusted
    assert notes.read("todo").text == "two\n\nthree\n"
    notes.write("todo", "mine", AGENT)
    assert not notes.read("todo").untrusted


def test_bytes_that_are_not_utf8_are_shown_and_kept(notes, folder):
    notes.write("x", "x", AGENT)
    (folder / ".agentic/notes/x.md").write_bytes(b"\xff\xfe\n")
    assert notes.read("x").text == "\ufffd\ufffd\n"
    notes.append("x", "y", AGENT)
    assert (folder / ".agentic/notes/x.md").read_bytes() == b"\xff\xfe\n\ny\n"


def test_a_file_too_large_to_be_a_note(notes, folder):
    notes.write("x", "x", AGENT)
    with open(folder / ".agentic/notes/x.md", "wb") as file:
        file.truncate(READ_BYTES + 1)
    refused(ErrorCode.LIMIT_EXCEEDED, notes.read, "x")
    listed = notes.list(1).notes[0]
    assert (listed.size, listed.untrusted) == (READ_BYTES + 1, True)
