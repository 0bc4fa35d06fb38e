"""Patches that reach for what they may not."""

import os

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.patch import parse_patch
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

DENIED = {ErrorCode.PATH_OUTSIDE_WORKSPACE, ErrorCode.PROTECTED_PATH, ErrorCode.INVALID_INPUT}

OUTSIDE = ["../x", "sub/../../x", "a/../../../etc/passwd", "/etc/passwd", "//etc/passwd", "..", "C:\\x", "\\\\host\\x"]
HIDDEN = [".git/hooks/pre-commit", "sub/.GIT/config", ".g\u200cit/config", "git~1/config", ".agentic/plans/p"]


def spellings(path):
    """Every place of a patch that can name a path."""
    hunk = "@@ -1 +1 @@\n-a\n+b\n"
    quoted = '"{}"'.format(path.replace("\\", "\\\\"))
    octal = '"a/{}"'.format("".join(f"\\{byte:03o}" for byte in path.encode()))
    return [
        f"--- a/{path}\n+++ b/{path}\n{hunk}",
        f"--- {path}\n+++ {path}\n{hunk}",
        f"--- {quoted}\n+++ {quoted}\n{hunk}",
        f"--- {octal}\n+++ {octal.replace('a/', 'b/')}\n{hunk}",
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+b\n",
        f"--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+b\n",
        f"--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        f"diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n",
        f"diff --git {path} {path}\nnew file mode 100644\n",
        f"diff --git a/x b/{path}\nrename from x\nrename to {path}\n",
        f"diff --git a/{path} b/x\nrename from {path}\nrename to x\n",
        f"diff --git a/x b/x\n--- a/{path}\n+++ b/{path}\n{hunk}",
        f"diff --git a/x b/x\n--- a/x\n+++ b/{path}\n{hunk}",
        f"--- a/fine\n+++ b/fine\n{hunk}--- a/{path}\n+++ b/{path}\n{hunk}",
    ]


@pytest.mark.parametrize("exists", [lambda _: True, lambda _: False])
@pytest.mark.parametrize("path", [*OUTSIDE, *HIDDEN])
def test_d04_a_patch_with_a_path_outside_or_protected(path, exists):
    asked = []

    def probe(name):
        asked.append(name)
        return exists(name)

    for patch in spellings(path):
        with pytest.raises(WorkroomError) as caught:
            parse_patch(patch, probe)
        assert caught.value.code in DENIED, patch
    for name in asked:
        assert not name.startswith("/"), name
        assert ".." not in name.split("/"), name


@pytest.mark.parametrize("mode", ["120000", "160000", "040000"])
def test_d04_a_patch_that_makes_a_link_to_write_through(mode):
    patch = (
        f"diff --git a/link b/link\nnew file mode {mode}\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc\n"
        "\\ No newline at end of file\n"
        "--- /dev/null\n+++ b/link/cron.d/x\n@@ -0,0 +1 @@\n+evil\n"
    )
    with pytest.raises(WorkroomError) as caught:
        parse_patch(patch, lambda _: False)
    assert caught.value.code == ErrorCode.INVALID_INPUT


@pytest.fixture
def apply(house, tmp_path):
    """Applies operations by the one road, in a folder with a link that leads out; answers the error's code."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x").write_text("theirs\n")
    os.symlink("../outside", house.folder / "out")
    house.write("sub/f", "x\n")
    os.symlink("f", house.folder / "sub/link")

    def run(*operations):
        caller = Call(house.workspace, Actor("agent", "evil", "session_1"))
        answer = call(caller, "workspace_edit", {"action": "apply", "operations": list(operations)}).to_json()
        return None if answer["ok"] else answer["error"]["code"]

    yield run
    assert {path.name: path.read_text() for path in (tmp_path / "outside").iterdir()} == {"x": "theirs\n"}
    assert house.tx.history() == []


def added(path):
    return {"type": "patch", "patch": f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+planted\n"}


def test_d04_a_patch_that_leaves_by_dots_or_through_a_link(apply):
    for path in ("../x", "../outside/x", "sub/../../outside/y", "out/y", "out/deep/y"):
        assert apply(added(path)) in DENIED, path
    changed = "--- a/out/x\n+++ b/out/x\n@@ -1 +1 @@\n-theirs\n+ours\n"
    assert apply({"type": "patch", "patch": changed}) == "PATH_OUTSIDE_WORKSPACE"
    renamed = "diff --git a/sub/f b/out/f\nsimilarity index 100%\nrename from sub/f\nrename to out/f\n"
    assert apply({"type": "patch", "patch": renamed}) == "PATH_OUTSIDE_WORKSPACE"


@pytest.mark.parametrize(
    "write",
    [
        added("new/y"),
        {"type": "create", "path": "new/y", "content": "planted"},
        {"type": "mkdir", "path": "new/deep"},
        {"type": "copy", "from": "sub/f", "to": "new/y"},
        {"type": "move", "from": "sub/f", "to": "new/y"},
    ],
)
def test_d04_a_link_that_is_made_and_written_through_in_one_transaction(apply, write):
    """The link comes by a move or a copy, since no operation makes one anew."""
    for make in (
        [{"type": "move", "from": "out", "to": "new"}],
        [{"type": "move", "from": "out", "to": "sub/out"}, {"type": "move", "from": "sub/out", "to": "new"}],
    ):
        assert apply(*make, write) in {"EDIT_CONFLICT", "PATH_OUTSIDE_WORKSPACE"}
    assert apply({"type": "copy", "from": "out", "to": "new"}, write) == "PATH_OUTSIDE_WORKSPACE"


def test_d04_a_link_that_would_lead_out_from_its_new_place(apply, house):
    os.symlink("../sub/f", house.folder / "sub/up")
    assert apply({"type": "move", "from": "sub/up", "to": "up"}) == "PATH_OUTSIDE_WORKSPACE"
    assert apply({"type": "move", "from": "sub/link", "to": "sub/deep"}, added("sub/deep/y")) == "EDIT_CONFLICT"
