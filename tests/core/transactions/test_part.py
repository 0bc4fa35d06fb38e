"""A part of a plan, and the rest: what comes along, the bytes, and that both together are the whole."""

import hashlib
import itertools
import subprocess
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import AGENT

from workroom.base.changes import Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings

LINES = [f"line {n}\n" for n in range(1, 41)]


def text(**changes):
    return "".join(changes.get(f"l{n}", line) for n, line in enumerate(LINES, 1))


def rewrite(path, content):
    return {"type": "rewrite", "path": path, "content": content}


def create(path, content="x\n"):
    return {"type": "create", "path": path, "content": content}


@pytest.fixture
def kept(house):
    """Plans operations and keeps the plan, as preview does."""
    return lambda *operations, **options: house.tx.keep(house.plan(*operations, **options), AGENT)


@pytest.fixture
def commit_part(house):
    """Commits files and hunks of a kept plan; answers the part as it was planned."""

    def run(transaction_id, files=(), hunks=()):
        planned = house.tx.get(transaction_id).planned
        part = house.tx.part(planned, house.tx.select(planned, files, hunks))
        house.commit(part)
        return part

    return run


def refused(code, do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return caught.value


def paths(planned):
    return list(planned.change_set.paths())


def ids(house, planned, path):
    return [hunk.id for hunk in house.tx.hunks(planned)[path]]


def test_a_file_now_and_the_rest_later(house, kept, commit_part):
    house.write("a.txt", "a\n")
    whole = kept(rewrite("a.txt", "A\n"), create("b.txt"), title="Both")
    part = commit_part(whole.id, ["a.txt"])
    assert (house.read("a.txt"), (house.folder / "b.txt").exists()) == (b"A\n", False)
    assert (part.id != whole.id, part.title, paths(part)) == (True, "Both (in part)", ["a.txt"])
    assert part.operations == ({"type": "part", "of": whole.id, "files": ["a.txt"], "hunks": []},)
    rest = house.tx.get(whole.id)
    assert (rest.status, paths(rest.planned)) == ("planned", ["b.txt"])
    assert rest.planned.fingerprint != whole.fingerprint
    assert house.tx.get(part.id).derived.source == whole.id
    assert [each.id for each in house.tx.derived_from(whole.id)] == [part.id]
    house.commit(rest.planned)
    assert house.tx.get(whole.id).status == "applied"
    assert [len(entry.changes) for entry in house.tx.history()] == [1, 1]


def test_hunks_of_one_file_in_any_order_give_exactly_their_bytes(house, kept, commit_part):
    contents = {1: ("l3", "three\r\n"), 2: ("l17", ""), 3: ("l38", "line 38\nmore\n")}
    for order in itertools.permutations(contents):
        house.write("a.txt", text())
        whole = kept(rewrite("a.txt", text(**dict(contents.values()))))
        named = ids(house, whole, "a.txt")
        done = {}
        for number in order:
            field, content = contents[number]
            done[field] = content
            if len(done) < 3:
                commit_part(whole.id, hunks=[named[number - 1]])
            else:
                house.commit(house.tx.get(whole.id).planned)
            assert house.read("a.txt") == text(**done).encode(), (order, number)


def test_all_of_it_is_the_plan_itself(house, kept):
    house.write("a.txt", text())
    whole = kept(rewrite("a.txt", text(l3="3\n", l30="30\n")), create("b/c.txt"))
    every = ids(house, whole, "a.txt")
    for files, hunks in ((["."], []), (["a.txt", "b"], []), (["b/c.txt"], every)):
        assert house.tx.part(whole, house.tx.select(whole, files, hunks)) is whole


def test_a_folder_stands_for_what_is_below_it(house, kept, commit_part):
    whole = kept(create("d/e/f"), create("d/g"), create("dd"))
    assert paths(commit_part(whole.id, ["d/"])) == ["d", "d/e", "d/e/f", "d/g"]
    assert paths(house.tx.get(whole.id).planned) == ["dd"]


def test_folders_that_a_file_needs_come_along(house, kept, commit_part):
    whole = kept(create("d/e/f"), create("d/h/i"), {"type": "mkdir", "path": "d/e/empty"})
    part = commit_part(whole.id, ["d/e/f"])
    assert paths(part) == ["d", "d/e", "d/e/f"]
    rest = house.tx.get(whole.id).planned
    assert paths(rest) == ["d/e/empty", "d/h", "d/h/i"]
    assert [d.path for d in part.directories] == []
    assert [d.path for d in rest.directories] == ["d/e/empty"]
    house.commit(rest)
    assert (house.folder / "d/h/i").exists()


@pytest.mark.parametrize("chosen", ["old", "new"])
def test_the_two_paths_of_a_move_are_one_change(house, kept, commit_part, chosen):
    inode = house.write("old", "x\n").stat().st_ino
    whole = kept({"type": "move", "from": "old", "to": "new"}, create("other"))
    part = commit_part(whole.id, [chosen])
    assert paths(part) == ["new", "old"]
    assert (house.folder / "new").stat().st_ino == inode
    assert [danger.operation for danger in part.dangers] == ["move"]
    rest = house.tx.get(whole.id).planned
    assert (paths(rest), rest.dangers) == (["other"], ())
    assert house.tx.get(part.id).planned.contents == {}


@pytest.mark.parametrize("chosen", ["old", "new"])
def test_so_are_those_of_a_file_that_is_moved_and_edited(house, kept, commit_part, chosen):
    house.write("old", text(), 0o600)
    whole = kept(
        {"type": "move", "from": "old", "to": "new"},
        {"type": "replace", "path": "new", "search": "line 3\n", "replacement": "3\n"},
        create("other"),
    )
    assert paths(commit_part(whole.id, [chosen])) == ["new", "old"]
    assert (house.folder / "new").stat().st_mode & 0o777 == 0o600
    assert house.read("new") == text(l3="3\n").encode()


def test_a_moved_folder_file_by_file(house, kept, commit_part):
    house.write("src/a", "a\n")
    house.write("src/b", "b\n")
    whole = kept({"type": "move", "from": "src", "to": "dst"})
    assert paths(commit_part(whole.id, ["dst/a"])) == ["dst", "dst/a", "src/a"]
    house.commit(house.tx.get(whole.id).planned)
    assert house.tree().keys() == {"dst", "dst/a", "dst/b"}


def test_a_folder_that_makes_way_for_a_file_takes_what_is_in_it_along(house, kept, commit_part):
    house.write("d/a", "a\n")
    whole = kept({"type": "delete", "path": "d", "recursive": True}, create("d", "file\n"), create("c"), create("e"))
    assert paths(commit_part(whole.id, ["c", "d"])) == ["c", "d", "d/a"]
    house.write("f", "f\n")
    whole = kept({"type": "delete", "path": "f"}, create("f/g"), create("h"))
    assert paths(commit_part(whole.id, ["f/g"])) == ["f", "f/g"]
    house.write("way/a", "a\n")
    house.write("moves", "m\n")
    whole = kept(
        {"type": "delete", "path": "way", "recursive": True},
        {"type": "move", "from": "moves", "to": "way"},
        create("i"),
    )
    assert paths(commit_part(whole.id, ["moves"])) == ["moves", "way", "way/a"]


def test_a_file_of_a_folder_that_is_deleted(house, kept, commit_part):
    house.write("d/a", "a\n")
    house.write("d/b", "b\n")
    whole = kept({"type": "delete", "path": "d", "recursive": True})
    part = commit_part(whole.id, ["d/a"])
    assert (paths(part), [danger.path for danger in part.dangers]) == (["d/a"], ["d", "d/a"])
    assert house.tree().keys() == {"d", "d/b"}
    assert [danger.path for danger in house.tx.get(whole.id).planned.dangers] == ["d", "d/b"]
    house.commit(house.tx.get(whole.id).planned)
    assert house.tree() == {}


def test_a_mode_goes_with_the_file_and_stays_with_the_rest_of_its_hunks(house, kept, commit_part):
    house.write("run", text(), 0o644)
    patch = (
        "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n--- a/run\n+++ b/run\n"
        "@@ -3 +3 @@\n-line 3\n+3\n@@ -30 +30 @@\n-line 30\n+30\n"
    )
    whole = kept({"type": "patch", "patch": patch})
    commit_part(whole.id, hunks=ids(house, whole, "run")[:1])
    assert (house.folder / "run").stat().st_mode & 0o777 == 0o644
    house.commit(house.tx.get(whole.id).planned)
    assert (house.folder / "run").stat().st_mode & 0o777 == 0o755
    assert house.read("run") == text(l3="3\n", l30="30\n").encode()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encoding_mark_and_line_endings_are_kept(house, kept, commit_part, encoding):
    def encoded(**changes):
        return text(**changes).replace("line 5\n", "l\u00efne 5\n").replace("\n", "\r\n").encode(encoding)

    house.write("a.txt", encoded())
    whole = kept(
        {"type": "replace", "path": "a.txt", "search": "line 3\n", "replacement": "dr\u00ef\n"},
        {"type": "replace", "path": "a.txt", "search": "line 30\n", "replacement": "30\n"},
    )
    commit_part(whole.id, hunks=ids(house, whole, "a.txt")[1:])
    assert house.read("a.txt") == encoded(l30="30\n")
    house.commit(house.tx.get(whole.id).planned)
    assert house.read("a.txt") == encoded(l30="30\n", l3="dr\u00ef\n")


def test_what_is_no_text_is_taken_whole(house, kept, commit_part):
    house.write("a", b"\0one")
    house.write("b", b"\0two")
    whole = kept({"type": "copy", "from": "b", "to": "a", "overwrite": True}, create("c"))
    part = commit_part(whole.id, ["a"])
    assert (house.read("a"), [danger.operation for danger in part.dangers]) == (b"\0two", ["copy"])


def test_what_is_said_of_a_path_goes_with_it(house, kept):
    house.settings = Settings(mode="auto", destructive_edits="allow")
    house.write("a.txt", "a\r\nb\r\n")
    house.write("a.txt b", "a\r\nb\r\n")
    house.write("gone", "x\n")
    whole = kept(
        rewrite("a.txt", "c\nd\n"), rewrite("a.txt b", "c\nd\n"), create(".mcp.json"), create("Makefile"),
        create("twice"), {"type": "delete", "path": "gone"}, create("gone"),
    )  # fmt: skip
    part = house.tx.part(whole, house.tx.select(whole, ["a.txt b", ".mcp.json"], []))
    assert part.asks == (".mcp.json can run code",)
    assert part.warnings == ("a.txt b keeps its CRLF line endings.",)
    assert [(d.operation, d.path) for d in part.dangers] == [("rewrite", "a.txt b"), ("delete", "gone")]
    rest = part.part.rest
    assert rest.asks == ()
    assert rest.warnings == ("a.txt keeps its CRLF line endings.", "Makefile can run code when its tool is used.")
    assert [(d.operation, d.path) for d in rest.dangers] == [("rewrite", "a.txt"), ("delete", "gone")]


def test_what_is_said_of_no_path_is_said_of_both(house, kept):
    whole = replace(house.plan(create("a"), create("b")), warnings=("a is new.", "All of it is new.", "b is new."))
    part = house.tx.part(whole, house.tx.select(whole, ["a"], []))
    assert part.warnings == ("a is new.", "All of it is new.")
    assert part.part.rest.warnings == ("All of it is new.", "b is new.")


def test_a_path_may_be_told_as_it_is_written_or_by_where_it_leads(house, kept, commit_part):
    house.write("real/a", "a\n")
    (house.folder / "link").symlink_to("real")
    whole = kept(rewrite("link/a", "b\n"), create("c"))
    assert paths(commit_part(whole.id, [str(house.folder / "link" / "a")])) == ["real/a"]


def test_what_is_not_there_is_refused_with_the_nearest(house, kept):
    house.write("a.txt", text())
    whole = kept(rewrite("a.txt", text(l3="3\n")), create("src/module.py"))
    (hunk,) = ids(house, whole, "a.txt")
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, whole, ["src/modul.py"], [])
    assert "files[0]" in error.message
    assert error.details["nearest"] == "src/module.py"
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, whole, ["a.txt"], [hunk, hunk[:-1]])
    assert "hunks[1]" in error.message
    assert error.details["nearest"] == hunk
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, whole, ["\u202eq"], [])
    assert "\u202e" not in error.message
    assert error.details["nearest"] is None
    only_new = kept(create("only"))
    assert "choose files" in refused(ErrorCode.INVALID_INPUT, house.tx.select, only_new, [], ["h1"]).message
    many = kept(*(create(f"f{n:03}") for n in range(30)))
    assert "and 10 more" in refused(ErrorCode.INVALID_INPUT, house.tx.select, many, ["zzz"], []).message
    refused(ErrorCode.PATH_OUTSIDE_WORKSPACE, house.tx.select, whole, ["../a.txt"], [])


