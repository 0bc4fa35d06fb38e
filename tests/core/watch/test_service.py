"""Other programs at work in a real folder, with real events: what becomes of it in the history."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.conftest import AGENT
from tests.repositories import git, repository

from workroom.base.actor import Actor
from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import BuffersChanged, SettingsChanged
from workroom.base.settings import Settings
from workroom.core.watch import ANOTHER, GIT
from workroom.core.watch.service import Pace

ANN = Actor("person", "ann", "session_ann")


@pytest.fixture
def watch(house):
    """The folder is watched; what stands there already is known."""

    def begin():
        house.workspace.watch.start()
        assert house.workspace.watch.settled(60)
        return house.workspace.watch

    return begin


def wait(house, count=1, seconds=20.0):
    """Entries, oldest first, once there are so many and nothing more is pending."""
    deadline = time.monotonic() + seconds
    while len(house.tx.history(count)) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert house.workspace.watch.settled(20)
    entries = house.tx.history(100)[::-1]
    assert len(entries) == count, [(entry.actor.name, entry.title, rows(entry)[-5:]) for entry in entries]
    return entries


def rows(entry):
    return [(c.path, str(c.before.kind), str(c.after.kind)) for c in entry.changes]


def test_a_write_is_an_entry_with_its_patch_and_can_be_undone(house, watch):
    house.write("f", "one\n")
    watch()
    assert house.tx.history() == []
    house.write("f", "two\n")
    (entry,) = wait(house)
    assert (entry.actor, entry.cause, entry.title) == (ANOTHER, "outside", "1 path changed outside of Workroom")
    assert [(c.path, c.added, c.removed) for c in entry.changes] == [("f", 1, 1)]
    assert house.tx.image(entry.changes[0].before.sha256) == b"one\n"
    house.undo(entry.transaction_id)
    assert house.read("f") == b"one\n"
    time.sleep(0.3)
    assert [each.cause for each in wait(house, 2)] == ["outside", "rollback"]


def test_views_of_a_file_hear_of_it(house, watch):
    """Who has typed nothing reads it anew, who has merges: the version that they have read says which it was."""
    entry = house.edit(
        {"type": "create", "path": "f", "content": "1\n"}, {"type": "create", "path": "g", "content": ""}
    )
    version = next(c.after.sha256 for c in entry.changes if c.path == "f")
    buffers = house.workspace.buffers
    for who in (AGENT, ANN):
        buffers.put(who, "f", version, 1)
        buffers.put(who, "g", "", 1)
    watch()
    heard = []
    house.workspace.store.subscribe(lambda _number, event: heard.append(event))
    house.write("f", "2\n")
    (house.folder / "g").rename(house.folder / "h")
    wait(house, 2)
    assert BuffersChanged("behind", ("f",), "program", ANOTHER.name, "") in heard
    assert {(each.path, each.version) for each in buffers.list(ANN)} == {("f", version), ("h", "")}


def test_what_comes_goes_and_moves(house, watch):
    house.write("old/a", "a\n")
    house.write("old/deep/b", "b\n")
    house.write("gone", "gone\n")
    watch()
    before = house.tree()
    (house.folder / "old").rename(house.folder / "new")
    (house.folder / "gone").unlink()
    house.write("fresh/x/y", "y\n")
    (house.folder / "link").symlink_to("fresh")
    (entry,) = wait(house)
    assert rows(entry) == [
        ("fresh", "absent", "directory"), ("fresh/x", "absent", "directory"), ("fresh/x/y", "absent", "file"),
        ("gone", "file", "absent"), ("link", "absent", "symlink"), ("new", "absent", "directory"),
        ("new/a", "absent", "file"), ("new/deep", "absent", "directory"), ("new/deep/b", "absent", "file"),
        ("old", "directory", "absent"), ("old/a", "file", "absent"), ("old/deep", "directory", "absent"),
        ("old/deep/b", "file", "absent"),
    ]  # fmt: skip
    assert {c.path: c.origin for c in entry.changes if c.origin} == {"new/a": "old/a", "new/deep/b": "old/deep/b"}
    house.undo(entry.transaction_id)
    assert house.tree() == before
    house.write("old/deep/b", "later\n")
    house.write("fresh", "a file by now\n")
    assert [each.cause for each in wait(house, 3)] == ["outside", "rollback", "outside"]
    assert rows(house.tx.entry(3)) == [("fresh", "absent", "file"), ("old/deep/b", "file", "file")]


def test_a_folder_becomes_a_file_and_back(house, watch):
    house.write("d/a", "a\n")
    watch()
    shutil.rmtree(house.folder / "d")
    house.write("d", "file\n")
    wait(house)
    (house.folder / "d").unlink()
    house.write("d/b", "b\n")
    first, second = wait(house, 2)
    assert rows(first) == [("d", "directory", "file"), ("d/a", "file", "absent")]
    assert rows(second) == [("d", "file", "directory"), ("d/b", "absent", "file")]
    for entry in (second, first):
        house.undo(entry.transaction_id)
    assert house.tree() == {"d": None, "d/a": (b"a\n", 0o644)}


def test_a_touch_is_nothing_and_a_mode_is_something(house, watch):
    house.write("f", "one\n", 0o644)
    watch()
    os.utime(house.folder / "f", (1, 1))
    (house.folder / "f").chmod(0o600)
    (entry,) = wait(house)
    assert (entry.changes[0].before.mode, entry.changes[0].after.mode) == (0o644, 0o600)
    os.utime(house.folder / "f", (2, 2))
    house.write("temp", "x")
    (house.folder / "temp").unlink()
    time.sleep(0.3)
    wait(house, 1)


def test_our_own_changes_are_told_once(house, watch):
    house.write("f", "one\n")
    watch()
    made = {"type": "create", "path": "d/n", "content": "n\n"}
    house.edit({"type": "rewrite", "path": "f", "content": "two\n"}, made)
    house.edit({"type": "move", "from": "d/n", "to": "e/n"}, {"type": "mkdir", "path": "m"})
    house.edit({"type": "delete", "path": "d"})
    time.sleep(0.5)
    assert [entry.cause for entry in wait(house, 3)] == ["edit"] * 3
    house.write("m/x", "x\n")
    house.write("e/n", "later\n")
    entry = wait(house, 4)[-1]
    assert rows(entry) == [("e/n", "file", "file"), ("m/x", "absent", "file")]
    assert house.tx.image(entry.changes[0].before.sha256) == b"n\n"


def test_what_another_did_stands_before_our_commit_that_goes_on_from_it(house, watch):
    """Even where no burst has ended yet."""
    house.write("f", "one\n")
    house.write("gone", "x\n")
    house.pace = type(house.pace)(quiet=60, longest=60)
    house.reopen()
    watch()
    house.write("f", "one\ntheirs\n")
    house.write("new", "theirs\n")
    (house.folder / "gone").unlink()
    house.edit(
        {"type": "replace", "path": "f", "search": "one", "replacement": "ours"},
        {"type": "rewrite", "path": "new", "content": "ours\n"},
        {"type": "create", "path": "gone", "content": "ours\n"},
        {"type": "create", "path": "own", "content": "ours\n"},
    )
    first, second = house.tx.history(9)[::-1]
    assert (first.actor, second.actor.name) == (ANOTHER, "tester")
    assert rows(first) == [("f", "file", "file"), ("gone", "file", "absent"), ("new", "absent", "file")]
    assert [house.tx.image(c.before.sha256) for c in second.changes[:1]] == [b"one\ntheirs\n"]
    house.edit({"type": "rewrite", "path": "own", "content": "2\n"})
    assert len(house.tx.history(9)) == 3
    house.commit(house.tx.plan_rewind(0))
    assert house.tree() == {"f": (b"one\n", 0o644), "gone": (b"x\n", 0o644)}


def test_ignored_paths_and_our_own_folders_are_left_out(house, watch):
    house.write(".gitignore", "*.log\nnode_modules/\n")
    house.write("node_modules/a/b", "x\n")
    watch()
    house.write("x.log", "x\n")
    house.write("node_modules/a/c", "x\n")
    house.write("deep/node_modules/c", "x\n")
    house.write("deep/.git/HEAD", "x\n")
    house.write(".agentic/notes/n.md", "x\n")
    house.write(".workroom-stage-x", "x\n")
    house.write("deep/f", "x\n")
    (entry,) = wait(house)
    assert rows(entry) == [("deep", "absent", "directory"), ("deep/f", "absent", "file")]


def test_another_ignore_file_makes_nothing_of_what_stood_there(house, watch):
    house.write(".gitignore", "*.log\n")
    house.write("d/old.log", "old\n")
    watch()
    house.write(".gitignore", "*.tmp\n")
    house.write("d/f", "f\n")
    (entry,) = wait(house)
    assert rows(entry) == [(".gitignore", "file", "file"), ("d/f", "absent", "file")]
    house.write("d/old.log", "new\n")
    house.write("d/new.log", "new\n")
    entry = wait(house, 2)[-1]
    assert rows(entry) == [("d/new.log", "absent", "file"), ("d/old.log", "unknown", "file")]


def test_what_happened_while_nobody_watched_is_found_at_the_opening(house, watch):
    house.write("f", "one\n")
    house.write("gone", "gone\n")
    house.write("d/same", "same\n")
    watch()
    house.close()
    house.write("f", "two\n")
    (house.folder / "gone").unlink()
    house.write("d/new", "new\n")
    house.open()
    watch()
    (entry,) = wait(house)
    assert entry.title == "Changed while nobody watched"
    assert rows(entry) == [("d/new", "absent", "file"), ("f", "file", "file"), ("gone", "file", "absent")]
    house.undo(entry.transaction_id)
    assert house.tree() == {
        "d": None, "d/same": (b"same\n", 0o644), "f": (b"one\n", 0o644), "gone": (b"gone\n", 0o644),
    }  # fmt: skip
    house.reopen()
    watch()
    assert len(house.tx.history(9)) == 2


def test_git_has_what_was_there_before_and_is_named(house, watch):
    """A checkout is one entry, however many files it touches, and whatever it takes git to make them."""
    files = {f"f{number}": f"{number}\n" for number in range(300)}
    repository(house.folder, **files)
    git(house.folder, "checkout", "-qb", "topic")
    for name in files:
        house.write(name, "changed\n")
    house.write("new/file", "new\n")
    git(house.folder, "rm", "-q", "--cached", "f7")
    (house.folder / "f7").unlink()
    git(house.folder, "add", "-A")
    git(house.folder, "commit", "-qm", "topic")
    git(house.folder, "checkout", "-q", "main")
    watch()
    before = house.tree()
    assert house.workspace.store.images_bytes() == 0
    git(house.folder, "checkout", "-q", "topic")
    (entry,) = wait(house)
    assert (entry.actor, entry.title) == (GIT, "git checkout: moving from main to topic")
    assert len(entry.changes) == 302
    assert all(c.before.kind is not Kind.UNKNOWN for c in entry.changes)
    house.undo(entry.transaction_id)
    after = house.tree()
    assert {path: after[path] for path in after if not path.startswith(".git/")} == {
        path: before[path] for path in before if not path.startswith(".git/")
    }


def test_a_write_beside_gits_is_anothers(house, watch):
    repository(house.folder, f="1\n", g="1\n")
    house.write("f", "2\n")
    git(house.folder, "commit", "-qam", "two")
    watch()
    git(house.folder, "reset", "-q", "--hard", "HEAD~1")
    house.write("h", "h\n")
    first, second = wait(house, 2)
    assert (first.actor, first.title, rows(first)) == (GIT, "git reset: moving to HEAD~1", [("f", "file", "file")])
    assert (second.actor, rows(second)) == (ANOTHER, [("h", "absent", "file")])


def test_a_commit_of_gits_changes_no_file(house, watch):
    repository(house.folder, f="1\n")
    watch()
    house.write("f", "2\n")
    git(house.folder, "commit", "-qam", "two")
    (entry,) = wait(house)
    assert (entry.actor, rows(entry)) == (ANOTHER, [("f", "file", "file")])
    assert house.tx.image(entry.changes[0].before.sha256) == b"1\n"


def test_it_waits_for_git_to_let_its_index_go(house, watch):
    repository(house.folder, f="1\n", g="1\n")
    watch()
    lock = house.folder / ".git/index.lock"
    lock.write_text("")
    house.write("f", "2\n")
    time.sleep(0.5)
    assert house.tx.history() == []
    house.write("g", "2\n")
    lock.unlink()
    (entry,) = wait(house)
    assert rows(entry) == [("f", "file", "file"), ("g", "file", "file")]


def test_many_files_at_once_are_one_entry_and_none_is_missed(house, watch):
    """As many as a large checkout has, in folders that are made as they are filled; the machine may be busy."""
    house.pace = Pace(building=5)
    house.reopen()
    watch()
    for folder in range(300):
        (house.folder / f"d{folder % 20}/e{folder}").mkdir(parents=True)
        for number in range(100):
            (house.folder / f"d{folder % 20}/e{folder}/{number}").write_text(f"{folder} {number}\n")
    deadline = time.monotonic() + 240
    while house.workspace.store.last_event() == 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert house.workspace.watch.settled(240)
    (entry,) = house.tx.history(100)
    assert len(entry.changes) == len({change.path for change in entry.changes}) == 30_000 + 320


INSTALL = """
import pathlib, sys, time
top = pathlib.Path(sys.argv[1])
for number in range(60):  # every folder first, as npm does it, then what goes there, as it is fetched
    (top / f"node_modules/p{number}/lib").mkdir(parents=True)
