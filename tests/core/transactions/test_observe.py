"""What others have done already becomes an entry like any other."""

from __future__ import annotations

import hashlib
import os
import shutil

import apsw
import pytest

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, UNKNOWN, ChangeSet, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import Committed
from workroom.base.settings import Settings
from workroom.core.transactions import Observation, Observed, Only, file_row, render_diff
from workroom.core.transactions.model import Directory

OTHER = Actor("program", "another program")


def observe(house, *changes, **options):
    return house.tx.observe(
        Observation(changes, **{"actor": OTHER, "kind": "outside", "label": "Changed outside"} | options)
    )


def seen(house, *paths):
    """What stands there, kept."""
    return [Observed(path, state) for path, state in house.tx.snapshot(paths).items()]


def state(data: bytes, mode: int | None = 0o644) -> State:
    return State(Kind.FILE, hashlib.sha256(data).hexdigest(), len(data), mode)


def test_it_is_entry_event_and_audit_line_at_once(house):
    house.write("f", "one\ntwo\n")
    before = seen(house, "f", "new", "d")
    house.write("f", "one\n2\n")
    house.write("d/x", "x\n")
    heard = []
    house.workspace.store.subscribe(lambda _number, event: heard.append(event))
    entry = observe(house, *before, Observed("d/x", ABSENT), notes=["It walked."], detail={"why": "test"})
    assert [(c.path, c.before.kind, c.after.kind, c.added, c.removed) for c in entry.changes] == [
        ("d", "absent", "directory", 0, 0), ("d/x", "absent", "file", 1, 0), ("f", "file", "file", 1, 1),
    ]  # fmt: skip
    assert (entry.actor, entry.cause, entry.title, entry.warnings) == (
        OTHER,
        "outside",
        "Changed outside",
        ("It walked.",),
    )
    assert entry.transaction_id.startswith("tx_")
    assert (entry.decided_by, entry.approval_id) == ("", None)
    assert entry.directories == (Directory("d", existed_before=False),)
    print_of = ChangeSet(entry.changes).fingerprint("outside", "Changed outside")
    assert house.tx.get(entry.transaction_id).planned.fingerprint == print_of
    assert heard == [Committed(1, entry.transaction_id, ("d", "d/x", "f"), 3, "another program", "outside")]
    assert house.workspace.audit.verify().good
    assert house.tx.history() == [entry]
    assert house.tx.get(entry.transaction_id).planned.operations == ({"why": "test", "type": "outside"},)
    assert "-two\n+2\n" in render_diff(entry.changes, house.tx.image)
    tree = house.tree()
    undo = house.undo(entry.transaction_id)
    assert house.tree() == {"f": (b"one\ntwo\n", 0o644)}
    house.undo(undo.transaction_id)
    assert house.tree() == tree


def test_what_did_not_change_is_no_entry_unless_that_is_asked_for(house):
    house.write("f", "one\n")
    assert observe(house, *seen(house, "f", "gone")) is None
    os.utime(house.folder / "f", (1, 1))
    assert observe(house, *seen(house, "f")) is None
    entry = observe(house, kind="git", label="git commit 1234567 Say so", always=True)
    assert (entry.changes, entry.cause) == ((), "git")
    with pytest.raises(WorkroomError) as refused:
        house.undo(entry.transaction_id)
    assert refused.value.code is ErrorCode.TRANSACTION_STATE
    assert "editor_git_undo_commit" in refused.value.next_step
    assert house.tx.newest_undoable() is None
    house.write("g", "g\n")
    observe(house, Observed("g", ABSENT))
    back = house.commit(house.tx.plan_rewind(0))
    assert house.tree() == {"f": (b"one\n", 0o644)}
    assert house.tx.entry(entry.number).undone_by is None
    assert house.tx.entry(2).undone_by == back.number


def test_a_mode_is_a_change_where_the_one_before_is_known(house):
    house.write("f", "one\n", 0o644)
    house.write("g", "g\n", 0o644)
    before = seen(house, "f")
    (house.folder / "f").chmod(0o755)
    (house.folder / "g").chmod(0o755)
    entry = observe(house, *before, Observed("g", state(b"g\n", None)))
    assert [c.path for c in entry.changes] == ["f"]
    house.undo(entry.transaction_id)
    assert (house.folder / "f").stat().st_mode & 0o777 == 0o644


