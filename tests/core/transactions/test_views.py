"""changes.diff and review.md, rendered from real images."""

from __future__ import annotations

import hashlib
import os
import subprocess

from workroom.base.changes import ABSENT, UNKNOWN, Change, ChangeSet, Danger, Kind, State
from workroom.base.envelope import Artifact
from workroom.core.transactions.model import Planned
from workroom.core.transactions.views import SHOWN_BYTES, drop_views, render_diff, render_review, write_views


def prepared(house):
    """A transaction of every kind of change, and its diff."""
    house.write("edited", "one\ntwo\n")
    house.write("moved", "m\n")
    house.write("gone", "g\n")
    house.write("binary", b"\0\1")
    os.symlink("edited", house.folder / "link")
    planned = house.plan(
        {"type": "replace", "path": "edited", "search": "two", "replacement": "2"},
        {"type": "create", "path": "new/file", "content": "n\n"},
        {"type": "move", "from": "moved", "to": "there"},
        {"type": "delete", "path": "gone"},
        {"type": "delete", "path": "link"},
        {"type": "rewrite", "path": "binary", "content": "text\n"},
        {"type": "create", "path": "package.json", "content": "{}\n"},
        title="All | kinds",
    )
    return planned, render_diff(planned.change_set.changes, planned.contents.get)


def test_the_diff_has_a_section_a_file_and_none_a_folder(house):
    _, diff = prepared(house)
    sections = [line for line in diff.splitlines() if line.startswith("diff --git")]
    assert sections == [
        f"diff --git a/{old} b/{new}"
        for old, new in [
            ("binary", "binary"), ("edited", "edited"), ("gone", "gone"), ("link", "link"), ("new/file", "new/file"),
            ("package.json", "package.json"), ("moved", "there"),
        ]
    ]  # fmt: skip
    assert "rename from moved\nrename to there\n" in diff
    assert "Binary files a/binary and b/binary differ\n" in diff


