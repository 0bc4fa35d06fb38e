"""Going back to how the folder stood, through any history, over other work, and back again."""

from __future__ import annotations

import hashlib
import json
import os
import random

import pytest
from tests.conftest import AGENT

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, UNKNOWN, Danger, Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions import Observation, Observed, Only
from workroom.core.transactions.kept import record_copies
from workroom.core.transactions.model import Directory

OTHER = Actor("agent", "other")
ANN = Actor("person", "ann")


@pytest.fixture
def rewind(house):
    """Plans and commits as the person."""

    def run(to, **options):
        number = to if isinstance(to, int) else to.number
        planned = house.tx.plan_rewind(number, **options)
        return house.tx.commit(planned, Permit(planned.fingerprint, "person"), ANN)

    return run


@pytest.fixture
def refused(house):
    """The refusal, and the proof that nothing was changed by it."""

    def run(code, to, **options):
        before = house.tree()
        with pytest.raises(WorkroomError) as caught:
            house.tx.plan_rewind(to if isinstance(to, int) else to.number, **options)
        assert caught.value.code is code
        assert house.tree() == before
        return caught.value

    return run


def by(house, actor, *operations):
    planned = house.plan(*operations)
    return house.tx.commit(planned, Permit(planned.fingerprint, "test"), actor)


def rewrite(path, content):
    return {"type": "rewrite", "path": path, "content": content, "create_if_missing": True}


