"""The Python interface on the whole road: a program, a server of the test's own, and the person."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest
from tests.pictures import gif, png

import workroom
from workroom import ErrorCode, WorkroomError, open_workspace
from workroom.interfaces.python.calls import Edit, Inspect, Notes, Operation, Plan
from workroom.interfaces.python.editor_calls import Editor
from workroom.tools.catalog import PROFILES

CREATE: list[Operation] = [{"type": "create", "path": "notes.md", "content": "Salt.\n"}]


@pytest.fixture
def program(room):
    """A connection as a user's program makes it, with the mode set to auto."""
    with open_workspace(room.folder, client="a program", environ=room.environ) as opened:
        room.person(room.folder).get("mode", mode="auto")
        yield opened


def test_a_program_reads_edits_and_takes_back(room, program):
    answer = program.edit.apply(CREATE, title="Write it down")
    assert answer["status"] == "applied"
    assert (room.folder / "notes.md").read_bytes() == b"Salt.\n"
    assert [artifact["kind"] for artifact in answer.artifacts] == ["diff", "review"]
    read = program.inspect.read("notes.md", numbered=False)
    assert read["text"] == "Salt.\n"
    program.edit.apply(
        [{"type": "splice", "path": "notes.md", "start_line": 2, "delete_count": 0, "content": "Pepper.\n",
          "expected_hash": read["sha256"]}]
    )  # fmt: skip
    assert (room.folder / "notes.md").read_bytes() == b"Salt.\nPepper.\n"
    (entry, *_) = room.person(room.folder).get("log")["entries"]
    assert entry["actor"] == {"kind": "agent", "name": "a program"}


def test_a_program_is_given_pictures_as_bytes(room, program):
    (room.folder / "a.png").write_bytes(png(6, 4))
    (room.folder / "b.gif").write_bytes(gif(3, 3))
    answer = program.inspect.read("a.png")
    assert (answer["mimeType"], answer["width"]) == ("image/png", 6)
    assert [(each.path, each.mime, each.data) for each in answer.pictures] == [("a.png", "image/png", png(6, 4))]
    both = program.inspect.read(paths=["b.gif", "a.png"])
    assert [each.path for each in both.pictures] == ["b.gif", "a.png"]
    assert program.inspect.stat("a.png").pictures == ()


def test_what_is_refused_is_raised_with_its_code(program):
    with pytest.raises(WorkroomError) as raised:
        program.inspect.read("../outside")
    assert raised.value.code is ErrorCode.PATH_OUTSIDE_WORKSPACE
    with pytest.raises(WorkroomError) as raised:
        program.call("workspace_inspect", "reed", path="x")
    assert raised.value.code is ErrorCode.INVALID_INPUT
    assert "read" in str(raised.value)


def test_a_call_waits_for_the_person_and_is_resumed(room, program):
    person = room.person(room.folder)
    person.get("mode", mode="manual")
    answer = program.edit.apply(CREATE)
    assert answer.approval is not None
    assert answer.approval.id.startswith("approval_")
    assert program.resume(answer).approval is not None, "nobody has decided"
    assert not (room.folder / "notes.md").exists()
    person.get("accept", words=answer.approval.id)
    done = program.resume(answer)
    assert done.approval is None
    assert done["committed"]
    with pytest.raises(WorkroomError, match="doesn't wait"):
        program.resume(done)


def test_a_no_is_raised_with_its_reason(room, program):
    person = room.person(room.folder)
    person.get("mode", mode="manual")
    answer = program.edit.apply(CREATE)
    person.get("deny", words=f"{answer.approval.id} not today")
    with pytest.raises(WorkroomError, match="not today") as raised:
        program.resume(answer)
    assert raised.value.code is ErrorCode.APPROVAL_DENIED


def test_a_program_outlives_the_server_it_began_with(room, program):
    program.edit.apply(CREATE)
    room.stop()
    assert program.inspect.read("notes.md")["totalLines"] == 1


def test_a_server_that_dies_within_a_call_is_told_and_the_next_call_finds_another(room, program):
    program.edit.apply(CREATE)
    server = room.pid()
    os.kill(server, signal.SIGSTOP)  # it is there, and answers nothing
    killer = threading.Timer(0.2, os.kill, (server, signal.SIGKILL))
    killer.start()
    with pytest.raises(WorkroomError, match="may have taken effect") as raised:
        program.inspect.stat("notes.md")
    killer.join()
    assert raised.value.code is ErrorCode.IO_ERROR
    assert program.inspect.read("notes.md", numbered=False)["text"] == "Salt.\n"