def test_git_applies_the_diff_of_text(house):
    house.write("f", "one\ntwo\nthree\n", 0o644)
    house.write("m", "m\n")
    os.symlink("f", house.folder / "link")
    planned = house.plan(
        {"type": "splice", "path": "f", "start_line": 2, "delete_count": 1, "content": "zwei"},
        {"type": "patch", "patch": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"},
        {"type": "move", "from": "m", "to": "d/n"},
        {"type": "delete", "path": "link"},
    )
    diff = render_diff(planned.change_set.changes, planned.contents.get)
    subprocess.run(["git", "apply"], cwd=house.folder, input=diff.encode(), check=True)
    by_git = house.tree()
    house.write("f", "one\ntwo\nthree\n", 0o644)
    (house.folder / "d/n").rename(house.folder / "m")
    (house.folder / "d").rmdir()
    os.symlink("f", house.folder / "link")
    house.commit(planned)
    assert house.tree() == by_git


def test_the_review_says_what_why_and_with_which_hashes(house):
    planned, diff = prepared(house)
    review = render_review(planned, diff)
    lines = review.splitlines()
    assert lines[0] == "# All | kinds"
    assert f"Transaction {planned.id}" in lines
    assert "- delete gone (destructive)" in lines
    assert "- package.json can run code when its tool is used." in lines
    two, new = (hashlib.sha256(data).hexdigest() for data in (b"one\ntwo\n", b"one\n2\n"))
    assert f"| edited | modify | 1 | 1 | {two} | {new} |" in lines
    assert any(line.startswith("| binary | modify |  |  |") for line in lines)
    assert review.count("```") == 2
    assert diff.rstrip("\n") in review


def test_a_diff_with_fences_is_fenced_by_longer_ones():
    planned = Planned("tx_1", "edit", "t", (), ChangeSet(()), "f", dangers=(Danger("delete", "a|b\nc"),))
    review = render_review(planned, "+````md\n ```\n")
    assert "`````diff\n+````md\n ```\n`````\n" in review


def test_names_do_not_break_the_table():
    planned = Planned("tx_1", "edit", "t", (), ChangeSet((Change("a|b\nc", ABSENT, State(Kind.DIRECTORY)),)), "f")
    assert "| a\\|b\\nc | mkdir | 0 | 0 |  |  |" in render_review(planned, "")


def test_what_is_no_longer_kept_is_said_and_not_shown_as_nothing(house):
    planned, _ = prepared(house)
    edited = tuple(change for change in planned.change_set.changes if change.path == "edited")
    assert render_diff(edited, lambda _sha: None) == "edited: its content is no longer kept.\n"


def test_both_files_exist_when_it_is_said_that_they_do(house):
    planned, diff = prepared(house)
    changes, review = write_views(house.workspace.agentic, planned, diff)
    assert (changes.kind, review.kind) == ("diff", "review")
    assert changes.path == f".agentic/transactions/{planned.id}/changes.diff"
    for artifact in (changes, review):
        body = house.read(artifact.path)
        assert (len(body), hashlib.sha256(body).hexdigest()) == (artifact.bytes, artifact.sha256)
    assert house.read(changes.path) == diff.encode()


def test_what_comes_or_goes_whole_is_shown_up_to_a_size(house):
    """Of what is edited only the difference is, and a move shows nothing."""
    for name in ("edited", "gone", "moves"):
        house.write(name, "a line\n" * 100)
    planned = house.plan(
        {"type": "splice", "path": "edited", "start_line": 1, "delete_count": 1, "content": "another\n"},
        {"type": "delete", "path": "gone"},
        {"type": "move", "from": "moves", "to": "moved"},
        {"type": "create", "path": "made", "content": "x\n"},
    )
    diff = render_diff(planned.change_set.changes, house.tx.image_of(planned), most=100)
    assert "+another" in diff
    assert "gone: its 700 bytes are too many to be shown.\n" in diff
    assert "rename to moved" in diff
    assert "+x\n" in diff
    assert "-a line\n" * 100 in render_diff(planned.change_set.changes, house.tx.image_of(planned))
    assert "moves: " not in diff  # where it moves from costs nothing either


def file_state(data: bytes, mode: int | None = 0o644) -> State:
    return State(Kind.FILE, hashlib.sha256(data).hexdigest(), len(data), mode)


SECTIONS = """\
diff --git a/created b/created
new file mode 100755
--- /dev/null
+++ b/created
@@ -0,0 +1 @@
+one
diff --git a/edited b/edited
--- a/edited
+++ b/edited
@@ -1 +1 @@
-one
+two
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-two
diff --git a/link b/link
deleted file mode 120000
--- a/link
+++ /dev/null
@@ -1 +0,0 @@
-target
\\ No newline at end of file
diff --git a/moves b/moved
similarity index 100%
rename from moves
rename to moved
"""


def test_a_section_of_each_kind_of_change():
    contents = {hashlib.sha256(data).hexdigest(): data for data in (b"one\n", b"two\n", b"target")}
    one, two, link = file_state(b"one\n"), file_state(b"two\n"), State(Kind.SYMLINK, *_sha_and_size(b"target"))
    folder = State(Kind.DIRECTORY)
    changes = (
        Change("created", ABSENT, file_state(b"one\n", 0o755)),
        Change("edited", one, two),
        Change("file now", folder, one),
        Change("folder now", one, folder),
        Change("gone", two, ABSENT),
        Change("link", link, ABSENT),
        Change("made", ABSENT, folder),
        Change("moved", ABSENT, file_state(b"kept nowhere\n"), origin="moves"),
        Change("moves", file_state(b"kept nowhere\n"), ABSENT),
    )
    assert render_diff(changes, contents.get) == SECTIONS


def _sha_and_size(data: bytes) -> tuple[str, int]:
    return hashlib.sha256(data).hexdigest(), len(data)


def test_a_hunk_carries_its_name_and_others_none(house):
    house.write("a", "a\n")
    house.write("b", "b\n")
    planned = house.plan(
        {"type": "rewrite", "path": "a", "content": "A\n"}, {"type": "rewrite", "path": "b", "content": "B\n"}
    )
    named = house.tx.hunks(planned)
    diff = render_diff(planned.change_set.changes, planned.contents.get, {"a": named["a"]})
    assert f"@@ -1 +1 @@ {named['a'][0].id}\n-a\n" in diff
    assert "@@ -1 +1 @@\n-b\n" in diff


def test_one_side_that_is_no_longer_kept_is_enough_to_say_so():
    one, two = file_state(b"one\n"), file_state(b"two\n")
    for kept in (one, two):
        diff = render_diff((Change("a\nb", one, two),), {kept.sha256: b"x\n"}.get)
        assert diff == '"a\\nb": its content is no longer kept.\n'


def test_a_side_that_nobody_knows_is_told_as_that():
    one = file_state(b"one\n")
    assert render_diff((Change("a\tb", UNKNOWN, one),), {}.get) == '"a\\tb": what it held before isn\'t known.\n'
    assert render_diff((Change("a", one, UNKNOWN),), {}.get) == "a: what it held then isn't known.\n"


def test_how_much_is_shown_is_counted_over_all_that_comes_or_goes():
    contents = {hashlib.sha256(data).hexdigest(): data for data in (b"1234567\n", b"12\n", b"123\n")}
    long, short, middle = (file_state(data) for data in (b"1234567\n", b"12\n", b"123\n"))
    changes = (
        Change("a", ABSENT, long),
        Change("b\t", middle, ABSENT),
        Change("c", long, short),
        Change("cc", short, ABSENT),
        Change("ccc", ABSENT, short, origin="cc"),
        Change("d", ABSENT, short),
        Change("e", ABSENT, short),
        Change("f", ABSENT, State(Kind.FILE, "no matter", 1_234_567)),
    )
    diff = render_diff(changes, contents.get, most=15)
    shown = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}]
    assert shown == ["+1234567", "-123", "-1234567", "+12", "+12"]
    assert '"b\\t": its 4 bytes are too many to be shown.\n' in render_diff(changes, contents.get, most=11)
    assert diff.endswith("e: its 3 bytes are too many to be shown.\nf: its 1,234,567 bytes are too many to be shown.\n")


