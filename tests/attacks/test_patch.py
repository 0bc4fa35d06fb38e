"""Patches that reach for what they may not."""

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.patch import parse_patch

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
