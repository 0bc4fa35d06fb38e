"""Taking entries back: late, over later work, forced, and taken back themselves."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import pytest

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, UNKNOWN, Change, Danger, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions import Observation, Observed
from workroom.core.transactions.images import Images
from workroom.core.transactions.model import Directory
from workroom.core.transactions.overlay import MAX_PATHS
from workroom.core.transactions.rollback import plan_rollback


def refused(house, entry, *, force=False, strategy="refuse") -> WorkroomError:
    """The refusal, and the proof that nothing was changed by it."""
    before = house.tree()
    with pytest.raises(WorkroomError) as caught:
        house.undo(entry.transaction_id, force=force, strategy=strategy)
    assert house.tree() == before
    return caught.value


def test_later_work_is_shown_and_not_overwritten(house):
    house.write("f", "one\ntwo\n")
    house.write("g", "g\n")
    entry = house.edit(
        {"type": "replace", "path": "f", "search": "two", "replacement": "2"}, {"type": "delete", "path": "g"}
    )
    house.write("f", "one\n2\nthree\n")
    error = refused(house, entry)
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert "f changed after it" in error.message
    (conflict,) = error.details["conflicts"]
    assert conflict["path"] == "f"
    assert "+three\n" in conflict["patch"]


def test_ten_of_what_was_changed_later_are_shown(house):
    names = [f"f{number:02}" for number in range(11)]
    entry = house.edit(*({"type": "create", "path": name, "content": "x\n"} for name in names))
    for name in names:
        house.write(name, "y\n")
    error = refused(house, entry)
    assert error.message == (
        f"{entry.transaction_id} can't be undone: {', '.join(names[:10])} changed after it. Nothing was changed."
    )
    assert error.next_step == (
        "Undo the later change first, keep both with strategy: merge, or roll back with force: true, which keeps what "
        "it overwrites."
    )
    rows = error.details["conflicts"]
    assert ([row["path"] for row in rows], error.details["total"]) == (names[:10], 11)
    assert rows[0]["expectedSha256"] == entry.changes[0].after.sha256
    assert "-x\n+y\n" in rows[0]["patch"]
    assert "why" not in rows[0]
    error = refused(house, entry, strategy="merge")
    why = "it was changed, and would be deleted"
    told = "; ".join(f"{name}: {why}" for name in names[:10])
    assert error.message == (
        f"{entry.transaction_id} can't be undone: it can't be merged with what was changed after it ({told}). Nothing "
        "was changed."
    )
    assert error.next_step == (
        "Undo the later change first, or roll back with force: true, which keeps what it overwrites."
    )
    assert {row["why"] for row in error.details["conflicts"]} == {why}


def test_forced_it_keeps_what_it_overwrites_and_can_be_undone(house):
    house.write("f", "one\n", 0o755)
    entry = house.edit({"type": "rewrite", "path": "f", "content": "two\n"})
    house.write("f", "three\n")
    later = house.tree()
    planned = house.tx.plan_rollback(entry.transaction_id, force=True)
    assert planned.dangers == (Danger("forced rollback", entry.transaction_id, "rollback without force"),)
    assert planned.warnings == ("f was changed later; that is overwritten and kept in this entry.",)
    forced = house.commit(planned)
    assert house.tree() == {"f": (b"one\n", 0o755)}
    assert house.tx.image(forced.changes[0].before.sha256) == b"three\n"
    house.undo(forced.transaction_id)
    assert house.tree() == later


def test_an_undo_says_what_it_is_and_is_bound_to_how_it_is_done(house):
    house.write("package.json", "{}\n")
    entry = house.edit({"type": "rewrite", "path": "package.json", "content": "[]\n"})
    plan = house.tx.plan_rollback(entry.transaction_id)
    assert (plan.cause, plan.title) == ("rollback", f"Undo of {entry.transaction_id}: {entry.title}")
    assert plan.operations == (
        {"type": "rollback", "transaction_id": entry.transaction_id, "force": False, "strategy": "refuse"},
    )
    assert (plan.undoes, plan.dangers, plan.directories, plan.warnings) == (entry.number, (), (), ())
    house.write(".mcp.json", "{}\n")
    code = house.edit({"type": "delete", "path": ".mcp.json"})
    assert house.tx.plan_rollback(code.transaction_id).asks == (".mcp.json can run code",)
    for force, strategy in ((False, "refuse"), (True, "refuse"), (False, "merge")):
        plan = house.tx.plan_rollback(entry.transaction_id, force=force, strategy=strategy)
        bound = plan.change_set.fingerprint("edit.rollback", entry.transaction_id, str(force), strategy)
        assert plan.fingerprint == bound
        assert (plan.operations[0]["force"], plan.operations[0]["strategy"]) == (force, strategy)


def test_an_undo_of_an_undo_of_an_undo(house):
    house.write("f", "one\n")
    before = house.tree()
    first = house.edit({"type": "rewrite", "path": "f", "content": "two\n"}, {"type": "mkdir", "path": "d"})
    after = house.tree()
    entry = first
    for expected in (before, after, before, after):
        entry = house.undo(entry.transaction_id)
        assert house.tree() == expected
    assert house.tx.get(first.transaction_id).status == "applied"


def test_a_copied_folder_is_taken_back_late_as_far_as_it_is_still_the_copy(house):
    house.write("src/a", "a\n")
    house.write("src/deep/b", "b\n")
    entry = house.edit({"type": "copy", "from": "src", "to": "new/copy"})
    assert [d.path for d in entry.directories] == ["new/copy", "new/copy/deep"]
    house.edit({"type": "create", "path": "other", "content": "later\n"})
    house.write("new/copy/mine", "mine\n")
    shutil.rmtree(house.folder / "src/deep")
    undo = house.undo(entry.transaction_id)
    assert house.tree() == {
        "new": None, "new/copy": None, "new/copy/mine": (b"mine\n", 0o644), "other": (b"later\n", 0o644), "src": None,
        "src/a": (b"a\n", 0o644),
    }  # fmt: skip
    assert "new/copy holds other things by now; it was left as it is." in undo.warnings


def test_a_copied_file_that_was_changed_stops_the_late_undo(house):
    house.write("src/a", "a\n")
    entry = house.edit({"type": "copy", "from": "src", "to": "copy"})
    house.write("copy/a", "changed\n")
    assert refused(house, entry).code is ErrorCode.EDIT_CONFLICT
    forced = house.undo(entry.transaction_id, force=True)
    assert house.tree() == {"src": None, "src/a": (b"a\n", 0o644)}
    house.undo(forced.transaction_id)
    assert house.read("copy/a") == b"changed\n"


def test_a_folder_made_here_and_gone_or_replaced_since_is_left_alone(house):
    entry = house.edit(
        {"type": "mkdir", "path": "gone"}, {"type": "mkdir", "path": "file"}, {"type": "mkdir", "path": "link"}
    )
    for name in ("gone", "file", "link"):
        (house.folder / name).rmdir()
    house.write("file", "x\n")
    os.symlink("file", house.folder / "link")
    before = house.tree()
    undo = house.undo(entry.transaction_id)
    assert undo.changes == ()
    assert undo.warnings == tuple(
        f"{name} is no folder any more; it was left as it is." for name in ("file", "gone", "link")
    )
    assert house.tree() == before
    assert house.tx.get(entry.transaction_id).status == "rolled_back"


def test_folders_that_a_new_file_needed_are_left_and_that_is_said_of_those_that_stand(house):
    entry = house.edit(
        {"type": "create", "path": "a/b/f", "content": "x\n"}, {"type": "create", "path": "c/f", "content": "x\n"}
    )
    shutil.rmtree(house.folder / "c")
    house.write("c", "a file by now\n")
    planned = house.tx.plan_rollback(entry.transaction_id, force=True)
    stay = "stays: folders that a new file needed are left in place."
    assert planned.warnings[1:] == (f"a/b {stay}", f"a {stay}")  # the first tells of c/f
    house.commit(planned)
    assert house.tree() == {"a": None, "a/b": None, "c": (b"a file by now\n", 0o644)}


def test_what_somebody_set_the_mode_to_meanwhile_stays(house):
    house.write("f", "one\n", 0o644)
    entry = house.edit({"type": "rewrite", "path": "f", "content": "two\n"})
    (house.folder / "f").chmod(0o755)
    house.undo(entry.transaction_id)
    assert house.tree() == {"f": (b"one\n", 0o755)}


def test_a_mode_that_was_set_again_is_later_work(house):
    house.write("f", "one\n", 0o644)
    entry = house.edit({"type": "patch", "patch": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"})
    (house.folder / "f").chmod(0o700)
    assert refused(house, entry).code is ErrorCode.EDIT_CONFLICT
    house.undo(entry.transaction_id, force=True)
    assert house.tree() == {"f": (b"one\n", 0o644)}


def test_a_file_comes_back_where_folders_were_made_below_it(house):
    house.write("x", "file\n")
    before = house.tree()
    entry = house.edit({"type": "delete", "path": "x"}, {"type": "create", "path": "x/y/z/f", "content": "in\n"})
    undo = house.undo(entry.transaction_id)
    assert (house.tree(), undo.warnings) == (before, ())
    house.undo(undo.transaction_id)
    assert house.read("x/y/z/f") == b"in\n"
    house.write("w", "file\n")
    entry = house.edit({"type": "delete", "path": "w"}, {"type": "mkdir", "path": "w"})
    undo = house.undo(entry.transaction_id)
    assert (house.read("w"), undo.warnings) == (b"file\n", ())


def test_a_file_does_not_come_back_over_a_folder_that_holds_others_work(house):
    house.write("x", "file\n")
    entry = house.edit({"type": "delete", "path": "x"}, {"type": "create", "path": "x/f", "content": "in\n"})
    house.write("x/mine", "mine\n")
    error = refused(house, entry)
    assert (error.code, error.details) == (ErrorCode.EDIT_CONFLICT, {"path": "x"})
    assert error.message.startswith("x is a folder that holds other things by now, so what was there before")
    assert error.next_step == "Move them away, then roll back again."
    assert refused(house, entry, force=True).code is ErrorCode.EDIT_CONFLICT


def test_a_moved_file_that_went_on_can_not_be_brought_back(house):
    house.write("f", "x\n")
    entry = house.edit({"type": "move", "from": "f", "to": "g"})
    (house.folder / "g").rename(house.folder / "h")
    assert refused(house, entry).code is ErrorCode.EDIT_CONFLICT
    error = refused(house, entry, force=True)
    assert (error.code, error.details) == (ErrorCode.NOT_FOUND, {"path": "g"})
    assert error.message == "f was moved to g, where it no longer is, so it can't be brought back."
    (house.folder / "g").mkdir()
    assert refused(house, entry, force=True).code is ErrorCode.NOT_FOUND


def test_a_moved_file_that_was_edited_since_comes_back_with_the_edit_when_forced(house):
    house.write("f", "x\n")
    entry = house.edit({"type": "move", "from": "f", "to": "g"})
    house.write("g", "edited\n")
    assert refused(house, entry).code is ErrorCode.EDIT_CONFLICT
    house.undo(entry.transaction_id, force=True)
    assert house.tree() == {"f": (b"edited\n", 0o644)}


def test_it_comes_back_below_folders_that_are_gone_since(house):
    for name in ("a/f", "b/f", "c/d/f"):
        house.write(name, "x\n")
    before = house.tree()
    entry = house.edit(
        {"type": "delete", "path": "a/f"}, {"type": "move", "from": "b/f", "to": "g"},
        {"type": "delete", "path": "c/d", "recursive": True},
    )  # fmt: skip
    for name in "abc":
        (house.folder / name).rmdir()
    undo = house.undo(entry.transaction_id)
    assert house.tree() == before
    assert [d.path for d in undo.directories] == ["a", "b", "c", "c/d"]
    assert not any(d.existed_before for d in undo.directories)


def test_a_folder_comes_back_with_its_mode(house):
    house.write("d/f", "x\n")
    (house.folder / "d").chmod(0o750)
    entry = house.edit({"type": "delete", "path": "d", "recursive": True})
    house.undo(entry.transaction_id)
    assert (house.folder / "d").stat().st_mode & 0o777 == 0o750


def test_what_the_file_of_now_carries_stays_with_it(house):
    """Also where it moved on: an older entry's content comes back to the file that a later one moved."""
    path = house.write("f", "one\n")
    entry = house.edit({"type": "rewrite", "path": "f", "content": "two\n"})
    try:
        os.setxattr(path, "user.mark", b"1")
    except OSError:
        pytest.skip("the file system keeps no attributes")
    undo = house.undo(entry.transaction_id)
    assert (house.read("f"), os.getxattr(path, "user.mark")) == (b"one\n", b"1")
    house.undo(undo.transaction_id)
    house.edit({"type": "move", "from": "f", "to": "g"})
    os.setxattr(house.folder / "g", "user.mark", b"2")
    house.commit(house.tx.plan_rewind(0))
    assert (house.tree().keys(), house.read("f"), os.getxattr(path, "user.mark")) == ({"f"}, b"one\n", b"2")


