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
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.ignore import Ignore
from workroom.core.search.listing import APART
from workroom.core.search.query import Query, walk_flags
from workroom.system.process import Lines, base_env, confines, ripgrep, stream
from workroom.system.root import Root

__all__ = ["FileCount", "Match", "Matches", "Narrowed", "Narrows", "Query", "Skipped", "count_skipped", "search",
  "search_confinement"]  # fmt: skip

_TIMEOUT = 20.0
"""Seconds after which a search answers what it has."""

_MAX_FILE = "64M"
"""Larger files are passed over, unless the path names one itself."""

_BEAT = 20
"""After so many files with a match it is told how many there are."""

_SHOWN = 400
"""Characters of a line that are shown; a longer one is shown around its match."""

_APART_BYTES = 32_000_000
"""How much may be found in no order and be put into it; with more, everything is searched in its order."""
_FOREVER = float("inf")
_ONE_CORE, _WORTH_WAITING = 0.1, 0.2
"""Seconds after which a search in the order of paths goes on only if so much of its limit has been found."""
_LOG_BYTES = 65_536
"""How much of ripgrep's log is kept; when it is full, counts from it are lower bounds."""

_HEEDED = re.compile(rb"^(?!rg: DEBUG\|)|: found binary data at offset |: ignoring .*: \d+ bytes$")
"""The lines of its log that are looked at: what it tells of its own doings would push them out."""
_BINARY = re.compile(rb"^rg: DEBUG\|.*: found binary data at offset \d+$", re.MULTILINE)
_TOO_LARGE = re.compile(rb"^rg: DEBUG\|.*: ignoring .*: \d+ bytes$", re.MULTILINE)


class Narrowed(Protocol):
    """The files that have to be searched, and how many others there are (`index.service.Narrowed`)."""

    @property
    def texts(self) -> list[str]: ...
    @property
    def walked(self) -> list[str]: ...
    @property
    def binary(self) -> int | None: ...
    @property
    def others(self) -> int: ...
    @property
    def binary_others(self) -> int: ...
    @property
    def unreadable(self) -> int: ...
    def batches(self) -> Iterator[list[str]]: ...
    def rules(self) -> bytes: ...


