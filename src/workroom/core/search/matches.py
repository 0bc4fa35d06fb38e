"""What a search in files has found: lines with their context, or files and how many of their lines match."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

__all__ = ["FileCount", "Match", "MatchingFiles", "MatchingLines", "as_bytes"]

_SHOWN = 400
"""Characters of a line that are shown; a longer one is shown around its match."""


@dataclass(slots=True)
class Match:
    """One line that matches. `line` and `column` count from 1; `column`, and `length` of the first match, are in
    characters of the line; `cut`: not all of it is shown."""

    path: str
    line: int
    column: int
    length: int
    text: str
    cut: bool = False
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileCount:
    """One file, and how many of its lines match."""

    path: str
    lines: int


class MatchingLines:
    """Collects matching lines with their context."""

    def __init__(self, limit: int, context: int, after: tuple[str, int] | None) -> None:
        self.matches: list[Match] = []
        self.files: list[FileCount] = []
        self.full = False
        self.done = False
        self._limit = limit
        self._context = context
        self._after = after
        self._file = ""
        self._recent: list[tuple[int, str]] = []

    @property
    def share(self) -> float:
        """How much of the limit has been found."""
        return len(self.matches) / max(self._limit, 1)

    def begin(self, file: str) -> None:
        self._file = file
        self._recent = []
        self.done = self.full

    def line(self, number: int, data: Any, is_match: bool) -> None:
        raw = as_bytes(data["lines"])
        if is_match and not self._had(number):
            self._add(number, raw, data["submatches"])
        text = _shown(raw, 0)[0]
        for match in self.matches[-self._context - 1 :] if self._context else ():
            if match.path == self._file and match.line < number <= match.line + self._context:
                match.after.append(text)
        self._recent = [*self._recent[-self._context :], (number, text)] if self._context else []
        self.done = self.full and number >= self.matches[-1].line + self._context

    def end(self) -> None:
        self.done = self.full

    def _had(self, number: int) -> bool:
        return self._after is not None and (self._file, number) <= self._after and self._file == self._after[0]

    def _add(self, number: int, raw: bytes, found: Any) -> None:
        if len(self.matches) == self._limit:
            self.full = True
            return
        at, end = (found[0]["start"], found[0]["end"]) if found else (0, 0)
        text, cut = _shown(raw, at)
        before = [line for near, line in self._recent if near >= number - self._context]
        column, length = _characters(raw[:at]) + 1, _characters(raw[at:end].rstrip(b"\r\n"))
        self.matches.append(Match(self._file, number, column, length, text, cut, before))


class MatchingFiles:
    """Collects files, and how many of their lines match."""

    def __init__(self, limit: int) -> None:
        self.matches: list[Match] = []
        self.files: list[FileCount] = []
        self.full = False
        self.done = False
        self._limit = limit
        self._file = ""
        self._lines = 0

    @property
    def share(self) -> float:
        """How much of the limit has been found."""
        return len(self.files) / max(self._limit, 1)

    def begin(self, file: str) -> None:
        self._file = file
        self._lines = 0

    def line(self, number: int, data: Any, is_match: bool) -> None:
        self._lines += is_match

    def end(self) -> None:
        if len(self.files) == self._limit:
            self.full = self.done = True
        else:
            self.files.append(FileCount(self._file, self._lines))


def as_bytes(value: Any) -> bytes:
    """Text as ripgrep's JSON carries it: as it is, or in base64 where it isn't UTF-8."""
    return base64.b64decode(value["bytes"]) if "bytes" in value else str(value["text"]).encode()


def _characters(raw: bytes) -> int:
    return len(raw.decode("utf-8", "replace"))


def _shown(raw: bytes, at: int) -> tuple[str, bool]:
    """A line as it is shown, and whether it was cut: long ones around the byte `at`."""
    text = raw.rstrip(b"\r\n")
    if len(text) <= _SHOWN:
        return text.decode("utf-8", "replace"), False
    start = max(0, min(at - _SHOWN // 4, len(text) - _SHOWN))
    return text[start : start + _SHOWN].decode("utf-8", "ignore"), True
