"""The program that is killed: it opens a workspace, commits or rolls back, and says so once it is acknowledged.

    python tests/crash/victim.py FOLDER STORE {commit | rollback | recover}

The scene below has every operation in it, on files whose bytes, modes and kinds are easily lost. Its trees are written
out by hand, before and after each act, so that nothing under test says what is right.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import stat
import sys
from pathlib import Path
from typing import Any, Literal, get_args

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conftest import House

from workroom.core.transactions import Planned

__all__ = ["ACTS", "BEGIN", "END", "Act", "Tree", "act", "house_at", "prepare", "tree", "trees"]

Act = Literal["commit", "rollback", "recover"]
ACTS: tuple[Act, ...] = get_args(Act)
BEGIN, END = "/WORKROOM-MARK-BEGIN", "/WORKROOM-MARK-END"
"""Paths that are looked at to mark the window in a trace of system calls."""

Tree = dict[str, Any]
"""A folder as a value: files as bytes and mode, links as their target, folders as their mode."""

_BOM = b"\xef\xbb\xbf"
_LARGE = b"a line of a file whose image is a file of its own\n" * 2000

_BEFORE: Tree = {
    "crlf.txt": (_BOM + b"one\r\ntwo\r\nthree", 0o644),
    "latin.txt": (b"caf\xe9\nna\xefve fa\xe7ade\nd\xe9j\xe0 vu\n", 0o640),
    "run.sh": (b"#!/bin/sh\necho one\n", 0o755),
    "large.txt": (_LARGE, 0o600),
    "empty.txt": (b"", 0o444),
    "link": ("link", "run.sh"),
    "patched.txt": (b"1\n2\n3\n", 0o644),
    "renamed.txt": (b"old name\n", 0o644),
    "unpatched.txt": (b"goes\n", 0o664),
    "kind": (b"a file that becomes a folder\n", 0o644),
    "source": 0o755,
    "source/one.py": (b"one = 1\n", 0o644),
    "source/deep": 0o755,
    "source/deep/two.py": (b"two = 2\n", 0o700),
    "moving": 0o755,
    "moving/a": (b"a\n", 0o600),
    "moving/b": ("link", "../run.sh"),
    "gone": 0o755,
    "gone/c": (b"c\n", 0o644),
    "gone/deep": 0o755,
    "gone/deep/d": (b"\0\xff\0", 0o644),
    "bystander": 0o755,
    "bystander/left.txt": (b"not touched\n", 0o604),
}

_PATCH = """\
--- a/patched.txt
+++ b/patched.txt
@@ -1,3 +1,3 @@
 1
-2
+two
 3