time.sleep(1.5)
for number in range(60):
    (top / f"node_modules/p{number}/package.json").write_text("{}")
    (top / f"node_modules/p{number}/lib/index.js").write_text(f"{number}")
    (top / f"node_modules/p{number}/lib/later").mkdir()
    time.sleep(0.3 if number % 20 == 0 else 0.01)
    (top / f"node_modules/p{number}/lib/later/x").write_text("x")
(top / "package-lock.json").write_text("{}")
"""


def test_an_install_is_one_entry_with_its_pauses(house, watch):
    house.pace = Pace(quiet=0.05, building=0.6, unfilled=10)
    house.reopen()
    watch()
    subprocess.run([sys.executable, "-c", INSTALL, house.folder], check=True)
    (entry,) = wait(house)
    assert entry.actor == ANOTHER
    assert len(entry.changes) == 1 + 60 * 6 + 1
    assert {change.before.kind for change in entry.changes} == {Kind.ABSENT}
    house.write("f", "soon\n")  # who makes no folder isn't waited for so long
    began = time.monotonic()
    wait(house, 2)
    assert time.monotonic() - began < 0.6
    house.undo(entry.transaction_id)
    assert house.tree() == {"f": (b"soon\n", 0o644)}


def test_an_empty_folder_is_told_soon(house, watch):
    house.pace = Pace(quiet=0.05, building=0.2, unfilled=60)
    house.reopen()
    watch()
    (house.folder / "d/e").mkdir(parents=True)
    (entry,) = wait(house)
    assert rows(entry) == [("d", "absent", "directory"), ("d/e", "absent", "directory")]


def test_lost_events_are_made_up_by_a_walk_that_says_so(house, watch):
    house.write("d/f", "one\n")
    house.write("d/g", "one\n")
    running = watch()
    with open("/proc/sys/fs/inotify/max_queued_events") as limit:
        queued = int(limit.read())
    with running._changed:  # nobody takes events meanwhile: the system's queue runs over
        for number in range(queued + 5_000):
            (house.folder / "d" / "fg"[number % 2]).chmod(0o600 + number % 2)
        house.write("d/late", "late\n")
        house.write("new/late", "late\n")
    said = "The system dropped events of changes; everything was looked at."
    until(lambda: (said,) in [entry.warnings for entry in house.tx.history(9)], 60)
    told = {change.path for entry in house.tx.history(9) for change in entry.changes}
    assert told == {"d/f", "d/g", "d/late", "new", "new/late"}
    assert running.settled(20)
    house.write("new/later", "later\n")
    until(lambda: rows(house.tx.history(1)[0]) == [("new/later", "absent", "file")])


def test_more_names_than_are_kept_are_made_up_by_a_walk(house, watch):
    house.pace = Pace(quiet=0.05, names=10)
    house.reopen()
    watch()
    for number in range(30):
        house.write(f"f{number}", "x\n")
    deadline = time.monotonic() + 20
    while sum(len(e.changes) for e in house.tx.history(100)) < 30 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sum(len(entry.changes) for entry in house.tx.history(100)) == 30


def test_it_can_be_switched_off_and_on(house, watch):
    watch()
    running = house.workspace.watch
    assert running.describe() == {"watching": "events"}
    threads = threading.active_count()
    house.settings = Settings(mode="auto", watch=False)
    tell_settings(house)
    until(lambda: running.describe()["watching"] == "off")
    house.write("f", "one\n")
    time.sleep(0.3)
    assert house.tx.history() == []
    assert threading.active_count() < threads
    house.settings = Settings(mode="auto")
    tell_settings(house)
    (entry,) = wait(house)
    assert entry.title == "Changed while nobody watched"
    with house.workspace.store.write() as db:
        house.workspace.store.emit(db, SettingsChanged(("mode",)), 1.0)
    running.stop()
    running.stop()
    assert running.settled(0)


def tell_settings(house):
    with house.workspace.store.write() as db:
        house.workspace.store.emit(db, SettingsChanged(("watch",)), 1.0)


def until(is_so, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert is_so()


def test_a_failure_is_tried_again(house, watch):
    house.pace = Pace(quiet=0.05, retry=0.2)
    house.reopen()
    watch()
    with house.workspace.store.write() as db:
        db.execute("CREATE TEMP TRIGGER full BEFORE INSERT ON main.entries BEGIN SELECT RAISE(ABORT, 'full'); END")
    house.write("f", "one\n")
    time.sleep(0.5)
    assert house.tx.history() == []
    house.write("g", "one\n")
    with house.workspace.store.write() as db:
        db.execute("DROP TRIGGER full")
    (entry,) = wait(house)
    assert [c.path for c in entry.changes] == ["f", "g"]


def test_a_fault_of_it_stops_no_commit(house, watch):
    watch()

    def fail(_changes):
        raise WorkroomError(ErrorCode.IO_ERROR, "the disk")

    house.workspace.watch._look.before_commit = fail
    house.edit({"type": "create", "path": "f", "content": "f\n"})
    assert house.read("f") == b"f\n"


def test_contents_that_can_not_be_kept_ahead_end_nothing_else(house):
    house.write("f", "one\n")

    def fail(_after, _largest):
        raise WorkroomError(ErrorCode.IO_ERROR, "the disk is full")

    house.workspace.watch._look.read_some = fail
    house.workspace.watch.start()
    assert house.workspace.watch.settled(30)
    house.write("g", "one\n")
    (entry,) = wait(house)
    assert rows(entry) == [("g", "absent", "file")]


def test_a_fault_in_the_settings_stops_no_opening(house):
    def settings():
        raise WorkroomError(ErrorCode.INVALID_INPUT, "Setting mode: nonsense.")

    house.workspace.watch._settings = settings
    house.workspace.watch.start()
    assert house.workspace.watch.settled(30)
    assert house.workspace.watch.describe() == {"watching": "events"}


def test_it_ends_in_the_middle_of_a_walk(house):
    for number in range(500):
        (house.folder / f"d{number}").mkdir()
    house.workspace.watch.start()
    house.workspace.watch.stop()
    assert house.workspace.watch.describe()["watching"] == "off"
    house.workspace.watch.start()
    assert house.workspace.watch.settled(30)


def test_what_happens_while_contents_are_read_ahead_is_told_first(house):
    house.write("f", "one\n")
    running = house.workspace.watch
    read = running._look.read_some

    def read_some(after, largest):
        if not house.tx.history():
            house.write("f", "two\n")
            (house.folder / "late").mkdir()
            until(lambda: running._pending)
            return after
        return read(after, largest)

    running._look.read_some = read_some
    running.start()
    (entry,) = wait(house)
    assert [c.path for c in entry.changes] == ["f", "late"]


def test_git_may_hold_its_index_for_a_minute_and_its_folder_may_be_elsewhere(house, watch):
    house.pace = Pace(quiet=0.05, busy=0.5)
    house.reopen()
    repository(house.folder, f="1\n")
    (house.folder / ".git").rename(house.folder.parent / "git")
    (house.folder / ".git").write_text(f"gitdir: {house.folder.parent / 'git'}\n")
    watch()
    (house.folder.parent / "git/index.lock").write_text("")
    house.write("f", "2\n")
    wait(house)


def test_a_folder_that_is_gone_before_it_is_watched(house, watch):
    running = watch()
    running._watch("never")
    assert running.describe() == {"watching": "events"}


def test_what_never_ends_is_told_now_and_then(house, watch):
    house.pace = Pace(quiet=0.2, longest=0.4, endless=1.6)
    house.reopen()
    watch()
    began = time.monotonic()
    number = 0
    while time.monotonic() - began < 5:
        number += 1
        house.write("log", "x\n" * number)
        time.sleep(0.02)
    entries = len(house.tx.history(100))
    assert 1 <= entries <= 6
    until(lambda: house.workspace.watch._pending.first == 0)
    assert house.workspace.watch.settled(20)
    last = house.tx.history(1)[0]
    assert house.tx.image(last.changes[0].after.sha256) == house.read("log")


def test_without_events_it_walks_and_says_so():
    """The account of a namespace of its own has no inotify at all, then too few watches."""
    for setting, value, reason in (("instances", 0, "no more of them"), ("watches", 2, "fs.inotify.max_user_watches")):
        first, second = limited(f"max_inotify_{setting}", value)
        assert (first["watching"], second["rows"]) == ("walks", [["d/e/f", "file", "file"]])
        assert reason in first["watching_reason"]
        assert any(reason in note for note in second["notes"])


def limited(setting, value):
    script = Path(__file__).with_name("limited.py")
    command = ["unshare", "--user", "--map-root-user", "sh", "-c",
               f'echo {value} > /proc/sys/user/{setting} && exec "$0" "$1"', sys.executable, str(script)]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, env=env)
    if "unshare" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip("no user namespaces here")  # pragma: no cover
    return [json.loads(line) for line in done.stdout.splitlines()] or pytest.fail(done.stderr)


def test_what_is_heard_is_all_that_has_happened(house, watch):
    """Each folder is watched once everything was looked at; a name that has just come is heard of at once."""
    house.write("d/e/f", "one\n")
    workspace = house.workspace
    assert workspace.watch.hearing() is None, "nobody listens yet"
    watch()
    names = workspace.names
    names.listing()
    for number in range(50):
        looked = names.looked
        assert list(names.listing().paths) == sorted(["d/e/f", *(f"d/e/{n:02}" for n in range(number))])
        house.write(f"d/e/{number:02}", "x")
        assert names.listing().paths[number] == f"d/e/{number:02}"
        assert names.looked - looked <= 2
    workspace.watch.stop()
    assert workspace.watch.hearing() is None


def test_a_folder_that_has_just_come_is_looked_at_until_it_is_watched(house, watch):
    watch()
    names = house.workspace.names
    for name in ("a", "b"):
        house.write(f"new/{name}", "x")
        assert f"new/{name}" in names.listing().paths
    wait(house)
    for _ in range(2):
        names.listing()
    looked = names.looked
    names.listing()
    assert names.looked == looked