def test_a_moved_file_is_told_and_goes_back_as_it_is_now(house):
    house.write("a", "one\n")
    before = seen(house, "a")
    (house.folder / "a").rename(house.folder / "b")
    entry = observe(house, *before, Observed("b", ABSENT, origin="a"))
    assert [(c.path, c.origin) for c in entry.changes] == [("a", None), ("b", "a")]
    assert house.workspace.store.images_bytes() == 0  # the file itself has it
    inode = (house.folder / "b").stat().st_ino
    house.undo(entry.transaction_id)
    assert house.tree() == {"a": (b"one\n", 0o644)}
    assert (house.folder / "a").stat().st_ino == inode


def test_bytes_from_elsewhere_and_held_ones_are_before_images(house):
    house.write("f", "new\n")
    house.write("g", "new\n")
    house.tx.hold([b"held\n", b"held\n"])
    entry = observe(house, Observed("f", state(b"given\n"), b"given\n"), Observed("g", state(b"held\n")))
    house.undo(entry.transaction_id)
    assert house.tree() == {"f": (b"given\n", 0o644), "g": (b"held\n", 0o644)}


def test_links_come_back(house):
    (house.folder / "l").symlink_to("there")
    before = seen(house, "l")
    (house.folder / "l").unlink()
    entry = observe(house, *before)
    house.undo(entry.transaction_id)
    assert house.tree() == {"l": ("link", "there")}


def test_what_is_not_known_is_shown_and_refused_with_the_next_step(house):
    house.write("f", "new\n")
    house.write("g", "g\n")
    entry = observe(house, Observed("f", UNKNOWN), Observed("g", ABSENT))
    row = next(file_row(c) for c in entry.changes if c.path == "f")
    assert (row["change"], row["before"], row["beforeSha256"], row["added"]) == ("modify", "unknown", None, None)
    assert "f: what it held before isn't known." in render_diff(entry.changes, house.tx.image)
    with pytest.raises(WorkroomError) as refused:
        house.undo(entry.transaction_id)
    assert refused.value.code is ErrorCode.NOT_FOUND
    assert refused.value.details == {"unknown": ["f"], "total": 1}
    assert "backup. The other paths are taken back by force" in refused.value.next_step
    forced = house.undo(entry.transaction_id, force=True)
    assert forced.warnings == ("f stays as it is: what it held before isn't known.",)
    assert house.tree() == {"f": (b"new\n", 0o644)}


def test_nothing_but_unknown_is_refused_even_when_forced_and_passed_over_by_a_bare_undo(house):
    first = house.edit({"type": "create", "path": "first", "content": "1\n"})
    house.write("f", "new\n")
    entry = observe(house, Observed("f", UNKNOWN))
    with pytest.raises(WorkroomError) as refused:
        house.undo(entry.transaction_id, force=True)
    assert refused.value.next_step == "Bring it back from git, if that has it, or from a backup."
    assert house.tx.newest_undoable().number == first.number


def test_a_rewind_stops_at_what_is_not_known_or_leaves_it(house):
    start = house.edit({"type": "create", "path": "a", "content": "1\n"}).number
    house.write("f", "new\n")
    house.write("g", "g\n")
    observe(house, Observed("f", UNKNOWN), Observed("g", ABSENT))
    with pytest.raises(WorkroomError) as refused:
        house.tx.plan_rewind(start)
    assert refused.value.details["paths"] == ["f"]
    house.commit(house.tx.plan_rewind(start, only=Only(paths=("g",))))
    assert "g" not in house.tree()
    house.write("g", "g\n")
    observe(house, Observed("g", ABSENT))
    house.commit(house.tx.plan_rewind(start, force=True))
    assert house.tree() == {"a": (b"1\n", 0o644), "f": (b"new\n", 0o644)}


def test_a_rewind_past_it_knows_what_an_older_entry_knew(house):
    house.write("f", "one\n")
    house.edit({"type": "rewrite", "path": "f", "content": "two\n"}, {"type": "create", "path": "n", "content": "n\n"})
    house.write("f", "three\n")
    house.write("n", "nn\n")
    observe(house, Observed("f", UNKNOWN), Observed("n", UNKNOWN))
    house.commit(house.tx.plan_rewind(0))
    assert house.tree() == {"f": (b"one\n", 0o644)}


