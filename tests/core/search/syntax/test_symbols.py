"""Where symbols are defined, in real folders."""

from __future__ import annotations

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.search.syntax import symbols
from workroom.core.search.syntax.parse import definitions
from workroom.core.search.syntax.symbols import Places, defined, matching

ROOM = """class Room:
    def __init__(self): pass
    def open(self): pass

    class Inner:
        def open(self): pass


def open(): pass
"""


@pytest.fixture
def where(house):
    def ask(path: str, symbol: str, **options) -> Places:
        return defined(house.workspace.root, house.workspace.syntax, path, symbol, **options)

    return ask


def shown(places: Places) -> list[str]:
    return [f"{p.path}:{p.definition.line} {p.definition.kind} {p.definition.qualified}" for p in places.found]


@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        ("Room", ["Room"]),
        ("open", ["Room.open", "Room.Inner.open", "open"]),
        ("Room.open", ["Room.open"]),
        ("Room::open", ["Room.open"]),
        ("Room#open", ["Room.open"]),
        ("Inner.open", ["Room.Inner.open"]),
        ("oom.open", []),
        ("Open", []),
    ],
)
def test_a_name_means_the_whole_or_the_end(symbol, names):
    found = definitions("python", ROOM.encode()).definitions
    assert [each.qualified for each in matching(found, symbol)] == names


def test_what_stands_in_one_of_the_same_name_isnt_meant():
    java = definitions("java", b"class Room { Room() {} void open() {} }").definitions
    assert [each.qualified for each in matching(java, "Room")] == ["Room"]
    assert [each.qualified for each in matching(java, "Room.Room")] == ["Room.Room"]


def test_names_with_dots_in_them():
    found = definitions("markdown", b"# v1.2 of it\n## The `a.b` key\n").definitions
    for symbol, names in (("v1.2 of it", [0]), ("The `a.b` key", [1]), ("v1.2 of it > The `a.b` key", [1])):
        assert matching(found, symbol) == [found[number] for number in names]


def test_in_a_file(house, where):
    house.write("a.py", ROOM)
    found = where("a.py", "Inner")
    assert shown(found) == ["a.py:5 class Room.Inner"]
    assert (found.parsed, found.named, found.cut, found.near) == (1, None, False, [])
    assert len(found.found[0].sha256) == 64


def test_names_that_are_near(house, where):
    house.write("a.py", "class Transactions:\n    def commit(self): pass\n")
    assert where("a.py", "Transaction").near == ["Transactions"]
    assert where("a.py", "Transactions.comit").near == ["Transactions.commit"]
    assert where("a.py", "zzzz").near == []


def test_below_a_folder_only_what_names_it_is_parsed(house, where):
    house.write("src/a.py", ROOM)
    house.write("src/b.py", "from a import Inner\nInner()\n")
    house.write("src/c.py", "x = 1\n")
    house.write("src/d.txt", "class Inner\n")
    found = where("src", "Inner")
    assert shown(found) == ["src/a.py:5 class Room.Inner"]
    assert (found.parsed, found.named) == (2, 2)


def test_files_that_only_use_it_arent_parsed_where_others_define_it(house, where):
    house.write("use.c", "int main(void)\n{\n\treturn twice(1);\n}\n")
    house.write("twice.h", "extern int twice(int a);\n")
    house.write("twice.c", "int\ntwice(int a)\n{\n\treturn 2 * a;\n}\n")
    found = where(".", "twice")
    assert shown(found) == ["twice.c:2 function twice"]
    assert (found.parsed, found.named) == (1, 3)


def test_of_files_that_define_such_a_name_those_that_name_all_around_it_are_parsed(house, where):
    house.write("room.py", ROOM)
    for number in range(5):
        house.write(f"{number}.py", f"class Door{number}:\n    def open(self): pass\n")
    found = where(".", "Room.open")
    assert shown(found) == ["room.py:3 method Room.open"]
    assert (found.parsed, found.named) == (1, 6)


def test_definitions_come_before_what_stands_for_them(house, where):
    house.write("a.h", "int twice(int a);\nextern int (twice_more)(\n\tint a);\n")
    house.write("b.rs", "impl Room {}\n")
    house.write("c.rs", "struct Room;\nimpl Room {}\n")
    assert shown(where(".", "twice")) == ["a.h:1 declaration twice"]
    found = where(".", "Room")
    assert shown(found) == ["c.rs:1 struct Room", "b.rs:1 impl Room", "c.rs:2 impl Room"]
    assert found.meant() == found.found[:1]


