"""The program that brings a table along: what is new is read, what stayed isn't, what is gone is dropped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.documents import pdf
from tests.embedder import Embedder

from workroom.core.search.semantic import build
from workroom.core.search.semantic.build import LARGEST, Job, bring
from workroom.core.search.semantic.endpoint import Endpoint
from workroom.core.search.semantic.table import Table
from workroom.system.root import Root
from workroom.text.encoding import decode


class Place:
    """A folder and where its table is kept."""

    def __init__(self, path, grammars):
        self.grammars = grammars
        self.tree, self.kept = path / "tree", path / "kept"
        self.tree.mkdir()
        self.kept.mkdir()

    def write(self, path, text, age=100):
        target = self.tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(target, (time.time() - age,) * 2)
        return target

    def bring(self, **job):
        steps = self.steps(**job)
        assert not job.get("most_bytes", 1) or steps[-1] == ("files", steps[-1][1], steps[-1][1])
        return self.files()

    def steps(self, **job):
        with Root.open(self.tree) as root:
            return list(bring(root, str(self.kept), self.grammars, Job(**job)))

    def remote(self):
        table = Table(str(self.kept))
        try:
            return next(iter(table.db.execute("SELECT count(remote) FROM chunks")))[0]
        finally:
            table.close()

    def files(self):
        """The ids of the files, by path: a file that was read again has another one."""
        table = Table(str(self.kept))
        try:
            return {path: number for path, (number, _, _) in table.known().items()}
        finally:
            table.close()

    def said(self):
        table = Table(str(self.kept))
        try:
            return table.said()
        finally:
            table.close()

    def chunks(self, path):
        table = Table(str(self.kept))
        try:
            sql = "SELECT start, end, symbol FROM chunks WHERE file = (SELECT id FROM files WHERE path = ?) ORDER BY id"
            return list(table.db.execute(sql, (os.fsencode(path),)))
        finally:
            table.close()


@pytest.fixture
def place(tmp_path, grammars):
    return Place(tmp_path, grammars)


@pytest.fixture
def server():
    running = Embedder()
    yield running
    running.close()


def settled(place, **job):
    """Bring it along when no file was changed just now: then each is known for certain."""
    time.sleep(0.1)  # a tick of the file system's clock: what changed within it may change again unseen
    return place.bring(**job)


def test_only_what_changed_is_read_again(place):
    place.write("a.py", "def one():\n    pass\n")
    place.write("b.md", "# About\n\ntext\n")
    before = settled(place)
    assert settled(place) == before
    place.write("a.py", "def two():\n    return 2\n", age=50)
    os.unlink(place.tree / "b.md")
    place.write("c.txt", "new\n")
    after = settled(place)
    assert set(after) == {"a.py", "c.txt"}
    assert after["a.py"] != before["a.py"]
    assert place.chunks("a.py") == [(1, 2, "two")]


def test_what_a_search_leaves_out_is_left_out(place):
    subprocess.run(["git", "init", "-q", str(place.tree)], check=True)
    place.write(".gitignore", "*.log\n")
    place.write("noise.log", "text")
    place.write(".agentic/notes/a.md", "text")
    place.write(".agentic/.gitignore", "*\n")
    place.write(".hidden", "text")
    place.write("large.txt", "x" * (LARGEST + 1))
    place.write("binary", b"\0\1\2\0")
    assert set(place.bring()) == {".gitignore", ".hidden", "binary"}
    assert place.chunks("binary") == []
    assert (place.said()["large"], place.said()["left"]) == ("1", "0")
    assert set(place.bring(scope=".agentic")) == {".agentic/.gitignore", ".agentic/notes/a.md"}


def test_what_does_not_fit_is_counted_and_what_is_asked_for_comes_first(place):
    for name in ("a/1", "b/2", "c/3"):
        place.write(name, "x" * 100)
    assert set(place.bring(most_bytes=250)) == {"a/1", "b/2"}
    assert place.said()["left"] == "1"
    assert set(place.bring(most_bytes=250, first="c")) == {"a/1", "c/3"}
    assert set(place.bring(most_bytes=0)) == set()


def program(place, identity=None):
    with Root.open(place.tree) as root:
        where = root.path, identity or root.identity
    return [sys.executable, "-P", "-m", build.__name__, *where, str(place.kept), str(place.grammars)]


def test_another_folder_at_the_same_path_is_not_read(place):
    place.write("a.py", "def one():\n    pass\n")
    done = subprocess.run(program(place, "1:2"), input=Job().dumped(), capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


def test_as_a_program(place):
    place.write("a.py", "def one():\n    pass\n")
    argv = program(place)
    done = subprocess.run(argv, input=Job().dumped(), capture_output=True, check=True)
    assert (done.stdout.splitlines()[-1], done.stderr) == (b"files 1 1", b"")
    assert set(place.files()) == {"a.py"}


def test_a_killed_program_goes_on_where_it_was(place):
    for number in range(500):
        place.write(f"{number:04}.py", "".join(f"def f{n}():\n    return {n}\n" for n in range(20)))
    argv = program(place)
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        running.stdin.write(Job().dumped())
        running.stdin.close()
        assert running.stdout.readline()
        running.send_signal(signal.SIGKILL)
    part = place.files()
    assert 0 < len(part) < 500
    whole = place.bring()
    assert len(whole) == 500
    assert all(whole[path] == number for path, number in part.items())


def test_vectors_of_an_endpoint(place, server):
    """Of each piece once, some at a time; none where it fails, and those of another model are forgotten."""
    for number in range(70):
        place.write(f"{number}.md", "copy a folder\n")
    settled(place)
    small = Endpoint(server.url, "small")
    assert place.steps(endpoint=small)[-2:] == [("vectors", 64, 70), ("vectors", 70, 70)]
    assert [len(body["input"]) for _, _, body in server.seen] == [64, 6]
    assert server.seen[0][2]["input"][0] == "0.md\ncopy a folder"
    place.steps(endpoint=small)
    assert len(server.seen) == 2
    server.status = 500
    assert place.steps(endpoint=Endpoint(server.url, "large"))[-1][0] == "files"
    assert (place.said()["endpoint"], place.remote()) == (f"large {server.url}", 0)
    assert "it answered 500" in place.said()["endpoint_fault"]
    place.steps()
    assert place.said()["endpoint"] == ""


def test_a_file_is_read_once_for_all_its_pieces_of_a_request(place, server):
    place.write("a.md", "".join(f"line {number}\n" for number in range(500)))
    place.write("b.md", "mail\n")
    settled(place)
    with Counting.open(place.tree) as root:
        list(bring(root, str(place.kept), place.grammars, Job(endpoint=Endpoint(server.url, "small"))))
    (texts,) = [body["input"] for _, _, body in server.seen]
    starts = ["\n".join(text.split("\n")[:2]) for text in texts]
    assert starts == [f"a.md\nline {number}" for number in range(0, 500, 50)] + ["b.md\nmail"]
    assert root.reads == ["a.md", "b.md"]


class Counting(Root):
    """A root that remembers which files were read whole."""

    def read(self, path, limit=None):
        self.reads = [*getattr(self, "reads", []), path]
        return super().read(path, limit)


def test_a_pdf_has_no_pieces_whatever_its_bytes_can_be_read_as(place):
    data = pdf("One")
    assert decode(data) is not None
    place.write("a.pdf", data)
    place.write("a.md", "One of %PDF-1.7\n")
    place.bring()
    assert (place.chunks("a.pdf"), place.chunks("a.md")) == ([], [(1, 1, "")])


def test_a_file_that_is_gone_by_then_is_sent_by_its_name_alone(place, server):
    place.write("a.md", "text\n")
    with Root.open(place.tree) as root:
        running = bring(root, str(place.kept), place.grammars, Job(endpoint=Endpoint(server.url, "small")))
        while next(running) != ("files", 1, 1):
            pass
        os.unlink(place.tree / "a.md")
        assert list(running)[-1] == ("vectors", 1, 1)
    assert server.seen[0][2]["input"] == ["a.md"]


def test_a_job_is_what_was_written():
    job = Job("a", "b", 3, Endpoint("http://x/", "m", "key", 1.5))
    assert Job.loaded(job.dumped()) == job
    assert "key" not in repr(job).replace("key=", "")


def test_a_file_that_cannot_be_parsed_is_divided_by_lines(place, grammars):
    place.write("a.py", "def one():\n    pass\n\n\ndef two():\n    pass\n")
    place.grammars = place.kept / "grammars"
    place.grammars.write_text("in the way")
    place.bring()
    assert place.chunks("a.py") == [(1, 6, "")]