def test_a_refusal_names_where_it_stands_and_up_to_twenty_of_what_there_is(house, kept):
    whole = kept(*(create(f"f{n:03}") for n in range(220)))
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, whole, ["f000", "f003x"], [])
    listed = ", ".join(f"f{n:03}" for n in range(20))
    assert error.message == (
        f"files[1]: {whole.id} has no path 'f003x'. The nearest is f003. Its paths: {listed} and 200 more."
    )
    assert error.next_step == "workspace_edit show gives them as they are now."
    shown = {"field": "files[1]", "name": "f003x", "nearest": "f003", "paths": [f"f{n:03}" for n in range(200)]}
    assert error.details == shown
    twenty = kept(*(create(f"g{n:03}") for n in range(20)))
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, twenty, ["z" * 81], [])
    assert error.message == (f"files[0]: {twenty.id} has no path '{'z' * 80}'. Its paths: {listed.replace('f', 'g')}.")
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, twenty, ["g0zz"], [])
    assert error.details["nearest"] is not None  # half of it is enough


def test_a_refusal_of_a_hunk_names_those_there_are(house, kept):
    house.write("a.txt", text())
    whole = kept(rewrite("a.txt", text(l3="3\n", l30="30\n")))
    one, two = ids(house, whole, "a.txt")
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, whole, [], [one, "zzz"])
    assert error.message == f"hunks[1]: {whole.id} has no hunk 'zzz'. Its hunks: {one}, {two}."
    assert error.details == {"field": "hunks[1]", "name": "zzz", "nearest": None, "hunks": [one, two]}
    only_new = kept(create("only"))
    error = refused(ErrorCode.INVALID_INPUT, house.tx.select, only_new, [], [one])
    assert (
        error.message
        == f"hunks[0]: {only_new.id} has no hunk '{one}'. It has no hunk that can be chosen; choose files."
    )