def test_a_folder_comes_back_before_what_was_in_it_and_a_link_too(house):
    house.write("d/f", "x\n")
    os.symlink("f", house.folder / "d/link")
    before = house.tree()
    entry = house.edit({"type": "delete", "path": "d", "recursive": True})
    undo = house.undo(entry.transaction_id)
    assert house.tree() == before
    assert undo.directories == (Directory("d", existed_before=False),)
    house.undo(undo.transaction_id)
    assert house.tree() == {}


def test_what_was_deleted_comes_back_into_a_folder_made_anew_by_somebody(house):
    house.write("d/f", "x\n")
    entry = house.edit({"type": "delete", "path": "d", "recursive": True})
    house.write("d/mine", "mine\n")
    house.undo(entry.transaction_id)
    assert house.tree() == {"d": None, "d/f": (b"x\n", 0o644), "d/mine": (b"mine\n", 0o644)}


def test_protected_paths_are_not_brought_back_either(house):
    house.write("secret/f", "x\n")
    entry = house.edit({"type": "rewrite", "path": "secret/f", "content": "y\n"})
    house.settings = Settings(mode="auto", destructive_edits="allow", protected_patterns=("secret/**",))
    assert refused(house, entry).code is ErrorCode.PROTECTED_PATH


def test_an_entry_of_more_paths_than_an_edit_may_have_is_taken_back(house):
    """What others did, and what was copied, may be as large as it is."""
    made = State(Kind.FILE, "a" * 64, 1, 0o644)
    changes = tuple(Change(f"{number:05}", ABSENT, made) for number in range(MAX_PATHS + 1))
    entry = replace(house.edit({"type": "create", "path": "f", "content": "x\n"}), changes=changes)
    kept = Images(house.workspace.store)
    root, settings = house.workspace.root, house.settings
    planned = plan_rollback(root, settings, entry, kept, id="tx_1", force=True, strategy="refuse")
    assert (len(planned.warnings), planned.change_set.changes) == (MAX_PATHS + 1, ())


