"""Lines of a file, within bounds however large the file is.

Up to 16 MB a file is read whole. A larger one is read in pieces: up to 64 MB to its end, for its hash and its number
of lines; above that only as far as it takes to find the lines, and the excerpt has neither.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from json.encoder import encode_basestring

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.part import From, Part, UpTo, read_part
from workroom.core.search.pieces import (
    LONGEST,
    REACH,
    WHOLE,
    Survey,
    binary,
    is_pdf,
    last_lines,
    lines_at,
    sample,
    survey,
    wide_offset,
)
from workroom.system.root import Root, refusal
from workroom.text.encoding import TextFile, decode
from workroom.text.lines import line_ending, numbered, split_lines, without_ending
from workroom.text.piece import width_of

__all__ = ["Excerpt", "Span", "describe", "excerpt", "json_length"]

_NULS = re.compile("\0{9,}")


@dataclass(frozen=True, slots=True)
class Span:
    """Which lines are wanted, and in how much room.

    `first` and `last` count from 1, both included; `tail` wants the last so many instead. `room` is in characters of
    the text as JSON, `line_room` in characters of one line. `known` is the hash of what the caller has. `reach` is how
    far into a very large file its lines are counted, in bytes.
    """

    first: int = 1
    last: int | None = None
    tail: int | None = None
    numbers: bool = True
    room: int = 30_000
    line_room: int = 2_000
    known: str | None = None
    reach: int = REACH


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What was read. `sha256`, `size` (bytes) and `total` (lines) are of the whole file; None where it is too large.

    `last` is `first - 1` when no line was read; both are None where nobody counted. `complete`: every line that was
    wanted is there; `cut_lines` of them are not whole. `lossy`: bytes that can't be decoded are shown as U+FFFD.
    `unchanged`: the caller has these very bytes, and nothing else was looked at. `pdf`: its bytes begin as a PDF's do,
    though they can be read as text. `line`: where the text is of one line that is cut, all of that which was read: of a
    very long one in a large file a mebibyte at most.
    """

    size: int
    sha256: str | None
    text: str = ""
    first: int | None = None
    last: int | None = None
    total: int | None = None
    encoding: str = ""
    line_ending: str = ""
    complete: bool = True
    cut_lines: int = 0
    lossy: bool = False
    unchanged: bool = False
    line: str = ""
    pdf: bool = False


def excerpt(root: Root, path: str, span: Span) -> Excerpt:
    """The wanted lines of the file at a canonical path.

    NOT_FOUND; INVALID_INPUT for what is no file, for binary, and for a `first` behind the end; LIMIT_EXCEEDED where
    the lines lie too far into a very large file.
    """
    try:
        data = root.read(path, WHOLE)
    except WorkroomError as error:
        if error.code is not ErrorCode.LIMIT_EXCEEDED:
            raise
        return _of_large(root, path, span)
    sha = hashlib.sha256(data).hexdigest()
    if span.known == sha:
        return Excerpt(len(data), sha, unchanged=True)
    file = decode(data)
    if file is None:
        raise binary(path, data[:16], len(data), sha)
    lines = split_lines(file.text)
    first, last = _range(path, span, len(lines))
    chosen = lines if last - first + 1 == len(lines) else lines[first - 1 : last]
    shown = _showable(chosen) if file.lossy else chosen
    fit = _fit(shown, first, span)
    return Excerpt(
        size=len(data),
        sha256=sha,
        text=fit.text,
        first=first + fit.skipped,
        last=first + fit.skipped + fit.count - 1,
        total=len(lines),
        encoding=file.encoding,
        line_ending=line_ending(file.text),
        complete=fit.count == len(chosen),
        cut_lines=fit.cut_lines,
        lossy=file.lossy,
        line=fit.line(shown),
        pdf=is_pdf(data),
    )


def describe(root: Root, path: str) -> Excerpt:
    """The same facts without text; for binary, and for a PDF, `encoding` is empty and `total` None."""
    try:
        data = root.read(path, WHOLE)
    except WorkroomError as error:
        if error.code is not ErrorCode.LIMIT_EXCEEDED:
            raise
        return _describe_large(root, path)
    sha = hashlib.sha256(data).hexdigest()
    file = None if is_pdf(data) else decode(data)
    if file is None:
        return Excerpt(len(data), sha)
    return Excerpt(
        len(data), sha, total=len(split_lines(file.text)), encoding=file.encoding, line_ending=line_ending(file.text)
    )


def json_length(text: str) -> int:
    """How many characters a text takes inside an answer."""
    return len(encode_basestring(text))


