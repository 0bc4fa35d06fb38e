"""A folder as a dictionary, and what operations, undos and other programs make of it.

Written from what the tools promise, sharing nothing with the code that keeps the promise. Three answers: a tree,
`Refused` (the call has to be refused), `Unsure` (the model is too small to tell, and the caller asserts less).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

UMASK = os.umask(0)
os.umask(UMASK)
BOM8, BOM16 = b"\xef\xbb\xbf", b"\xff\xfe"


class Node(NamedTuple):
    """A folder (mode), a file (data, mode) or a link (data: where it leads)."""

    kind: str
    data: bytes = b""
    mode: int = 0

    def same(self, other: Node | None) -> bool:
        """Kind and bytes agree, modes apart."""
        return other is not None and (self.kind, self.data) == (other.kind, other.data)


Tree = dict[str, Node]


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """The call has to be refused."""


class Unsure(Exception):  # noqa: N818 - an answer, not an error
    """It may be refused, or end in a tree that this model doesn't foresee."""


def snapshot(folder: Path) -> Tree:
    """The real folder as a tree; `.agentic` left out."""
    found: Tree = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == ".agentic":
            continue
        if path.is_symlink():
            found[name] = Node("link", os.fsencode(path.readlink()))
        elif path.is_dir():
            found[name] = Node("dir", mode=path.stat().st_mode & 0o7777)
        else:
            found[name] = Node("file", path.read_bytes(), path.stat().st_mode & 0o7777)
    return found


def new_folder() -> Node:
    return Node("dir", mode=0o777 & ~UMASK)