def test_an_undo_is_done_whole(house, kept):
    house.write("a.txt", "a\n")
    entry = house.edit(rewrite("a.txt", "b\n"), create("b"))
    undo = house.tx.plan_rollback(entry.transaction_id)
    assert house.tx.hunks(undo) == {}
    error = refused(ErrorCode.UNSUPPORTED, house.tx.part, undo, house.tx.select(undo, ["b"], []))
    assert error.message == f"{undo.id} takes something back, and that is done whole or not at all."
    assert error.next_step == "Commit it without files and hunks."


def test_a_part_is_a_plan_of_its_own(house):
    """What bound the whole to others, its key and the plan in whose place it came, stays with the whole."""
    house.write("a.txt", text())
    whole = replace(house.plan(rewrite("a.txt", text(l3="3\n", l30="30\n")), create("b"), key="k"), supersedes="tx_old")
    hunk = ids(house, whole, "a.txt")[0]
    part = house.tx.part(whole, house.tx.select(whole, ["b"], [hunk]))
    assert (part.idempotency_key, part.supersedes, part.kept) == (None, None, False)
    assert part.operations == ({"type": "part", "of": whole.id, "files": ["b"], "hunks": [hunk]},)
    rest = part.part.rest
    assert (rest.id, rest.idempotency_key, rest.supersedes) == (whole.id, "k", "tx_old")
    assert part.part.fingerprint == whole.fingerprint
    for each in (part, rest):
        assert each.fingerprint == each.change_set.fingerprint("edit.commit")
    before, middle, after, new = (data.encode() for data in (text(), text(l3="3\n"), text(l3="3\n", l30="30\n"), "x\n"))
    assert part.contents == {hashlib.sha256(data).hexdigest(): data for data in (before, middle, new)}
    (mine, _), (others,) = part.change_set.changes, rest.change_set.changes
    mode = whole.change_set.changes[0].before.mode
    between = State(Kind.FILE, hashlib.sha256(middle).hexdigest(), len(middle), mode)
    assert (mine.after, others.before) == (between, between)
    assert (mine.before, others.after) == (whole.change_set.changes[0].before, whole.change_set.changes[0].after)
    assert (others.after.sha256, mine.before.sha256) == tuple(hashlib.sha256(d).hexdigest() for d in (after, before))