def test_our_own_commits_are_not_told_twice(house):
    house.write("f", "one\n")
    before = seen(house, "f", "mine")
    since = 0
    house.edit({"type": "rewrite", "path": "f", "content": "two\n"}, {"type": "create", "path": "mine", "content": ""})
    assert observe(house, *before, since=since) is None
    house.write("f", "three\n")
    entry = observe(house, *before, since=since)
    assert [(c.path, house.tx.image(c.before.sha256)) for c in entry.changes] == [("f", b"two\n")]
    assert observe(house, *before, since=since) is None


def test_no_commit_runs_between_a_look_and_what_is_told(house):
    with house.tx.alone():
        before = seen(house, "f")
        house.write("f", "one\n")
        assert observe(house, *before).number == 1


def test_large_files_are_hashed_and_not_kept(house):
    house.settings = Settings(mode="auto", watch_max_file_bytes=10)
    house.write("f", "x" * 11)
    before = seen(house, "f")
    house.write("f", "y" * 12)
    entry = observe(house, *before)
    assert house.workspace.store.images_bytes() == 0
    assert "no longer kept" in render_diff(entry.changes, house.tx.image)
    with pytest.raises(WorkroomError) as refused:
        house.undo(entry.transaction_id)
    assert "watch_max_file_bytes" in refused.value.message


def test_one_observation_takes_no_more_than_its_share_of_the_quota(house):
    house.settings = Settings(mode="auto", history_quota_bytes=1_000_000, destructive_edits="allow")
    own = house.edit({"type": "create", "path": "own", "content": "own\n"})
    for name in "abcd":
        house.write(name, name * 100_000)
    entry = observe(house, *(Observed(name, ABSENT) for name in "abcd"))
    kept = [name for name in "abcd" if house.tx.image(state(name.encode() * 100_000).sha256) is not None]
    assert kept == ["a", "b"]
    assert not house.tx.entry(own.number).forgotten
    house.undo(entry.transaction_id)
    assert list(house.tree()) == ["own"]


def test_what_is_kept_already_or_is_gone_takes_nothing_of_the_share(house):
    """Which is filled to its last byte, and known contents are kept beyond it."""
    house.settings = Settings(mode="auto", history_quota_bytes=1_000_000)
    share = 250_000
    house.tx.hold([b"k" * 100_000])
    house.write("b", "k" * 100_000)
    house.write("c", os.urandom(9))
    house.write("d", "d" * share)
    house.write("e", "e")
    opened = house.workspace.root.open_file

    def late(path):
        if path == "c":
            house.write("c", os.urandom(9))
        return opened(path)

    house.workspace.root.open_file = late
    entry = observe(house, Observed("a", state(b"not kept\n")), *(Observed(name, ABSENT) for name in "bcde"))
    assert [(c.path, house.tx.image(c.after.sha256) is not None) for c in entry.changes if c.after.sha256] == [
        ("b", True), ("c", False), ("d", True), ("e", False),
    ]  # fmt: skip


def test_the_oldest_entries_make_room_for_it(house):
    house.settings = Settings(mode="auto", history_quota_bytes=1_000_000, destructive_edits="allow")
    own = house.edit({"type": "create", "path": "own", "content": "o" * 900_000})
    house.write("f", "f" * 200_000)
    entry = observe(house, Observed("f", ABSENT))
    assert house.tx.entry(own.number).forgotten
    assert house.tx.image(entry.changes[0].after.sha256) == b"f" * 200_000


@pytest.mark.parametrize(("size", "added"), [(1 << 20, 2), ((1 << 20) + 1, None)])
def test_lines_are_counted_up_to_a_mebibyte(house, size, added):
    house.write("f", "one\n" + "x" * (size - 4))
    assert observe(house, Observed("f", ABSENT)).changes[0].added == added


@pytest.mark.parametrize(("others", "added"), [(1_999, 1), (2_000, None)])
def test_lines_are_counted_among_two_thousand_paths(house, others, added):
    house.write("f", "one\n")
    entry = observe(house, Observed("f", ABSENT), *(Observed(f"gone{number}", ABSENT) for number in range(others)))
    assert [(c.path, c.added) for c in entry.changes] == [("f", added)]


def test_the_event_names_twenty_paths_and_counts_all(house):
    heard = []
    house.workspace.store.subscribe(lambda _number, event: heard.append(event))
    names = [f"f{number:02}" for number in range(21)]
    for name in names:
        house.write(name, "")
    observe(house, *(Observed(name, ABSENT) for name in names))
    assert [(event.paths, event.total) for event in heard] == [(tuple(names[:20]), 21)]