def parents(path: str) -> list[str]:
    """Folders above, the nearest last."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def below(tree: Tree, path: str) -> list[str]:
    """Paths in a folder at any depth."""
    return sorted(each for each in tree if each.startswith(path + "/"))


def is_whole(tree: Tree) -> bool:
    """Whether everything stands in a folder."""
    return all(tree[up].kind == "dir" if up in tree else False for path in tree for up in parents(path))


# Text in files.


def take_apart(data: bytes) -> tuple[bytes, str, str] | None:
    """Byte order mark, codec, text; None for binary. Every superset of ASCII does for ASCII edits."""
    if data.startswith(BOM16):
        return BOM16, "utf-16-le", data[2:].decode("utf-16-le")
    if b"\0" in data:
        return None
    bom = BOM8 if data.startswith(BOM8) else b""
    return bom, "latin-1", data[len(bom) :].decode("latin-1")


def ending(text: str) -> str:
    """`lf`, `crlf`, `mixed` or `none`."""
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    return "mixed" if crlf and lf else "crlf" if crlf else "lf" if lf else "none"


def _as_file_ends(text: str, content: str) -> str:
    how = ending(text)
    if "\n" in content and how == "mixed":
        raise Unsure
    return content.replace("\n", "\r\n") if how == "crlf" else content


def rewritten(old: bytes, content: str) -> bytes:
    apart = take_apart(old)
    if apart is None:
        return content.encode()
    bom, codec, text = apart
    return bom + (content.replace("\n", "\r\n") if ending(text) == "crlf" else content).encode(codec)


def replaced(old: bytes, search: str, replacement: str, expected: int) -> bytes:
    apart = take_apart(old)
    if apart is None:
        raise Refused
    bom, codec, text = apart
    search, replacement = _as_file_ends(text, search), _as_file_ends(text, replacement)
    count = text.count(search)
    if count != expected:
        raise Unsure if count == 0 and "\n" in search else Refused
    return bom + text.replace(search, replacement).encode(codec)


def spliced(old: bytes, start: int, delete: int, content: str) -> bytes:
    apart = take_apart(old)
    if apart is None:
        raise Refused
    bom, codec, text = apart
    if ending(text) == "mixed":
        raise Unsure
    newline = "\r\n" if ending(text) == "crlf" else "\n"
    content = _as_file_ends(text, content)
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    if start > len(lines) + 1 or start - 1 + delete > len(lines):
        raise Refused
    above, after = lines[: start - 1], lines[start - 1 + delete :]
    whole_before = not lines or lines[-1].endswith("\n")
    if content and above and not above[-1].endswith("\n"):
        above[-1] += newline
    if content and not content.endswith("\n") and (after or (lines and whole_before)):
        content += newline
    return bom + "".join([*above, content, *after]).encode(codec)


def patch_of(path: str, old: bytes, new: bytes) -> str:
    """A plain unified diff between two UTF-8 texts with LF."""
    lines = difflib.unified_diff(
        old.decode().splitlines(keepends=True), new.decode().splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


# Operations.


@dataclass
class Play:
    """Operations played one after the other on a copy of a tree."""

    start: Tree
    tree: Tree = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    """Folders that operations name: an undo takes them away again."""
    moved: dict[str, str] = field(default_factory=dict)
    """Where the very file that stands at a path came from."""
    written: set[str] = field(default_factory=set)
    """Paths whose bytes an operation gave: no longer the very file."""

    def __post_init__(self) -> None:
        self.tree = dict(self.start)

    def copy(self) -> Play:
        """One that goes on by itself."""
        other = Play(self.start, named=set(self.named), moved=dict(self.moved), written=set(self.written))
        other.tree = dict(self.tree)
        return other

    def run(self, operation: dict[str, Any]) -> None:
        getattr(self, "_" + operation["type"])(operation)

    def finish(self) -> Tree:
        """The end: a folder that is there before and after keeps its mode; what changes nothing is refused."""
        for path, node in self.tree.items():
            old = self.start.get(path)
            if node.kind == "dir" and old is not None and old.kind == "dir":
                self.tree[path] = old
            elif node.kind == "file" and not node.mode:
                self.tree[path] = node._replace(mode=0o666 & ~UMASK)
        if self.tree == self.start:
            raise Refused
        if not is_whole(self.tree):
            raise AssertionError("the model is wrong")
        self.named = {p for p in self.named if p in self.tree and not _is_folder(self.start.get(p))}
        self.moved = {
            to: source
            for to, source in self.moved.items()
            if to not in self.start and source not in self.tree and to in self.tree
        }
        return self.tree

    # Paths.

    def resolve(self, path: str, *, last: bool = True) -> str:
        """Where a path leads, as the disk's links have it."""
        parts = path.split("/")
        if ".git" in parts or ".agentic" in parts or ".." in parts or path.endswith("/"):
            raise Refused
        done: list[str] = []
        steps = 0
        while parts:
            part = parts.pop(0)
            if part == "..":
                if not done:
                    raise Refused
                done.pop()
                continue
            if part == ".":
                continue
            done.append(part)
            node = self.tree.get("/".join(done))
            if node is not None and node.kind == "link" and (parts or last):
                if self.tree != self.start:
                    raise Unsure
                steps += 1
                target = os.fsdecode(node.data)
                if steps > 40 or target.startswith("/"):
                    raise Refused
                done.pop()
                parts = target.split("/") + parts
        return "/".join(done) or "."

    def kind(self, path: str) -> str:
        if path == ".":
            return "dir"
        node = self.tree.get(path)
        return "none" if node is None else node.kind

    def make_parents(self, path: str) -> None:
        for up in parents(path):
            if self.kind(up) == "none":
                self.tree[up] = new_folder()
            elif self.kind(up) != "dir":
                raise Refused

    def text_file(self, path: str) -> tuple[str, Node]:
        path = self.resolve(path)
        if self.kind(path) != "file":
            raise Refused
        return path, self.tree[path]

    def put(self, path: str, data: bytes, mode: int | None = None) -> None:
        old = self.tree.get(path)
        kept = old.mode if old is not None and old.kind == "file" else 0
        self._place(path, Node("file", data, kept if mode is None else mode))
        self._forget(path)
        self.written.add(path)

    def _place(self, path: str, node: Node) -> None:
        """A new file has no mode yet (0): it takes that of the file whose place it takes, else the usual one."""
        old = self.start.get(path)
        if node.kind == "file" and not node.mode and old is not None and old.kind == "file":
            node = node._replace(mode=old.mode)
        self.tree[path] = node

    def _forget(self, path: str) -> None:
        self.moved.pop(path, None)
        self.written.discard(path)

    # One of each.

    def _create(self, op: dict[str, Any]) -> None:
        path = self.resolve(op["path"])
        if self.kind(path) == "file" and op["overwrite"]:
            self.put(path, rewritten(self.tree[path].data, op["content"]))
            return
        if self.kind(path) != "none":
            raise Refused
        self.make_parents(path)
        self.put(path, op["content"].encode())

    def _rewrite(self, op: dict[str, Any]) -> None:
        path = self.resolve(op["path"])
        if self.kind(path) == "none" and op["create_if_missing"]:
            self.make_parents(path)
            self.put(path, op["content"].encode())
            return
        path, node = self.text_file(op["path"])
        self.put(path, rewritten(node.data, op["content"]))

    def _replace(self, op: dict[str, Any]) -> None:
        path, node = self.text_file(op["path"])
        self.put(path, replaced(node.data, op["search"], op["replacement"], op["expected_matches"]))

    def _splice(self, op: dict[str, Any]) -> None:
        path, node = self.text_file(op["path"])
        self.put(path, spliced(node.data, op["start_line"], op["delete_count"], op["content"]))

    def _delete(self, op: dict[str, Any]) -> None:
        path = self.resolve(op["path"], last=False)
        if path == ".":
            raise Refused
        if self.kind(path) == "none":
            if op["ignore_missing"]:
                return
            raise Refused
        if below(self.tree, path) and not op["recursive"]:
            raise Refused
        for each in [path, *below(self.tree, path)]:
            del self.tree[each]
            self._forget(each)

    def _mkdir(self, op: dict[str, Any]) -> None:
        path = self.resolve(op["path"])
        if self.kind(path) not in {"dir", "none"}:
            raise Refused
        if self.kind(path) == "none":
            self.make_parents(path)
            self.tree[path] = new_folder()
        self.named.add(path)

    def _copy(self, op: dict[str, Any]) -> None:
        self._transfer(self.resolve(op["from"]), op, moves=False)

    def _move(self, op: dict[str, Any]) -> None:
        self._transfer(self.resolve(op["from"], last=False), op, moves=True)

    def _transfer(self, source: str, op: dict[str, Any], *, moves: bool) -> None:
        target = self.resolve(op["to"], last=False)
        if "." in {source, target} or self.kind(source) == "none":
            raise Refused
        if target == source or target.startswith(source + "/"):
            raise Refused
        if self.kind(target) != "none" and not (
            op["overwrite"] and self.kind(target) == "file" and self.kind(source) != "dir"
        ):
            raise Refused
        self.make_parents(target)
        for each in [source, *below(self.tree, source)]:
            to = target + each[len(source) :]
            node = self.tree[each]
            came_from = "" if not moves or each in self.written else self.moved.get(each, each)
            self._forget(to)
            if moves:
                del self.tree[each]
                self._forget(each)
            self._place(to, node)
            if node.kind == "dir":
                self.named.add(to)
            elif came_from in self.start and node.kind == "file":
                self.moved[to] = came_from  # a link is made anew from its target: it comes back in any case
            else:
                self.written.add(to)

    def _patch(self, op: dict[str, Any]) -> None:
        for name, *arguments in op["sections"]:
            getattr(self, "_patch_" + name)(*arguments)

    def _patch_modify(self, path: str, old: bytes, new: bytes) -> None:
        path, node = self.text_file(path)
        if node.data != old:
            raise Unsure
        self.put(path, new)

    def _patch_create(self, path: str, new: bytes) -> None:
        if "b/" + path in self.tree:
            raise Unsure  # then the patch may mean that one
        path = self.resolve(path)
        if self.kind(path) != "none":
            raise Refused
        self.make_parents(path)
        self.put(path, new)

    def _patch_delete(self, path: str, old: bytes) -> None:
        _, node = self.text_file(path)
        if node.data != old:
            raise Unsure
        path = self.resolve(path, last=False)
        del self.tree[path]
        self._forget(path)

    def _patch_rename(self, old: str, new: str) -> None:
        if old == new or self.kind(self.resolve(old, last=False)) != "file":
            raise Unsure
        self._move({"from": old, "to": new, "overwrite": False})

    def _patch_mode(self, path: str, executable: bool) -> None:
        path, node = self.text_file(path)
        mode = node.mode or (0o755 if executable else 0)
        self.put(path, node.data, mode & ~0o111 | ((mode & 0o444) >> 2 if executable else 0))


