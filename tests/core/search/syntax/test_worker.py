"""The program that parses, as its owner meets it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from workroom.core.search.syntax import worker
from workroom.core.search.syntax.parse import definitions
from workroom.core.search.syntax.worker import as_outline
from workroom.system.landlock import has_landlock

PYTHON = b"class Room:\n    def open(self): pass\n"


def framed(*requests: bytes) -> bytes:
    return b"".join(len(request).to_bytes(4, "big") + request for request in requests)


def started(folder: Path) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-P", "-m", worker.__name__, str(folder)]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, cwd=folder, env=dict(os.environ), stdin=pipe, stdout=pipe, stderr=pipe)


def answers(data: bytes) -> list[bytes]:
    found = []
    while data:
        length = int.from_bytes(data[:4], "big")
        found.append(data[4 : 4 + length])
        data = data[4 + length :]
    return found


def test_it_answers_what_parsing_answers(grammars):
    definitions("python", b"")  # unpacked
    definitions("go", b"")
    out, told = started(grammars).communicate(framed(b"python\n" + PYTHON, b"go\npackage a\nfunc F() {}\n"))
    first, second = map(as_outline, answers(out))
    assert (first, told) == (definitions("python", PYTHON), b"")
    assert [found.name for found in second.definitions] == ["F"]


def test_asked_nothing_it_ends(grammars):
    assert started(grammars).communicate(b"") == (b"", b"")


@pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")
def test_it_can_open_nothing_but_grammars_that_are_unpacked(tmp_path):
    out, told = started(tmp_path).communicate(framed(b"python\n" + PYTHON, b"python\n", b"go\npackage a\n"))
    assert len(answers(out)) == 2
    assert b"Failed to extract" in told


def test_its_memory_is_bounded(grammars):
    with started(grammars) as process:
        process.stdin.write(framed(b"python\n" + PYTHON))
        process.stdin.flush()
        assert process.stdout.read(4)
        assert resource.prlimit(process.pid, resource.RLIMIT_AS)[0] == 2 * 1024**3
        process.kill()


def test_grammars_are_unpacked_below_the_folder_alone(tmp_path):
    started(tmp_path).communicate(framed(b"json\n{}"))
    (version,) = os.listdir(tmp_path)
    assert [path.name for path in (tmp_path / version).rglob("*json*")]
