"""What a newcomer to a folder looks for: what is written for them, ways in, and how it is tested.

    landmarks(root, top, paths) ──> instructions  AGENTS.md, README …: size and first line
                                    entries       what manifests declare, and files that are a program's beginning
                                    tests         commands that test, as manifests tell

Files are read as data, the beginning of each; nothing of them is run, and what they say is quoted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workroom.base.errors import WorkroomError
from workroom.system.root import Root
from workroom.system.syscalls import close
from workroom.text.display import show
from workroom.text.manifest import MANIFESTS, offers

__all__ = ["Entry", "Instruction", "Landmarks", "landmarks"]

_READ = 64_000
"""Bytes of one file that are looked at."""
_FILES = 12
"""Manifests that are read, and instructions."""
_LINE = 100
_WORDS = 160
_INSTRUCTIONS = re.compile(
    r"(?:AGENTS|CLAUDE|GEMINI|COPILOT-INSTRUCTIONS|CONTRIBUTING|README|ARCHITECTURE|HACKING|DEVELOPMENT)"
    r"(?:\.local)?(?:\.(?:md|markdown|rst|txt|adoc))?|\.cursorrules|\.windsurfrules|\.clinerules",
    re.IGNORECASE,
)
_FOR_AGENTS = ("agents", "claude", "gemini", "copilot", ".cursor", ".windsurf", ".cline")
_FIRST = (*_FOR_AGENTS, "readme", "contributing")
"""Which of them are told first."""
_INNER = tuple(
    f"{name}/"
    for name in ("src", "cmd", "app", "apps", "packages", "crates", "services", "server", "client", "lib", "bin", "web")
)
"""Folders in which programs begin."""
_MAIN = re.compile(
    r"(?:__main__|main|app|manage|server|cli|wsgi|asgi)\.py|(?:main|index|server|app)\.(?:js|mjs|cjs|ts|mts|tsx|jsx)"
    r"|main\.(?:c|cc|cpp|cxx|rs|go|swift|kt|dart|zig|hs)|Main\.java|Program\.cs|config\.ru"
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """A file that is written for who comes here: its size in bytes, and its first line."""

    path: str
    size: int
    first: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A way in: a file, and what it declares."""

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class Landmarks:
    """What was found, the uppermost first; `more` where not every file was looked at."""

    instructions: tuple[Instruction, ...]
    entries: tuple[Entry, ...]
    tests: tuple[str, ...]
    more: bool


def landmarks(root: Root, top: str, paths: Iterable[str]) -> Landmarks:
    """Of these files, by their canonical paths, in the folder `top` and a few levels below it."""
    instructions: list[str] = []
    manifests: list[str] = []
    mains: list[str] = []
    start = 0 if top == "." else len(top) + 1
    for path in paths:
        name, levels = path[path.rfind("/") + 1 :], path.count("/", start)
        if name in MANIFESTS:
            if levels < 2 or path[start:].startswith(_INNER):
                manifests.append(path)
        elif _INSTRUCTIONS.fullmatch(name):
            if levels < 2 or name.lower().startswith(_FOR_AGENTS):
                instructions.append(path)
        elif _MAIN.fullmatch(name) and (not levels or path[start:].startswith(_INNER)):
            mains.append(path)
    order = list(MANIFESTS)
    manifests.sort(key=lambda path: (path.count("/"), order.index(path.rpartition("/")[2]), path))
    mains.sort(key=lambda path: (path.count("/"), path))
    instructions.sort(key=_rank)
    entries, tests = _declared(root, manifests[:_FILES])
    entries += [Entry(path, "main file") for path in mains[:_FILES]]
    more = max(map(len, (manifests, mains, instructions))) > _FILES
    return Landmarks(tuple(_told(root, instructions[:_FILES])), tuple(entries), tuple(tests), more)


def _declared(root: Root, manifests: Sequence[str]) -> tuple[list[Entry], list[str]]:
    entries: list[Entry] = []
    tests: dict[str, None] = {}
    for path in manifests:
        folder, _, name = path.rpartition("/")
        found = offers(name, _head(root, path)[0])
        if found.ways:
            entries.append(Entry(path, _quoted("; ".join(found.ways), _WORDS)))
        for command in found.tests:
            tests.setdefault(f"{command} (in {folder})" if folder else command)
    return entries, list(tests)


def _told(root: Root, paths: Iterable[str]) -> Iterable[Instruction]:
    for path in paths:
        text, size = _head(root, path)
        lines = (line.strip() for line in text.splitlines())
        yield Instruction(path, size, _quoted(next(filter(None, lines), ""), _LINE))


def _rank(path: str) -> tuple[int, int, str]:
    name = path.rpartition("/")[2].lower()
    first = next((at for at, word in enumerate(_FIRST) if name.startswith(word)), len(_FIRST))
    return path.count("/"), first, path


def _head(root: Root, path: str) -> tuple[str, int]:
    """The beginning of a file as text, and its size; nothing of what can't be read."""
    try:
        descriptor = root.open_file(path)
    except WorkroomError:
        return "", 0
    try:
        return os.read(descriptor, _READ).decode("utf-8", "replace"), os.fstat(descriptor).st_size
    except OSError:  # pragma: no cover - needs a disk that fails
        return "", 0
    finally:
        close(descriptor)


def _quoted(text: str, most: int) -> str:
    """A line of somebody's file with what would act or hide made visible, cut."""
    shown = show(text, multiline=False).text
    return shown if len(shown) <= most else f"{shown[:most]}…"