diff --git a/renamed.txt b/renewed.txt
similarity index 100%
rename from renamed.txt
rename to renewed.txt
diff --git a/made.txt b/made.txt
new file mode 100755
--- /dev/null
+++ b/made.txt
@@ -0,0 +1 @@
+made
diff --git a/unpatched.txt b/unpatched.txt
deleted file mode 100664
--- a/unpatched.txt
+++ /dev/null
@@ -1 +0,0 @@
-goes
"""

_OPERATIONS: tuple[dict[str, Any], ...] = (
    {"type": "create", "path": "new/deep/file.txt", "content": "new\n"},
    {"type": "rewrite", "path": "large.txt", "content": "small now\n"},
    {"type": "replace", "path": "crlf.txt", "search": "two\nthree", "replacement": "2\n3"},
    {"type": "splice", "path": "latin.txt", "start_line": 2, "delete_count": 1, "content": "na\u00efvet\u00e9\n"},
    {"type": "copy", "from": "run.sh", "to": "copied.sh"},
    {"type": "move", "from": "empty.txt", "to": "new/empty.txt"},
    {"type": "move", "from": "link", "to": "run"},
    {"type": "mkdir", "path": "made"},
    {"type": "patch", "patch": _PATCH},
    {"type": "copy", "from": "source", "to": "copy"},
    {"type": "move", "from": "moving", "to": "moved"},
    {"type": "delete", "path": "gone", "recursive": True},
    {"type": "delete", "path": "kind"},
    {"type": "create", "path": "kind/inside.txt", "content": "a folder now\n"},
)

_AFTER: Tree = {
    "crlf.txt": (_BOM + b"one\r\n2\r\n3", 0o644),
    "latin.txt": (b"caf\xe9\nna\xefvet\xe9\nd\xe9j\xe0 vu\n", 0o640),
    "run.sh": _BEFORE["run.sh"],
    "large.txt": (b"small now\n", 0o600),
    "run": ("link", "run.sh"),
    "patched.txt": (b"1\ntwo\n3\n", 0o644),
    "renewed.txt": (b"old name\n", 0o644),
    "made.txt": (b"made\n", 0o755),
    "kind": 0o755,
    "kind/inside.txt": (b"a folder now\n", 0o644),
    "new": 0o755,
    "new/empty.txt": (b"", 0o444),
    "new/deep": 0o755,
    "new/deep/file.txt": (b"new\n", 0o644),
    "copied.sh": (b"#!/bin/sh\necho one\n", 0o755),
    "made": 0o755,
    "source": 0o755,
    "source/one.py": (b"one = 1\n", 0o644),
    "source/deep": 0o755,
    "source/deep/two.py": (b"two = 2\n", 0o700),
    "copy": 0o755,
    "copy/one.py": (b"one = 1\n", 0o644),
    "copy/deep": 0o755,
    "copy/deep/two.py": (b"two = 2\n", 0o700),
    "moved": 0o755,
    "moved/a": (b"a\n", 0o600),
    "moved/b": ("link", "../run.sh"),
    "bystander": 0o755,
    "bystander/left.txt": (b"not touched\n", 0o604),
}

# What an undo leaves: folders that were made as somebody's parents stay.
_UNDONE: Tree = _BEFORE | {"new": 0o755, "new/deep": 0o755}


def trees(what: Act) -> tuple[Tree, Tree]:
    """The folder before an act and after it, as they must be."""
    return (_AFTER, _UNDONE) if what == "rollback" else (_BEFORE, _AFTER)


def house_at(folder: Path, store: Path, *, first: int = 1000) -> House:
    """A workspace's parts, not opened yet; `first` keeps its ids apart from those of earlier openings."""
    return House(folder, store, ids=itertools.count(first).__next__)


def prepare(folder: Path, store: Path, what: Act) -> None:
    """Lay out the scene of an act: the folder, and its store with all that was done before."""
    os.umask(0o022)
    folder.mkdir(parents=True)
    for name, thing in _BEFORE.items():
        _lay(folder / name, thing)
    house = house_at(folder, store, first=1)
    house.open()
    if what == "rollback":
        house.edit(*_OPERATIONS)
    house.close()


def act(house: House, what: Act, acknowledged: int, *, stop: bool) -> None:
    """Do it, and write the transaction's id to the descriptor `acknowledged`. `stop`: wait for SIGCONT first."""
    if what != "recover":
        house.open()
        planned = _plan(house, what)
    if stop:
        os.kill(os.getpid(), signal.SIGSTOP)
    _mark(BEGIN)
    done = "recovered" if what == "recover" else ""
    if what == "recover":
        house.open()
    else:
        done = house.commit(planned).transaction_id
    os.write(acknowledged, done.encode() + b"\n")
    _mark(END)


_plans: dict[Act, Planned] = {}
"""A plan is a value that holds for every copy of its scene: a process that forks victims makes each once."""


def _plan(house: House, what: Act) -> Planned:
    if what not in _plans:
        newest = house.tx.newest_undoable()
        _plans[what] = house.plan(*_OPERATIONS) if what == "commit" else house.tx.plan_rollback(newest.transaction_id)
    return _plans[what]


def tree(folder: Path) -> Tree:
    """What a folder holds, `.agentic` left out and nothing else."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == ".agentic":
            continue
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            found[name] = ("link", os.readlink(path))
        elif stat.S_ISDIR(info.st_mode):
            found[name] = stat.S_IMODE(info.st_mode)
        else:
            found[name] = (path.read_bytes(), stat.S_IMODE(info.st_mode))
    return found


def _lay(path: Path, thing: Any) -> None:
    if isinstance(thing, int):
        path.mkdir(mode=thing)
    elif thing[0] == "link":
        path.symlink_to(thing[1])
    else:
        path.write_bytes(thing[0])
        path.chmod(thing[1])


def _mark(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.stat(path)


def main(folder: str, store: str, what: str) -> None:
    act(house_at(Path(folder), Path(store)), ACTS[ACTS.index(what)], 1, stop=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
