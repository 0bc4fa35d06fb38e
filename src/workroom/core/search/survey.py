"""What a tree is made of, from its names: how much, in which languages, where its tests are; and the tree as text.

    survey(parts, top, depth) ──> Survey: files, directories, languages, tests
                                  `- tree(depth, room)  the upper levels first, each with what was left out

Up to 50,000 files each name is looked at; of more, every so manieth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from workroom.core.search.listing import shown_path
from workroom.text.language import language_of

__all__ = ["Language", "Part", "Survey", "survey"]

_LOOKED_AT = 50_000
"""Of more files, so many names are looked at."""
_SIZED = 40
"""Of so many files of a language the size is looked at."""
_PER_FOLDER = (40, 20, 12, 6)
"""So many entries of a folder are shown, or as few as there is room for; of the upper one always some."""
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing", "testsuite", "selftests", "e2e"})
_TEST_FILE = re.compile(r"(?:^|[_.-])(?:test|tests|spec|specs)[_.-]|(?:Test|Tests|Spec)\.\w+$")
_NAMED = {"mips": "assembly", "plaintext": ""}
"""Where an editor's word isn't the language's."""


@dataclass(frozen=True, slots=True)
class Part:
    """One folder: the paths of its files and of its folders."""

    path: str
    files: Sequence[str]
    folders: Sequence[str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `size` is in bytes, from the sizes of some of its files."""

    name: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found. `sampled`: not each name was looked at, numbers of files are estimates."""

    top: str
    depth: int
    files: int
    directories: int
    sampled: bool
    endings: Mapping[str, Sequence[str]]
    """For each ending, or whole name without one, the files that have it."""
    step: int
    test_files: int
    test_folders: tuple[tuple[str, int], ...]
    """The uppermost folders of tests, with the number of files in each."""
    parts: Mapping[str, Part]
    """The folders whose entries may be shown."""
    below: Mapping[str, int]
    """How many files are in a folder that may be shown, and below it."""

    def languages(self, size_of: Callable[[str], int]) -> tuple[Language, ...]:
        """All languages, the one with the most bytes first; `size_of` tells a file's size."""
        found: dict[str, list[str]] = {}
        for files in self.endings.values():
            name = language_of(files[0])
            name = _NAMED.get(name, name)
            if name:
                found.setdefault(name, []).extend(files)
        sized = []
        for name, files in found.items():
            some = files[:: max(1, len(files) // _SIZED)]
            average = sum(map(size_of, some)) / len(some)
            sized.append(Language(name, len(files) * self.step, round(average * len(files) * self.step)))
        sized.sort(key=lambda each: (-each.size, -each.files, each.name))
        return tuple(sized)

    def tree(self, depth: int, room: int, mark: Callable[[str], str]) -> tuple[str, bool]:
        """So many levels in about `room` characters, and whether something that belongs to them was left out.

        `mark` is put behind a file's name.
        """
        chosen: dict[str, Sequence[tuple[str, bool]]] = {}
        level, cut = [self.top], False
        for indent in range(min(depth, self.depth)):
            parts = [self.parts[path] for path in level]
            rows = _rows(parts, indent, room)
            if rows is None and not indent:
                rows = {part.path: _some(part, _PER_FOLDER[-1]) for part in parts}
            if rows is None:
                cut = True
                break
            chosen |= rows
            cut |= any(len(rows[part.path]) < len(part.files) + len(part.folders) for part in parts)
            room -= _width(rows, indent)
            level = [path for part in parts for path, is_folder in rows[part.path] if is_folder and path in self.parts]
        return "\n".join(self._lines(self.top, chosen, 0, mark)), cut

    def _lines(
        self, folder: str, chosen: Mapping[str, Sequence[tuple[str, bool]]], depth: int, mark: Callable[[str], str]
    ) -> Iterable[str]:
        if folder not in chosen:
            return
        indent, part = "  " * depth, self.parts[folder]
        for path, is_folder in chosen[folder]:
            name = shown_path(path.rpartition("/")[2])
            yield f"{indent}{name}/  ({self.below[path]:,} files)" if is_folder else f"{indent}{name}{mark(path)}"
            if is_folder:
                yield from self._lines(path, chosen, depth + 1, mark)
        over = len(part.files) + len(part.folders) - len(chosen[folder])
        if over:
            yield f"{indent}… {over:,} more"


def survey(parts: Sequence[Part], top: str, depth: int) -> Survey:
    """What these folders hold, the folder `top` and those below it; `depth` levels of them can be shown."""
    files = sum(len(part.files) for part in parts)
    step = max(1, files // _LOOKED_AT)
    below: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    shown: dict[str, Part] = {}
    endings: dict[str, list[str]] = {}
    test_files, at = 0, 0
    for part in parts:
        names = _names(part.path, top)
        if len(names) < depth:
            shown[part.path] = part
        for levels in range(1, min(len(names), depth) + 1):
            below[_path(top, names[:levels])] += len(part.files)
        levels = next((levels for levels, name in enumerate(names, 1) if name in _TEST_FOLDERS), 0)
        if levels:
            tests[_path(top, names[:levels])] += len(part.files)
        some = part.files[at::step] if step > 1 else part.files
        at = (at - len(part.files)) % step
        test_files += _sort_in(endings, some, in_tests=levels > 0)
    return Survey(
        top=top,
        depth=depth,
        files=files,
        directories=len(parts) - 1,
        sampled=step > 1,
        endings=endings,
        step=step,
        test_files=test_files * step,
        test_folders=tuple(sorted(tests.items(), key=lambda each: (each[0].count("/"), -each[1], each[0]))),
        parts=shown,
        below=below,
    )


def _sort_in(endings: dict[str, list[str]], files: Iterable[str], *, in_tests: bool) -> int:
    """Put files with others of their ending; answers how many of them are tests."""
    tests = 0
    for path in files:
        name = path[path.rfind("/") + 1 :]
        endings.setdefault(name[name.rfind(".") + 1 :].lower(), []).append(path)
        if in_tests or (("est" in name or "pec" in name) and _TEST_FILE.search(name)):
            tests += 1
    return tests


def _names(path: str, top: str) -> list[str]:
    """The names that lead from `top` to a folder below it."""
    if path == top:
        return []
    return (path if top == "." else path[len(top) + 1 :]).split("/")


def _path(top: str, names: Sequence[str]) -> str:
    below = "/".join(names)
    return below if top == "." else f"{top}/{below}"


def _rows(parts: Sequence[Part], depth: int, room: int) -> dict[str, Sequence[tuple[str, bool]]] | None:
    """Entries of each of these folders and which are folders themselves, as many as there is room for; None: none."""
    for most in _PER_FOLDER:
        rows = {part.path: _some(part, most) for part in parts}
        if _width(rows, depth) <= room:
            return rows
    return None


def _some(part: Part, most: int) -> Sequence[tuple[str, bool]]:
    folders = [(path, True) for path in part.folders[:most]]
    return sorted([*folders, *((path, False) for path in part.files[: most - len(folders)])])


def _width(rows: Mapping[str, Sequence[tuple[str, bool]]], depth: int) -> int:
    return sum(
        len(path) - path.rfind("/") + 2 * depth + (15 if is_folder else 1)
        for entries in rows.values()
        for path, is_folder in entries
    )
