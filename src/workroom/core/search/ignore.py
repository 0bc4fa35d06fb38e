"""What git would ignore, read from the files themselves: `.gitignore` in each folder, and `.git/info/exclude`.

Git isn't asked, for asking it can run what a repository's config names. The person's global excludes and the ignore
files above the root are left alone: they aren't part of what was opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workroom.base.errors import WorkroomError
from workroom.system.root import Root

__all__ = ["Ignore", "parse_rules"]

_MAX_BYTES = 100_000
"""A longer ignore file is left unread."""

_WAYS = 10_000
"""Of how many folders it is remembered which rules are on the way to them."""

_MAX_LINE = 8_192
"""A longer line is left out; no path is half as long."""

_GLOB = re.compile(r"\\(?P<escaped>.)|(?P<star>\*+)|(?P<one>\?)|\[(?P<not>[!^]?)(?P<set>\]?[^\]]{0,256})\]", re.DOTALL)
_RANGE = re.compile(r"(.)(?:-(.))?", re.DOTALL)
_NAME = re.compile(r"(?:\\.|\[[!^]?\]?[^\]]{0,256}\]|[^/])+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    by_name: bool
    """Whether it is matched against the name alone, else against the path from its file's folder."""
    folders_only: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one file, the last first, and one pattern each that tells quickly when none can match."""

    rules: tuple[_Rule, ...]
    names: re.Pattern[str]
    paths: re.Pattern[str]

    def verdict(self, name: str, path: str, is_folder: bool) -> bool | None:
        """Whether they ignore it; None when no rule speaks of it."""
        if not (self.names.fullmatch(name) or self.paths.fullmatch(path)):
            return None
        for rule in self.rules:
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(name if rule.by_name else path):
                return not rule.negated
        return None


class Ignore:
    """The ignore rules of one root, each file read when it is first needed. For one listing; not kept."""

    def __init__(self, root: Root, kept: int = _WAYS) -> None:
        """`kept`: of how many folders it is remembered which rules are on the way to them."""
        self._root = root
        self._kept = kept
        self._rules: dict[str, Rules | None] = {}
        self._ways: dict[str, tuple[tuple[int, Rules], ...]] = {}

    def ignored(self, path: str, is_folder: bool) -> bool:
        """Whether the entry at a canonical path is ignored, when the folders above it aren't."""
        parent, _, name = path.rpartition("/")
        for start, rules in self._way(parent):
            verdict = rules.verdict(name, path[start:], is_folder)
            if verdict is not None:
                return verdict
        return False

    def speaks_in(self, folder: str) -> bool:
        """Whether any rules speak of what is in a folder."""
        return bool(self._way("" if folder == "." else folder))

    def hides(self, path: str, below: str) -> bool:
        """Whether a file is ignored, or a folder on the way to it that lies below the folder `below`."""
        start = 0 if below == "." else len(below) + 1
        ends = [at for at, char in enumerate(path) if char == "/" and at >= start]
        return any(self.ignored(path[:end], True) for end in ends) or self.ignored(path, False)

    def text_of(self, folder: str, has_file: bool) -> str:
        """What the ignore files of a folder say ("" is the root's); without a file nothing, and none is looked for."""
        if not has_file:
            self._rules[folder] = None
            self._ways.pop(folder, None)
            return ""
        text = self._text(folder)
        self._rules[folder] = parse_rules(text)
        self._ways.pop(folder, None)
        return text

    def _way(self, folder: str) -> tuple[tuple[int, Rules], ...]:
        """The rules on the way to a folder, its own first, each with where the paths begin that they speak of."""
        if len(self._ways) > self._kept:
            self._ways.clear()
        missing = []
        while folder and folder not in self._ways:
            missing.append(folder)
            folder = folder.rpartition("/")[0]
        if folder not in self._ways:
            missing.append(folder)
        way = self._ways.get(folder, ())
        for folder in reversed(missing):
            rules = self._of(folder)
            if rules is not None:
                way = ((len(folder) + 1 if folder else 0, rules), *way)
            self._ways[folder] = way
        return way

    def _of(self, folder: str) -> Rules | None:
        if folder not in self._rules:
            self._rules[folder] = parse_rules(self._text(folder))
        return self._rules[folder]

    def _text(self, folder: str) -> str:
        text = self._read(f"{folder}/.gitignore" if folder else ".gitignore")
        return text if folder else f"{self._read('.git/info/exclude')}\n{text}"

    def _read(self, path: str) -> str:
        try:
            return self._root.read(path, _MAX_BYTES).decode("utf-8", "surrogateescape")
        except WorkroomError:
            return ""