def test_up_to_16_mib_are_shown():
    """What is too large isn't even asked for."""

    def sized(size):
        return (Change("f", ABSENT, State(Kind.FILE, "sha", size, 0o644)),)

    assert SHOWN_BYTES == 16 * 1024 * 1024
    assert "+x\n" in render_diff(sized(SHOWN_BYTES), {"sha": b"x\n"}.get)
    assert render_diff(sized(SHOWN_BYTES + 1), {}.get) == "f: its 16,777,217 bytes are too many to be shown.\n"


def test_the_whole_review():
    one, two = file_state(b"one\n"), file_state(b"two\n")
    changes = (Change("a", one, two, added=1, removed=2), Change("b", ABSENT, one, added=None, removed=None))
    planned = Planned(
        "tx_1", "edit", "Two files", (), ChangeSet(changes), "f",
        dangers=(Danger("rewrite", "a"), Danger("delete", "b")), asks=("a can run code",), warnings=("b is new.",),
    )  # fmt: skip
    review = f"""\
# Two files

Transaction tx_1

- rewrite a (destructive)
- delete b (destructive)
- a can run code
- b is new.

| path | change | + | - | SHA-256 before | SHA-256 after |
|---|---|---|---|---|---|
| a | modify | 1 | 2 | {one.sha256} | {two.sha256} |
| b | create |  |  |  | {one.sha256} |

```diff
diff --git
+`
+`` X
```
"""
    assert render_review(planned, "diff --git\n+`\n+`` X\n\n") == review
    assert render_review(planned, "+ends in blanks  \n").endswith("```diff\n+ends in blanks  \n```\n")


def test_a_run_of_three_in_a_line_of_the_diff_is_enough_for_a_longer_fence():
    planned = Planned("tx_1", "edit", "t", (), ChangeSet(()), "f")
    for diff, fence in (("+```\n", 4), ("-   ```` x\n+```\n", 5), (" text ````\n", 3), ("", 3)):
        assert render_review(planned, diff).splitlines()[-1] == "`" * fence


def test_the_files_say_what_they_are_and_hold_names_of_any_bytes(house):
    planned = Planned("tx_1", "edit", "caf\udce9", (), ChangeSet(()), "f")
    changes, review = write_views(house.workspace.agentic, planned, "+\udcff\n")
    raw = (b"+\xff\n", render_review(planned, "+\udcff\n").encode("utf-8", "surrogateescape"))
    folder = ".agentic/transactions/tx_1"
    assert changes == Artifact("diff", f"{folder}/changes.diff", *_sha_and_size(raw[0]), "the changes")
    assert review == Artifact("review", f"{folder}/review.md", *_sha_and_size(raw[1]), "what is changed, with hashes")
    assert (house.read(changes.path), house.read(review.path)) == raw
    assert raw[1].startswith(b"# caf\xe9\n")


def test_views_of_plans_that_are_forgotten_go_as_far_as_they_can(house):
    agentic = house.workspace.agentic
    for name in ("tx_1", "tx_2", "tx_3"):
        write_views(agentic, Planned(name, "edit", "t", (), ChangeSet(()), "f"), "")
    house.write(".agentic/transactions/tx_1/mine/of/another", "x")  # a folder, which no view is
    drop_views(agentic, ["tx_1", "tx_2"])
    left = {path.name for path in (house.folder / ".agentic/transactions").iterdir()}
    assert left == {"tx_1", "tx_3"}
