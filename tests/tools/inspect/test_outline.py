"""workspace_inspect outline, as a client calls it."""

from __future__ import annotations

import os

import pytest

from workroom.base.actor import Actor
from workroom.base.pulse import Pulse
from workroom.base.settings import Settings
from workroom.core.search.syntax.service import Syntax
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

ROOM = """import os

LIMIT = 3


# A room.
class Room:
    size: int = 1

    @property
    def open(self) -> bool:
        return True

    class Inner:
        def close(self): pass
"""


@pytest.fixture
def inspect(house):
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(**arguments):
        return call(caller, "workspace_inspect", {"action": "outline", **arguments})

    return ask


def failed(answer, code, *said):
    assert answer.error["code"] == code
    for each in said:
        assert each in answer.summary


def test_a_file(inspect, house):
    house.write("src/a.py", ROOM)
    answer = inspect(path="src/a.py")
    lines = "3 LIMIT = 3\n6-15 class Room\n  10-12 def open(self) -> bool\n  14-15 class Inner\n    15 def close(self)"
    assert answer.data == {
        "path": "src/a.py",
        "files": [{"path": "src/a.py", "outline": lines}],
        "total": 5,
        "truncated": False,
        "kindsLeftOut": {"field": 1},
    }
    assert answer.text == lines
    assert answer.summary == "src/a.py: 5 definitions in 1 file. Kinds left out: field (1)."
    assert answer.omit_when_summarizing == ("files",)


def test_one_kind_and_one_level(inspect, house):
    house.write("a.py", ROOM)
    assert inspect(path="a.py", kind="field").text == "8 Room.size: size: int = 1"
    assert inspect(path="a.py", kind="class").text == "6-15 class Room\n  14-15 class Inner"
    assert inspect(path="a.py", kind="method").text == (
        "10-12 Room.open: def open(self) -> bool\n15 Room.Inner.close: def close(self)"
    )
    assert inspect(path="a.py", depth=1).text == "3 LIMIT = 3\n6-15 class Room"
    failed(inspect(path="a.py", kind="klass"), "INVALID_INPUT", "klass", "method")


def test_a_folder(inspect, house):
    house.write("src/a.py", ROOM)
    house.write("src/b/c.go", "package c\n\nvar count int\n\n// F does.\nfunc F() {}\n")
    house.write("src/data.json", '{"a": 1}')
    house.write("src/notes.txt", "class A:\n")
    house.write(".gitignore", "ignored/\n")
    house.write("ignored/d.py", "x = 1\n")
    answer = inspect(path="src")
    assert answer.text == "src/a.py\n3 LIMIT = 3\n6-15 class Room\nsrc/b/c.go\n5-6 func F()"
    assert answer.data["unparsed"] == {"no grammar": 1}
    assert answer.data["kindsLeftOut"] == {"field": 1, "variable": 1, "key": 1}
    opened = "10-12 Room.open: def open(self) -> bool"
    assert inspect(path="src", kind="method").text == f"src/a.py\n{opened}\n15 Room.Inner.close: def close(self)"
    assert inspect(path="src", depth=2, kind="method").text == f"src/a.py\n{opened}"
    assert inspect(path="src", kind="key").text == "src/data.json\n1 a"
    everything = inspect()
    assert [row["path"] for row in everything.data["files"]] == ["src/a.py", "src/b/c.go"]
    assert everything.data["ignored"] == 1


def test_pages(inspect, house):
    for name in "abc":
        house.write(f"{name}.py", "".join(f"def {name}{number}(): pass\n" for number in range(3)))
    seen, cursor = [], None
    for count in (2, 2, 2, 2, 1):
        answer = inspect(limit=2, cursor=cursor)
        lines = [line for row in answer.data["files"] for line in row["outline"].splitlines()]
        assert len(lines) == count
        seen += lines
        cursor = answer.data.get("cursor")
        assert answer.data["truncated"] == (cursor is not None)
        assert cursor is None or repr(cursor) in answer.summary
    assert [line.split()[-1] for line in seen] == [f"{name}{number}()" for name in "abc" for number in range(3)]
    (row,) = inspect(path="b.py", limit=1, cursor="2:b.py").data["files"]
    assert row["outline"] == "3 def b2()"


def test_a_page_is_as_long_as_an_answer_may_be(inspect, house):
    house.settings = Settings(max_tool_result_chars=2_000)
    for name in "abc":
        house.write(f"{name}.py", "".join(f"def {name}{number:02}(): pass\n" for number in range(30)))
    seen, cursor = [], None
    while True:
        answer = inspect(cursor=cursor)
        seen += [line for row in answer.data["files"] for line in row["outline"].splitlines()]
        cursor = answer.data.get("cursor")
        if cursor is None:
            break
        assert len(answer.text) < 1_000
    assert [line.split()[-1] for line in seen] == [f"{name}{number:02}()" for name in "abc" for number in range(30)]


