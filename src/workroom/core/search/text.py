"""Search in the contents of files, by ripgrep, ended at the limit.

The query and the globs are always arguments of their own, never flags. Links aren't followed; FIFOs, sockets and
devices aren't opened. What was passed over is counted from ripgrep's own log, so that an answer can tell it.

Ripgrep walks by names, and a folder may be swapped for a link at any moment; so the kernel keeps it below the root
where it can. Besides, a file counts only if it is one when it is looked at without following links.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.ignore import Ignore
from workroom.core.search.listing import APART
from workroom.system.process import base_env, confines, ripgrep, stream
from workroom.system.root import Root

__all__ = ["FileCount", "Match", "Matches", "Query", "Skipped", "count_skipped", "search", "search_confinement"]

_TIMEOUT = 20.0
"""Seconds after which a search answers what it has."""

_MAX_FILE = "64M"
"""Larger files are passed over, unless the path names one itself."""

_BEAT = 20
"""After so many files with a match it is told how many there are."""

_SHOWN = 400
"""Characters of a line that are shown; a longer one is shown around its match."""

_LOG_BYTES = 65_536
"""How much of ripgrep's log is kept; when it is full, counts from it are lower bounds."""

_BINARY = re.compile(rb"^rg: DEBUG\|.*: found binary data at offset \d+$", re.MULTILINE)
_TOO_LARGE = re.compile(rb"^rg: DEBUG\|.*: ignoring .*: \d+ bytes$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. `case_sensitive` None: sensitive when the text has a capital."""

    text: str
    regex: bool = False
    case_sensitive: bool | None = None
    whole_word: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    context: int = 0
    ignored: bool = False
    hidden: bool = True


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


@dataclass(frozen=True, slots=True)
class Skipped:
    """Files that were passed over. `exact` False: there may be more."""

    binary: int = 0
    too_large: int = 0
    unreadable: int = 0
    long_lines: int = 0
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Matches:
    """An answer. `files_searched` is None when the search was ended early, and then nobody knows."""

    matches: tuple[Match, ...]
    files: tuple[FileCount, ...]
    files_searched: int | None
    skipped: Skipped
    apart: tuple[str, ...]
    truncated: bool
    timed_out: bool


def search(
    root: Root,
    path: str,
    query: Query,
    limit: int,
    *,
    after: tuple[str, int] | None = None,
    by_file: bool = False,
    timeout: float = _TIMEOUT,
    pulse: Pulse = STILL,
) -> Matches:
    """Matching lines in the file or folder at `path` (canonical, resolved), ordered by path and line.

    `limit` counts lines, or files with `by_file`. `after` is the path and line of the last one that the caller has.
    NOT_FOUND; INVALID_INPUT for a FIFO, socket or device, a wrong regular expression or glob; UNSUPPORTED without
    ripgrep.
    """
    folder = _is_folder(root, path)
    named = not set(APART).isdisjoint(path.split("/"))
    apart = APART if folder and not named else ()
    ignore = Ignore(root) if folder and path != "." and not (query.ignored or named) else None
    scope = _Scope(root, path, after and after[0], by_file, ignore)
    sink = _Files(limit) if by_file else _Lines(limit, query.context, after)
    argv = [ripgrep(), *_flags(query, named, folder, apart), "--", path]
    searched, timed_out = None, False
    with stream(argv, cwd=root.path, env=base_env(), timeout=timeout, reads=root.fd, check=pulse.check) as lines:
        try:
            searched = _read(lines, scope, sink, pulse)
        except WorkroomError as error:
            if error.code is not ErrorCode.TIMEOUT:
                raise  # CANCELLED
            timed_out = True
        if lines.code == 2 and searched is None:
            raise _refused(lines.stderr)
        skipped = count_skipped(lines.stderr, lines.skipped, exact=searched is not None)
    return Matches(
        matches=tuple(sink.matches),
        files=tuple(sink.files),
        files_searched=None if searched is None else max(searched - skipped.binary, 0),
        skipped=skipped,
        apart=apart,
        truncated=sink.full or timed_out,
        timed_out=timed_out,
    )


def search_confinement() -> str:
    """What keeps a search below the root: `landlock` (the kernel), or in words why it is weaker."""
    try:
        if confines(ripgrep()):
            return "landlock"
    except WorkroomError as error:  # pragma: no cover - needs an installation without ripgrep
        return f"Nothing can be searched: {error}"
    return (  # pragma: no cover - needs an old kernel, or another ripgrep
        "The system can't keep ripgrep below the folder: while another program swaps folders for links, a search can "
        "tell of lines outside."
    )


def count_skipped(log: bytes, long_lines: int, *, exact: bool) -> Skipped:
    """What ripgrep's log says that it passed over."""
    unreadable = sum(1 for line in log.splitlines() if line.startswith(b"rg: ") and b"(os error " in line)
    return Skipped(
        binary=len(_BINARY.findall(log)),
        too_large=len(_TOO_LARGE.findall(log)),
        unreadable=unreadable,
        long_lines=long_lines,
        exact=exact and len(log) < _LOG_BYTES,
    )


def _is_folder(root: Root, path: str) -> bool:
    seen = root.stat(path)
    if seen is None:
        raise WorkroomError(ErrorCode.NOT_FOUND, f"Path {path!r} does not exist.")
    if seen.kind not in (Kind.FILE, Kind.DIRECTORY):
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r} is neither a file nor a folder.")
    return seen.kind is Kind.DIRECTORY


