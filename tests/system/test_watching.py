"""What the system tells of changes: with a real inotify, a real overflow, and real limits in a namespace of our own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest

from workroom.system.hearing import moment
from workroom.system.watching import Watcher, mounts_below

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


class Ear:
    def __init__(self):
        self.hints: set[tuple[str, str]] = set()
        self.made: set[tuple[str, str]] = set()
        self.lost = threading.Event()
        self.some = threading.Event()
        self.gate = threading.Event()
        self.gate.set()

    def hear(self, folder, name, made):
        self.gate.wait(30)
        self.hints.add((folder, name))
        if made:
            self.made.add((folder, name))
        self.some.set()

    def wait(self, *wanted):
        deadline = time.monotonic() + 20
        while not self.hints >= set(wanted) and time.monotonic() < deadline:
            self.some.wait(0.05)
            self.some.clear()
        return self.hints >= set(wanted)


@pytest.fixture
def ear():
    return Ear()


@pytest.fixture
def watcher(ear):
    with contextlib.closing(Watcher(ear.hear, ear.lost.set)) as watcher:
        yield watcher


def add(watcher, path, name):
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return watcher.add(descriptor, name)
    finally:
        os.close(descriptor)


def test_it_tells_of_what_changes_and_not_of_what_is_read(tmp_path, watcher, ear):
    (tmp_path / "old").write_text("x")
    assert add(watcher, tmp_path, "d")
    assert watcher.watches("d")
    (tmp_path / "old").read_text()
    list(tmp_path.iterdir())
    (tmp_path / "new").write_text("x")
    (tmp_path / "new").rename(tmp_path / "newer")
    (tmp_path / "old").chmod(0o600)
    os.unlink(tmp_path / "newer")
    os.mkdir(tmp_path / "folder")
    (tmp_path / "folder").rename(tmp_path / "moved")
    assert ear.wait(("d", "new"), ("d", "newer"), ("d", "old"), ("d", "folder"), ("d", "moved"))
    assert ear.made == {("d", "folder")}
    assert not ear.lost.is_set()


def test_a_folder_that_is_dropped_or_gone_is_told_of_no_more(tmp_path, watcher, ear):
    names = ("a", "b", "b/c", "bb", "e")
    for name in names:
        (tmp_path / name).mkdir()
    for name in names:
        assert add(watcher, tmp_path / name, name)
    watcher.drop("a")
    watcher.drop_below("b")
    watcher.drop("never")
    assert [watcher.watches(name) for name in names] == [False, False, False, True, True]
    for name in ("a", "b", "b/c", "bb"):
        (tmp_path / name / "x").write_text("x")
    assert ear.wait(("bb", "x"))
    assert ear.hints == {("bb", "x")}
    (tmp_path / "e").rmdir()
    deadline = time.monotonic() + 20
    while watcher.watches("e") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not watcher.watches("e")


def test_a_folder_under_another_name_is_told_of_by_that(tmp_path, watcher, ear):
    (tmp_path / "a").mkdir()
    add(watcher, tmp_path / "a", "a")
    (tmp_path / "a").rename(tmp_path / "b")
    watcher.drop("a")
    assert add(watcher, tmp_path / "b", "b")
    assert add(watcher, tmp_path / "b", "b")
    (tmp_path / "b/x").write_text("x")
    assert ear.wait(("b", "x"))
    assert ear.hints == {("b", "x")}


def test_what_the_system_drops_is_told(tmp_path, watcher, ear):
    for name in "ab":
        (tmp_path / name).write_text("x")
    add(watcher, tmp_path, "d")
    ear.gate.clear()
    with open("/proc/sys/fs/inotify/max_queued_events") as limit:
        queued = int(limit.read())
    for number in range(queued + 5_000):  # two names in turn: what repeats the last event is no other
        os.chmod(tmp_path / "ab"[number % 2], 0o600)
    ear.gate.set()
    assert ear.lost.wait(60)


def silent(watcher, path, folder, since):
    info = os.stat(path)
    return watcher.hearing.silent(folder, (info.st_dev, info.st_ino), since)


def test_all_is_heard_that_happened_before(tmp_path, watcher):
    add(watcher, tmp_path, "d")
    for number in range(300):
        at = moment()
        assert watcher.hear_all(20)
        assert silent(watcher, tmp_path, "d", at)
        (tmp_path / str(number)).write_text("x")
        assert watcher.hear_all(20)
        assert not silent(watcher, tmp_path, "d", at)


def test_only_what_makes_a_name_another_one_breaks_the_silence(tmp_path, watcher):
    (tmp_path / "f").write_text("x")
    (tmp_path / "sub").mkdir()
    add(watcher, tmp_path, "d")
    add(watcher, tmp_path / "sub", "d/sub")

    def breaks(act):
        at = moment()
        act()
        assert watcher.hear_all(20)
        return not silent(watcher, tmp_path, "d", at)

    assert not breaks(lambda: (tmp_path / "f").write_text("y"))
    assert not breaks(lambda: (tmp_path / "f").chmod(0o600))
    assert not breaks(lambda: (tmp_path / "sub/x").write_text("y"))
    assert breaks(lambda: (tmp_path / "sub").chmod(0o700))
    assert not silent(watcher, tmp_path / "sub", "d/sub", moment()), "whether it can be read still has to be seen"
    assert breaks(lambda: tmp_path.chmod(0o700))
    assert breaks(lambda: (tmp_path / "f").rename(tmp_path / "g"))
    assert breaks(lambda: watcher.drop("d"))


def test_a_folder_that_is_gone_is_silent_no_more(tmp_path, watcher):
    (tmp_path / "a").mkdir()
    info = os.stat(tmp_path / "a")
    add(watcher, tmp_path / "a", "a")
    (tmp_path / "a").rmdir()
    deadline = time.monotonic() + 20
    while watcher.watches("a") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not watcher.hearing.silent("a", (info.st_dev, info.st_ino), moment())


def test_git_s_own_folder_is_no_folder_of_names(tmp_path, watcher, ear):
    add(watcher, tmp_path, "")
    at = moment()
    (tmp_path / "index.lock").write_text("x")
    assert ear.wait(("", "index.lock"))
    assert watcher.hear_all(20)
    assert watcher.hearing.silent_all(at)


def test_who_waits_too_long_is_told_and_asks_anew(tmp_path, watcher, ear):
    add(watcher, tmp_path, "d")
    ear.gate.clear()
    (tmp_path / "x").write_text("x")
    assert not watcher.hear_all(0.05)
    assert not watcher.hear_all(0.05)
    ear.gate.set()
    at = moment()
    (tmp_path / "y").write_text("x")
    assert watcher.hear_all(20)
    assert not silent(watcher, tmp_path, "d", at)


def test_who_asks_a_closed_one_is_told_nothing(ear):
    watcher = Watcher(ear.hear, ear.lost.set)
    assert watcher.hear_all(20)
    watcher.close()
    assert not watcher.hear_all(20)


def test_what_is_mounted_is_looked_at_again(tmp_path):
    assert in_a_namespace(_MOUNTS, str(tmp_path)) == "[True, False, True, False]"


_MOUNTS = """
import os, subprocess, sys
sys.path[:0] = {path!r}
from workroom.system.hearing import moment
from workroom.system.watching import Watcher
folder = sys.argv[1]
info = os.stat(folder)
watcher = Watcher(print, print)
watcher.add(os.open(folder, os.O_RDONLY), "d")
def silent(at):
    watcher.hear_all(20)
    return watcher.hearing.silent("d", (info.st_dev, info.st_ino), at)
