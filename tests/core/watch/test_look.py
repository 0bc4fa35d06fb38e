"""What a look finds and tells, without a thread: the test says when it looks, and what the system would have hinted."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from tests.repositories import git, repository

from workroom.base.changes import ABSENT, Kind
from workroom.base.settings import Settings
from workroom.core.git.objects import find_objects
from workroom.core.search.ignore import Ignore
from workroom.core.transactions import Observation, Observed
from workroom.core.watch.baseline import Baseline
from workroom.core.watch.look import ANOTHER, Look


class Eye:
    def __init__(self, house):
        self.house = house
        self.watched: list[str] = []
        self.unwatched: list[str] = []
        root = house.workspace.root
        self.look = Look(
            root,
            house.workspace.store,
            house.tx,
            watch=self.watched.append,
            unwatch=self.unwatched.append,
            ignored=lambda: Ignore(root),
            repository=lambda: find_objects(root),
            check=lambda: None,
        )

    def walk(self, *notes):
        return self.look.tell(self.look.gather({}, everything=True), "", notes)

    def hint(self, *paths):
        hints: dict[str, set[str]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            hints.setdefault(folder or ".", set()).add(name)
        return self.look.tell(self.look.gather(hints, everything=False), "", ())

    def read(self):
        after = ""
        while after is not None:
            after = self.look.read_some(after, self.house.settings.watch_max_file_bytes)


@pytest.fixture
def eye(house):
    return Eye(house)


def rows(entries):
    return [[(c.path, str(c.before.kind), str(c.after.kind)) for c in entry.changes] for entry in entries]


def test_the_first_walk_takes_what_it_finds(house, eye):
    house.write("d/f", "one\n")
    os.mkfifo(house.folder / "pipe")
    assert eye.walk() == []
    assert eye.watched == [".", "d"]
    assert eye.walk("again") == []
    house.write("d/g", "g\n")
    (entry,) = eye.walk("It walked.")
    assert (rows([entry]), entry.warnings) == ([[("d/g", "absent", "file")]], ("It walked.",))
    assert eye.walk() == []


def test_what_was_not_read_before_it_changed_is_not_known(house, eye):
    house.write("f", "one\n")
    house.write("g", "one\n")
    eye.walk()
    os.utime(house.folder / "g", (1, 1))
    house.write("f", "two and more\n")
    assert rows(eye.hint("f")) == [[("f", "unknown", "file")]]
    house.write("f", "three\n")
    (entry,) = eye.hint("f")
    assert house.tx.image(entry.changes[0].before.sha256) == b"two and more\n"


def test_a_name_nobody_has_listed_is_not_known_to_be_new(house, eye):
    house.write("d/f", "f\n")
    assert rows(eye.hint("d/f")) == [[("d/f", "unknown", "file")]]
    assert eye.hint("d/f", "d/never", "") == []


def test_contents_are_read_ahead_as_long_as_there_is_room(house, eye):
    house.settings = Settings(mode="auto", history_quota_bytes=1_000_000, watch_max_file_bytes=100_000)
    for name in "abcd":
        house.write(name, name * 50_000)
    house.write("large", "x" * 100_001)
    (house.folder / "link").symlink_to("a")
    eye.walk()
    eye.read()
    for name in ("a", "d", "large"):
        house.write(name, "new\n")
    (entry,) = eye.walk()
    known = {c.path: house.tx.image(c.before.sha256) is not None for c in entry.changes}
    assert known == {"a": True, "d": False, "large": False}
    assert {c.path: str(c.before.kind) for c in entry.changes}["large"] == "unknown"


def test_a_file_that_changed_since_it_was_seen_is_left_for_the_next_look(house, eye):
    house.write("f", "one\n")
    eye.walk()
    house.write("f", "longer\n")
    eye.read()
    assert rows(eye.hint("f")) == [[("f", "unknown", "file")]]


def test_many_folders_are_taken_a_part_at_a_time(house, eye):
    for number in range(2_100):
        (house.folder / f"d{number}").mkdir()
    assert eye.walk() == []
    house.write("d2099/f", "f\n")
    assert rows(eye.hint("d2099/f")) == [[("d2099/f", "absent", "file")]]
    for number in range(2_001):
        (house.folder / f"d{number}/g").write_text("g\n")
    (entry,) = eye.walk()
    assert {(c.added, c.removed) for c in entry.changes} == {(None, None)}


def test_another_folder_in_the_place_of_one_is_looked_into(house, eye):
    house.write("a/f", "one\n")
    eye.walk()
    eye.read()
    (house.folder / "a").rename(house.folder / "b")
    house.write("a/f", "two\n")
    eye.watched.clear()
    (entry,) = eye.hint("a", "b")
    assert rows([entry]) == [[("a/f", "file", "file"), ("b", "absent", "directory"), ("b/f", "absent", "file")]]
    assert sorted(eye.watched) == ["a", "b"]


def test_an_inode_that_another_file_has_by_now_is_no_move(house, eye):
    house.write("a", "one\n")
    eye.walk()
    eye.read()
    os.link(house.folder / "a", house.folder / "b")
    (house.folder / "a").unlink()
    (house.folder / "b").write_text("two and more\n")
    (entry,) = eye.hint("a", "b")
    assert {c.path: c.origin for c in entry.changes} == {"a": None, "b": None}


def test_what_can_not_be_read_is_told_once(house, eye):
    house.write("f", "one\n")
    eye.walk()
    eye.read()
    (house.folder / "f").unlink()
    os.mkfifo(house.folder / "f")
    assert rows(eye.hint("f")) == [[("f", "file", "unknown")]]
    assert eye.walk() == []
    assert eye.walk() == []


def test_what_comes_and_goes_while_it_is_looked_at(house, eye):
    house.write("gone", "x\n")
    house.write("stays", "x\n")
    eye.walk()
    eye.read()
    (house.folder / "gone").unlink()
    house.write("new", "x\n")
    found = eye.look.gather({".": {"gone", "new"}}, everything=False)
    house.write("gone", "x\n")
    (house.folder / "new").unlink()
    assert eye.look.tell(found, "", ()) == []
    house.write("other", "1\n")
    found = eye.look.gather({".": {"other"}}, everything=False)
    snapshot = house.tx.snapshot
    house.tx.snapshot = lambda paths, **options: (snapshot(paths, **options), house.write("other", "2\n"))[0]
    (entry,) = eye.look.tell(found, "", ())
    house.tx.snapshot = snapshot
    assert house.tx.image(entry.changes[0].after.sha256) == b"2\n"
    house.write("other", "3\n")
    (entry,) = eye.hint("other")
    assert house.tx.image(entry.changes[0].before.sha256) == b"2\n"


def test_entries_of_git_bring_their_folders(house, eye):
    """The git that we run tells files; the folders that come and go with them are its doing, too."""
    eye.walk()
    house.write("a/b/f", "f\n")
    did = Observation([Observed("a/b/f", ABSENT)], ANOTHER, "git", "git checkout")
    house.tx.observe(did)
    assert eye.walk() == []
    house.write("a/b/g", "g\n")
    assert rows(eye.hint("a/b/g")) == [[("a/b/g", "absent", "file")]]
    seen = house.tx.snapshot(["a/b/f", "a/b/g"])
    for path in ("a/b/f", "a/b/g", "a/b", "a"):
        full = house.folder / path
        full.rmdir() if full.is_dir() else full.unlink()
    house.tx.observe(replace(did, changes=[Observed(path, state) for path, state in seen.items()]))
    assert eye.walk() == []


def test_a_commit_tells_of_what_only_git_has(house, eye):
    repository(house.folder, f="one\n", same="one\n")
    house.time = 2_000_000_000.0
    eye.walk()
    house.write("f", "two\n")
    os.utime(house.folder / "same", (1, 1))
    plan = house.plan(
        {"type": "rewrite", "path": "f", "content": "3\n"}, {"type": "rewrite", "path": "same", "content": "3\n"}
    )
    eye.look.before_commit(plan.change_set.changes)
    (entry,) = house.tx.history()
    assert rows([entry]) == [[("f", "file", "file")]]
    assert house.tx.image(entry.changes[0].before.sha256) == b"one\n"


def test_what_is_ignored_or_in_no_listed_folder_is_not_told_before_a_commit(house, eye):
    house.write(".gitignore", "*.log\n")
    house.write("x.log", "x\n")
    eye.walk()
    house.write("deep/f", "f\n")
    with house.workspace.store.write() as db:
        assert Baseline(db).listed(".")
    plan = house.plan(
        {"type": "rewrite", "path": "x.log", "content": "3\n"}, {"type": "rewrite", "path": "deep/f", "content": "3\n"},
        {"type": "mkdir", "path": "m"},
    )  # fmt: skip
    eye.look.before_commit(plan.change_set.changes)
    assert house.tx.history() == []


def test_git_that_did_many_things_is_named_in_short(house, eye):
    repository(house.folder, f="1\n")
    eye.walk()
    for number in range(5):
        git(house.folder, "checkout", "-q", "-b", f"b{number}")
    house.write("f", "2\n")
    git(house.folder, "stash", "-q")
    house.write("f", "2\n")
    git(house.folder, "commit", "-qam", "two")
    git(house.folder, "reset", "-q", "--hard", "HEAD~1")
    assert eye.walk() == []
    git(house.folder, "reset", "-q", "--hard", "HEAD@{1}")
    git(house.folder, "reset", "-q", "--hard", "HEAD@{1}")
    git(house.folder, "reset", "-q", "--hard", "HEAD@{1}")
    git(house.folder, "checkout", "-q", "-b", "last")
    (entry,) = eye.walk()
    assert entry.title.endswith(" and 1 more")
    assert entry.changes[0].after.kind is Kind.FILE


def test_folders_that_were_just_made_are_watched_before_they_are_looked_at(house, eye):
    house.write(".gitignore", "out\n")
    eye.walk()
    house.write("d/e/f", "f\n")
    (house.folder / "d/hollow").mkdir()
    house.write("out/x", "x\n")
    house.write("sub/.git/config", "")
    eye.watched.clear()
    there = {"d": False, "d/e": False, "d/hollow": True, "sub": False}
    assert eye.look.watch_ahead(["d", "gone", "out", "sub"]) == there
    assert set(eye.watched) == {"d", "d/e", "d/hollow", "gone", "sub"}
    (entry,) = eye.hint("d", "d/e", "d/hollow", "d/e/f")
    assert {(c.path, c.before.kind) for c in entry.changes} == {
        (p, "absent") for p in ("d", "d/e", "d/e/f", "d/hollow")
    }


def test_a_folder_that_goes_while_it_is_walked_and_a_name_that_can_not_be(house, eye):
    house.write("f", "f\n")
    (house.folder / "d").mkdir()
    eye.walk()

    def watch(folder):
        if folder == "d":
            (house.folder / "d").rmdir()

    eye.look._watch = watch
    assert eye.walk() == []
    assert eye.hint("x" * 300) == []
    assert rows(eye.walk()) == [[("d", "directory", "absent")]]


def test_what_git_wrote_is_one_entry_however_little_of_it_was_heard(house, eye):
    repository(house.folder, f="1\n", g="1\n")
    git(house.folder, "checkout", "-qb", "topic")
    house.write("f", "2\n")
    house.write("new/deep/file", "2\n")
    git(house.folder, "rm", "-q", "g")
    git(house.folder, "add", "-A")
    git(house.folder, "commit", "-qm", "two")
    git(house.folder, "checkout", "-q", "main")
    eye.walk()
    git(house.folder, "checkout", "-q", "topic")
    (entry,) = eye.hint("f")
    assert rows([entry]) == [[
        ("f", "file", "file"), ("g", "file", "absent"), ("new", "absent", "directory"),
        ("new/deep", "absent", "directory"), ("new/deep/file", "absent", "file"),
    ]]  # fmt: skip
    assert entry.title == "git checkout: moving from main to topic"
    assert eye.walk() == []


def test_a_file_of_ours_that_took_the_default_mode_is_told_once(house, eye):
    eye.walk()
    house.edit({"type": "create", "path": "d/f", "content": "f\n"})
    eye.look.catch_up()
    assert eye.hint("d") == []
    assert eye.hint("d/f") == []
    house.edit({"type": "rewrite", "path": "d/f", "content": "2\n"})
    assert eye.walk() == []
    (house.folder / "d/f").chmod(0o600)
    assert rows(eye.hint("d/f")) == [[("d/f", "file", "file")]]
