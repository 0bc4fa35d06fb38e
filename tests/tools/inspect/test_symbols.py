"""workspace_inspect read with a symbol, as a client calls it."""

from __future__ import annotations

import hashlib
import threading

import pytest

from workroom.base.actor import Actor
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

ROOM = "x = 1\n\n\n# A room.\nclass Room:\n    def open(self):\n        return 1\n\n    def close(self): pass\n"


@pytest.fixture
def inspect(house):
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(**arguments):
        return call(caller, "workspace_inspect", {"action": "read", **arguments})

    return ask


def failed(answer, code, *said):
    assert answer.error["code"] == code
    for each in said:
        assert each in answer.summary


def test_in_a_file(inspect, house):
    house.write("src/a.py", ROOM)
    answer = inspect(path="src/a.py", symbol="Room.open")
    assert answer.text == "6 |     def open(self):\n7 |         return 1"
    sha = hashlib.sha256(ROOM.encode()).hexdigest()
    row = {"path": "src/a.py", "name": "Room.open", "kind": "method", "startLine": 6, "endLine": 7, "line": 6}
    assert answer.data["symbol"] == {**row, "signature": "def open(self)"}
    assert (answer.data["sha256"], answer.data["startLine"], answer.data["endLine"]) == (sha, 6, 7)
    assert answer.data["truncated"] is False
    assert answer.summary == f"src/a.py: method Room.open, lines 6-7 of 9, sha256 {sha}."
    assert inspect(path="src/a.py", symbol="Room").data["startLine"] == 4


def test_below_a_folder(inspect, house):
    house.write("src/a.py", ROOM)
    house.write("src/b.py", "from a import Room\nRoom().open()\n")
    answer = inspect(path="src", symbol="Room", numbered=False)
    assert (answer.data["path"], answer.data["startLine"]) == ("src/a.py", 4)
    assert answer.data["text"].startswith("# A room.\nclass Room:\n")
    assert inspect(symbol="close").data["symbol"]["name"] == "Room.close"


def test_through_a_link(inspect, house):
    house.write("src/a.py", ROOM)
    (house.folder / "link").symlink_to("src")
    (house.folder / "link.py").symlink_to("src/a.py")
    assert inspect(path="link", symbol="Room").data["path"] == "src/a.py"
    answer = inspect(path="link.py", symbol="Room")
    assert (answer.data["path"], answer.data["resolvedPath"]) == ("link.py", "src/a.py")


def test_several_are_listed(inspect, house):
    house.write("a.py", ROOM)
    house.write("b.py", ROOM)
    answer = inspect(symbol="Room")
    failed(answer, "INVALID_INPUT", "2 definitions of 'Room': a.py:4-9 class Room; b.py:4-9 class Room.", "`path`")
    assert [row["path"] for row in answer.error["details"]["definitions"]] == ["a.py", "b.py"]
    assert inspect(path="b.py", symbol="Room").data["path"] == "b.py"


def test_of_several_the_likeliest_come_first_and_are_told_once(inspect, house):
    house.write("a.py", "class Hall:\n    def close(self): pass\n")
    house.write("b/test_c.py", "def close(): pass\n")
    house.write("c.py", "def close(): pass\n")
    answer = inspect(symbol="close")
    rows = answer.error["details"]["definitions"]
    assert [row["path"] for row in rows] == ["c.py", "b/test_c.py", "a.py"]
    assert all("signature" not in row for row in rows)
    failed(answer, "INVALID_INPUT", "c.py:1-1 function close; b/test_c.py:1-1 function close; a.py:2-2 method Hall")


def test_what_only_stands_for_it_is_told_beside(inspect, house):
    house.write("a.rs", "struct Room;\nimpl Room {\n    fn open(&self) {}\n}\n")
    answer = inspect(symbol="Room")
    assert answer.text == "1 | struct Room;"
    assert [row["kind"] for row in answer.data["alsoAt"]] == ["impl"]
    assert answer.summary.startswith("a.rs: struct Room, lines 1-1 of 4")
    assert answer.summary.endswith(" Also: a.rs:2-4 impl Room.")


def test_one_that_isnt_there(inspect, house):
    house.write("a.py", ROOM)
    failed(inspect(path="a.py", symbol="Rooom"), "NOT_FOUND", "Did you mean Room?")
    failed(inspect(symbol="Nothing"), "NOT_FOUND", "No definition of 'Nothing' in '.'.", "search")
    house.write("b.txt", "Thing\n")
    failed(inspect(path="b.txt", symbol="Thing"), "UNSUPPORTED", "Not parsed: 1 no grammar.")
    failed(inspect(path="none.py", symbol="Room"), "NOT_FOUND", "does not exist")


def test_one_that_may_be_behind_what_is_told(inspect, house):
    house.write("a.py", "x = 1\n" * 20_001 + "def f(): pass\n")
    failed(inspect(path="a.py", symbol="f"), "NOT_FOUND", "Not everything was looked into")


def test_one_beside_which_there_may_be_others(inspect, house):
    house.write("a.py", "def f(): pass\n" + "x = 1\n" * 20_001)
    answer = inspect(path="a.py", symbol="f")
    assert answer.text == "1 | def f(): pass"
    assert answer.data["mayBeOthers"] is True
    assert answer.summary.endswith(" There may be others: not everything was looked into.")
    house.write("a.py", ROOM)
    answer = inspect(path="a.py", symbol="Room")
    assert "mayBeOthers" not in answer.data
    assert "others" not in answer.summary


def test_what_doesnt_go_with_it(inspect, house):
    house.write("a.py", ROOM)
    for more in ({"start_line": 1}, {"end_line": 2}, {"tail_lines": 1}):
        failed(inspect(path="a.py", symbol="Room", **more), "INVALID_INPUT", "`symbol` says which lines")
    failed(inspect(paths=["a.py"], symbol="Room"), "INVALID_INPUT", "send `path`")


def test_unchanged(inspect, house):
    house.write("a.py", ROOM)
    known = hashlib.sha256(ROOM.encode()).hexdigest()
    answer = inspect(path="a.py", symbol="Room", known_sha256=known)
    assert answer.data["unchanged"] is True


def test_a_long_one_is_cut_and_gone_on_with(inspect, house):
    house.write("a.py", "def f():\n" + "    x = 1\n" * 99 + "y = 2\n")
    answer = inspect(path="a.py", symbol="f", max_chars=300)
    assert answer.data["truncated"] is True
    assert f"go on with start_line {answer.data['nextStartLine']}" in answer.summary
    assert answer.data["symbol"]["endLine"] == 100


def test_lines_and_bytes_belong_together(inspect, house):
    house.write("a.py", "def f(): pass\n")
    done = threading.Event()

    def write():
        number = 0
        while not done.is_set():
            number += 1
            other = house.folder / "other"
            other.write_text("\n" * (number % 7) + "def f(): pass\n")
            other.replace(house.folder / "a.py")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        answers = [inspect(path="a.py", symbol="f", numbered=False) for _ in range(100)]
    finally:
        done.set()
        writer.join()
    assert {answer.data["text"] for answer in answers} == {"def f(): pass\n"}