at = moment()
said = [silent(at)]
subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
said += [silent(at), silent(moment())]
other = watcher.add(os.open("/proc", os.O_RDONLY), "proc")
info = os.stat("/proc")
said += [watcher.hearing.silent("proc", (info.st_dev, info.st_ino), moment())]
print(said)
watcher.close()
"""


def test_what_is_mounted_below_a_folder():
    assert mounts_below("/")
    assert mounts_below("/no/such folder") == frozenset()


def test_a_folder_can_be_anywhere(tmp_path, watcher, ear):
    assert not watcher.add_path(str(tmp_path / "none"), "")
    assert watcher.add_path(str(tmp_path), "")
    (tmp_path / "x").write_text("x")
    assert ear.wait(("", "x"))


def test_a_folder_that_may_not_be_read_is_not_watched(tmp_path, watcher, monkeypatch):
    """The library says so by a watch of -1."""
    monkeypatch.setattr(watcher._events, "add_callback", lambda *_: -1)
    assert not watcher.add_path(str(tmp_path), "d")
    assert not watcher.watches("d")


def test_a_link_to_nowhere_or_a_file_is_not_watched(tmp_path, watcher):
    (tmp_path / "f").write_text("x")
    descriptor = os.open(tmp_path / "f", os.O_RDONLY)
    try:
        assert not watcher.add(descriptor, "f")
        assert not watcher.watches("f")
    finally:
        os.close(descriptor)


_LIMITED = """
import os, sys
sys.path[:0] = {path!r}
from workroom.base.errors import WorkroomError
from workroom.system.watching import Watcher, mounts_below
try:
    watcher = Watcher(print, print)
except WorkroomError as error:
    print(error.code, error.message)
    sys.exit()
print([watcher.add(os.open(name, os.O_RDONLY), name) for name in ("/", "/usr", "/tmp")], watcher.hear_all(20))
watcher.close()
"""


def limited(setting, value):
    """What a program prints whose account has a limit of its own."""
    return in_a_namespace(_LIMITED, "", f"echo {value} > /proc/sys/user/{setting} &&")


def in_a_namespace(program, argument, before=""):
    script = program.format(path=sys.path)
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
               f'{before} exec "$0" -c "$1" "$2"', sys.executable, script, argument]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    if "unshare" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip("no user namespaces here")  # pragma: no cover
    assert done.stderr == ""
    return done.stdout.strip()


def test_the_limit_of_watches_is_said_by_the_answer():
    assert limited("max_inotify_watches", 2) == "[True, True, False] False"
    assert limited("max_inotify_watches", 4) == "[True, True, True] True"


def test_the_limit_of_instances_is_a_refusal():
    assert limited("max_inotify_instances", 0).startswith("UNSUPPORTED The system doesn't tell of changes in folders")