def test_so_many_files_are_looked_into_at_once(inspect, house):
    for number in range(501):
        house.write(f"{number:03}.py", "x = 1\n")
    house.write("last.py", "X = 1\n")
    answer = inspect()
    assert (answer.data["files"], answer.data["cursor"]) == ([], ":499.py")
    answer = inspect(cursor=":499.py")
    assert ([row["path"] for row in answer.data["files"]], answer.data["truncated"]) == (["last.py"], False)


def test_so_many_entries_are_looked_at_at_once(inspect, house):
    (house.folder / "a").mkdir()
    for number in range(20_001):
        os.mknod(house.folder / "a" / f"{number:05}.txt")
    house.write("b.py", ROOM)
    answer = inspect()
    assert (answer.data["files"], answer.data["truncated"]) == ([], True)
    answer = inspect(cursor=answer.data["cursor"])
    assert ([row["path"] for row in answer.data["files"]], answer.data["truncated"]) == (["b.py"], False)


def test_a_file_that_goes_meanwhile(house):
    house.write("a.py", "def a(): pass\n")
    house.write("b.py", "def b(): pass\n")

    def report(done, _total):
        (house.folder / "b.py").unlink() if done else None

    caller = Call(house.workspace, Actor("agent", "tester", "s"), pulse=Pulse(report))
    assert call(caller, "workspace_inspect", {"action": "outline"}).text == "a.py\n1 def a()"


def test_wrong_cursors(inspect, house):
    house.write("a.py", ROOM)
    for cursor in ("", "a.py", "1", "1:", "-1:a.py", "9999999999:a.py", "x:a.py"):
        failed(inspect(cursor=cursor), "INVALID_INPUT", "cursor")


def test_what_cant_be_outlined(inspect, house):
    house.write("a.txt", "x\n")
    house.write("b.py", b"\0\1")
    failed(inspect(path="a.txt"), "UNSUPPORTED", "no grammar", "search")
    failed(inspect(path="b.py"), "UNSUPPORTED", "binary")
    failed(inspect(path="c.py"), "NOT_FOUND", "Did you mean b.py?")
    assert inspect().data["unparsed"] == {"no grammar": 1, "binary": 1}


def test_a_file_with_faults_says_so(inspect, house):
    house.write("a.py", "def f(): pass\n\ndef g(:\n\n")
    answer = inspect(path="a.py")
    assert answer.text.splitlines()[0] == "1 def f()"
    assert answer.data["files"][0]["faulty"] is True
    assert "Not all could be parsed of: a.py." in answer.summary


def test_a_file_with_more_than_is_told_says_so(inspect, house):
    house.write("a.py", "def f(): pass\n" * 20_001)
    house.settings = Settings(max_tool_result_chars=1_000_000)
    answer = inspect(path="a.py", limit=5_000, cursor="19999:a.py")
    assert answer.data["files"][0]["cut"] is True
    assert answer.data["truncated"] is True
    answer = inspect(path="a.py", symbol="g")
    assert (answer.data["total"], answer.data["truncated"]) == (None, True)
    assert answer.summary == "a.py: 0 definitions of g. Not everything was looked into: a narrower path is."


def test_where_a_symbol_is(inspect, house):
    house.write("src/a.py", ROOM)
    house.write("src/b.py", "def close(): pass\n")
    answer = inspect(path="src", symbol="Room.open")
    row = {"path": "src/a.py", "name": "Room.open", "kind": "method", "startLine": 10, "endLine": 12, "line": 11}
    row["signature"] = "def open(self) -> bool"
    assert answer.data == {
        "path": "src",
        "symbol": "Room.open",
        "definitions": [row],
        "total": 1,
        "truncated": False,
        "filesNamed": 1,
        "filesParsed": 1,
    }
    assert answer.text == "src/a.py:10-12 method Room.open"
    assert answer.summary == "src: 1 definition of Room.open. 1 of 1 files that name it were parsed."
    assert inspect(symbol="close").data["total"] == 2
    assert inspect(symbol="close", kind="function").text == "src/b.py:1-1 function close"
    assert inspect(symbol="size").text == "src/a.py:8-8 field Room.size"


def test_where_a_symbol_isnt(inspect, house):
    house.write("a.py", ROOM)
    answer = inspect(path="a.py", symbol="Romm")
    assert (answer.data["definitions"], answer.data["near"]) == ([], ["Room"])
    assert "Near: Room." in answer.summary
    house.write("b.py", b"\0\1")
    assert inspect(path="b.py", symbol="x").data["unparsed"] == {"binary": 1}
    failed(inspect(path="none", symbol="x"), "NOT_FOUND")
    failed(inspect(symbol="#"), "INVALID_INPUT", "names no symbol")


def test_closed_meanwhile(inspect, house, grammars):
    house.write("a.py", ROOM)
    house.workspace.syntax.stop()
    failed(inspect(), "CANCELLED")
    assert Syntax(house.workspace.root, grammars).of("a.py").unparsed is None
