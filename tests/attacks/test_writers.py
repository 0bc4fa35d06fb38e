"""Rows of the attack table about other programs that write at the same time. No byte of theirs is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.interfaces.conftest import room  # noqa: F401 - a fixture
from tests.moments import just_before
from tests.race.room import program

from workroom.base.actor import Actor
from workroom.core.transactions.service import KEEP_DISPLACED_SECONDS
from workroom.interfaces import link
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

AGENT = Actor("agent", "tester", "session_1")
STAGED = "tx_"
"""How the names of files on their way begin: the first is opened when all guards have been looked at."""
MADE = {"type": "create", "path": "made", "content": "made\n"}
EDITS = (
    {"type": "rewrite", "path": "f", "content": "ours\n"},
    {"type": "replace", "path": "f", "search": "old", "replacement": "ours"},
    {"type": "splice", "path": "f", "start_line": 1, "delete_count": 1, "content": "ours\n"},
    {"type": "patch", "patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+ours\n"},
    {"type": "create", "path": "f", "content": "ours\n", "overwrite": True},
    {"type": "copy", "from": "g", "to": "f", "overwrite": True},
    {"type": "delete", "path": "f"},
    {"type": "move", "from": "f", "to": "away"},
)


@pytest.fixture
def scene(house):
    house.write("f", "old\n")
    house.write("g", "other\n")
    return house


def commit(house, *operations):
    """Preview, then commit by the one road; answers what the commit does."""
    caller = Call(house.workspace, AGENT)
    fields = {"action": "preview", "operations": list(operations)}
    planned = call(caller, "workspace_edit", fields).to_json()["data"]["transactionId"]
    return lambda: call(caller, "workspace_edit", {"action": "commit", "transaction_id": planned}).to_json()


def save(house, path, data):
    """As editors do: a new file takes the name."""
    house.write("passing", data).rename(house.folder / path)


def conflict(house, answer):
    """It was refused, and nothing is on its way."""
    assert answer["error"]["code"] == "EDIT_CONFLICT"
    assert not (house.folder / "made").exists()
    assert os.listdir(house.folder / ".agentic/stage") == []
    return answer["error"]


def copies(house):
    """What was kept beside its path, each told in the history."""
    told = {change.path for entry in house.tx.history(1 << 30) for change in entry.changes}
    found = [path.relative_to(house.folder).as_posix() for path in house.folder.rglob("*.workroom-kept-*")]
    assert set(found) <= told
    return [house.read(path) for path in found]


def by_rename(house):
    save(house, "f", "theirs\n")


def in_place(house):
    house.write("f", "theirs\n")


def appended(house):
    with open(house.folder / "f", "a") as file:
        file.write("theirs\n")


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["type"])
@pytest.mark.parametrize(
    ("writes", "left"), [(by_rename, b"theirs\n"), (in_place, b"theirs\n"), (appended, b"old\ntheirs\n")]
)
def test_c02_a_file_is_written_between_the_guard_and_the_rename(scene, edit, writes, left):
    run = commit(scene, edit, MADE)
    with just_before("open", STAGED, lambda: writes(scene)):
        error = conflict(scene, run())
    assert error["details"]["path"] == "f"
    assert "theirs" in error["details"]["patch"]
    assert scene.tree() == {"f": (left, 0o644), "g": (b"other\n", 0o644)}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["type"])
@pytest.mark.parametrize("becomes", ["nothing", "link", "folder", "executable"])
def test_c02_a_file_becomes_another_thing_between_the_guard_and_the_rename(scene, edit, becomes):
    run, path = commit(scene, edit, MADE), scene.folder / "f"

    def change():
        if becomes == "executable":
            path.chmod(0o755)
            return
        path.unlink()
        if becomes != "nothing":
            path.symlink_to("g") if becomes == "link" else path.mkdir()

    with just_before("open", STAGED, change):
        answer = run()
    if becomes == "executable" and edit["type"] == "move":
        assert answer["ok"]  # the file itself goes, and its mode with it
        assert (scene.folder / "away").stat().st_mode & 0o777 == 0o755
        return
    conflict(scene, answer)
    ends: dict[str, dict[str, object]] = {
        "nothing": {},
        "link": {"f": ("link", "g")},
        "folder": {"f": None},
        "executable": {"f": (b"old\n", 0o755)},
    }
    assert scene.tree() == {"g": (b"other\n", 0o644), **ends[becomes]}


FIFTY = 50


@pytest.mark.parametrize("plans", ["before", "at once"])
def test_c09_fifty_threads_commit_on_one_base(scene, plans):
    ready = threading.Barrier(FIFTY)

    def client(number):
        edit = {"type": "replace", "path": "f", "search": "old", "replacement": f"by {number}"}
        caller = Call(scene.workspace, Actor("agent", f"client {number}", f"session_{number}"))
        run = commit(scene, edit) if plans == "before" else None
        ready.wait()
        if run is not None:
            return run()
        return call(caller, "workspace_edit", {"action": "apply", "operations": [edit]}).to_json()

    with ThreadPoolExecutor(FIFTY) as pool:
        answers = list(pool.map(client, range(FIFTY)))
    one_wins(answers, scene.read("f").decode())
    assert len(scene.tx.history()) == 1


def one_wins(answers, content):
    (won,) = [number for number, answer in enumerate(answers) if answer["ok"]]
    assert content == f"by {won}\n"
    assert {answer["error"]["code"] for answer in answers if not answer["ok"]} == {"EDIT_CONFLICT"}


def test_c09_fifty_connections_commit_on_one_base(room):  # noqa: F811 - the fixture
    """Each connects, introduces itself, and waits for the others with its call at hand."""
    (room.folder / "f").write_text("old\n")
    ready = threading.Barrier(FIFTY)
    assert room.person(room.folder).get("mode", mode="auto")["mode"] == "auto"

    def client(number):
        greeting = link.hello("agent", str(room.folder), environ=room.environ)
        with link.join(room.place, greeting).connection as connection, connection.makefile("rwb") as lines:
            connection.settimeout(60)
            info = {"name": f"client {number}", "version": "1"}
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            ask(lines, "initialize", hello)
            edit = {"type": "replace", "path": "f", "search": "old", "replacement": f"by {number}"}
            ready.wait()
            call = {"name": "workspace_edit", "arguments": {"action": "apply", "operations": [edit]}}
            return ask(lines, "tools/call", call)["structuredContent"]

    with ThreadPoolExecutor(FIFTY) as pool:
        answers = list(pool.map(client, range(FIFTY)))
    one_wins(answers, (room.folder / "f").read_text())


def ask(lines, method, params):
    lines.write(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).encode() + b"\n")
    lines.flush()
    while (answer := json.loads(lines.readline())).get("id") != method:
        pass
    return answer["result"]


HOLDER = """
import mmap, os, sys
how, path = sys.argv[1:]
descriptor = os.open(path, os.O_RDWR | (os.O_APPEND if how == "append" else 0))
if how == "map":
    memory = mmap.mmap(descriptor, 4)
    os.close(descriptor)