class Narrows(Protocol):
    """An index."""

    def narrow(self, path: str, query: Query) -> Narrowed | None:
        """The files in which a query can find something; None where that can be any."""


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
    index: Narrows | None = None,
    patience: float = _ONE_CORE,
) -> Matches:
    """Matching lines in the file or folder at `path` (canonical, resolved), ordered by path and line.

    `limit` counts lines, or files with `by_file`. `after` is the path and line of the last one that the caller has.
    Files in which `index` knows that nothing is found aren't read; the answer is the same. `patience`: after so many
    seconds with little found all cores search.
    NOT_FOUND; INVALID_INPUT for a FIFO, socket or device, a wrong regular expression or glob; UNSUPPORTED without
    ripgrep.
    """
    folder = _is_folder(root, path)
    named = not set(APART).isdisjoint(path.split("/"))
    apart = APART if folder and not named else ()
    ignore = Ignore(root) if folder and path != "." and not (query.ignored or named) else None
    scope = _Scope(root, path, after and after[0], by_file, ignore)
    run = _Run(scope, query, time.monotonic() + timeout, pulse)

    def sink() -> _Lines | _Files:
        return _Files(limit) if by_file else _Lines(limit, query.context, after)

    narrowed = index.narrow(path, query) if index is not None and folder and not named else None
    done = run.narrowed(narrowed, sink()) if narrowed is not None else None
    if done is None:
        done = run.whole([*_flags(query, named, folder, apart), "--", path], sink, patience if folder else _FOREVER)
    return Matches(
        matches=tuple(done.sink.matches),
        files=tuple(done.sink.files),
        files_searched=None if done.searched is None else max(done.searched - done.skipped.binary, 0),
        skipped=done.skipped,
        apart=apart,
        truncated=done.sink.full or done.timed_out,
        timed_out=done.timed_out,
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
    yield from ("--json", "--debug")
    yield from walk_flags(query, named=named, apart=apart)
    if folder:
        yield from ("--max-filesize", _MAX_FILE)
    yield from _pattern(query)


def _walk_flags(query: Query, *, log: bool) -> Iterator[str]:
    """To walk to the files that the ignore file on the standard input leaves, whatever else would be said of them."""
    yield from (ripgrep(), "--json", "--sort", "path", *walk_flags(Query("", ignored=True), named=False, apart=()))
    yield from ("--max-filesize", _MAX_FILE, "--ignore-file", "/dev/stdin", *_pattern(query))
    if log:
        yield "--debug"


def _pattern(query: Query) -> Iterator[str]:
    yield from ("--context", str(query.context))
    if query.whole_word:
        yield "--word-regexp"
    if not query.regex:
        yield "--fixed-strings"
    yield {None: "--smart-case", True: "--case-sensitive", False: "--ignore-case"}[query.case_sensitive]
    yield from ("-e", query.text)


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

    @property
    def share(self) -> float:
        """How much of the limit has been found."""
        return len(self.matches) / max(self._limit, 1)

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


@dataclass(frozen=True, slots=True)
class _Done:
    """What was found. `searched` counts files, binary ones too; None when it was ended early."""

    sink: _Lines | _Files
    searched: int | None
    skipped: Skipped
    timed_out: bool = False


class _Unsure(Exception):  # noqa: N818 - no error: it is searched in another way
    """This isn't the way to search: a file isn't what it was taken for, or it takes too long."""


@dataclass(slots=True)
class _Found:
    """Messages of one run, by file, as they came; and how it ended."""

    files: dict[str, list[bytes]] = field(default_factory=dict)
    summary: list[bytes] = field(default_factory=list)

    def in_order(self) -> Iterator[bytes]:
        """All of them, in the order of paths."""
        for path in sorted(self.files, key=_order):
            yield from self.files[path]
        yield from self.summary

    def searched(self) -> int:
        """How many files were searched."""
        return sum(int(json.loads(line)["data"]["stats"]["searches"]) for line in self.summary)


class _Run:
    """Runs ripgrep for one search."""

    def __init__(self, scope: _Scope, query: Query, deadline: float, pulse: Pulse) -> None:
        self._scope = scope
        self._query = query
        self._deadline = deadline
        self._pulse = pulse

    def whole(self, flags: list[str], new_sink: Callable[[], _Lines | _Files], patience: float) -> _Done:
        """Everything that a walk leads to. INVALID_INPUT for what ripgrep can't take.

        In the order of paths ripgrep runs on one core. So where little has come after `patience` seconds it is begun
        anew on all of them, and what it finds is put into order: that needs all of it.
        """
        sink = new_sink()
        try:
            return self._in_order(flags, sink, time.monotonic() + patience)
        except _Unsure:
            done = self._at_once(flags, new_sink())
        if done is not None and done.timed_out:  # what comes after it may have been found, and what comes before not
            return _Done(sink, None, done.skipped, timed_out=True)
        return self._in_order(flags, new_sink(), _FOREVER) if done is None else done

    def _in_order(self, flags: list[str], sink: _Lines | _Files, soon: float) -> _Done:
        def check() -> None:
            self._pulse.check()
            if time.monotonic() > soon and sink.share < _WORTH_WAITING:
                raise _Unsure

        searched, timed_out = None, False
        with self._started([ripgrep(), "--sort", "path", *flags], check=check) as lines:
            try:
                searched = self._read(lines, sink)
            except WorkroomError as error:
                timed_out = _is_timeout(error)
            if lines.code == 2 and searched is None:
                raise _refused(lines.stderr)
            skipped = count_skipped(lines.stderr, lines.skipped, exact=searched is not None)
        return _Done(sink, searched, skipped, timed_out)

    def _at_once(self, flags: list[str], sink: _Lines | _Files) -> _Done | None:
        """On all cores; None where more is found than can be put into order."""
        with self._started([ripgrep(), *flags]) as lines:
            try:
                found = self._collected(lines)
            except _Unsure:
                return None
            except WorkroomError as error:
                return _Done(sink, None, Skipped(exact=False), _is_timeout(error))
            searched = self._read(found.in_order(), sink)
            skipped = count_skipped(lines.stderr, lines.skipped, exact=searched is not None)
        return _Done(sink, searched, skipped)

    def _collected(self, lines: Iterator[bytes]) -> _Found:
        found, path, room = _Found(), "", _APART_BYTES
        for line in lines:
            if _is(line, b"begin"):
                path = _path(json.loads(line)["data"])
            if _is(line, b"summary"):
                found.summary.append(line)
            else:
                found.files.setdefault(path, []).append(line)
            room -= len(line)
            if room < 0:
                raise _Unsure
        return found

    def narrowed(self, files: Narrowed, sink: _Lines | _Files) -> _Done | None:
        """Only the candidates; None where everything has to be searched after all."""
        try:
            apart, searched, skipped = self._apart(files)
            waiting = deque(sorted(apart.items(), key=lambda found: _order(found[0])))
            for number, batch in enumerate(files.batches()):
                more = self._batch(batch, waiting, sink, all_cores=number > 0)
                if more is None:
                    return _Done(sink, None, replace(skipped, exact=False))
                searched, skipped = searched + more[0], replace(skipped, long_lines=skipped.long_lines + more[1])
            self._read((line for _, found in waiting for line in found), sink)
        except _Unsure:
            return None
        except WorkroomError as error:
            return _Done(sink, None, Skipped(exact=False), _is_timeout(error))
        return _Done(sink, None, replace(skipped, exact=False)) if sink.done else _Done(sink, searched, skipped)

    def _apart(self, files: Narrowed) -> tuple[dict[str, list[bytes]], int, Skipped]:
        """What is found in the files that have to be walked to, by file; with how many files were looked at in all."""
        skipped = Skipped(binary=files.binary_others, unreadable=files.unreadable)
        if not files.walked and not (self._query.regex and not files.texts):  # a wrong expression has to be refused
            return {}, files.others, skipped
        argv = [*_walk_flags(self._query, log=files.binary is None), "--", self._scope.path]
        with self._started(argv, files.rules()) as lines:
            found = self._collected(lines)
            told = count_skipped(lines.stderr, lines.skipped, exact=True)
            if len(lines.stderr.splitlines()) > told.binary + told.too_large + told.unreadable:
                raise _Unsure
        binary = files.binary_others + (told.binary if files.binary is None else files.binary)
        skipped = replace(told, binary=binary, unreadable=told.unreadable + files.unreadable)
        return found.files, files.others + found.searched(), skipped

    def _batch(
        self, batch: list[str], waiting: deque[tuple[str, list[bytes]]], sink: _Lines | _Files, *, all_cores: bool
    ) -> tuple[int, int] | None:
        """Files by their names, in their order, and what waits to be told before each of them; answers how many were
        searched, and how many lines were too long; None when there is enough."""
        threads = () if all_cores else ("--threads", "1")
        argv = [ripgrep(), "--json", "--no-config", *threads, *_pattern(self._query), "--", *batch]
        with self._started(argv) as lines:
            ordered = self._collected(lines).in_order() if all_cores else lines
            searched = self._read(_merged(ordered, waiting), sink)
            if searched is None:
                return None
            if lines.stderr:
                raise _Unsure
            return searched, lines.skipped

    def _started(
        self, argv: list[str], stdin: bytes = b"", check: Callable[[], None] | None = None
    ) -> AbstractContextManager[Lines]:
        return stream(
            argv,
            cwd=self._scope.root.path,
            env=base_env(),
            timeout=self._deadline - time.monotonic(),
            reads=self._scope.root.fd,
            stdin=stdin,
            heeded=_HEEDED,
            check=check or self._pulse.check,
        )

    def _read(self, lines: Iterator[bytes], sink: _Lines | _Files) -> int | None:
        """Take ripgrep's messages until there is enough; how many files it searched, if it came to its end."""
        covered, searched, files = False, None, 0
        for line in lines:
            message = json.loads(line)
            kind, data = message["type"], message["data"]
            if kind == "summary":
                searched = int(data["stats"]["searches"])  # the last message, but the log may still be on its way
            elif kind == "begin":
                file = _path(data)
                covered = self._scope.covers(file)
                if covered:
                    sink.begin(file)
                    files += 1
                    if files % _BEAT == 0:
                        self._pulse.beat(files)
            elif covered and kind == "end":
                sink.end()
            elif covered:
                sink.line(int(data["line_number"]), data, kind == "match")
            if sink.done:
                return None
        return searched


def _merged(lines: Iterator[bytes], waiting: deque[tuple[str, list[bytes]]]) -> Iterator[bytes]:
    """Messages of files given by their names, with those of other files where they belong."""
    for line in lines:
        if waiting and _is(line, b"begin"):
            place = _order(_path(json.loads(line)["data"]))
            while waiting and _order(waiting[0][0]) < place:
                yield from waiting.popleft()[1]
        if _is(line, b"end") and b'"binary_offset":null' not in line:
            raise _Unsure
        yield line


def _is(line: bytes, kind: bytes) -> bool:
    """Whether a message is of a kind; within its texts quotes are escaped."""
    return b'"type":"%s"' % kind in line


def _path(data: Any) -> str:
    return os.fsdecode(_raw(data["path"])).removeprefix("./")


def _is_timeout(error: WorkroomError) -> bool:
    if error.code is not ErrorCode.TIMEOUT:
        raise error  # CANCELLED
    return True


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