def parse_rules(text: str) -> Rules | None:
    """The rules of one ignore file, as gitignore(5) has them; None when there are none."""
    rules = tuple(_parsed(text))[::-1]
    if not rules:
        return None
    return Rules(rules, _any_of(r for r in rules if r.by_name), _any_of(r for r in rules if not r.by_name))


def _parsed(text: str) -> Iterator[_Rule]:
    for raw in text.splitlines():
        line = re.sub(r"(?<!\\)[ \t\r]+$", "", raw)
        negated = line.startswith("!")
        body = line[negated:]
        folders_only = body.endswith("/")
        body = body.removesuffix("/")
        # A name that is empty (`a//b`) is in no path.
        if not body or line.startswith("#") or "//" in raw or len(body) > _MAX_LINE:
            continue
        by_name = "/" not in body
        pattern = re.compile(_translate(body.removeprefix("/")), re.DOTALL)
        yield _Rule(pattern, by_name, folders_only, negated)


def _any_of(rules: Iterator[_Rule]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{rule.pattern.pattern})" for rule in rules) or "(?!)", re.DOTALL)


def _translate(glob: str) -> str:
    """A glob as a regular expression that takes no long time, whatever the glob and the path.

    What stands between two `*`, or between two `**`, is taken where it is found first, for good: it has a fixed
    length (in characters, or in names), so no later place would leave more room for the rest.
    """
    runs: list[list[str]] = [[]]
    names = _NAME.findall(glob)
    for number, name in enumerate(names, 1):
        if name.strip("*") or name == "*":
            runs[-1].append(_translate_name(name))
        elif number == len(names):
            runs[-1].append("(?s:.+)")
        elif number == 1 or runs[-1]:
            runs.append([])
    first, *others = ("/".join(run) for run in runs)
    if not others:
        return first
    *middle, last = others
    found_first = "".join(f"(?>(?:[^/]*+/)*?{run}/)" for run in middle)
    return f"{first and first + '/'}{found_first}(?:[^/]*+/)*?{last}"


def _translate_name(glob: str) -> str:
    pieces, at = [""], 0
    for found in _GLOB.finditer(glob):
        pieces[-1] += re.escape(glob[at : found.start()])
        at = found.end()
        if found["star"]:
            pieces.append("")
        elif found["one"]:
            pieces[-1] += "[^/]"
        else:
            pieces[-1] += re.escape(found["escaped"]) if found["escaped"] else _class(found["not"], found["set"])
    pieces[-1] += re.escape(glob[at:])
    first, *others = pieces
    if not others:
        return first
    *middle, last = others
    found_first = "".join(f"(?>[^/]*?{piece})" for piece in middle)
    return f"{first}{found_first}(?>[^/]*{last}(?![^/]))"


def _class(negation: str, members: str) -> str:
    """One character of a set, or of none; a range that goes backwards is its first character, as in git."""
    ranges = (
        f"{low}-{high or low}" if low <= (high or low) else f"{low}-{low}" for low, high in _RANGE.findall(members)
    )
    body = "".join("-".join(map(re.escape, (found[0], found[-1]))) for found in ranges)
    return f"[^/{body}]" if negation else f"(?!/)[{body}]"
