"""Stale edits, merged: while they are planned, and after. Never silently, never over other work."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import pytest
from tests.conftest import AGENT

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings

OLD = "one\ntwo\nthree\nfour\nfive\n"
NEW = OLD.replace("five", "5")
NEW_PROGRAM = "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+x\n"
EXECUTABLE = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def fails(code: ErrorCode, do, *arguments, **named) -> WorkroomError:
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return caught.value


class TestPlanned:
    """An operation that names an older version."""

    @pytest.fixture
    def stale(self, house):
        """Plans against OLD, while NEW is on the disk."""
        house.write("f", OLD)
        house.edit({"type": "rewrite", "path": "f", "content": NEW})

        def plan(*operations, merge=True):
            return house.plan(*({"path": "f", **operation} for operation in operations), merge=merge)

        return plan

    @pytest.mark.parametrize(
        "operation",
        [
            {"type": "splice", "start_line": 1, "delete_count": 1, "content": "1\n", "expected_hash": sha(OLD)},
            {"type": "replace", "search": "one", "replacement": "1", "expected_sha256": sha(OLD)},
            {"type": "rewrite", "content": OLD.replace("one", "1"), "expected_sha256": sha(OLD)},
            {"type": "create", "content": OLD.replace("one", "1"), "overwrite": True, "expected_sha256": sha(OLD)},
        ],
        ids=lambda operation: operation["type"],
    )
    def test_it_is_made_there_and_merged_with_what_is_here(self, house, stale, operation):
        fails(ErrorCode.EDIT_CONFLICT, stale, operation, merge=False)
        planned = stale(operation)
        assert "f had changed since the edit was made: both changes are in it" in planned.warnings[-1]
        (change,) = planned.change_set.changes
        assert (change.before.sha256, change.merged, change.added, change.removed) == (sha(NEW), True, 1, 1)
        house.commit(planned)
        assert house.read("f").decode() == NEW.replace("one", "1")

    def test_a_patch_too(self, house, stale):
        patch = "--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@\n-one\n+1\n two\n three\n four\n five\n"
        planned = house.plan({"type": "patch", "patch": patch, "expected_sha256": sha(OLD)}, merge=True)
        house.commit(planned)
        assert house.read("f").decode() == NEW.replace("one", "1")

    def test_all_operations_on_the_file_see_the_older_version(self, house, stale):
        first = {"type": "splice", "start_line": 1, "delete_count": 1, "content": "1\n1.5\n", "expected_hash": sha(OLD)}
        second = {"type": "splice", "start_line": 3, "delete_count": 1, "content": "2\n", "expected_hash": sha(OLD)}
        house.commit(stale(first, second))
        assert house.read("f").decode() == "1\n1.5\n2\nthree\nfour\n5\n"

    def test_what_expects_another_version_than_the_operation_before_is_refused(self, stale):
        first = {"type": "replace", "search": "one", "replacement": "1", "expected_sha256": sha(OLD)}
        fails(ErrorCode.EDIT_CONFLICT, stale, first, {**first, "search": "two", "expected_sha256": "0" * 64})
        fresh = {"type": "replace", "search": "one", "replacement": "1"}
        fails(ErrorCode.EDIT_CONFLICT, stale, fresh, {**first, "search": "two"})

    def test_an_overlap_is_refused_and_shown(self, house, stale):
        error = fails(
            ErrorCode.EDIT_CONFLICT,
            stale,
            {"type": "replace", "search": "five", "replacement": "cinq", "expected_sha256": sha(OLD)},
        )
        (conflict,) = error.details["conflicts"]
        assert [conflict["regions"][0][side]["text"] for side in ("base", "now", "wanted")] == [
            "five\n", "5\n", "cinq\n",
        ]  # fmt: skip
        assert "+5\n" in conflict["patch"]
        assert house.read("f").decode() == NEW

    def test_what_is_there_already_is_said(self, stale):
        done = {"type": "replace", "search": "five", "replacement": "5", "expected_sha256": sha(OLD)}
        assert "change nothing" in fails(ErrorCode.INVALID_INPUT, stale, done).message

    @pytest.mark.parametrize("known", ["nowhere", "another path", "gone"])
    def test_a_version_that_this_path_never_had_here_is_refused(self, house, stale, known):
        other = OLD + "more\n"
        if known == "another path":
            house.write("g", other)
            house.edit({"type": "delete", "path": "g"})
        if known == "gone":
            (house.folder / "f").unlink()
            other = OLD
        operation = {"type": "rewrite", "content": "x\n", "expected_sha256": sha(other), "create_if_missing": True}
        fails(ErrorCode.EDIT_CONFLICT, stale, operation)

    def test_a_version_that_only_a_plan_has_will_do(self, house):
        house.write("f", OLD)
        house.tx.keep(house.plan({"type": "rewrite", "path": "f", "content": "x\n"}), AGENT)
        house.write("f", NEW)
        operation = {"type": "replace", "path": "f", "search": "one", "replacement": "1", "expected_sha256": sha(OLD)}
        house.commit(house.plan(operation, merge=True))
        assert house.read("f").decode() == NEW.replace("one", "1")

    @pytest.mark.parametrize("kind", ["delete", "move", "copy"])
    def test_what_takes_the_file_whole_is_not_merged(self, house, stale, kind):
        operation = {"type": kind, "expected_sha256": sha(OLD)}
        operation |= {"path": "f"} if kind == "delete" else {"from": "f", "to": "g"}
        fails(ErrorCode.EDIT_CONFLICT, house.plan, operation, merge=True)

    @pytest.mark.parametrize("last", [{"type": "delete", "path": "f"}, {"type": "move", "from": "f", "to": "g"}])
    def test_a_stale_file_that_goes_in_the_same_edit_is_an_overlap(self, house, stale, last):
        first = {"type": "replace", "path": "f", "search": "one", "replacement": "1", "expected_sha256": sha(OLD)}
        error = fails(ErrorCode.EDIT_CONFLICT, house.plan, first, last, merge=True)
        assert "it was changed, and would be deleted" in error.message

    @pytest.mark.parametrize("hunk", ["", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"])
    def test_a_mode_that_it_sets_is_set(self, house, stale, hunk):
        house.commit(house.plan({"type": "patch", "patch": EXECUTABLE + hunk, "expected_sha256": sha(OLD)}, merge=True))
        assert house.tree() == {"f": ((NEW.replace("one", "1") if hunk else NEW).encode(), 0o755)}

    def test_the_mode_that_the_file_has_now_stays(self, house, stale):
        (house.folder / "f").chmod(0o600)
        house.commit(stale({"type": "replace", "search": "one", "replacement": "1", "expected_sha256": sha(OLD)}))
        assert house.tree() == {"f": (NEW.replace("one", "1").encode(), 0o600)}

    def test_it_says_how_loosely_it_matched(self, stale):
        planned = stale({"type": "replace", "search": "one  \n", "replacement": "1\n", "expected_sha256": sha(OLD)})
        assert [(change.matched, change.merged) for change in planned.change_set.changes] == [("trailing_blanks", True)]

    def test_what_it_leaves_as_it_is_here_or_was_there_stays_and_that_is_said(self, house, stale):
        there = {"type": "replace", "path": "f", "search": "five", "replacement": "5", "expected_sha256": sha(OLD)}
        back = {"type": "replace", "path": "f", "search": "5", "replacement": "five"}
        other = {"type": "create", "path": "x", "content": "x\n"}
        for operations in ((there, other), (there, back, other)):
            planned = house.plan(*operations, merge=True)
            assert [change.path for change in planned.change_set.changes] == ["x"]
            assert planned.warnings == (
                "f had changed since the edit was made, and holds already what it would leave there.",
            )  # fmt: skip

    def test_a_copy_of_it_takes_its_attributes(self, house, stale):
        edit = {"type": "replace", "path": "f", "search": "one", "replacement": "1", "expected_sha256": sha(OLD)}
        planned = house.plan(edit, {"type": "copy", "from": "f", "to": "g"}, merge=True)
        assert [(change.path, change.like) for change in planned.change_set.changes] == [("f", None), ("g", "f")]

    def test_each_overlap_is_told(self, house, stale):
        house.write("g", OLD)
        house.edit({"type": "rewrite", "path": "g", "content": NEW})
        edit = {"type": "replace", "search": "five", "replacement": "cinq", "expected_sha256": sha(OLD)}
        error = fails(ErrorCode.EDIT_CONFLICT, house.plan, {**edit, "path": "f"}, {**edit, "path": "g"}, merge=True)
        assert [each["path"] for each in error.details["conflicts"]] == ["f", "g"]


class TestCommitted:
    """A plan whose files have changed since."""

    def test_both_changes_are_in_the_new_plan(self, house):
        house.write("f", OLD, 0o755)
        house.write("g", "g\n")
        old = house.tx.keep(
            house.plan(
                {"type": "replace", "path": "f", "search": "one", "replacement": "1"},
                {"type": "create", "path": "new/h", "content": "h\n"},
                {"type": "rewrite", "path": "g", "content": "G\n"},
                {"type": "mkdir", "path": "made"},
                title="Count",
            ),
            AGENT,
        )
        house.write("f", NEW)
        fails(ErrorCode.EDIT_CONFLICT, house.commit, old)
        merged = house.tx.plan_merge(old)
        assert (merged.supersedes, merged.title, merged.operations) == (old.id, "Count", old.operations)
        assert merged.fingerprint != old.fingerprint
        assert [change.path for change in merged.change_set.changes if change.merged] == ["f"]
        assert merged.dangers == old.dangers
        house.commit(merged)
        assert house.tree() == {
            "f": (NEW.replace("one", "1").encode(), 0o755), "g": (b"G\n", 0o644), "made": None, "new": None,
            "new/h": (b"h\n", 0o644),
        }  # fmt: skip
        superseded = house.tx.get(old.id)
        assert (superseded.status, superseded.note) == ("superseded", f"{merged.id} was committed in its place.")
        assert house.tx.get(merged.id).planned.supersedes == old.id
        fails(ErrorCode.TRANSACTION_STATE, house.commit, old)
        house.undo(merged.id)
        assert house.read("f").decode() == NEW

    def test_a_merged_plan_is_itself_for_what_was_seen(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "replace", "path": "f", "search": "one", "replacement": "1"})
        house.write("f", NEW)
        merged = house.tx.plan_merge(planned)
        house.write("f", NEW + "more\n")
        fails(ErrorCode.EDIT_CONFLICT, house.commit, merged)
        house.commit(house.tx.plan_merge(merged))
        assert house.read("f").decode() == NEW.replace("one", "1") + "more\n"

    def test_an_overlap_is_refused_and_shown(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "replace", "path": "f", "search": "five", "replacement": "cinq"})
        house.write("f", NEW)
        error = fails(ErrorCode.EDIT_CONFLICT, house.tx.plan_merge, planned)
        assert error.details["conflicts"][0]["regions"][0]["wanted"]["text"] == "cinq\n"

    @pytest.mark.parametrize(
        ("operation", "meanwhile", "why"),
        [
            ({"type": "create", "path": "new", "content": "x\n"}, ("new", "y\n"), "a file stands there now"),
            ({"type": "delete", "path": "f"}, ("f", "y\n"), "it was changed, and would be deleted"),
            ({"type": "rewrite", "path": "f", "content": "x\n"}, ("f", None), "it is gone"),
            ({"type": "move", "from": "f", "to": "g"}, ("g", "y\n"), "a file stands there now"),
            ({"type": "move", "from": "f", "to": "g"}, ("f", None), "what would move is gone"),
            (
                {"type": "delete", "path": "d", "recursive": True},
                ("d/more", "y\n"),
                "something that the plan didn't see",
            ),
        ],
    )
    def test_what_is_no_change_of_the_same_text_is_an_overlap(self, house, operation, meanwhile, why):
        house.write("f", OLD)
        house.write("d/in", "in\n")
        planned = house.plan(operation)
        path, content = meanwhile
        (house.folder / path).unlink() if content is None else house.write(path, content)
        before = house.tree()
        assert why in fails(ErrorCode.EDIT_CONFLICT, house.tx.plan_merge, planned).message
        assert house.tree() == before

    def test_a_file_that_moves_takes_along_what_was_changed_in_it(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "move", "from": "f", "to": "d/g"})
        house.write("f", NEW)
        merged = house.tx.plan_merge(planned)
        assert merged.warnings == ("f had changed meanwhile, and goes to d/g with that.",)
        inode = (house.folder / "f").stat().st_ino
        house.commit(merged)
        assert house.tree() == {"d": None, "d/g": (NEW.encode(), 0o644)}
        assert (house.folder / "d/g").stat().st_ino == inode

    def test_a_file_whose_new_place_is_taken_keeps_what_was_changed_in_it(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "move", "from": "f", "to": "g"})
        house.write("g", OLD)
        house.write("f", NEW)
        error = fails(ErrorCode.EDIT_CONFLICT, house.tx.plan_merge, planned)
        assert "f: it was changed, and would be deleted" in error.message

    def test_a_move_that_somebody_made_already_is_said(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "move", "from": "f", "to": "g"}, {"type": "create", "path": "x", "content": "x"})
        (house.folder / "f").rename(house.folder / "g")
        merged = house.tx.plan_merge(planned)
        assert [change.path for change in merged.change_set.changes] == ["x"]
        assert [warning.partition(" ")[0] for warning in merged.warnings] == ["g", "f"]

    def test_a_file_whose_mode_was_set_meanwhile_is_deleted_and_that_is_said(self, house):
        house.write("f", OLD, 0o644)
        planned = house.plan({"type": "delete", "path": "f"})
        (house.folder / "f").chmod(0o755)
        merged = house.tx.plan_merge(planned)
        assert merged.warnings == (
            "The mode of f had changed since the edit was made; it is deleted all the same.",
        )  # fmt: skip
        house.commit(merged)
        assert house.tree() == {}

    def test_what_is_done_already_is_left_out_and_said(self, house):
        house.write("f", OLD)
        house.write("g", "g\n")
        os.symlink("a", house.folder / "l")
        planned = house.plan(
            {"type": "rewrite", "path": "f", "content": NEW},
            {"type": "delete", "path": "g"},
            {"type": "mkdir", "path": "d"},
            {"type": "move", "from": "l", "to": "m"},
            {"type": "create", "path": "x", "content": "x\n"},
        )
        house.write("f", NEW)
        (house.folder / "g").unlink()
        (house.folder / "d").mkdir()
        merged = house.tx.plan_merge(planned)
        assert [change.path for change in merged.change_set.changes] == ["l", "m", "x"]
        assert [warning.partition(" ")[0] for warning in merged.warnings] == ["d", "f", "g"]
        house.commit(merged)
        assert (
            "would change nothing any more"
            in fails(ErrorCode.INVALID_INPUT, house.tx.plan_merge, _only(planned, "f")).message
        )

    def test_a_mode_that_was_set_meanwhile_stays(self, house):
        house.write("f", OLD, 0o644)
        house.write("g", OLD, 0o644)
        planned = house.plan(
            {"type": "rewrite", "path": "f", "content": NEW}, {"type": "rewrite", "path": "g", "content": NEW}
        )
        (house.folder / "f").chmod(0o755)
        house.write("g", NEW, 0o600)
        merged = house.tx.plan_merge(planned)
        assert merged.warnings[0] == "The mode of f had changed since the edit was made; it stays."
        house.commit(merged)
        assert house.tree() == {"f": (NEW.encode(), 0o755), "g": (NEW.encode(), 0o600)}

    def test_a_mode_is_set_on_what_has_the_text_already(self, house):
        house.write("f", OLD, 0o644)
        planned = house.plan({"type": "rewrite", "path": "f", "content": NEW}, {"type": "patch", "patch": EXECUTABLE})
        house.write("f", NEW)
        house.commit(house.tx.plan_merge(planned))
        assert house.tree() == {"f": (NEW.encode(), 0o755)}

    def test_a_mode_is_set_on_what_is_merged(self, house):
        house.write("f", OLD, 0o644)
        edit = {"type": "replace", "path": "f", "search": "one", "replacement": "1"}
        planned = house.plan(edit, {"type": "patch", "patch": EXECUTABLE})
        house.write("f", NEW)
        house.commit(house.tx.plan_merge(planned))
        assert house.tree() == {"f": (NEW.replace("one", "1").encode(), 0o755)}

    @pytest.mark.parametrize(
        "operation",
        [{"type": "create", "path": "d/new", "content": "x\n"}, {"type": "move", "from": "f", "to": "d/new"}],
        ids=lambda operation: operation["type"],
    )
    def test_a_folder_that_went_meanwhile_is_made_again_and_nothing_is_made_below_a_file(self, house, operation):
        house.write("f", OLD)
        (house.folder / "d").mkdir()
        planned = house.plan(operation)
        (house.folder / "d").rmdir()
        merged = house.tx.plan_merge(planned)
        assert [change.path for change in merged.change_set.changes][:2] == ["d", "d/new"]
        house.write("d", "y\n")
        error = fails(ErrorCode.EDIT_CONFLICT, house.tx.plan_merge, planned)
        assert error.message == "d is a file, so d/new can't be made below it."

    def test_links_and_folders_of_the_plan_are_made_as_planned(self, house):
        os.symlink("f", house.folder / "l")
        house.write("f", OLD)
        planned = house.plan(
            {"type": "copy", "from": "f", "to": "deep/er/copy"},
            {"type": "move", "from": "l", "to": "deep/l"},
            {"type": "replace", "path": "f", "search": "one", "replacement": "1"},
        )
        house.write("f", NEW)
        house.commit(house.tx.plan_merge(planned))
        assert house.tree()["deep/l"] == ("link", "f")
        assert house.read("deep/er/copy").decode() == OLD
        assert house.read("f").decode() == NEW.replace("one", "1")

    def test_a_link_that_is_made_of_a_file(self, house):
        os.symlink("f", house.folder / "l")
        entry = house.edit({"type": "delete", "path": "l"}, {"type": "create", "path": "l", "content": "x\n"})
        planned = house.tx.plan_rollback(entry.transaction_id)
        merged = house.tx.plan_merge(planned)
        house.commit(merged)
        assert house.tree() == {"l": ("link", "f")}

    def test_what_is_protected_by_now_is_refused(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "replace", "path": "f", "search": "one", "replacement": "1"})
        house.write("f", NEW)
        house.settings = Settings(mode="auto", protected_patterns=("f",))
        fails(ErrorCode.PROTECTED_PATH, house.tx.plan_merge, planned)

    def test_what_asks_by_now_is_asked_about(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "replace", "path": "f", "search": "one", "replacement": "1"})
        house.write("f", NEW)
        house.settings = Settings(mode="auto", ask_patterns=("f",))
        assert house.tx.plan_merge(planned).asks == ("f can run code",)

    def test_what_nobody_touched_is_done_as_it_was_planned(self, house):
        for path in ("f", "copied", "edited", "moved", "gone", "d/in/f"):
            house.write(path, OLD, 0o640)
        (house.folder / "d").chmod(0o700)
        os.symlink("f", house.folder / "link")
        house.settings = Settings(mode="auto", ask_patterns=("edited", "/f"))
        planned = house.plan(
            {"type": "replace", "path": "f", "search": "one  \n", "replacement": "1\n"},
            {"type": "copy", "from": "copied", "to": "e/copy"},
            {"type": "copy", "from": "d", "to": "c"},
            {"type": "delete", "path": "d", "recursive": True},
            {"type": "replace", "path": "edited", "search": "one  \n", "replacement": "1\n"},
            {"type": "move", "from": "moved", "to": "there"},
            {"type": "move", "from": "link", "to": "e/link"},
            {"type": "delete", "path": "gone"},
            {
                "type": "patch",
                "patch": "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+x\n",
            },
            {"type": "create", "path": "Makefile", "content": "all:\n"},
        )
        house.write("f", NEW)
        house.settings = Settings(mode="auto", ask_patterns=("/f", "run"))
        merged = house.tx.plan_merge(planned)

        def others(plan):
            return [change for change in plan.change_set.changes if change.path != "f"]

        assert others(merged) == others(planned)
        (changed,) = set(merged.change_set.changes) - set(others(merged))
        assert (changed.matched, changed.merged, changed.after.mode) == ("trailing_blanks", True, 0o640)
        assert merged.id != planned.id
        assert merged.fingerprint == merged.change_set.fingerprint("edit.commit")
        assert merged.asks == ("edited can run code", "f can run code", "run can run code")
        assert merged.warnings[:-1] == planned.warnings == ("Makefile can run code when its tool is used.",)
        assert (merged.directories, merged.dangers) == (planned.directories, planned.dangers)
        house.commit(merged)
        tree = house.tree()
        assert tree["c/in/f"] == tree["e/copy"] == tree["there"] == (OLD.encode(), 0o640)
        assert (tree["run"], tree["e/link"]) == ((b"x\n", 0o755), ("link", "f"))
        assert {"d", "gone", "moved", "link"}.isdisjoint(tree)
        assert (house.folder / "c").stat().st_mode & 0o777 == 0o700

    def test_of_files_that_move_only_those_that_were_changed_are_called_merged(self, house):
        house.write("f", OLD)
        house.write("g", OLD)
        planned = house.plan({"type": "move", "from": "f", "to": "x"}, {"type": "move", "from": "g", "to": "y"})
        house.write("f", NEW)
        changes = house.tx.plan_merge(planned).change_set.changes
        assert [(change.path, change.origin, change.merged) for change in changes if change.origin] == [
            ("x", "f", True), ("y", "g", False),
        ]  # fmt: skip

    def test_what_became_something_else_before_it_moves_is_an_overlap(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "move", "from": "f", "to": "g"})
        (house.folder / "f").unlink()
        os.symlink("x", house.folder / "f")
        error = fails(ErrorCode.EDIT_CONFLICT, house.tx.plan_merge, planned)
        assert "f: it was changed, and would be deleted" in error.message

    def test_ten_overlaps_are_shown_and_all_are_counted(self, house):
        names = [f"f{number:02}" for number in range(11)]
        for name in names:
            house.write(name, "1\n")
        planned = house.plan(*({"type": "rewrite", "path": name, "content": "one\n"} for name in names))
        for name in names:
            house.write(name, "uno\n")
        error = fails(ErrorCode.EDIT_CONFLICT, house.tx.plan_merge, planned)
        assert ([each["path"] for each in error.details["conflicts"]], error.details["total"]) == (names[:10], 11)
        assert "; ".join(f"{name}: both changed the same lines" for name in names[:10]) in error.message
        assert "against what is there" in error.next_step

    def test_a_content_that_is_no_longer_kept(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "replace", "path": "f", "search": "one", "replacement": "1"})
        forgotten = _without_contents(planned)
        house.write("f", NEW)
        error = fails(ErrorCode.NOT_FOUND, house.tx.plan_merge, forgotten)
        assert error.next_step == "Make the edit anew."


def _only(planned, path):
    change_set = replace(
        planned.change_set, changes=tuple(change for change in planned.change_set.changes if change.path == path)
    )
    return replace(planned, change_set=change_set)


def _without_contents(planned):
    return replace(planned, contents={})