class TestWhole:
    def test_all_after_an_entry_is_taken_back_at_once_and_that_can_be_undone(self, house, rewind):
        house.write("a", "0\n", 0o755)
        first = house.edit(rewrite("a", "1\n"))
        then = house.tree()
        second = house.edit(rewrite("a", "2\n"), rewrite("deep/er/b", "b\n"))
        third = house.edit({"type": "move", "from": "a", "to": "c"}, {"type": "mkdir", "path": "made"})
        later = house.tree()
        entry = rewind(first)
        assert house.tree() == then
        assert (entry.cause, entry.title, entry.actor) == ("rewind", f"Rewind to after entry {first.number}", ANN)
        assert [house.tx.entry(each.number).undone_by for each in (first, second, third)] == [
            None, entry.number, entry.number,
        ]  # fmt: skip
        assert house.tx.get(second.transaction_id).status == "rolled_back"
        house.undo(entry.transaction_id)
        assert house.tree() == later
        assert house.tx.get(second.transaction_id).status == "applied"
        house.undo(third.transaction_id)

    def test_it_says_what_it_is_and_is_bound_to_how_it_is_done(self, house):
        house.write(".mcp.json", "{}\n")
        house.write("d/f", "x\n")
        first = house.edit(
            rewrite("a", "1\n"), {"type": "delete", "path": ".mcp.json"},
            {"type": "delete", "path": "d", "recursive": True},
        )  # fmt: skip
        second = house.edit(rewrite("a", "2\n"))
        plan = house.tx.plan_rewind(0)
        operation = {"type": "rewind", "to": 0, "only": [], "force": False, "strategy": "refuse"}
        assert (plan.cause, plan.title) == ("rewind", "Rewind to before the first entry")
        assert (plan.operations, plan.takes_back) == ((operation,), (second.number, first.number))
        assert (plan.dangers, plan.warnings) == ((), ())
        assert plan.directories == (Directory("d", existed_before=False),)
        assert (plan.asks, plan.undoes) == ((".mcp.json can run code",), None)
        plan = house.tx.plan_rewind(1, force=True, strategy="merge", only=Only(("b", "a"), (("agent", ""),)))
        operation = {"type": "rewind", "to": 1, "only": ["b", "a", "agent:"], "force": True, "strategy": "merge"}
        title = "Rewind of b, a, agent: to after entry 1"
        assert (plan.title, plan.operations) == (title, (operation,))
        assert plan.dangers == (Danger("forced rewind", title, "rewind without force"),)
        bound = (json.dumps(operation, sort_keys=True), json.dumps([second.number]))
        assert plan.fingerprint == plan.change_set.fingerprint("rewind", *bound)

    def test_before_the_first_entry(self, house, rewind):
        house.write("mine", "mine\n")
        house.edit(rewrite("a", "1\n"))
        rewind(0)
        assert house.tree() == {"mine": (b"mine\n", 0o644)}

    @pytest.mark.parametrize("seed", range(12))
    def test_any_history_leads_back_to_each_of_its_states_and_forth_again(self, house, rewind, seed):
        rng = random.Random(seed)
        house.write("a", "a\n")
        os.symlink("a", house.folder / "l")
        states = {0: house.tree()}
        for _ in range(10):
            entry = _some_entry(house, rng)
            if entry is not None:
                states[entry.number] = house.tree()
        for number in rng.sample(sorted(states), 4):
            if states[number] == house.tree():
                continue
            before = house.tree()
            entry = rewind(number)
            assert _without_empty(house.tree()) == _without_empty(states[number]), number
            house.undo(entry.transaction_id)
            assert _without_empty(house.tree()) == _without_empty(before), number
            house.undo(house.tx.history(1)[0].transaction_id)  # the rewind is in force again
            assert _without_empty(house.tree()) == _without_empty(states[number]), number
            states |= {each.number: house.tree() for each in house.tx.history(1)}

    def test_undos_on_the_way_cancel_out(self, house, rewind):
        house.write("a", "0\n")
        first = house.edit(rewrite("a", "1\n"))
        back = house.undo(first.transaction_id)
        forth = house.undo(back.transaction_id)
        house.undo(forth.transaction_id)
        rewind(first)
        assert house.read("a") == b"1\n"
        assert house.tx.entry(first.number).undone_by is None

    def test_a_file_that_moved_twice_comes_back_as_the_file_it_is(self, house, rewind):
        house.write("a", "x\n")
        inode = (house.folder / "a").stat().st_ino
        house.edit({"type": "move", "from": "a", "to": "b"})
        house.edit({"type": "move", "from": "b", "to": "d/c"})
        rewind(0)
        assert house.tree() == {"a": (b"x\n", 0o644)}
        assert (house.folder / "a").stat().st_ino == inode

    def test_a_file_that_moved_and_was_edited_comes_back_as_it_was(self, house, rewind):
        house.write("a", "x\n")
        house.edit({"type": "move", "from": "a", "to": "b"})
        house.edit(rewrite("b", "y\n"))
        house.edit(rewrite("a", "another\n"))
        rewind(0)
        assert house.tree() == {"a": (b"x\n", 0o644)}

    def test_where_all_stands_so_already_there_is_nothing_to_do(self, house, rewind, refused):
        entry = house.edit(rewrite("a", "1\n"))
        assert refused(ErrorCode.NOT_FOUND, entry).details == {"nothing": True}
        back = house.undo(entry.transaction_id)
        error = refused(ErrorCode.NOT_FOUND, 0)
        what = "nothing to do, all that the history knows of stands so already."
        assert error.message == f"Rewind to before the first entry: {what}"
        error = refused(ErrorCode.NOT_FOUND, entry, only=Only(("b",)))
        assert error.message == f"Rewind of b to after entry {entry.number}: {what}"
        refused(ErrorCode.NOT_FOUND, back.number + 5)

    @pytest.mark.parametrize("cause", ["late_write", "recovery"])
    def test_what_was_kept_for_others_stays_whatever_it_was_kept_after(self, house, rewind, cause):
        entry = house.edit(rewrite("a", "1\n"))
        house.write("copy", "theirs\n")
        root, store = house.workspace.root, house.workspace.store
        with store.write() as db:
            kept = record_copies(root, store, db, cause, "kept", ["copy"], 0.0)
        rewind(0)
        assert house.tree() == {"copy": (b"theirs\n", 0o644)}
        assert house.tx.entry(kept).undone_by is None
        assert house.tx.entry(entry.number).undone_by is not None

    def test_a_kept_copy_stays_where_it_is(self, house, rewind):
        house.write("a", "0\n")
        descriptor = os.open(house.folder / "a", os.O_RDONLY)
        house.edit(rewrite("a", "1\n"))
        house.time += 100
        with open(f"/proc/self/fd/{descriptor}", "ab") as late:
            late.write(b"late\n")
        os.close(descriptor)
        house.tx.settle()
        (copy,) = (path for path in house.tree() if "workroom-kept" in path)
        rewind(0)
        assert house.tree() == {"a": (b"0\n", 0o644), copy: (b"0\nlate\n", 0o644)}


