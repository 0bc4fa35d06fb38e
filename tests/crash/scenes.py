"""Scenes: a folder, what is done to it, and what it must be after that and after its undo.

Trees are written out by hand, before and after, so that nothing under test says what is right. `FULL` has every
operation in one; `single(NAME)` has one part by itself; `mixed(SEED, COUNT)` puts that many parts together by chance.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FULL", "PARTS", "File", "Folder", "Link", "Scene", "Tree", "lay", "mixed", "scene", "single", "tree"]


class File(NamedTuple):
    """A file's bytes, permission bits and extended attributes (of users' own)."""

    data: bytes
    mode: int = 0o644
    xattrs: tuple[tuple[str, bytes], ...] = ()


class Link(NamedTuple):
    """Where a link leads."""

    target: str


class Folder(NamedTuple):
    """A folder's permission bits."""

    mode: int = 0o755


Tree = dict[str, File | Link | Folder]


@dataclass
class Scene:
    """What is there, what is done, what must be there afterwards, and once that is taken back."""

    name: str
    before: Tree = field(default_factory=dict)
    operations: list[dict[str, Any]] = field(default_factory=list)
    after: Tree = field(default_factory=dict)
    undone: Tree = field(default_factory=dict)

    def add(self, other: Scene) -> None:
        """Another one beside it; no path of one may be the other's."""
        self.before |= other.before
        self.operations += other.operations
        self.after |= other.after
        self.undone |= other.undone


def scene(name: str) -> Scene:
    """A scene by its name: `full`, `one-NAME`, `mixed-SEED-COUNT`."""
    if name == "full":
        return FULL
    kind, *rest = name.split("-")
    return single(rest[0]) if kind == "one" else mixed(int(rest[0]), int(rest[1]))


def lay(folder: Path, things: Tree) -> None:
    """Make a tree in a folder that is there."""
    for name, thing in things.items():
        path = folder / name
        match thing:
            case Folder(mode):
                path.mkdir()
                path.chmod(mode)
            case Link(target):
                path.symlink_to(target)
            case File(data, mode, xattrs):
                path.write_bytes(data)
                path.chmod(mode)
                for key, value in xattrs:
                    os.setxattr(path, key, value)


def tree(folder: Path) -> Tree:
    """What a folder holds, `.agentic` left out and nothing else."""
    found: Tree = {}
    for where, folders, files in os.walk(folder):
        if where == str(folder):
            folders[:] = [name for name in folders if name != ".agentic"]
        for name in (*folders, *files):
            path = os.path.join(where, name)
            found[os.path.relpath(path, folder)] = _thing(path)
    return found


def _thing(path: str) -> File | Link | Folder:
    info = os.lstat(path)
    if stat.S_ISLNK(info.st_mode):
        return Link(os.readlink(path))
    mode = stat.S_IMODE(info.st_mode)
    if stat.S_ISDIR(info.st_mode):
        return Folder(mode)
    names = sorted(name for name in os.listxattr(path) if name.startswith("user."))
    xattrs = tuple((name, os.getxattr(path, name)) for name in names)
    return File(Path(path).read_bytes(), mode, xattrs)


# One scene with all of it.

_BOM = b"\xef\xbb\xbf"
_MARKED = (("user.author", b"somebody"), ("user.\xc3\xa9t\xc3\xa9".encode("latin-1").decode(), b"\x00\xff"))
_LARGE = b"a line of a file whose image is a file of its own\n" * 2000

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