def test_lines_are_counted_for_the_part_and_for_the_rest(house, kept):
    house.write("a.txt", text())
    house.write("wide", text().encode("utf-16"))
    whole = kept(
        rewrite("a.txt", text(l3="three\nand more\n", l30="", l31="")),
        {"type": "replace", "path": "wide", "search": "line 3\n", "replacement": "3\n"},
        {"type": "replace", "path": "wide", "search": "line 30\n", "replacement": "30\n"},
    )
    chosen = [ids(house, whole, path)[0] for path in ("a.txt", "wide")]
    part = house.tx.part(whole, house.tx.select(whole, [], chosen))
    rest = part.part.rest
    assert [(c.added, c.removed) for c in part.change_set.changes] == [(2, 1), (None, None)]
    assert [(c.added, c.removed) for c in rest.change_set.changes] == [(0, 2), (None, None)]


def test_within(house, kept):
    house.write("a.txt", text())
    whole = kept(rewrite("a.txt", text(l3="3\n", l20="20\n", l35="35\n")), create("b"), create("c"))
    one, two, _three = ids(house, whole, "a.txt")

    def chosen(files=(), hunks=()):
        return house.tx.select(whole, files, hunks)

    assert chosen(["b"], [one]).within(chosen(["b", "c"], [one, two]))
    assert chosen(["b"], [one]).within(chosen(["a.txt", "b"]))
    assert not chosen(["b"], [one]).within(chosen(["b"], [two]))
    assert not chosen(["b"]).within(chosen(["c"]))
    assert not chosen(["a.txt"]).within(chosen([], [one, two]))
    assert not chosen([], [one]).within(chosen(["b"]))
    assert chosen(["b"], [one]).within(chosen(["b"], [one]))
    assert chosen(["b"], [one, two]).to_json() == {"files": ["b"], "hunks": sorted([one, two])}


def git_applies(folder, diff):
    subprocess.run(["git", "apply", "-"], cwd=folder, input=diff, check=True, capture_output=True)


@given(st.lists(st.sampled_from(["same\n", "alpha\n", "beta\r\n", "\n", "end"]), max_size=30), st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_hunks_leave_a_rest_that_leads_to_the_end(house, kept, commit_part, new, data):
    before = text(l9="same\n", l10="same\n")
    after = before.replace("line 20\n", "".join(new)).replace("line 3\n", "three\n").replace("line 38\n", "")
    house.write("a.txt", before)
    whole = kept(rewrite("a.txt", after))
    while house.tx.get(whole.id).status == "planned":
        planned = house.tx.get(whole.id).planned
        named = ids(house, planned, "a.txt")
        chosen = data.draw(st.sets(st.sampled_from(named), min_size=1))
        commit_part(whole.id, hunks=sorted(chosen))
    assert house.read("a.txt") == after.encode()