class TestInTheWay:
    def test_what_is_in_no_entry_stops_it_and_is_shown(self, house, refused):
        house.write("a", "1\n2\n3\n4\n")
        first = house.edit(rewrite("a", "one\n2\n3\n4\n"))
        house.edit(rewrite("b", "b\n"))
        house.write("a", "one\n2\n3\nfour\n")
        house.write("b", "B\n")
        error = refused(ErrorCode.EDIT_CONFLICT, 0)
        assert error.details["total"] == 2
        rows = {row["path"]: row for row in error.details["conflicts"]}
        assert rows["a"]["entry"] == first.number
        assert "+four\n" in rows["a"]["patch"]

    def test_the_refusal_names_ten_paths_and_their_entries(self, house, refused):
        names = [f"f{number:02}" for number in range(11)]
        first = house.edit(*(rewrite(name, "x\n") for name in names))
        for name in names:
            house.write(name, "y\n")
        error = refused(ErrorCode.EDIT_CONFLICT, 0)
        told = "; ".join(f"{name}: something else stands there since entry {first.number}" for name in names[:10])
        assert error.message == f"The rewind is stopped by what isn't taken back ({told}). Nothing was changed."
        assert error.next_step == (
            "Leave these paths out, keep both with a merge, or force it, which keeps what it overwrites in its entry."
        )
        assert [row["path"] for row in error.details["conflicts"]] == names[:10]
        assert error.details["total"] == 11
        x, y = (hashlib.sha256(data).hexdigest() for data in (b"x\n", b"y\n"))
        row = error.details["conflicts"][0]
        assert (row["expectedSha256"], row["actualSha256"], row["entry"]) == (x, y, first.number)
        assert "-x\n+y\n" in row["patch"]
        assert "why" not in row
        error = refused(ErrorCode.EDIT_CONFLICT, 0, strategy="merge", only=Only(("f00",)))
        assert "(f00: it was changed, and would be deleted since entry 1)" in error.message
        assert error.next_step == "Leave these paths out, or force it, which keeps what it overwrites in its entry."
        assert error.details["conflicts"][0]["why"] == "it was changed, and would be deleted"

    def test_what_is_said_of_two_entries_alike_is_said_once(self, house, rewind):
        for _ in range(2):
            house.edit({"type": "mkdir", "path": "d"})
            house.edit({"type": "delete", "path": "d", "recursive": True})
        house.edit({"type": "mkdir", "path": "d"}, {"type": "mkdir", "path": "e"})
        house.write("d/mine", "mine\n")
        house.write("e/mine", "mine\n")
        house.edit(rewrite("a", "1\n"))
        entry = rewind(0)
        assert entry.warnings == tuple(f"{name} holds other things by now; it was left as it is." for name in "de")

    def test_merged_it_keeps_what_is_in_no_entry(self, house, rewind):
        house.write("a", "1\n2\n3\n4\n")
        house.edit(rewrite("a", "one\n2\n3\n4\n"))
        house.write("a", "one\n2\n3\nfour\n")
        house.edit(rewrite("a", "uno\n2\n3\nfour\n"))
        house.write("a", "uno\n2\n3\nquattro\n")
        entry = rewind(0, strategy="merge")
        assert house.read("a") == b"1\n2\n3\nquattro\n"
        assert "that stays" in entry.warnings[0]
        assert entry.changes[0].merged

    def test_what_overlaps_is_refused_with_its_region_and_forced_it_is_kept(self, house, rewind, refused):
        house.write("a", "1\n")
        house.edit(rewrite("a", "one\n"))
        house.write("a", "eins\n")
        error = refused(ErrorCode.EDIT_CONFLICT, 0, strategy="merge")
        assert error.details["conflicts"][0]["regions"][0]["now"]["text"] == "eins\n"
        assert "merge" not in error.next_step
        forced = rewind(0, force=True)
        assert house.read("a") == b"1\n"
        assert house.tx.image(forced.changes[0].before.sha256) == b"eins\n"
        house.undo(forced.transaction_id)
        assert house.read("a") == b"eins\n"

    def test_a_path_is_told_once_for_its_newest_entry(self, house, refused):
        house.write("a", "1\n")
        house.edit(rewrite("a", "2\n"))
        newest = house.edit(rewrite("a", "3\n"))
        house.write("a", "4\n")
        (row,) = refused(ErrorCode.EDIT_CONFLICT, 0).details["conflicts"]
        assert row["entry"] == newest.number

    def test_what_stands_there_already_as_it_was_is_not_in_the_way(self, house, rewind):
        house.write("a", "1\n")
        house.write("b", "1\n")
        house.edit(rewrite("a", "2\n"), rewrite("b", "2\n"), {"type": "mkdir", "path": "d"})
        house.write("a", "1\n")
        (house.folder / "d").rmdir()
        entry = rewind(0)
        assert house.tree() == {"a": (b"1\n", 0o644), "b": (b"1\n", 0o644)}
        assert entry.warnings == ()

    def test_what_stands_there_as_it_was_may_have_another_mode_by_now(self, house, rewind):
        house.write("a", "1\n", 0o644)
        house.edit(rewrite("a", "2\n"), rewrite("b", "2\n"))
        house.write("a", "1\n", 0o600)
        rewind(0)
        assert house.tree() == {"a": (b"1\n", 0o600)}

    def test_a_file_in_place_of_a_folder_is_told_with_all_else_that_is_in_the_way(self, house, refused):
        for name in ("d/f", "g", "h"):
            house.write(name, "0\n")
        first = house.edit(rewrite("h", "1\n"))
        second = house.edit(rewrite("d/f", "1\n"), rewrite("g", "1\n"))
        (house.folder / "d/f").unlink()
        (house.folder / "d").rmdir()
        house.write("d", "a file by now\n")
        house.write("h", "2\n")
        error = refused(ErrorCode.EDIT_CONFLICT, 0)
        rows = [(row["path"], row["entry"]) for row in error.details["conflicts"]]
        assert rows == [("d/f", second.number), ("h", first.number)]

    def test_a_mode_that_was_set_since(self, house, rewind, refused):
        house.write("a", "1\n", 0o644)
        house.edit({"type": "patch", "patch": "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"})
        house.edit(rewrite("b", "b\n"))
        (house.folder / "a").chmod(0o700)
        refused(ErrorCode.EDIT_CONFLICT, 0)
        (house.folder / "a").chmod(0o644)
        rewind(0)
        assert house.tree() == {"a": (b"1\n", 0o644)}

    def test_the_mode_of_what_was_made_anew_as_it_was_stays(self, house, rewind):
        house.write("a", "1\n", 0o644)
        house.edit({"type": "delete", "path": "a"}, rewrite("b", "b\n"))
        house.write("a", "1\n", 0o600)
        rewind(0)
        assert house.tree() == {"a": (b"1\n", 0o600)}

    def test_a_move_that_is_in_the_way_keeps_both_its_paths_in_the_way(self, house, refused):
        house.write("a", "1\n")
        first = house.edit(rewrite("a", "2\n"))
        second = house.edit({"type": "move", "from": "a", "to": "b"}, rewrite("c", "c\n"))
        house.write("b", "3\n")
        error = refused(ErrorCode.EDIT_CONFLICT, 0)
        rows = [(row["path"], row["entry"]) for row in error.details["conflicts"]]
        assert (rows, error.details["total"]) == ([("b", second.number), ("a", first.number)], 2)

    def test_a_folder_that_holds_others_work_stays_with_it(self, house, rewind):
        house.edit(rewrite("d/a", "a\n"))
        house.write("d/mine", "mine\n")
        entry = rewind(0)
        assert house.tree() == {"d": None, "d/mine": (b"mine\n", 0o644)}
        assert entry.warnings == ("d holds other things by now; it was left as it is.",)

    def test_what_moved_and_is_gone_is_forgotten_or_found_in_an_image(self, house, rewind, refused):
        house.write("a", "x\n")
        house.write("b", "y\n")
        house.edit({"type": "move", "from": "a", "to": "c"}, {"type": "move", "from": "b", "to": "d"})
        house.edit({"type": "delete", "path": "c"})
        (house.folder / "d").unlink()
        error = refused(ErrorCode.NOT_FOUND, 0)
        assert error.details["paths"] == ["b"]
        entry = rewind(0, force=True)
        assert house.tree() == {"a": (b"x\n", 0o644)}
        assert "b stays as it is" in entry.warnings[-1]

    def test_what_moved_and_has_a_folder_in_its_place_is_not_to_be_had(self, house, rewind, refused):
        house.write("a", "x\n")
        house.edit({"type": "move", "from": "a", "to": "b"})
        (house.folder / "b").unlink()
        (house.folder / "b").mkdir()
        refused(ErrorCode.EDIT_CONFLICT, 0)
        entry = rewind(0, force=True)
        assert house.tree() == {}
        assert "a stays as it is: its earlier content is no longer kept." in entry.warnings

    def test_a_move_whose_target_was_changed(self, house, rewind, refused):
        house.write("a", "x\n")
        house.edit({"type": "move", "from": "a", "to": "b"})
        house.write("b", "y\n")
        refused(ErrorCode.EDIT_CONFLICT, 0)
        rewind(0, strategy="merge")
        assert house.tree() == {"a": (b"y\n", 0o644)}

    def test_what_is_protected_by_now_is_refused(self, house, refused):
        house.edit(rewrite("a", "1\n"))
        house.settings = Settings(mode="auto", protected_patterns=("a",))
        refused(ErrorCode.PROTECTED_PATH, 0)

    def test_it_is_for_what_was_seen_like_every_plan(self, house):
        house.write("a", "1\n")
        house.edit(rewrite("a", "2\n"))
        planned = house.tx.plan_rewind(0)
        house.write("a", "3\n")
        with pytest.raises(WorkroomError) as caught:
            house.commit(planned)
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert house.read("a") == b"3\n"