_BEFORE: Tree = {
    "crlf.txt": File(_BOM + b"one\r\ntwo\r\nthree", 0o644, _MARKED),
    "latin.txt": File(b"caf\xe9\nna\xefve fa\xe7ade\nd\xe9j\xe0 vu\n", 0o640),
    "run.sh": File(b"#!/bin/sh\necho one\n", 0o755, _MARKED),
    "large.txt": File(_LARGE, 0o600),
    "empty.txt": File(b"", 0o444, _MARKED),
    "link": Link("run.sh"),
    "patched.txt": File(b"1\n2\n3\n", 0o644),
    "renamed.txt": File(b"old name\n", 0o644, _MARKED),
    "unpatched.txt": File(b"goes\n", 0o664),
    "kind": File(b"a file that becomes a folder\n", 0o644),
    "source": Folder(),
    "source/one.py": File(b"one = 1\n", 0o644),
    "source/deep": Folder(),
    "source/deep/two.py": File(b"two = 2\n", 0o700),
    "moving": Folder(),
    "moving/a": File(b"a\n", 0o600, _MARKED),
    "moving/b": Link("../run.sh"),
    "gone": Folder(),
    "gone/c": File(b"c\n", 0o644),
    "gone/deep": Folder(),
    "gone/deep/d": File(b"\0\xff\0", 0o644),
    "bystander": Folder(),
    "bystander/left.txt": File(b"not touched\n", 0o604, _MARKED),
}

_OPERATIONS: list[dict[str, Any]] = [
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
]

_AFTER: Tree = {
    "crlf.txt": File(_BOM + b"one\r\n2\r\n3", 0o644, _MARKED),
    "latin.txt": File(b"caf\xe9\nna\xefvet\xe9\nd\xe9j\xe0 vu\n", 0o640),
    "run.sh": _BEFORE["run.sh"],
    "large.txt": File(b"small now\n", 0o600),
    "run": Link("run.sh"),
    "patched.txt": File(b"1\ntwo\n3\n", 0o644),
    "renewed.txt": File(b"old name\n", 0o644, _MARKED),
    "made.txt": File(b"made\n", 0o755),
    "kind": Folder(),
    "kind/inside.txt": File(b"a folder now\n", 0o644),
    "new": Folder(),
    "new/empty.txt": File(b"", 0o444, _MARKED),
    "new/deep": Folder(),
    "new/deep/file.txt": File(b"new\n", 0o644),
    "copied.sh": File(b"#!/bin/sh\necho one\n", 0o755, _MARKED),
    "made": Folder(),
    "source": Folder(),
    "source/one.py": File(b"one = 1\n", 0o644),
    "source/deep": Folder(),
    "source/deep/two.py": File(b"two = 2\n", 0o700),
    "copy": Folder(),
    "copy/one.py": File(b"one = 1\n", 0o644),
    "copy/deep": Folder(),
    "copy/deep/two.py": File(b"two = 2\n", 0o700),
    "moved": Folder(),
    "moved/a": File(b"a\n", 0o600, _MARKED),
    "moved/b": Link("../run.sh"),
    "bystander": Folder(),
    "bystander/left.txt": _BEFORE["bystander/left.txt"],
}

# What an undo leaves: folders that were made as somebody's parents stay.
FULL = Scene("full", _BEFORE, _OPERATIONS, _AFTER, _BEFORE | {"new": Folder(), "new/deep": Folder()})


# Parts that are put together by chance. Each works below a folder of its own, which is there before and after.


class _Style(NamedTuple):
    """How a text becomes bytes."""

    mark: bytes
    codec: str
    ending: str
    ends: bool

    def encode(self, *lines: str) -> bytes:
        text = self.ending.join(lines) + (self.ending if self.ends else "")
        return self.mark + text.encode(self.codec)


_STYLES = (
    _Style(b"", "utf-8", "\n", ends=True),
    _Style(b"", "utf-8", "\n", ends=False),
    _Style(b"", "utf-8", "\r\n", ends=True),
    _Style(_BOM, "utf-8", "\r\n", ends=False),
    _Style(b"", "latin-1", "\n", ends=True),
    _Style(b"\xff\xfe", "utf-16-le", "\n", ends=True),
)
_LINES = ("d\u00e9j\u00e0 vu, the first line", "the second line", "na\u00efve, the third line")