def _flags(query: Query, named: bool, folder: bool, apart: tuple[str, ...]) -> Iterator[str]:
    yield from ("--json", "--no-config", "--debug", "--sort", "path", "--no-follow")
    yield from ("--no-ignore-global", "--no-ignore-parent", "--no-ignore-dot", "--no-require-git")
    yield from ("--context", str(query.context))
    if query.hidden or named:
        yield "--hidden"
    if query.ignored or named:
        yield "--no-ignore"
    if folder:
        yield from ("--max-filesize", _MAX_FILE)
    if query.whole_word:
        yield "--word-regexp"
    if not query.regex:
        yield "--fixed-strings"
    yield {None: "--smart-case", True: "--case-sensitive", False: "--ignore-case"}[query.case_sensitive]
    for glob in query.include:
        yield from ("--glob", _glob("include", glob))
    for glob in (*query.exclude, *apart):
        yield from ("--glob", "!" + _glob("exclude", glob))
    yield from ("-e", query.text)


def _glob(field_name: str, glob: str) -> str:
    if glob.startswith("!") or not glob:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`{field_name}` holds {glob!r}, which is no glob.",
            next_step="Put what shall be left out into `exclude`, without `!`.",
        )
    return glob


@dataclass(frozen=True, slots=True)
class _Scope:
    """Which of the files that ripgrep names count.

    Ignore files between the root and the searched folder are unknown to ripgrep, which must not read those above the
    root; so they are applied here.
    """

    root: Root
    path: str
    after: str | None
    whole_files: bool
    """Whether the caller has all of the file `after`, or some of its lines."""
    ignore: Ignore | None

    def covers(self, file: str) -> bool:
        if self.after is not None and (_order(file) < _order(self.after) or (self.whole_files and file == self.after)):
            return False
        seen = self.root.stat(file)
        is_file = seen is not None and seen.kind is Kind.FILE
        return is_file and (self.ignore is None or not self.ignore.hides(file, self.path))


class _Lines:
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

    def begin(self, file: str) -> None:
        self._file = file
        self._recent = []
        self.done = self.full

    def line(self, number: int, data: Any, is_match: bool) -> None:
        raw = _raw(data["lines"])
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


class _Files:
    """Collects files, and how many of their lines match."""

    def __init__(self, limit: int) -> None:
        self.matches: list[Match] = []
        self.files: list[FileCount] = []
        self.full = False
        self.done = False
        self._limit = limit
        self._file = ""
        self._lines = 0

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


def _read(lines: Iterator[bytes], scope: _Scope, sink: _Lines | _Files, pulse: Pulse) -> int | None:
    """Take ripgrep's messages until there is enough; how many files it searched, if it came to its end."""
    covered, searched, files = False, None, 0
    for line in lines:
        message = json.loads(line)
        kind, data = message["type"], message["data"]
        if kind == "summary":
            searched = int(data["stats"]["searches"])  # the last message, but the log may still be on its way
        elif kind == "begin":
            file = os.fsdecode(_raw(data["path"])).removeprefix("./")
            covered = scope.covers(file)
            if covered:
                sink.begin(file)
                files += 1
                if files % _BEAT == 0:
                    pulse.beat(files)
        elif covered and kind == "end":
            sink.end()
        elif covered:
            sink.line(int(data["line_number"]), data, kind == "match")
        if sink.done:
            return None
    return searched


def _raw(value: Any) -> bytes:
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


def _order(path: str) -> list[bytes]:
    """Ripgrep's order of paths: folder by folder, by bytes."""
    return os.fsencode(path).split(b"/")


def _refused(log: bytes) -> WorkroomError:
    """What ripgrep says about a query or glob that it can't take."""
    told = [line for line in log.decode("utf-8", "replace").splitlines() if not line.startswith("rg: DEBUG|")]
    message = "\n".join(told).partition("\n\n")[0].removeprefix("rg: ").strip()
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"The search can't be run: {message}.",
        next_step="Correct `query` (Rust regex syntax: no look-around, back-references or line breaks) or the globs, "
        "or search literally with regex false.",
    )