class TestForgotten:
    def test_what_is_no_longer_kept_is_told_before_anything_is_done(self, house, rewind, refused):
        house.write("a", "x" * 400_000)
        house.write("b", "b\n")
        house.edit({"type": "delete", "path": "a"})
        house.settings = Settings(mode="auto", destructive_edits="allow", history_quota_bytes=1_000_000)
        for number in range(4):
            house.time += 100
            house.tx.settle()
            house.edit(rewrite(f"fill{number}", str(number) * 450_000))
        error = refused(ErrorCode.NOT_FOUND, 0)
        assert error.details == {"paths": ["a"], "total": 1}
        assert "history_quota_bytes" in error.message
        rewind(0, only=Only(("fill3",)))
        house.settings = Settings(mode="auto", destructive_edits="allow")
        entry = rewind(0, force=True)
        assert house.tree() == {"b": (b"b\n", 0o644)}
        assert entry.warnings == ("a stays as it is: its earlier content is no longer kept.",)

    def test_many_are_told_up_to_a_hundred(self, house, rewind, refused):
        names = [f"f{number:03}" for number in range(102)]
        for name in names:
            house.write(name, f"{name}\n")
        house.edit(*({"type": "delete", "path": name} for name in names))
        forget(house, *(f"{name}\n".encode() for name in names))
        error = refused(ErrorCode.NOT_FOUND, 0)
        assert error.message == (
            "Earlier contents are no longer kept (history_quota_bytes), or were changed by another program before "
            f"anybody had seen them: {', '.join(names[:10])} and 92 more. Nothing was changed."
        )
        assert error.next_step == (
            "Rewind less far, leave these paths out, or force it, which leaves them as they are."
        )
        assert error.details == {"paths": names[:100], "total": 102}
        error = refused(ErrorCode.NOT_FOUND, 0, only=Only(tuple(names[:10])))
        assert f": {', '.join(names[:10])}. Nothing" in error.message

    def test_what_is_needed_only_in_between_need_not_be_kept(self, house, rewind):
        house.settings = Settings(mode="auto", destructive_edits="allow", history_quota_bytes=1_000_000)
        house.write("a", "small\n")
        for number in range(5):
            house.time += 100
            house.tx.settle()
            house.edit(rewrite("a", str(number) * 400_000))
        assert house.tx.entry(1).forgotten
        rewind(4)
        assert house.read("a") == b"3" * 400_000


