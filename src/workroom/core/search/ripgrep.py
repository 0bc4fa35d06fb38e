"""Runs ripgrep for one search, in the order of paths, and reads its messages.

whole      in order, on one core; if little comes of that, on all cores, and put into order
narrowed   only the files that an index leaves, by their names
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import deque
from collections.abc import Callable, Container, Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.search.encodings import NOT_UTF8, by_label, number_of
from workroom.core.search.ignore import Ignore
from workroom.core.search.matches import MatchingFiles, MatchingLines, as_bytes
from workroom.core.search.query import LARGEST, Query, order, walk_flags
from workroom.system.process import Lines, base_env, ripgrep, stream
from workroom.system.root import Root

__all__ = ["FOREVER", "Done", "Narrowed", "Run", "Scope", "Sink", "Skipped", "batches", "count_skipped", "flags"]

_BEAT = 20
"""After so many files with a match it is told how many there are."""

_APART_BYTES = 32_000_000
"""How much may be found in no order and be put into it; with more, everything is searched in its order."""
FOREVER = float("inf")
_ALONE = 1 / 3
"""After so much of its patience a search in the order of paths has another one beside it, on all cores."""
_FIRST, _THEN = 400, 4_000
"""So many files are searched at once by their names."""
_ARGUMENTS = 1_000_000
"""Bytes; the system takes twice as many, the environment among them."""
_WORTH_WAITING = 0.2
"""And after all of it goes on only if so much of its limit has been found."""
_LOG_BYTES = 65_536
"""How much of ripgrep's log is kept; when it is full, counts from it are lower bounds."""

_HEEDED = re.compile(rb"^(?!rg: DEBUG\|)|: found binary data at offset |: ignoring .*: \d+ bytes$")
"""The lines of its log that are looked at: what it tells of its own doings would push them out."""
_BINARY = re.compile(rb"^rg: DEBUG\|.*: found binary data at offset \d+$", re.MULTILINE)
_TOO_LARGE = re.compile(rb"^rg: DEBUG\|.*: ignoring .*: \d+ bytes$", re.MULTILINE)