print("open", flush=True)
sys.stdin.readline()
if how == "map":
    memory[0:4] = b"late"
else:
    os.write(descriptor, b"late\\n")
print("written", flush=True)
sys.stdin.readline()
"""


class Holder:
    """Another program that has a file open for writing: by descriptor, to append, or mapped into its memory."""

    def __init__(self, how, path):
        command = [sys.executable, "-c", HOLDER, how, str(path)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "open\n"

    def write(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "written\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()


LATE = {"write": b"late\n", "append": b"old\nlate\n", "map": b"late"}


@pytest.mark.parametrize("how", LATE)
@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit["type"] != "move"], ids=lambda edit: edit["type"])
def test_c11_a_program_that_has_the_file_open_for_writing(scene, edit, how):
    """Refused by the lease; what it then writes is in the file, and nowhere else."""
    run = commit(scene, edit, MADE)
    with Holder(how, scene.folder / "f") as holder:
        error = conflict(scene, run())
        assert "another program has it open for writing" in error["message"]
        holder.write()
    assert scene.read("f") == LATE[how]
    assert scene.read("g") == b"other\n"
    assert copies(scene) == []


@pytest.mark.parametrize("how", LATE)
def test_c11_a_file_that_moves_takes_what_is_written_along(scene, how):
    with Holder(how, scene.folder / "f") as holder:
        assert commit(scene, EDITS[-1], MADE)()["ok"]
        holder.write()
    assert scene.read("away") == LATE[how]
    assert copies(scene) == []


@pytest.mark.parametrize("how", LATE)
def test_c11_a_program_that_opens_the_file_in_the_moment_of_the_commit(scene, how):
    """It comes after the guard, and before the lease is asked for."""
    holders = []
    run = commit(scene, EDITS[0], MADE)
    with just_before("open", STAGED, lambda: holders.append(Holder(how, scene.folder / "f"))):
        conflict(scene, run())
    with holders[0] as holder:
        holder.write()
    assert scene.read("f") == LATE[how]


@pytest.mark.parametrize("how", LATE)
def test_c11_a_program_that_keeps_the_file_open_where_there_are_no_leases(scene, how):
    """As somebody who may not have leases on the file, since it is another's: what comes late becomes an entry."""
    if os.geteuid() != 0:
        pytest.skip("making a file another's takes root")
    (scene.folder / "f").chmod(0o666)
    run = commit(scene, EDITS[0])
    for path in (scene.folder, *scene.folder.rglob("*"), scene.store_folder, *scene.store_folder.rglob("*")):
        os.chown(path, 65534, 65534)
    for parent in scene.folder.parents:
        if not parent.stat().st_mode & 0o001:
            parent.chmod(0o711)
    os.chown(scene.folder / "f", 0, 0)
    with Holder(how, scene.folder / "f") as holder:
        os.seteuid(65534)
        try:
            answer = run()
            assert answer["ok"], answer
            holder.write()
            scene.time += KEEP_DISPLACED_SECONDS + 1
            assert scene.tx.settle()
        finally:
            os.seteuid(0)
    assert scene.read("f") == b"ours\n"
    assert copies(scene) == [LATE[how]]
    assert scene.tx.history()[0].cause == "late_write"