class TestUnknown:
    """Another program changed it before anybody had seen what it was."""

    def test_it_stops_a_rewind_or_is_left_when_that_is_forced(self, house, rewind, refused):
        start = house.edit(rewrite("a", "1\n"))
        house.write("f", "new\n")
        house.write("g", "g\n")
        observed(house, {"f": UNKNOWN, "g": ABSENT})
        error = refused(ErrorCode.NOT_FOUND, start)
        assert error.details == {"paths": ["f"], "total": 1}
        entry = rewind(start, force=True)
        assert house.tree() == {"a": (b"1\n", 0o644), "f": (b"new\n", 0o644)}
        assert entry.warnings == ("f stays as it is: its earlier content is no longer kept.",)

    def test_an_older_entry_that_knew_is_enough(self, house, rewind):
        house.write("f", "one\n")
        house.edit(rewrite("f", "two\n"))
        house.write("f", "three\n")
        observed(house, {"f": UNKNOWN})
        rewind(0)
        assert house.tree() == {"f": (b"one\n", 0o644)}

    def test_what_git_did_to_its_own_files_alone_is_taken_back_by_nothing(self, house, rewind):
        own = observed(house, {}, kind="git")
        house.write("g", "g\n")
        theirs = observed(house, {"g": ABSENT}, kind="git")
        entry = rewind(0)
        assert house.tree() == {}
        assert [house.tx.entry(each.number).undone_by for each in (own, theirs)] == [None, entry.number]