# Fitting lines into the room.


@dataclass(frozen=True, slots=True)
class _Fit:
    text: str
    count: int
    cut_lines: int
    skipped: int = 0

    def line(self, lines: Sequence[str]) -> str:
        """The only line that was fitted in, whole, where it is cut."""
        return lines[self.skipped] if self.count == self.cut_lines == 1 else ""


def _fit(lines: Sequence[str], first: int, span: Span) -> _Fit:
    """As many lines as there is room for, at least the beginning of one; of a tail the last ones."""
    text = _joined(lines, first, span)
    if json_length(text) <= span.room and max(map(len, lines), default=0) <= span.line_room:
        return _Fit(text, len(lines), 0)
    kept: list[str] = []
    gutter = len(f"{first + len(lines)} | ") if span.numbers else 0
    cut_lines, left = 0, span.room - 2
    for line in lines if span.tail is None else reversed(lines):
        shown = _cut(line, span.line_room)
        size = json_length(shown) - 2 + gutter
        if size > left and kept:
            break
        if size > left:
            shown = _cut(line, max(left // 2 - 40, 20))
        cut_lines += shown is not line
        kept.append(shown)
        left -= size
    if span.tail is None:
        return _Fit(_joined(kept, first, span), len(kept), cut_lines)
    kept.reverse()
    skipped = len(lines) - len(kept)
    return _Fit(_joined(kept, first + skipped, span), len(kept), cut_lines, skipped)


def _joined(lines: Sequence[str], first: int, span: Span) -> str:
    text = "".join(lines)
    if not span.numbers or not text:
        return text
    if "\r" in text:
        return numbered(lines, first)
    # The same, several times as fast: most reads of most files come here.
    gutter = _gutter(first, len(lines))
    return "\n".join([number + line for number, line in zip(gutter, text.removesuffix("\n").split("\n"), strict=True)])


@lru_cache(maxsize=16)
def _gutter(first: int, count: int) -> tuple[str, ...]:
    return tuple([f"{number} | " for number in range(first, first + count)])


def _cut(line: str, room: int) -> str:
    if len(line) <= room:
        return line
    body = without_ending(line)
    return f"{body[:room]}… ({len(body) - room:,} characters more){line[len(body) :]}" if len(body) > room else line


def _showable(lines: Sequence[str]) -> list[str]:
    """Undecodable bytes as U+FFFD: an answer can't carry half of a surrogate pair."""
    return [line.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for line in lines]


def _range(path: str, span: Span, total: int) -> tuple[int, int]:
    if span.tail is not None:
        return max(total - span.tail, 0) + 1, total
    if span.first > max(total, 1):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`start_line` {span.first:,} is behind the end: {path!r} has {total:,} lines.",
            details={"field": "start_line", "totalLines": total},
        )
    return span.first, total if span.last is None else min(span.last, total)


# Large files, in pieces.


@contextlib.contextmanager
def _opened(root: Root, path: str) -> Iterator[tuple[int, int]]:
    """A descriptor of the file and its size."""
    descriptor = root.open_file(path)
    try:
        yield descriptor, os.fstat(descriptor).st_size
    except OSError as error:  # pragma: no cover - needs a disk that fails
        raise refusal(path, error) from error
    finally:
        os.close(descriptor)


def _of_large(root: Root, path: str, span: Span) -> Excerpt:
    with _opened(root, path) as (descriptor, size):
        head = sample(path, descriptor, size)
        if width_of(head.encoding) > 1:
            return _of_wide(path, descriptor, size, head, span)
        seen = survey(descriptor, size, span.first, span.reach)
        if span.known is not None and span.known == seen.sha256:
            return Excerpt(size, seen.sha256, unchanged=True)
        if span.tail is not None:
            return _tail_of_large(descriptor, size, head, seen, span)
        if seen.offset is None:
            raise _out_of_reach(path, span, size, seen)
        wanted = None if span.last is None else span.last - span.first + 1
        raw = lines_at(descriptor, seen.offset, span.room * 4, wanted)
        part = seen.offset + sum(map(len, raw)) < size and not raw[-1].endswith(b"\n")
        more = wanted is None or len(raw) < wanted
        found = _excerpt_of(_decoded(raw, head), span.first, size, head, seen, span, part=part, more=more)
        return replace(found, pdf=seen.offset == 0 and is_pdf(b"".join(raw[:1])))


def _tail_of_large(descriptor: int, size: int, head: TextFile, seen: Survey, span: Span) -> Excerpt:
    tail = last_lines(descriptor, size, span.room * 4, span.tail or 1)
    part = len(tail) == 1 and len(tail[0]) == min(span.room * 4, LONGEST)
    first = None if seen.total is None else seen.total - len(tail) + 1
    if part:  # of one long line what it ends with
        tail = [tail[0][-span.line_room :]]
    lines = _decoded(tail, head)
    return _excerpt_of(lines, first, size, head, seen, span, part=part, more=len(tail) < (span.tail or 1))


def _of_wide(path: str, descriptor: int, size: int, head: TextFile, span: Span) -> Excerpt:
    """The same of a file in whose encoding a newline is several bytes; its lines aren't counted to the end."""
    seen = Survey(survey(descriptor, size, 1).sha256, None, 0)
    if span.known is not None and span.known == seen.sha256:
        return Excerpt(size, seen.sha256, unchanged=True)
    most = min(span.room * 4, LONGEST)
    if span.tail is not None:
        found = read_part(descriptor, head, UpTo(size), most)
        lines = _lines_of(found)
        part = len(lines) == 1 and found.start > 0
        tail = [lines[0][-span.line_room :]] if part else lines[-span.tail :]
        return _excerpt_of(tail, None, size, head, seen, span, part=part, more=len(tail) < span.tail)
    offset = wide_offset(descriptor, min(size, span.reach), span.first, head.encoding)
    if offset is None or offset >= size:
        raise _out_of_reach(path, span, size, seen)
    found = read_part(descriptor, head, From(offset), most)
    wanted = None if span.last is None else span.last - span.first + 1
    lines = _lines_of(found)[:wanted]
    part = len(lines) == 1 and found.end < size and not lines[0].endswith("\n")
    more = found.end < size and (wanted is None or len(lines) < wanted)
    return _excerpt_of(lines, span.first, size, head, seen, span, part=part, more=more)


def _lines_of(found: Part) -> list[str]:
    return list(map(_without_holes, split_lines(found.text)))


def _decoded(raw: list[bytes], head: TextFile) -> list[str]:
    codec = head.encoding.removesuffix("-bom")
    return [_without_holes(line.decode(codec, "replace")) for line in raw]


def _excerpt_of(
    lines: list[str], first: int | None, size: int, head: TextFile, seen: Survey, span: Span, *, part: bool, more: bool
) -> Excerpt:
    """`part`: the only line isn't whole. `more`: lines that are wanted lie where nobody has looked."""
    if first == 1 and lines:
        lines[0] = lines[0].removeprefix("\ufeff")
    shown = replace(span, numbers=span.numbers and first is not None)
    fit = _fit(lines, first or 1, shown)
    if first is not None:
        first += fit.skipped
    last = None if first is None else first + fit.count - 1
    ended = span.tail is None and last is not None and last == seen.total
    return Excerpt(
        size=size,
        sha256=seen.sha256,
        text=fit.text,
        first=first,
        last=last,
        total=seen.total,
        encoding=head.encoding,
        line_ending=line_ending(head.text),
        complete=fit.count == len(lines) and (ended or not more),
        cut_lines=max(fit.cut_lines, int(part)),
        lossy=any("\ufffd" in line for line in lines),
        line=fit.line(lines),
    )


def _without_holes(line: str) -> str:
    """A line as it can be shown where a file has holes in it: NUL isn't text, and many are told in words."""
    return _NULS.sub("… (NUL bytes) …", line).replace("\0", "\ufffd") if "\0" in line else line


def _describe_large(root: Root, path: str) -> Excerpt:
    with _opened(root, path) as (descriptor, size):
        seen = survey(descriptor, size, 1)
        try:
            head = sample(path, descriptor, size)
        except WorkroomError:
            return Excerpt(size, seen.sha256)
        if is_pdf(os.pread(descriptor, 5, 0)):
            return Excerpt(size, seen.sha256)
        total = seen.total if width_of(head.encoding) == 1 else None
        ending = line_ending(head.text)
        return Excerpt(size, seen.sha256, total=total, encoding=head.encoding, line_ending=ending)


def _out_of_reach(path: str, span: Span, size: int, seen: Survey) -> WorkroomError:
    if seen.total is not None:
        return WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`start_line` {span.first:,} is behind the end: {path!r} has {seen.total:,} lines.",
            details={"field": "start_line", "totalLines": seen.total},
        )
    return WorkroomError(
        ErrorCode.LIMIT_EXCEEDED,
        f"`start_line` {span.first:,} lies too far into {path!r}, which holds {size:,} bytes.",
        next_step="Read its end with tail_lines, or search it.",
    )
