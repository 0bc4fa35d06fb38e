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

_MAX_BYTES = 1_000_000
"""A longer ignore file is left unread."""

_GLOB = re.compile(r"\\(?P<escaped>.)|(?P<stars>\*\*?)|(?P<one>\?)|\[(?P<not>[!^]?)(?P<set>\]?[^\]]*)\]", re.DOTALL)


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

    def __init__(self, root: Root) -> None:
        self._root = root
        self._rules: dict[str, Rules | None] = {}

    def ignored(self, path: str, is_folder: bool) -> bool:
        """Whether the entry at a canonical path is ignored, when the folders above it aren't."""
        parent, _, name = path.rpartition("/")
        folder = parent
        while True:
            rules = self._of(folder)
            if rules is not None:
                verdict = rules.verdict(name, path[len(folder) + 1 :] if folder else path, is_folder)
                if verdict is not None:
                    return verdict
            if not folder:
                return False
            folder = folder.rpartition("/")[0]

    def hides(self, path: str, below: str) -> bool:
        """Whether a file is ignored, or a folder on the way to it that lies below the folder `below`."""
        start = 0 if below == "." else len(below) + 1
        ends = [at for at, char in enumerate(path) if char == "/" and at >= start]
        return any(self.ignored(path[:end], True) for end in ends) or self.ignored(path, False)

    def _of(self, folder: str) -> Rules | None:
        if folder not in self._rules:
            text = self._read(f"{folder}/.gitignore" if folder else ".gitignore")
            if not folder:
                text = f"{self._read('.git/info/exclude')}\n{text}"
            self._rules[folder] = parse_rules(text)
        return self._rules[folder]

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
        body = body.rstrip("/") if folders_only else body
        if not body or line.startswith("#"):
            continue
        by_name = "/" not in body
        pattern = re.compile(_translate(body.removeprefix("/")), re.DOTALL)
        yield _Rule(pattern, by_name, folders_only, negated)


def _any_of(rules: Iterator[_Rule]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{rule.pattern.pattern})" for rule in rules) or "(?!)", re.DOTALL)


def _translate(glob: str) -> str:
    written, at = [], 0
    for found in _GLOB.finditer(glob):
        written.append(re.escape(glob[at : found.start()]))
        at = found.end()
        if found["escaped"]:
            written.append(re.escape(found["escaped"]))
        elif found["one"]:
            written.append("[^/]")
        elif found["stars"]:
            wild, at = _stars(glob, found)
            written.append(wild)
        else:
            written.append(_class(found["not"], found["set"]))
    return "".join([*written, re.escape(glob[at:])])


def _stars(glob: str, found: re.Match[str]) -> tuple[str, int]:
    """`**` crosses folders only where it stands for whole names; `**/` may also stand for none."""
    alone = found["stars"] == "**" and glob[: found.start()].endswith(("/", "")[found.start() == 0 :])
    if alone and glob.startswith("/", found.end()):
        return "(?:.*/)?", found.end() + 1
    return (".*" if alone and found.end() == len(glob) else "[^/]*"), found.end()


def _class(negation: str, members: str) -> str:
    """A set of characters; one that can't be a set matches nothing, as in git."""
    body = re.sub(r"([\\^&|~\[\]])", r"\\\1", members)
    wanted = f"[{'^/' if negation else ''}{body}]"
    try:
        re.compile(wanted)
    except re.error:
        return "(?!)"
    return wanted if negation else f"(?!/){wanted}"