def observed(house, before, kind="outside"):
    """The entry of what others have done, with what they found."""
    changes = [Observed(path, state) for path, state in before.items()]
    return house.tx.observe(Observation(changes, Actor("program", "another"), kind, "Theirs", always=True))


class TestOnly:
    def test_paths_and_all_below_them(self, house, rewind):
        first = house.edit(rewrite("src/a", "1\n"), rewrite("src/b", "1\n"), rewrite("c", "1\n"))
        second = house.edit(rewrite("src/a", "2\n"), rewrite("c", "2\n"))
        third = house.edit(rewrite("src/deep/d", "d\n"))
        entry = rewind(first, only=Only(("src",)))
        assert house.tree() == {
            "c": (b"2\n", 0o644), "src": None, "src/a": (b"1\n", 0o644), "src/b": (b"1\n", 0o644),
        }  # fmt: skip
        assert entry.title == f"Rewind of src to after entry {first.number}"
        assert house.tx.entry(second.number).undone_by is None  # half of it still stands
        assert house.tx.entry(third.number).undone_by == entry.number

    def test_a_path_that_moved_is_one_with_where_it_went(self, house, rewind):
        house.write("a", "x\n")
        house.edit(rewrite("a", "y\n"))
        house.edit({"type": "move", "from": "a", "to": "b"})
        house.edit({"type": "move", "from": "b", "to": "c"}, rewrite("else", "1\n"))
        rewind(0, only=Only(("b",)))
        assert house.tree() == {"a": (b"x\n", 0o644), "else": (b"1\n", 0o644)}

    def test_a_path_is_no_other_that_begins_alike(self, house, rewind):
        names = ("a/b/c/d", "a/bc", "a/x", "b", "bb/b")
        house.edit(*(rewrite(name, "1\n") for name in names))
        rewind(0, only=Only(("a/b", "b")))
        assert _without_empty(house.tree()).keys() == {"a", "a/bc", "a/x", "bb", "bb/b"}

    def test_where_something_moved_from_or_to_is_reached_with_all_that_became_of_it(self, house, rewind):
        house.write("x", "x\n")
        house.write("d/y", "y\n")
        before = house.tree()
        house.write("apart", "1\n")
        house.edit({"type": "move", "from": "x", "to": "d/x"}, {"type": "move", "from": "apart", "to": "else"})
        house.edit({"type": "move", "from": "d/y", "to": "far/y"})
        house.edit({"type": "move", "from": "far/y", "to": "farther/y"}, rewrite("far/z", "not of the path\n"))
        house.edit(rewrite("x", "another\n"))
        entry = rewind(0, only=Only(("d",)))
        stays = {"else": (b"1\n", 0o644), "far": None, "far/z": (b"not of the path\n", 0o644)}
        assert _without_empty(house.tree()) == before | stays
        assert entry.title == "Rewind of d to before the first entry"

    def test_the_whole_folder_may_be_named(self, house, rewind):
        house.edit(rewrite("a", "1\n"))
        house.undo(house.edit(rewrite("a", "1\n2\n")).transaction_id)
        rewind(0, only=Only((".",)))
        assert house.tree() == {}

    def test_one_actors_changes(self, house, rewind):
        by(house, OTHER, rewrite("theirs", "1\n"))
        mine = by(house, AGENT, rewrite("mine", "1\n"))
        by(house, OTHER, rewrite("theirs", "2\n"))
        entry = rewind(0, only=Only(actors=(("agent", AGENT.name),)))
        assert house.tree() == {"theirs": (b"2\n", 0o644)}
        assert entry.title == "Rewind of agent:tester to before the first entry"
        assert house.tx.entry(mine.number).undone_by == entry.number
        rewind(0, only=Only(actors=(("agent", ""),)))
        assert house.tree() == {}

    def test_others_later_work_in_the_same_file_is_in_the_way_or_merged(self, house, rewind, refused):
        house.write("a", "1\n2\n3\n4\n")
        by(house, AGENT, rewrite("a", "one\n2\n3\n4\n"))
        by(house, OTHER, rewrite("a", "one\n2\n3\nfour\n"))
        only = Only(actors=(("agent", AGENT.name),))
        refused(ErrorCode.EDIT_CONFLICT, 0, only=only)
        rewind(0, only=only, strategy="merge")
        assert house.read("a") == b"1\n2\n3\nfour\n"

    def test_what_others_have_undone_already_is_left_so(self, house, rewind):
        house.write("a", "0\n")
        entry = by(house, AGENT, rewrite("a", "1\n"))
        by(house, AGENT, rewrite("b", "1\n"))
        planned = house.tx.plan_rollback(entry.transaction_id)
        house.tx.commit(planned, Permit(planned.fingerprint, "person"), ANN)
        rewind(0, only=Only(actors=(("agent", AGENT.name),)))
        assert house.tree() == {"a": (b"0\n", 0o644)}

    def test_what_somebody_undid_stands_again_when_their_doing_is_taken_back(self, house, rewind):
        house.write("a", "0\n")
        entry = by(house, AGENT, rewrite("a", "1\n"))
        planned = house.tx.plan_rollback(entry.transaction_id)
        house.tx.commit(planned, Permit(planned.fingerprint, "person"), ANN)
        rewind(entry, only=Only(actors=(("person", "ann"),)))
        assert house.read("a") == b"1\n"
        assert house.tx.entry(entry.number).undone_by is None

    def test_an_undo_that_changed_nothing_is_no_matter_of_a_path(self, house, rewind):
        entry = house.edit({"type": "mkdir", "path": "d"})
        (house.folder / "d").rmdir()
        empty = house.undo(entry.transaction_id)
        house.edit(rewrite("a", "1\n"))
        rewind(0, only=Only(("a",)))
        assert house.tx.entry(empty.number).undone_by is None
        house.edit(rewrite("a", "1\n"))
        whole = rewind(entry)
        assert house.tx.entry(empty.number).undone_by == whole.number