def test_threads_share_a_connection_and_get_their_own_answers(room, program):
    for number in range(20):
        (room.folder / f"{number}.txt").write_text(f"{number}\n")
    found: dict[int, str] = {}

    def read(number: int) -> None:
        found[number] = program.inspect.read(f"{number}.txt", numbered=False)["text"]

    threads = [threading.Thread(target=read, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: f"{number}\n" for number in range(20)}


def test_a_closed_connection_says_so(room, program):
    program.close()
    with pytest.raises(WorkroomError, match="closed"):
        program.inspect.capabilities()


def test_a_folder_that_is_not_there_is_refused(room):
    with pytest.raises(WorkroomError) as raised:
        open_workspace(room.folder / "none", environ=room.environ)
    assert raised.value.code is ErrorCode.NOT_FOUND


def test_every_action_of_every_tool_is_a_typed_call():
    classes = {f"workspace_{one.__name__.lower()}": one for one in (Inspect, Edit, Notes, Plan)}
    assert set(classes) == {tool.name for tool in PROFILES["workspace"]}
    for tool in PROFILES["workspace"]:
        calls = {name for name in vars(classes[tool.name]) if not name.startswith("_")}
        assert calls == {action.name for action in tool.actions}


def test_every_tool_of_profile_editor_is_a_typed_call():
    calls = {f"editor_{name}" for name in vars(Editor) if not name.startswith("_")}
    assert calls == {tool.name for tool in PROFILES["editor"] if tool.flat}
    assert {tool.name for tool in PROFILES["editor"] if not tool.flat} == {"workspace_plan"}


@pytest.fixture
def editor(room):
    """The same as a program of profile `editor`."""
    with open_workspace(room.folder, profile="editor", client="a program", environ=room.environ) as opened:
        room.person(room.folder).get("mode", mode="auto")
        yield opened


def accepted(room, editor, answer):
    """What becomes of a call that waits: profile editor asks before it overwrites or moves."""
    assert answer.approval is not None
    room.person(room.folder).get("accept", words=answer.approval.id)
    return editor.resume(answer)


def test_a_program_opens_saves_and_moves(room, editor):
    (room.folder / "a.txt").write_text("one\n")
    opened = editor.editor.open("a.txt")
    saved = editor.editor.save("a.txt", content="two\n", expected_version=opened["version"])
    assert accepted(room, editor, saved)["saved"] is True
    assert (room.folder / "a.txt").read_text() == "two\n"
    made = editor.editor.create("b.txt", content="b\n")
    assert (made.operation, made["created"], made.artifacts) == ("editor_create", True, ())
    assert accepted(room, editor, editor.editor.move("b.txt", target="c.txt"))["to"] == "c.txt"
    assert (room.folder / "c.txt").read_text() == "b\n"
    with pytest.raises(WorkroomError, match="exists already") as raised:
        editor.editor.create("c.txt")
    assert raised.value.code is ErrorCode.EDIT_CONFLICT
    assert raised.value.next_step


def test_what_waits_is_resumed_by_its_own_tool(room, editor):
    (room.folder / "a.txt").write_text("one\n")
    editor.editor.open("a.txt")
    answer = editor.editor.delete("a.txt")
    assert answer.approval is not None
    assert (answer["deleted"], answer.approval.tool) == (False, "editor_delete")
    room.person(room.folder).get("accept", words=answer.approval.id)
    done = editor.resume(answer)
    assert (done["deleted"], done["buffers_closed"], done["buffers"]) == (True, ["a.txt"], [])


def test_a_program_goes_on_in_the_folder_that_it_went_to(room, editor):
    other = room.folder.with_name("other")
    other.mkdir()
    room.person(other)
    assert editor.editor.workspace_open(str(other))["root"] == str(other)
    room.stop()
    assert editor.editor.workspace_get()["root"] == str(other)
    assert editor.editor.workspace_open(".")["root"] == str(room.folder)


def test_the_calls_are_made_from_the_tools_as_they_are():
    done = subprocess.run(
        [sys.executable, "tools/make_python.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_importing_workroom_loads_nothing():
    script = "import sys; before = set(sys.modules); import workroom; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pydantic" not in done.stdout
    assert "workroom.interfaces" not in done.stdout
    assert set(workroom.__all__) <= set(dir(workroom))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = workroom.nothing
