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
        patch = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
        planned = house.plan({"type": "rewrite", "path": "f", "content": NEW}, {"type": "patch", "patch": patch})
        house.write("f", NEW)
        house.commit(house.tx.plan_merge(planned))
        assert house.tree() == {"f": (NEW.encode(), 0o755)}

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

    def test_a_content_that_is_no_longer_kept(self, house):
        house.write("f", OLD)
        planned = house.plan({"type": "replace", "path": "f", "search": "one", "replacement": "1"})
        forgotten = _without_contents(planned)
        house.write("f", NEW)
        fails(ErrorCode.NOT_FOUND, house.tx.plan_merge, forgotten)


def _only(planned, path):
    change_set = replace(
        planned.change_set, changes=tuple(change for change in planned.change_set.changes if change.path == path)
    )
    return replace(planned, change_set=change_set)


def _without_contents(planned):
    return replace(planned, contents={})