def forget(house, *contents):
    """Their images are dropped."""
    store = house.workspace.store
    with store.write() as db:
        for data in contents:
            store.forget_image(db, hashlib.sha256(data).hexdigest())


def _some_entry(house, rng):
    """One more entry of any kind, or None where that was not possible."""
    files = sorted(path for path, held in house.tree().items() if held is not None)
    name = rng.choice(["a", "b", "d/c", "d/e/f", "g"])
    kinds = [
        lambda: house.edit(rewrite(name, f"{rng.random()}\n")),
        lambda: house.edit({"type": "delete", "path": rng.choice(files)}),
        lambda: house.edit({"type": "move", "from": rng.choice(files), "to": f"m{rng.randrange(99)}/x"}),
        lambda: house.edit({"type": "copy", "from": rng.choice(files), "to": name, "overwrite": True}),
        lambda: house.edit({"type": "mkdir", "path": f"made{rng.randrange(5)}"}, rewrite(name, "two\n")),
        lambda: house.edit({"type": "delete", "path": "d", "recursive": True}, rewrite("d", "a file now\n")),
        lambda: house.undo(rng.choice(house.tx.history(20)).transaction_id),
    ]
    try:
        return rng.choice(kinds)()
    except (WorkroomError, IndexError):
        return None


def _without_empty(tree):
    """Folders that hold nothing are left where a new file needed them: they are nobody's change."""
    return {
        path: held for path, held in tree.items() if held is not None or any(p.startswith(f"{path}/") for p in tree)
    }