def test_a_file_that_cannot_be_read_is_told_without_its_content(house):
    house.write("f", "one\n")
    before = seen(house, "f")
    (house.folder / "f").unlink()
    os.mkfifo(house.folder / "f")
    entry = observe(house, *before)
    assert entry.changes[0].after == UNKNOWN
    assert "f: what it held then isn't known." in render_diff(entry.changes, house.tx.image)
    assert observe(house, Observed("f", UNKNOWN)) is None


def test_a_file_that_is_written_while_it_is_read_is_told_without_its_content(house):
    """A program that never stops: each look finds other bytes."""
    house.write("f", "x" * 100_000)
    before = seen(house, "f")
    house.write("f", "y" * 100_000)
    keep = house.tx._images.keep

    def keep_late(*arguments, **options):
        house.write("f", os.urandom(100_000))
        return keep(*arguments, **options)

    house.tx._images.keep = keep_late
    entry = observe(house, *before)
    assert entry.changes[0].after.sha256
    assert house.tx.image(entry.changes[0].after.sha256) is None
    assert house.tx.image(entry.changes[0].before.sha256) == b"x" * 100_000


@pytest.mark.parametrize(("unsteady", "kept"), [("ab", True), ("abc", False)])
def test_all_is_told_however_many_files_are_written_while_they_are_read(house, unsteady, kept):
    """Each look finds other bytes in all of them; with the third, what another one holds isn't read either."""
    before = seen(house, *unsteady, "steady")
    house.write("steady", "s" * 100_000)
    for name in unsteady:
        house.write(name, os.urandom(100_000))
    keep = house.tx._images.keep

    def keep_late(*arguments, **options):
        for name in unsteady:
            house.write(name, os.urandom(100_000))
        return keep(*arguments, **options)

    house.tx._images.keep = keep_late
    entry = observe(house, *before)
    images = {c.path: house.tx.image(c.after.sha256) is not None for c in entry.changes}
    assert images == dict.fromkeys(unsteady, False) | {"steady": kept}


def test_a_failure_leaves_nothing_and_the_same_is_found_again(house):
    house.write("f", "one\n")
    before = seen(house, "f")
    house.write("f", "two\n")
    with house.workspace.store.write() as db:
        db.execute("CREATE TEMP TRIGGER full BEFORE INSERT ON main.events BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises((WorkroomError, apsw.Error)):
        observe(house, *before)
    assert house.tx.history() == []
    with house.workspace.store.write() as db:
        db.execute("DROP TRIGGER full")
    assert observe(house, *before).number == 1
    assert house.reopen().audit.verify().good


def test_contents_that_cannot_be_kept_are_said_as_they_are(house):
    house.write("f", "x" * 100_000)
    images = house.workspace.store.folder / "images"
    shutil.rmtree(images, ignore_errors=True)
    images.touch()
    with pytest.raises(WorkroomError) as refused:
        observe(house, Observed("f", ABSENT), Observed("g", ABSENT))
    assert refused.value.code is ErrorCode.IO_ERROR
    assert house.tx.history() == []


def test_an_entry_needs_its_line_in_the_audit_log(house):
    house.write("f", "one\n")
    observe(house, Observed("f", ABSENT))
    (line,) = [each for each in house.workspace.audit.lines(0, 100) if each["kind"] == "entry"]
    assert (line["what"]["cause"], line["what"]["paths"]) == ("outside", ["f"])


def test_buffers_follow_it(house):
    house.write("a", "one\n")
    house.write("b", "one\n")
    buffers = house.workspace.buffers
    ann = Actor("person", "ann", "s")
    for path in "ab":
        buffers.put(ann, path, state(b"one\n").sha256, 1)
    before = seen(house, "a", "b")
    (house.folder / "a").rename(house.folder / "c")
    (house.folder / "b").unlink()
    observe(house, *before, Observed("c", ABSENT, origin="a"))
    assert [each.path for each in buffers.list(ann)] == ["c"]


def test_a_small_file_that_is_written_just_then_is_told_without_its_content(house):
    house.write("f", "one\n")
    before = seen(house, "f")
    house.write("f", "two\n")
    opened = house.workspace.root.open_file

    def late(path):
        house.write(path, os.urandom(9))
        return opened(path)

    house.workspace.root.open_file = late
    entry = observe(house, *before)
    assert house.tx.image(entry.changes[0].after.sha256) is None