def _is_folder(node: Node | None) -> bool:
    return node is not None and node.kind == "dir"


# Undoing.


@dataclass
class Done:
    """What an entry of the history did, as the model saw it."""

    transaction_id: str
    number: int
    before: Tree
    after: Tree
    named: set[str]
    moved: dict[str, str]
    undoes: str | None = None
    status: str = "applied"
    undone_by: int | None = None

    def changed(self) -> Iterator[tuple[str, Node | None, Node | None]]:
        """Path, before, after; a folder's mode is nobody's change."""
        for path in sorted(self.before.keys() | self.after.keys()):
            before, after = self.before.get(path), self.after.get(path)
            if before != after and not (_is_folder(before) and _is_folder(after)):
                yield path, before, after


def undone(done: Done, now: Tree, *, force: bool) -> tuple[Tree, dict[str, str]]:
    """The tree after taking an entry back, and which files moved back; `Refused` over later work unless forced."""
    tree = dict(now)
    back = {source: to for to, source in done.moved.items()}
    changed = list(done.changed())
    if not force:
        for path, before, after in changed:
            if not _stands(before, after, now.get(path)):
                raise Refused
    for path, before, _ in changed:
        if before is not None and before.kind == "dir" and not _is_folder(tree.get(path)):
            _make_parents(tree, path)
            tree[path] = before
    for path, before, after in changed:
        if before is not None and before.kind != "dir":
            _make_parents(tree, path)
            tree[path] = _restored(path, before, after, now, back)
    for path, before, after in changed:
        if before is None and after is not None and after.kind != "dir":
            tree.pop(path, None)
    for path, before, after in sorted(changed, key=lambda c: -c[0].count("/")):
        if before is None and _is_folder(after) and _is_folder(tree.get(path)) and not below(tree, path):
            covered = any(up in tree and tree[up].kind != "dir" for up in parents(path))
            if path in done.named or covered:
                del tree[path]
    if not is_whole(tree):
        raise Refused
    moves = {source: to for source, to in back.items() if source not in now and to not in tree}
    return tree, moves


def _restored(path: str, before: Node, after: Node | None, now: Tree, back: dict[str, str]) -> Node:
    if path in back:
        there = now.get(back[path])
        if there is None or there.kind != before.kind:
            raise Refused
        return there
    here = now.get(path)
    kept = before.kind == "file" and after is not None and after.kind == "file" and before.mode == after.mode
    if kept and here is not None and here.kind == "file":
        return before._replace(mode=here.mode)  # a later chmod is later work
    return before


def _stands(before: Node | None, after: Node | None, now: Node | None) -> bool:
    if _is_folder(after) or (_is_folder(before) and _is_folder(now)):
        return True
    if after is None or now is None:
        return after is now
    changed_mode = before is not None and before.kind == after.kind == "file" and before.mode != after.mode
    return after.same(now) and not (changed_mode and now.mode != after.mode)


def _make_parents(tree: Tree, path: str) -> None:
    for up in parents(path):
        if up not in tree:
            tree[up] = new_folder()
        elif tree[up].kind != "dir":
            raise Refused
