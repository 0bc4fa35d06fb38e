"""The hunks of a plan by name: made from what they change, and the same for as long as that is there."""

import re

import pytest
from tests.conftest import AGENT

from workroom.base.changes import Change, Kind, State, digest
from workroom.core.transactions import render_diff
from workroom.core.transactions.hunks import name_hunks

LINES = [f"line {n}\n" for n in range(1, 41)]


def text(**changes):
    return "".join(changes.get(f"l{n}", line) for n, line in enumerate(LINES, 1))


def rewrite(path, content):
    return {"type": "rewrite", "path": path, "content": content}


def ids(house, planned):
    return {path: [hunk.id for hunk in each] for path, each in house.tx.hunks(planned).items()}


def test_every_hunk_that_the_diff_shows_has_its_id_there(house):
    house.write("a.txt", text())
    house.write("b.txt", text())
    planned = house.plan(
        rewrite("a.txt", text(l3="three\n", l20="twenty\n")), rewrite("b.txt", text(l3="three\n")),
        {"type": "create", "path": "new.txt", "content": "x\n"},
    )  # fmt: skip
    found = ids(house, planned)
    assert [(path, len(each)) for path, each in found.items()] == [("a.txt", 2), ("b.txt", 1)]
    every = [each for of_path in found.values() for each in of_path]
    assert len(set(every)) == 3
    assert all(re.fullmatch("h[0-9a-f]{12}", each) for each in every)
    diff = render_diff(planned.change_set.changes, house.tx.image_of(planned), house.tx.hunks(planned))
    headers = [line.rpartition("@@ ")[2] for line in diff.splitlines() if line.startswith("@@")]
    assert headers == [*found["a.txt"], *found["b.txt"], "@@ -0,0 +1 @@".rpartition("@@ ")[2]]


def test_an_id_stays_when_lines_move_and_changes_with_what_it_does(house):
    house.write("a.txt", text())
    first = ids(house, house.plan(rewrite("a.txt", text(l3="three\n", l20="twenty\n"))))["a.txt"]
    house.write("a.txt", "".join(["above\n"] * 50) + text(l3="three\n"))
    assert ids(house, house.plan(rewrite("a.txt", house.read("a.txt").decode().replace("line 20\n", "twenty\n")))) == {
        "a.txt": first[1:]
    }
    house.write("a.txt", text())
    assert ids(house, house.plan(rewrite("a.txt", text(l20="20\n"))))["a.txt"] != first[1:]


def test_equal_hunks_carry_the_line_on_which_they_end_up(house):
    house.write("a.txt", text(l10="same\n", l20="same\n", l35="same\n"))
    planned = house.plan(rewrite("a.txt", "above\n" + text(l10="other\n", l20="other\n", l35="other\n")))
    above, *alike = ids(house, planned)["a.txt"]
    name = alike[0].partition(".")[0]
    assert (alike, "." in above) == ([f"{name}.11", f"{name}.21", f"{name}.36"], False)


def test_what_is_taken_whole_has_none(house):
    for path in ("moved", "gone", "edited", "source", "over"):
        house.write(path, text())
    house.write("binary", b"\0a")
    house.write("mode", "x\n", 0o644)
    (house.folder / "wide").write_bytes("one\n".encode("utf-16"))
    patch = "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
    planned = house.plan(
        {"type": "move", "from": "moved", "to": "there"},
        {"type": "delete", "path": "gone"},
        {"type": "move", "from": "edited", "to": "elsewhere"},
        {"type": "replace", "path": "elsewhere", "search": "line 3\n", "replacement": "3\n"},
        {"type": "delete", "path": "over"},
        {"type": "create", "path": "over", "content": text(l3="3\n")},
        {"type": "copy", "from": "source", "to": "copy"},
        {"type": "delete", "path": "binary"},
        {"type": "mkdir", "path": "d"},
        {"type": "patch", "patch": patch},
        {"type": "replace", "path": "wide", "search": "one", "replacement": "two"},
    )
    assert list(ids(house, planned)) == ["over", "wide"]


def test_an_undo_has_none(house):
    house.write("a.txt", text())
    entry = house.edit(rewrite("a.txt", text(l3="3\n")))
    assert house.tx.hunks(house.tx.plan_rollback(entry.transaction_id)) == {}


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_plan_of_which_an_image_is_gone_has_none(house, side):
    house.write("a.txt", text())
    planned = house.tx.keep(house.plan(rewrite("a.txt", text(l3="3\n"))), AGENT)
    assert house.tx.hunks(planned) != {}
    with house.workspace.store.write() as db:
        house.workspace.store.forget_image(db, getattr(planned.change_set.changes[0], side).sha256)
    assert house.tx.hunks(planned) == {}


def test_a_link_that_leads_elsewhere_has_none():
    link, other = (State(Kind.SYMLINK, digest(target), len(target)) for target in ("one\n", "two\n"))
    images = {link.sha256: b"one\n", other.sha256: b"two\n"}
    assert name_hunks([Change("link", link, other)], images.get) == {}