class TestUnknown:
    """Another program changed it before anybody had seen what it was."""

    def test_up_to_ten_are_named_in_words_and_a_hundred_in_the_details(self, house):
        names = [f"f{number:03}" for number in range(102)]
        for name in names:
            house.write(name, "x\n")
        alone = observed(house, dict.fromkeys(names, UNKNOWN))
        error = refused(house, alone, force=True)
        assert error.code is ErrorCode.NOT_FOUND
        assert error.message == (
            f"{alone.transaction_id} can't be undone: what {', '.join(names[:10])} and 92 more held before isn't known"
            ", another program changed it before it was first seen. Nothing was changed."
        )
        assert error.next_step == "Bring it back from git, if that has it, or from a backup."
        assert error.details == {"unknown": names[:100], "total": 102}

    def test_with_others_those_are_taken_back_when_that_is_forced(self, house):
        names = [f"f{number:03}" for number in range(10)]
        for name in (*names, "g"):
            house.write(name, "x\n")
        entry = observed(house, {**dict.fromkeys(names, UNKNOWN), "g": ABSENT})
        error = refused(house, entry)
        assert f": what {', '.join(names)} held before isn't known" in error.message
        assert error.next_step == (
            "Bring it back from git, if that has it, or from a backup. The other paths are taken back by force: true, "
            "which leaves these as they are."
        )
        forced = house.undo(entry.transaction_id, force=True)
        assert forced.warnings == tuple(f"{name} stays as it is: what it held before isn't known." for name in names)
        assert house.tree().keys() == set(names)