Sink = MatchingLines | MatchingFiles


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
    @property
    def foreign(self) -> list[tuple[str, int]]: ...
    def rules(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Skipped:
    """Files that were passed over. `exact` False: there may be more."""

    binary: int = 0
    too_large: int = 0
    unreadable: int = 0
    long_lines: int = 0
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Scope:
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
        if self.after is not None and (order(file) < order(self.after) or (self.whole_files and file == self.after)):
            return False
        seen = self.root.stat(file)
        is_file = seen is not None and seen.kind is Kind.FILE
        return is_file and (self.ignore is None or not self.ignore.hides(file, self.path))


@dataclass(frozen=True, slots=True)
class Done:
    """What was found. `searched` counts files, binary ones too; None when it was ended early."""

    sink: Sink
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
        for path in sorted(self.files, key=order):
            yield from self.files[path]
        yield from self.summary

    def searched(self) -> int:
        """How many files were searched."""
        return sum(int(json.loads(line)["data"]["stats"]["searches"]) for line in self.summary)


class Run:
    """Runs ripgrep for one search."""

    def __init__(self, scope: Scope, query: Query, deadline: float, pulse: Pulse) -> None:
        self._scope = scope
        self._query = query
        self._deadline = deadline
        self._pulse = pulse
        self._half = time.monotonic() + (deadline - time.monotonic()) / 2
        self.cut = False
        """Whether there was no time for some files of other encodings."""
        self.long_lines = 0
        """Lines of those that were too long."""
        self._foreign: dict[str, list[bytes]] = {}
        """What was found in files of other encodings: it is told in place of what is found in their bytes."""

    def whole(self, argv: list[str], new_sink: Callable[[], Sink], patience: float) -> Done:
        """Everything that a walk leads to. INVALID_INPUT for what ripgrep can't take.

        In the order of paths ripgrep runs on one core. So where that isn't done at once another one is started beside
        it on all of them; and where little has come after `patience` seconds only that one goes on, and what it finds
        is put into order: that needs all of it.
        """
        sink, began, beside = new_sink(), time.monotonic(), list[Lines]()
        with ExitStack() as running:

            def check() -> None:
                self._pulse.check()
                waited = time.monotonic() - began
                if waited > _ALONE * patience and not beside:
                    beside.append(running.enter_context(self._started([ripgrep(), *argv])))
                if waited > patience and sink.share < _WORTH_WAITING:
                    raise _Unsure
                if waited > patience:
                    running.close()

            try:
                return self._in_order(argv, sink, check)
            except _Unsure:
                done = self._at_once(beside[0], new_sink())
        if done is not None and done.timed_out:  # what comes after it may have been found, and what comes before not
            return Done(sink, None, done.skipped, timed_out=True)
        return self._in_order(argv, new_sink(), self._pulse.check) if done is None else done

    def foreign(self, walk: list[str], known: list[tuple[str, int]] | None) -> None:
        """Search files that aren't UTF-8 in their encodings: those that are `known`, else those that a walk leads to.

        What is found waits to be told where it belongs. LIMIT_EXCEEDED where that is too much.
        """
        try:
            for label, paths in by_label(self._not_utf8(walk) if known is None else known).items():
                for batch in batches(paths):
                    self._foreign |= self._in_encoding(label, batch)
        except _Unsure:
            raise WorkroomError(
                ErrorCode.LIMIT_EXCEEDED,
                "Too many lines match in files that aren't UTF-8.",
                next_step="Narrow the search by `path`, `include` or a longer `query`.",
            ) from None
        except WorkroomError as error:
            _is_timeout(error)  # the search itself will tell it

    def _in_encoding(self, label: str, paths: list[str]) -> dict[str, list[bytes]]:
        argv = [ripgrep(), "--json", "--no-config", "--encoding", label, *_pattern(self._query), "--", *_named(paths)]
        with self._started(argv) as lines:
            found = self._collected(lines)
            self.long_lines += lines.skipped
        return {path: found.files.get(path, []) for path in paths}

    def _not_utf8(self, walk: list[str]) -> Iterator[tuple[str, int]]:
        argv = [ripgrep(), "--files-with-matches", "--null", *walk, "-e", NOT_UTF8, "--", self._scope.path]
        with self._started(argv, separator=b"\0") as lines:
            paths = [os.fsdecode(line).removeprefix("./") for line in lines]
        for path in paths:
            self._pulse.check()
            if time.monotonic() > self._half:
                self.cut = True
                return
            with suppress(WorkroomError):  # it went away, or is larger than what is searched
                yield path, number_of(self._scope.root.read(path, LARGEST))

    def _with_foreign(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        waiting = _waiting(self._foreign)
        yield from _merged(lines, waiting, self._foreign)
        yield from (line for _, found in waiting for line in found)

    def _in_order(self, argv: list[str], sink: Sink, check: Callable[[], None]) -> Done:
        searched, timed_out = None, False
        with self._started([ripgrep(), "--sort", "path", *argv], check=check) as lines:
            try:
                searched = self._read(self._with_foreign(lines), sink)
            except WorkroomError as error:
                timed_out = _is_timeout(error)
            if lines.code == 2 and searched is None:
                raise _refused(lines.stderr)
            skipped = count_skipped(lines.stderr, lines.skipped, exact=searched is not None)
        return Done(sink, searched, skipped, timed_out)

    def _at_once(self, lines: Lines, sink: Sink) -> Done | None:
        """On all cores; None where more is found than can be put into order."""
        try:
            found = self._collected(lines)
        except _Unsure:
            return None
        except WorkroomError as error:
            return Done(sink, None, Skipped(exact=False), _is_timeout(error))
        if lines.code == 2 and not found.summary:
            raise _refused(lines.stderr)
        searched = self._read(self._with_foreign(found.in_order()), sink)
        return Done(sink, searched, count_skipped(lines.stderr, lines.skipped, exact=searched is not None))

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

    def narrowed(self, files: Narrowed, sink: Sink) -> Done | None:
        """Only the candidates; None where everything has to be searched after all."""
        try:
            apart, searched, skipped = self._apart(files)
            apart = {**{path: found for path, found in apart.items() if path not in self._foreign}, **self._foreign}
            waiting = _waiting(apart)
            for number, batch in enumerate(batches(files.texts)):
                more = self._batch(batch, waiting, sink, all_cores=number > 0)
                if more is None:
                    return Done(sink, None, replace(skipped, exact=False))
                searched, skipped = searched + more[0], replace(skipped, long_lines=skipped.long_lines + more[1])
            self._read((line for _, found in waiting for line in found), sink)
        except _Unsure:
            return None
        except WorkroomError as error:
            return Done(sink, None, Skipped(exact=False), _is_timeout(error))
        return Done(sink, None, replace(skipped, exact=False)) if sink.done else Done(sink, searched, skipped)

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
        self, batch: list[str], waiting: deque[tuple[str, list[bytes]]], sink: Sink, *, all_cores: bool
    ) -> tuple[int, int] | None:
        """Files by their names, in their order, and what waits to be told before each of them; answers how many were
        searched, and how many lines were too long; None when there is enough."""
        threads = () if all_cores else ("--threads", "1")
        argv = [ripgrep(), "--json", "--no-config", *threads, *_pattern(self._query), "--", *_named(batch)]
        with self._started(argv) as lines:
            ordered = self._collected(lines).in_order() if all_cores else lines
            searched = self._read(_merged(_sure(ordered), waiting, self._foreign), sink)
            if searched is None:
                return None
            if lines.stderr:
                raise _Unsure
            return searched, lines.skipped

    def _started(
        self,
        argv: list[str],
        stdin: bytes = b"",
        check: Callable[[], None] | None = None,
        separator: bytes = b"\n",
    ) -> AbstractContextManager[Lines]:
        return stream(
            argv,
            cwd=self._scope.root.path,
            env=base_env(),
            timeout=self._deadline - time.monotonic(),
            reads=self._scope.root.fd,
            stdin=stdin,
            separator=separator,
            heeded=_HEEDED,
            check=check or self._pulse.check,
        )

    def _read(self, lines: Iterator[bytes], sink: Sink) -> int | None:
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


def _waiting(files: dict[str, list[bytes]]) -> deque[tuple[str, list[bytes]]]:
    return deque(sorted(files.items(), key=lambda found: order(found[0])))


def _merged(
    lines: Iterator[bytes], waiting: deque[tuple[str, list[bytes]]], instead: Container[str]
) -> Iterator[bytes]:
    """Messages of files in their order, with those of other files where they belong, which some are left out for."""
    left_out = False
    for line in lines:
        if (waiting or instead) and _is(line, b"begin"):
            path = _path(json.loads(line)["data"])
            left_out = path in instead
            while waiting and order(waiting[0][0]) < order(path):
                yield from waiting.popleft()[1]
        if not left_out or _is(line, b"summary"):
            yield line


def _sure(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Messages of files that are searched by their names; `_Unsure` where one is binary, which a walk passes over."""
    for line in lines:
        if _is(line, b"end") and b'"binary_offset":null' not in line:
            raise _Unsure
        yield line


def _named(paths: list[str]) -> Iterator[str]:
    """As arguments: `-` by itself would be the standard input."""
    return (f"./{path}" for path in paths)


def batches(paths: list[str]) -> Iterator[list[str]]:
    """A few at first, and never more than a program takes as its arguments."""
    batch, length, most = list[str](), 0, _FIRST
    for path in paths:
        batch.append(path)
        length += 5 * len(path) + 16
        if len(batch) == most or length > _ARGUMENTS:
            yield batch
            batch, length, most = [], 0, _THEN
    if batch:
        yield batch


def _is(line: bytes, kind: bytes) -> bool:
    """Whether a message is of a kind; within its texts quotes are escaped."""
    return b'"type":"%s"' % kind in line


def _path(data: Any) -> str:
    return os.fsdecode(as_bytes(data["path"])).removeprefix("./")


def _is_timeout(error: WorkroomError) -> bool:
    if error.code is not ErrorCode.TIMEOUT:
        raise error  # CANCELLED
    return True


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


def flags(query: Query, named: bool, folder: bool, apart: tuple[str, ...]) -> Iterator[str]:
    """The arguments of a search of everything. `named`: the path names what is `apart`."""
    yield from ("--json", "--debug")
    yield from walk_flags(query, named=named, apart=apart)
    if folder:
        yield from ("--max-filesize", str(LARGEST))
    yield from _pattern(query)


def _walk_flags(query: Query, *, log: bool) -> Iterator[str]:
    """To walk to the files that the ignore file on the standard input leaves, whatever else would be said of them."""
    yield from (ripgrep(), "--json", "--sort", "path", *walk_flags(Query("", ignored=True), named=False, apart=()))
    yield from ("--max-filesize", str(LARGEST), "--ignore-file", "/dev/stdin", *_pattern(query))
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