class _Chance:
    """What is left to chance in a part."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def style(self) -> _Style:
        return self._random.choice(_STYLES)

    def mode(self) -> int:
        return self._random.choice((0o644, 0o600, 0o755, 0o444, 0o640, 0o777))

    def file(self, data: bytes) -> File:
        return File(data, self.mode(), _MARKED if self._random.random() < 0.5 else ())

    def blob(self) -> bytes:
        """Any bytes: few, none, or so many that their image is a file."""
        size = self._random.choice((0, 1, 100, 5000, 70_000))
        return self._random.randbytes(size)

    def choice(self, names: list[str]) -> str:
        return self._random.choice(names)


def _create(top: str, chance: _Chance) -> Scene:
    path = chance.choice([f"{top}/new.txt", f"{top}/a/new.txt", f"{top}/a/b/new.txt"])
    made: Tree = {up: Folder() for up in _above(path) if up != top}
    operation = {"type": "create", "path": path, "content": "new\n"}
    return Scene("", {}, [operation], made | {path: File(b"new\n")}, made)


def _overwrite(top: str, chance: _Chance) -> Scene:
    path, style = f"{top}/old.txt", chance.style()
    file = chance.file(style.encode(*_LINES))
    operation = {"type": "create", "path": path, "content": "all new\n", "overwrite": True}
    data = style._replace(ends=True).encode("all new")
    return _kept(Scene("", {path: file}, [operation], {path: file._replace(data=data)}))


def _rewrite(top: str, chance: _Chance) -> Scene:
    path, style = f"{top}/text.txt", chance.style()
    file = chance.file(style.encode(*_LINES))
    operation = {"type": "rewrite", "path": path, "content": "one\ntwo\n"}
    data = style._replace(ends=True).encode("one", "two")
    return _kept(Scene("", {path: file}, [operation], {path: file._replace(data=data)}))


def _replace(top: str, chance: _Chance) -> Scene:
    path, style = f"{top}/text.txt", chance.style()
    file = chance.file(style.encode(*_LINES))
    operation = {"type": "replace", "path": path, "search": "second", "replacement": "2nd"}
    data = style.encode(_LINES[0], "the 2nd line", _LINES[2])
    return _kept(Scene("", {path: file}, [operation], {path: file._replace(data=data)}))


def _splice(top: str, chance: _Chance) -> Scene:
    path, style = f"{top}/text.txt", chance.style()
    file = chance.file(style.encode(*_LINES))
    operation = {"type": "splice", "path": path, "start_line": 2, "delete_count": 1, "content": "in\nbetween\n"}
    data = style.encode(_LINES[0], "in", "between", _LINES[2])
    return _kept(Scene("", {path: file}, [operation], {path: file._replace(data=data)}))


def _copy(top: str, chance: _Chance) -> Scene:
    file = chance.file(chance.blob())
    folder: Tree = {f"{top}/from": Folder(), f"{top}/from/x": file, f"{top}/from/l": Link("x")}
    copied: Tree = {f"{top}/to": Folder(), f"{top}/to/x": file, f"{top}/to/l": Link("x")}
    operation = {"type": "copy", "from": f"{top}/from", "to": f"{top}/to"}
    return _kept(Scene("", folder, [operation], folder | copied))


def _move(top: str, chance: _Chance) -> Scene:
    """A folder with all it holds, a link, and a file over another."""
    file, other = chance.file(chance.blob()), File(b"goes\n", chance.mode())
    over = file._replace(xattrs=())  # an image has none: who was moved over another comes back without
    before: Tree = {
        f"{top}/from": Folder(),
        f"{top}/from/x": file,
        f"{top}/link": Link("nowhere"),
        f"{top}/mover": over,
        f"{top}/target": other,
    }
    operations: list[dict[str, Any]] = [
        {"type": "move", "from": f"{top}/from", "to": f"{top}/to"},
        {"type": "move", "from": f"{top}/link", "to": f"{top}/to/link"},
        {"type": "move", "from": f"{top}/mover", "to": f"{top}/target", "overwrite": True},
    ]
    after: Tree = {
        f"{top}/to": Folder(),
        f"{top}/to/x": file,
        f"{top}/to/link": Link("nowhere"),
        f"{top}/target": over,
    }
    return _kept(Scene("", before, operations, after))


def _delete(top: str, chance: _Chance) -> Scene:
    file = File(chance.blob(), chance.mode())
    before: Tree = {f"{top}/x": file, f"{top}/d": Folder(), f"{top}/d/y": file, f"{top}/d/l": Link("y")}
    operations: list[dict[str, Any]] = [
        {"type": "delete", "path": f"{top}/x"},
        {"type": "delete", "path": f"{top}/d", "recursive": True},
    ]
    return _kept(Scene("", before, operations))


def _mkdir(top: str, chance: _Chance) -> Scene:
    path = chance.choice([f"{top}/d", f"{top}/a/d"])
    made: Tree = {up: Folder() for up in _above(path) if up != top}
    return Scene("", {}, [{"type": "mkdir", "path": path}], made | {path: Folder()}, made)


def _patch(top: str, chance: _Chance) -> Scene:
    file = chance.file(b"1\n2\n3\n")
    text = f"--- a/{top}/p.txt\n+++ b/{top}/p.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"
    text += f"diff --git a/{top}/q.txt b/{top}/r.txt\nsimilarity index 100%\n"
    text += f"rename from {top}/q.txt\nrename to {top}/r.txt\n"
    before: Tree = {f"{top}/p.txt": file, f"{top}/q.txt": file}
    after: Tree = {f"{top}/p.txt": file._replace(data=b"1\ntwo\n3\n"), f"{top}/r.txt": file}
    return _kept(Scene("", before, [{"type": "patch", "patch": text}], after))


def _kinds(top: str, chance: _Chance) -> Scene:
    """A file becomes a folder, a folder a file, a link a file."""
    file = File(chance.blob(), chance.mode())
    before: Tree = {f"{top}/f": file, f"{top}/d": Folder(), f"{top}/d/x": file, f"{top}/l": Link("f")}
    operations: list[dict[str, Any]] = [
        {"type": "delete", "path": f"{top}/f"},
        {"type": "create", "path": f"{top}/f/inside.txt", "content": "inside\n"},
        {"type": "delete", "path": f"{top}/d", "recursive": True},
        {"type": "create", "path": f"{top}/d", "content": "a file now\n"},
        {"type": "delete", "path": f"{top}/l"},
        {"type": "create", "path": f"{top}/l", "content": "no link now\n"},
    ]
    after: Tree = {
        f"{top}/f": Folder(),
        f"{top}/f/inside.txt": File(b"inside\n"),
        f"{top}/d": File(b"a file now\n"),
        f"{top}/l": File(b"no link now\n"),
    }
    return _kept(Scene("", before, operations, after))


PARTS: dict[str, Callable[[str, _Chance], Scene]] = {
    "create": _create,
    "overwrite": _overwrite,
    "rewrite": _rewrite,
    "replace": _replace,
    "splice": _splice,
    "copy": _copy,
    "move": _move,
    "delete": _delete,
    "mkdir": _mkdir,
    "patch": _patch,
    "kinds": _kinds,
}


def _kept(part: Scene) -> Scene:
    """A part whose undo leaves nothing behind."""
    part.undone = dict(part.before)
    return part


def single(name: str) -> Scene:
    """One part by itself."""
    return _together(f"one-{name}", [name], 0)


def mixed(seed: int, count: int) -> Scene:
    """So many parts, each of the names before any comes again."""
    chance = random.Random(f"mixed {seed}")
    names: list[str] = []
    while len(names) < count:
        names += chance.sample(list(PARTS), len(PARTS))
    return _together(f"mixed-{seed}-{count}", names[:count], seed)


def _together(name: str, parts: list[str], seed: int) -> Scene:
    whole = Scene(name)
    for number, part in enumerate(parts):
        top = f"p{number:02}-{part}"
        made = PARTS[part](top, _Chance(f"{seed} {number} {part}"))
        here: Tree = {top: Folder()}
        whole.add(Scene("", here | made.before, made.operations, here | made.after, here | made.undone))
    return whole


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]
