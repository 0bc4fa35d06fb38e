"""Syntax of a folder: real files, the real program, killed and held up."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.syntax import service
from workroom.core.search.syntax.service import Parsed, Syntax, Unparsed
from workroom.system.root import Root


@pytest.fixture
def syntax(house):
    return house.workspace.syntax


def names(parsed: Parsed) -> list[str]:
    return [found.qualified for found in parsed.outline.definitions]


def test_a_file_and_the_same_again(house, syntax):
    house.write("a.py", "class Room:\n    def open(self): pass\n")
    first = syntax.of("a.py")
    assert (names(first), first.unparsed, first.grammar) == (["Room", "Room.open"], None, "python")
    os.kill(syntax.worker.pid, signal.SIGKILL)
    assert syntax.of("a.py") is first
    house.write("a.py", "def other(): pass\n")
    assert names(syntax.of("a.py")) == ["other"]


def test_a_copy_elsewhere_is_the_same(house, syntax):
    house.write("a.py", "x = 1\n")
    house.write("b/c.py", "x = 1\n")
    house.write("b/c.js", "x = 1\n")
    assert syntax.of("b/c.py") is syntax.of("a.py")
    assert syntax.of("b/c.js").grammar == "javascript"


def test_a_killed_program_costs_nothing_but_time(house, syntax):
    house.write("a.py", "x = 1\n")
    house.write("b.py", "y = 1\n")
    syntax.of("a.py")
    first = syntax.worker.pid
    os.kill(first, signal.SIGKILL)
    assert names(syntax.of("b.py")) == ["y"]
    assert syntax.worker.pid != first


def test_one_grammar_after_another_is_unpacked(house, tmp_path):
    house.write("a.py", "x = 1\n")
    house.write("a.go", "package a\nfunc F() {}\n")
    fresh = Syntax(house.workspace.root, tmp_path / "fresh")
    assert [names(fresh.of(path)) for path in ("a.py", "a.go", "a.py")] == [["x"], ["F"], ["x"]]
    fresh.stop()


def test_a_parser_that_fails_is_told_and_the_next_file_parsed(house, tmp_path):
    house.write("a.py", "x = 1\n")
    house.write("a.go", "package a\nfunc F() {}\n")
    broken = Syntax(house.workspace.root, tmp_path / "broken")
    assert names(broken.of("a.py")) == ["x"]
    (library,) = (path for path in (tmp_path / "broken").rglob("*python*") if path.is_file())
    library.write_bytes(b"no library")
    os.kill(broken.worker.pid, signal.SIGKILL)
    house.write("a.py", "y = 1\n")
    assert broken.of("a.py").unparsed is Unparsed.FAILED
    assert names(broken.of("a.go")) == ["F"]
    broken.stop()


def test_a_file_that_takes_too_long_is_told(house, grammars):
    house.write("slow.c", "int a(int b) { return b; }\n" * 100_000)
    hasty = Syntax(house.workspace.root, grammars, seconds=0.05)
    slow = hasty.of("slow.c")
    assert (slow.unparsed, slow.outline.definitions) == (Unparsed.TOO_SLOW, ())
    hasty.stop()


def test_too_slow_is_remembered_of_a_program_that_ran(house, grammars):
    house.write("a.py", "x = 1\n")
    house.write("b.py", "y = 1\n")
    syntax = Syntax(house.workspace.root, grammars, seconds=2.0)
    while syntax.of("a.py").unparsed is not None:  # a busy machine
        pass
    os.kill(syntax.worker.pid, signal.SIGSTOP)
    slow = syntax.of("b.py")
    assert slow.unparsed is Unparsed.TOO_SLOW
    assert syntax.of("b.py") is slow
    syntax.stop()


def test_the_failure_of_a_program_that_only_begins_isnt_remembered(house, tmp_path):
    house.write("a.py", "x = 1\n")
    first = Syntax(house.workspace.root, tmp_path / "broken")
    assert names(first.of("a.py")) == ["x"]
    first.stop()
    (library,) = (path for path in (tmp_path / "broken").rglob("*python*") if path.is_file())
    whole = library.read_bytes()
    library.write_bytes(b"no library")
    second = Syntax(house.workspace.root, tmp_path / "broken")
    assert second.of("a.py").unparsed is Unparsed.FAILED
    library.write_bytes(whole)
    assert names(second.of("a.py")) == ["x"]
    second.stop()


def test_what_isnt_parsed(house, syntax):
    house.write("a.txt", "x = 1\n")
    house.write("a.py", b"\0\1\2\3" * 99)
    house.write("b.py", b"#" * (service.LARGEST + 1))
    house.write("tool", "just text\n")
    reasons = [syntax.of(path).unparsed for path in ("a.txt", "a.py", "b.py", "tool")]
    assert reasons == [Unparsed.NO_GRAMMAR, Unparsed.BINARY, Unparsed.TOO_LARGE, Unparsed.NO_GRAMMAR]
    assert syntax.worker.pid is None
    for path in ("none.py", "none.txt"):
        with pytest.raises(WorkroomError) as raised:
            syntax.of(path)
        assert raised.value.code is ErrorCode.NOT_FOUND


def test_a_script_without_an_ending(house, syntax):
    house.write("tool", "#!/usr/bin/env python3\nx = 1\n")
    assert names(syntax.of("tool")) == ["x"]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "latin-1"])
def test_other_encodings(house, syntax, codec):
    house.write("a.py", "def café(): pass\n\n\ndef naïve(): pass\n".encode(codec))
    found = syntax.of("a.py").outline.definitions
    assert [(each.name, each.line) for each in found] == [("café", 1), ("naïve", 4)]


def test_only_so_much_is_remembered(house, grammars):
    for number in range(3):
        house.write(f"{number}.py", f"# {number}\n" + "x = 1\n" * 40)
    small = Syntax(house.workspace.root, grammars, kept=100)
    first, second = small.of("0.py"), small.of("1.py")
    assert small.of("0.py") is first
    small.of("2.py")
    assert small.of("0.py") is first
    assert small.of("1.py") is not second
    small.stop()


def test_many_threads(house, syntax):
    found = {}
    for number in range(8):
        house.write(f"{number}.py", f"x{number} = 1\n")
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: names(syntax.of(f"{n % 8}.py"))})) for n in range(24)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [f"x{n % 8}"] for n in range(24)}


def test_stopped_it_parses_no_more(house, grammars):
    house.write("a.py", "x = 1\n")
    stopped = Syntax(house.workspace.root, grammars)
    stopped.stop()
    with pytest.raises(WorkroomError) as raised:
        stopped.of("a.py")
    assert raised.value.code is ErrorCode.CANCELLED


def test_nothing_outside_is_parsed(tmp_path, grammars):
    (tmp_path / "out.py").write_text("x = 1\n")
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/link.py").symlink_to("../out.py")
    with Root.open(tmp_path / "ws") as root:
        syntax = Syntax(root, grammars)
        for path in ("link.py", "../out.py"):
            with pytest.raises(WorkroomError):
                syntax.of(path)
        syntax.stop()