def test_c11_programs_that_append_without_pause(scene, tmp_path):
    """Two programs open, append and close; agents edit the first line as often as they can. No line is lost."""
    log = scene.folder / "f"
    with (
        program("append", scene.folder, "one", tmp_path / "1", "f"),
        program("append", scene.folder, "two", tmp_path / "2", "f"),
    ):
        for tries in range(150):  # how many of them succeed is the machine's affair
            edit = {"type": "splice", "path": "f", "start_line": 1, "delete_count": 1, "content": f"head {tries}\n"}
            answer = call(Call(scene.workspace, AGENT), "workspace_edit", {"action": "apply", "operations": [edit]})
            assert answer.ok or answer.to_json()["error"]["code"] == "EDIT_CONFLICT"
            assert answer.ok or f"head {tries}\n".encode() not in log.read_bytes()  # nothing of it was done
    scene.reopen()
    texts = log.read_bytes() + b"".join(copies(scene))
    appended = [json.loads(line)[1] for each in "12" for line in (tmp_path / each).read_text().splitlines()]
    assert appended
    assert [line for line in appended if line.encode() not in texts] == []


SECOND = {
    "by rename": (b"second\n", {b"first\n"}),
    "in place": (b"second\n", {b"first\n"}),
    "appended": (b"first\n", {b"ours\nsecond\n"}),
}
"""What the path holds in the end, and what copies do."""


@pytest.mark.parametrize("how", SECOND)
def test_c12_a_second_program_saves_between_the_exchange_and_the_exchange_back(scene, how):
    """The first saves just before the exchange, so that it is taken back; the second sees our file and saves over it.

    Where it only added to our file, that becomes the copy: nothing of what was refused stays.
    """
    run = commit(scene, EDITS[0])

    def second():
        assert scene.read("f") == b"ours\n"
        if how == "by rename":
            save(scene, "f", "second\n")
        else:
            with open(scene.folder / "f", "w" if how == "in place" else "a") as file:
                file.write("second\n")

    with (
        just_before("open", STAGED, lambda: save(scene, "f", "first\n")),
        just_before("open", STAGED, second),  # what came out is looked at
    ):
        error = conflict(scene, run())
    assert (scene.read("f"), set(copies(scene))) == SECOND[how]
    assert len(error["details"]["kept"]) == 1


@pytest.mark.parametrize("how", ["by rename", "in place", "deleted", "open"])
def test_c12_a_second_program_comes_just_before_the_exchange_back(scene, how):
    """Later still: our file was seen to stand there unchanged, and is about to be exchanged for what was before."""
    run, holders = commit(scene, EDITS[0]), []

    def second():
        if how == "by rename":
            save(scene, "f", "second\n")
        elif how == "in place":
            scene.write("f", "second\n")
        elif how == "deleted":
            (scene.folder / "f").unlink()
        else:
            holders.append(Holder("append", scene.folder / "f"))

    with (
        just_before("open", STAGED, lambda: save(scene, "f", "first\n")),
        just_before("open", STAGED, lambda: None),  # what came out is looked at
        just_before("open", STAGED, second),  # and again, before it goes back
    ):
        conflict(scene, run())
    for holder in holders:
        with holder:
            holder.write()
    texts = {*copies(scene), *([scene.read("f")] if (scene.folder / "f").exists() else [])}
    wanted = {"by rename": {b"second\n"}, "in place": {b"second\n"}, "deleted": set(), "open": {b"ours\nlate\n"}}
    assert texts == {b"first\n", *wanted[how]}


@pytest.mark.parametrize("edit", [EDITS[6], EDITS[7]], ids=["delete", "move"])
def test_c12_a_second_program_saves_while_the_name_is_free(scene, edit):
    """The first saves just before the file goes, the second while it is gone."""
    run = commit(scene, edit, MADE)
    looked = "away" if edit["type"] == "move" else STAGED
    with (
        just_before("open", STAGED, lambda: save(scene, "f", "first\n")),
        just_before("open", looked, lambda: save(scene, "f", "second\n")),
    ):
        conflict(scene, run())
    assert scene.read("f") == b"second\n"
    assert copies(scene) == [b"first\n"]
    assert not (scene.folder / "away").exists()