def observed(house, before):
    """The entry of what others have done, with what they found."""
    changes = [Observed(path, state) for path, state in before.items()]
    return house.tx.observe(Observation(changes, Actor("program", "another"), "outside", "Changed outside"))


class TestMerge:
    def test_later_work_elsewhere_in_the_file_stays(self, house):
        house.write("f", "one\ntwo\nthree\nfour\n")
        entry = house.edit({"type": "replace", "path": "f", "search": "one", "replacement": "1"})
        house.write("f", "1\ntwo\nthree\n4\n")
        later = house.tree()
        planned = house.tx.plan_rollback(entry.transaction_id, strategy="merge")
        assert planned.dangers == ()
        assert planned.warnings == (
            "f was changed later: that stays, and only what the entry did to it is taken back.",
        )
        (change,) = planned.change_set.changes
        assert (change.merged, change.added, change.removed) == (True, 1, 1)
        undo = house.commit(planned)
        assert house.read("f") == b"one\ntwo\nthree\n4\n"
        assert house.tx.entry(undo.number).changes == (change,)
        house.undo(undo.transaction_id)
        assert house.tree() == later

    def test_an_overlap_is_refused_and_shown(self, house):
        house.write("f", "one\ntwo\nthree\n")
        house.write("g", "g\n")
        entry = house.edit(
            {"type": "replace", "path": "f", "search": "two", "replacement": "2"},
            {"type": "rewrite", "path": "g", "content": "G\n"},
        )
        house.write("f", "one\nzwei\nthree\n")
        error = refused(house, entry, strategy="merge")
        assert error.code is ErrorCode.EDIT_CONFLICT
        assert "f: both changed the same lines" in error.message
        assert error.details["total"] == 1
        (conflict,) = error.details["conflicts"]
        assert "+zwei\n" in conflict["patch"]
        assert (conflict["regionsTotal"], conflict["regionsTruncated"]) == (1, False)
        assert conflict["regions"] == [
            {
                "base": {"startLine": 2, "lines": 1, "text": "2\n"},
                "now": {"startLine": 2, "lines": 1, "text": "zwei\n"},
                "wanted": {"startLine": 2, "lines": 1, "text": "two\n"},
            }
        ]

    def test_with_force_only_the_paths_that_overlap_are_taken_back_whole(self, house):
        house.write("f", "one\ntwo\n")
        house.write("g", "one\ntwo\nthree\n")
        entry = house.edit(
            {"type": "rewrite", "path": "f", "content": "1\ntwo\n"},
            {"type": "rewrite", "path": "g", "content": "1\ntwo\nthree\n"},
        )
        house.write("f", "eins\nzwei\n")
        house.write("g", "1\ntwo\n3\n")
        planned = house.tx.plan_rollback(entry.transaction_id, force=True, strategy="merge")
        assert planned.dangers
        assert [text.partition(" ")[0] for text in planned.warnings] == ["g", "f"]
        house.commit(planned)
        assert (house.read("f"), house.read("g")) == (b"one\ntwo\n", b"one\ntwo\n3\n")

    def test_what_was_moved_comes_back_with_what_was_changed_in_it_since(self, house):
        house.write("f", "x\n")
        entry = house.edit({"type": "move", "from": "f", "to": "g"})
        inode = (house.folder / "g").stat().st_ino
        house.write("g", "x\ny\n")
        undo = house.undo(entry.transaction_id, strategy="merge")
        assert house.tree() == {"f": (b"x\ny\n", 0o644)}
        assert (house.folder / "f").stat().st_ino == inode
        assert undo.warnings == ("g was changed later, and goes back to f with that.",)
        assert [change.merged for change in undo.changes] == [True, False]

    @pytest.mark.parametrize("there", [None, "folder"])
    def test_what_was_moved_and_went_on_is_an_overlap(self, house, there):
        house.write("f", "x\n")
        entry = house.edit({"type": "move", "from": "f", "to": "g"})
        (house.folder / "g").rename(house.folder / "h")
        if there:
            (house.folder / "g").mkdir()
        error = refused(house, entry, strategy="merge")
        assert error.details["conflicts"][0]["why"] == ("a directory stands there now" if there else "it is gone")

    def test_a_place_that_was_taken_is_an_overlap(self, house):
        house.write("f", "x\n")
        house.write("g", "g\n")
        moved = house.edit({"type": "move", "from": "f", "to": "h"}, {"type": "delete", "path": "g"})
        house.write("f", "another\n")
        house.write("g", "another\n")
        error = refused(house, moved, strategy="merge")
        rows = {row["path"]: row["why"] for row in error.details["conflicts"]}
        assert rows == {"f": "a file stands there now", "g": "a file stands there now"}

    def test_what_the_entry_made_and_somebody_changed_is_not_deleted(self, house):
        entry = house.edit({"type": "create", "path": "f", "content": "x\n"})
        house.write("f", "x\ny\n")
        assert "it was changed, and would be deleted" in refused(house, entry, strategy="merge").message
        (house.folder / "f").unlink()
        undo = house.undo(entry.transaction_id, strategy="merge")
        assert undo.changes == ()
        assert undo.warnings == ("f was changed later, and holds already what it held before the entry.",)

    def test_what_the_entry_changed_and_somebody_deleted_is_an_overlap(self, house):
        house.write("f", "x\n")
        entry = house.edit({"type": "rewrite", "path": "f", "content": "y\n"})
        (house.folder / "f").unlink()
        assert "f: it is gone" in refused(house, entry, strategy="merge").message

    def test_a_link_is_taken_back_whole_or_not_at_all(self, house):
        os.symlink("a", house.folder / "l")
        entry = house.edit({"type": "delete", "path": "l"}, {"type": "create", "path": "l", "content": "file\n"})
        (house.folder / "l").unlink()
        os.symlink("b", house.folder / "l")
        assert "it is no file on all sides" in refused(house, entry, strategy="merge").message
        (house.folder / "l").unlink()
        os.symlink("a", house.folder / "l")
        assert house.undo(entry.transaction_id, strategy="merge").changes == ()

    def test_the_mode_is_merged_by_itself(self, house):
        house.write("f", "one\ntwo\nthree\n", 0o644)
        patch = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n"
        entry = house.edit({"type": "patch", "patch": patch})
        house.write("f", "1\ntwo\n3\n")
        house.undo(entry.transaction_id, strategy="merge")
        assert house.tree() == {"f": (b"one\ntwo\n3\n", 0o644)}

    def test_a_mode_that_was_set_back_leaves_only_the_text_to_come_back(self, house):
        house.write("f", "one\n", 0o644)
        patch = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n"
        entry = house.edit({"type": "patch", "patch": patch})
        (house.folder / "f").chmod(0o644)
        house.undo(entry.transaction_id, strategy="merge")
        assert house.tree() == {"f": (b"one\n", 0o644)}

    def test_a_mode_that_was_set_again_overlaps(self, house):
        house.write("f", "one\n", 0o644)
        entry = house.edit({"type": "patch", "patch": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"})
        house.write("f", "two\n", 0o700)
        assert "both changed its mode (755: 700 now, 644 wanted)" in refused(house, entry, strategy="merge").message
        (house.folder / "f").chmod(0o644)
        assert house.undo(entry.transaction_id, strategy="merge").changes == ()
        assert house.read("f") == b"two\n"

    def test_only_the_mode_of_what_was_changed_elsewhere_comes_back(self, house):
        house.write("f", "one\n", 0o644)
        entry = house.edit({"type": "patch", "patch": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"})
        house.write("f", "two\n")
        house.undo(entry.transaction_id, strategy="merge")
        assert house.tree() == {"f": (b"two\n", 0o644)}

    @pytest.mark.parametrize(
        ("before", "now", "why"),
        [
            (b"\0\n\n\n", b"\0\n\n\nx", "it is no text"),
            ("é\n2\n3\n".encode(), "1\n2\né\n".encode("cp1252"), "not in the same encoding"),
            (b"x" * 21_000_000, b"y" * 9, "too large"),
        ],
    )
    def test_what_can_not_be_compared_by_lines_is_an_overlap(self, house, before, now, why):
        house.write("f", before)
        house.settings = Settings(mode="auto", destructive_edits="allow", max_edit_bytes=100_000_000)
        entry = house.edit({"type": "rewrite", "path": "f", "content": "1\n2\n3\n"})
        house.write("f", now)
        assert why in refused(house, entry, strategy="merge").message

    def test_without_the_earlier_content_there_is_nothing_to_merge(self, house):
        house.write("f", "one\ntwo\n")
        entry = house.edit({"type": "rewrite", "path": "f", "content": "1\ntwo\n"})
        house.write("f", "1\n2\n")
        forget(house)
        error = refused(house, entry, strategy="merge")
        assert (error.code, error.details) == (ErrorCode.NOT_FOUND, {"path": "f"})

    def test_many_and_long_regions_are_cut_and_that_is_told(self, house):
        def lines(word):
            return "".join(f"{word} {n}\n-\n-\n" for n in range(12))

        house.write("f", lines("a"))
        entry = house.edit({"type": "rewrite", "path": "f", "content": lines("b")})
        house.write("f", lines("c" * 2_000))
        (conflict,) = refused(house, entry, strategy="merge").details["conflicts"]
        assert (len(conflict["regions"]), conflict["regionsTotal"], conflict["regionsTruncated"]) == (10, 12, True)
        now = conflict["regions"][0]["now"]
        assert (len(now["text"]), now["truncated"], now["lines"]) == (1_000, True, 1)

    def test_a_merge_is_for_what_was_seen_like_every_plan(self, house):
        house.write("f", "one\ntwo\nthree\n")
        entry = house.edit({"type": "rewrite", "path": "f", "content": "1\ntwo\nthree\n"})
        house.write("f", "1\ntwo\n3\n")
        planned = house.tx.plan_rollback(entry.transaction_id, strategy="merge")
        house.write("f", "1\ntwo\ndrei\n")
        with pytest.raises(WorkroomError) as caught:
            house.commit(planned)
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert house.read("f") == b"1\ntwo\ndrei\n"


@pytest.mark.parametrize("body", [b"before\n", b"x" * 400_000])
def test_what_is_forgotten_can_not_be_brought_back(house, body):
    house.write("f", body)
    os.symlink("f", house.folder / "link")
    entry = house.edit({"type": "rewrite", "path": "f", "content": "after\n"}, {"type": "delete", "path": "link"})
    forget(house)
    error = refused(house, entry)
    assert error.code is ErrorCode.NOT_FOUND
    assert error.message.startswith("The earlier content of f is no longer kept: the history's quota")
    assert error.details == {"path": "f"}
    assert house.tx.entry(entry.number).forgotten


def forget(house) -> None:
    """Fill the history until everything before is forgotten."""
    house.settings = Settings(mode="auto", destructive_edits="allow", history_quota_bytes=1_000_000)
    for number in range(4):
        house.time += 100
        house.tx.settle()
        house.edit({"type": "create", "path": f"fill{number}", "content": str(number) * 450_000})