def test_a_definition_that_looks_like_none_is_found_all_the_same(house, where):
    house.write("a.js", "foo(1,\n  bar, zap = 3, function quite () {});\nconst {\n  other } = 1, hidden\n= 2;\n")
    house.write("b.js", "hidden;\n")
    assert shown(where(".", "hidden")) == ["a.js:4 constant hidden"]


@pytest.mark.parametrize(
    ("path", "text", "symbol"),
    [
        ("a.go", "package a\n\nfunc (r *Room) Open() {}\n", "Room.Open"),
        ("a.go", "package a\n\nconst (\n\tFirst = iota\n\tSecond\n)\n", "Second"),
        ("a.rs", "impl Room {\n    pub(crate) fn open(&self) {}\n}\n", "Room::open"),
        ("a.ts", "export class A {\n  async open(\n    hard: boolean,\n  ): Promise<void> {}\n}\n", "A.open"),
        ("a.js", "const o = {\n  open() {},\n};\n", "open"),
        ("A.java", "class A {\n    List<String> open(\n        int a) { return null; }\n}\n", "open"),
        ("a.c", "typedef struct {\n\tint a;\n} room_t;\n", "room_t"),
        ("a.c", "#define TWICE(a) \\\n\t(2 * (a))\n", "TWICE"),
        ("a.cpp", "void house::Room::open() {}\n", "Room::open"),
        ("a.rb", "class Room\n  def self.build; end\nend\n", "Room.build"),
        ("a.lua", "function M.open() end\n", "M.open"),
        ("a.sh", "open() {\n  :\n}\n", "open"),
        ("a.md", "# House\n\n## The garden\n", "The garden"),
        ("a.toml", "[tool.ruff]\nline-length = 1\n", "tool.ruff.line-length"),
        ("a.json", '{"scripts": {"test": 1}}', "scripts.test"),
        ("a.css", ".a .b { c: d }\n", ".a .b"),
        ("a.html", "<p id=top>x</p>\n", "#top"),
        ("a.sql", "CREATE TABLE rooms (id int);\n", "rooms"),
        ("Makefile", "all: a\n\techo\n", "all"),
        ("tool", "#!/usr/bin/env python3\ndef open(): pass\n", "open"),
    ],
)
def test_in_many_languages(house, where, path, text, symbol):
    house.write(f"src/{path}", text)
    house.write("src/other.txt", text)
    assert [place.path for place in where("src", symbol).found] == [f"src/{path}"]


def test_in_another_encoding(house, where):
    house.write("a.py", "def café(): pass\n".encode("utf-16"))
    assert shown(where(".", "café")) == ["a.py:1 function café"]


def test_what_is_no_name_or_not_there(where):
    for symbol in ("", "  ", "#", "a\nb", "a\0"):
        with pytest.raises(WorkroomError) as raised:
            where(".", symbol)
        assert raised.value.code is ErrorCode.INVALID_INPUT
    with pytest.raises(WorkroomError) as raised:
        where("none", "a")
    assert raised.value.code is ErrorCode.NOT_FOUND
    assert where(".", "nothing").found == []


def test_what_cant_be_parsed_is_told(house, where):
    house.write("big.py", "def far(): pass\n" + "#" * symbols.LARGEST)
    house.write("near.py", "far()\n")
    found = where(".", "far")
    assert (shown(found), dict(found.unparsed)) == ([], {"too large": 1})
    assert dict(where("big.py", "far").unparsed) == {"too large": 1}


def test_the_time_is_bounded_and_that_is_told(house, where):
    for number in range(30):
        house.write(f"{number:02}.py", f"def twice(): pass\nx = {number}\n")
    all_of_them = where(".", "twice")
    assert (len(all_of_them.found), all_of_them.cut) == (30, False)
    none = where(".", "twice", seconds=0.0)
    assert (none.found, none.parsed, none.named, none.cut) == ([], 0, 30, True)


def test_cancelled_it_ends(house, where):
    house.write("a.py", "def twice(): pass\n")
    pulse = Pulse()
    where(".", "twice", pulse=pulse)
    pulse.cancel()
    with pytest.raises(WorkroomError) as raised:
        where(".", "twice", pulse=pulse)
    assert raised.value.code is ErrorCode.CANCELLED


def test_a_file_that_goes_meanwhile(house, where):
    house.write("a.py", "def twice(): pass\n")
    house.write("b.py", "def twice(): pass\n")

    def report(done, _total):
        (house.folder / "b.py").unlink() if done else None

    assert shown(where(".", "twice", pulse=Pulse(report))) == ["a.py:1 function twice"]


def test_closed_it_ends(house, where):
    house.write("a.py", "def twice(): pass\n")
    house.workspace.syntax.stop()
    with pytest.raises(WorkroomError) as raised:
        where(".", "twice")
    assert raised.value.code is ErrorCode.CANCELLED
