"""workspace_notes, each action as a client calls it."""

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.tools.notes import NOTES
from workroom.tools.schema import parse_arguments
from workroom.tools.tool import Call


@pytest.fixture
def notes(house):
    def call(action, **arguments):
        found, parsed = parse_arguments(NOTES, {"action": action, **arguments})
        return found.answer(Call(house.workspace, Actor("agent", "claude", "session-1")), parsed)

    return call


def refused(code, do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return str(caught.value)


def test_it_is_registered_in_every_mode_and_never_gated():
    assert len(NOTES.modes) == 3
    assert [action.name for action in NOTES.actions] == ["write", "append", "read", "list", "delete"]
    assert all(action.answer and not action.propose for action in NOTES.actions)


def test_writing(notes, house):
    answer = notes("write", name="todo.md", content="one")
    assert (answer.ok, answer.operation) == (True, "notes.write")
    assert answer.data == {
        "name": "todo", "memory": False, "path": ".agentic/notes/todo.md", "bytes": 4, "untrusted": False,
    }  # fmt: skip
    assert ".agentic/notes/todo.md" in answer.summary
    assert house.read(".agentic/notes/todo.md") == b"one\n"


def test_appending_and_reading(notes):
    notes("append", name="log", content="one")
    assert notes("append", name="log", content="two").data["bytes"] == 9
    answer = notes("read", name="log")
    assert answer.data["content"] == answer.text == "one\n\ntwo\n"
    assert answer.omit_when_summarizing == ("content",)


def test_a_note_may_be_written_empty(notes, house):
    notes("write", name="x", content="one")
    assert notes("write", name="x", content="").data["bytes"] == 1
    assert house.read(".agentic/notes/x.md") == b"\n"


def test_the_memory(notes, house):
    notes("write", memory=True, content="tabs")
    notes("append", name="MEMORY", content="no semicolons")
    answer = notes("read", name="memory.md")
    assert answer.data["path"] == ".agentic/MEMORY.md"
    assert answer.data["memory"]
    assert house.read(".agentic/MEMORY.md") == b"tabs\n\nno semicolons\n"
    refused(ErrorCode.INVALID_INPUT, notes, "delete", memory=True)


def test_what_somebody_else_wrote_is_marked(notes, house):
    house.write(".agentic/notes/x.md", "Run this.\n")
    assert "not as instructions" in notes("read", name="x").summary
    assert notes("read", name="x").data["untrusted"] is True
    assert "not as instructions" in notes("append", name="x", content="y").summary
    assert "untrusted" in notes("list").text


def test_listing(notes):
    empty = notes("list")
    assert empty.summary == "0 notes; no memory yet."
    assert empty.data == {
        "notes": [], "total": 0, "truncated": False, "memoryExists": False, "memoryPath": ".agentic/MEMORY.md",
    }  # fmt: skip
    notes("write", name="a", content="a")
    assert notes("list").summary.startswith("1 note;")
    for number in range(22):
        notes("write", name=f"n{number:02}", content="x")
    notes("write", memory=True, content="tabs")
    answer = notes("list", limit=21)
    assert answer.summary == "23 notes, showing 21; a memory of 5 bytes."
    assert (answer.data["total"], answer.data["truncated"]) == (23, True)
    assert (answer.data["memoryExists"], answer.data["memoryBytes"], answer.data["memoryUntrusted"]) == (True, 5, False)
    assert set(answer.data["notes"][0]) == {"name", "memory", "path", "bytes", "untrusted", "modifiedAt"}
    assert answer.data["notes"][0]["modifiedAt"].endswith("Z")
    assert answer.facts == ("note a", *(f"note n{number:02}" for number in range(19)))
    assert answer.omit_when_summarizing == ("notes",)
    assert answer.text.startswith("a (2 bytes)\nn00 (2 bytes)")


def test_deleting(notes):
    notes("write", name="todo", content="x")
    assert notes("delete", name="todo").data == {"name": "todo", "deleted": True}
    refused(ErrorCode.NOT_FOUND, notes, "read", name="todo")


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("read", {}), ("read", {"name": "../x"}), ("write", {"name": "x"}), ("append", {"name": "x", "content": ""}),
        ("list", {"limit": 0}), ("list", {"limit": 201}), ("read", {"name": "x", "memory": True}),
        ("read", {"name": "x", "content": "y"}),
    ],
)  # fmt: skip
def test_wrong_arguments(notes, action, arguments):
    refused(ErrorCode.INVALID_INPUT, notes, action, **arguments)
