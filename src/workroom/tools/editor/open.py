"""editor_open: a text file, read and recorded as open in the caller's view."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, Field

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import json_length
from workroom.core.search.part import From, Part, UpTo, line_at, read_part
from workroom.core.search.pieces import content_kind, head_of
from workroom.system.root import Root
from workroom.text.encoding import TextFile, decode
from workroom.text.kept import as_shown
from workroom.text.language import language_of
from workroom.text.lines import split_lines
from workroom.text.picture import picture_type
from workroom.tools.editor.common import mtime_of, place_of, version_of
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["OPEN"]

_BESIDE = 1_500
"""Characters of an answer beside the content."""


class OpenInput(Arguments):
    path: str
    """The file, from the root or absolute inside it."""
    start_byte: Annotated[int | None, Field(ge=0, le=2**63 - 1)] = None
    """Of a long file: the part that begins there."""
    end_byte: Annotated[int | None, Field(ge=0, le=2**63 - 1)] = None
    """Or the part that ends there; at the end of the file where it has no such byte."""
    start_line: Annotated[int | None, Field(ge=1, le=2**63 - 1)] = None
    """Or the part that begins with this line."""

    def parts(self) -> list[str]:
        """The fields that name a part."""
        return [name for name in ("start_byte", "end_byte", "start_line") if getattr(self, name) is not None]


class OpenOutput(BaseModel):
    path: str
    """Where it stands, from the root: what a link leads to."""
    content: str
    """The text, with its line endings."""
    language: str
    """Monaco's id of the language."""
    mtime: int
    """When it was changed last, in seconds since 1970."""
    size: int
    """Bytes of the whole file."""
    truncated: bool
    """`content` is only a part, as asked for or from the beginning: the file is longer than `editor_max_file_bytes`, or
    the answer than the caller can take. It can't be saved."""
    version: str
    """Of the content; hand it to editor_save as `expected_version`."""
    encoding: str = ""
    """`utf-8`, `utf-8-bom`, `utf-16-le`, `windows-1252` and so on; a save keeps it."""
    lossy: bool = False
    """Bytes that are no text are shown as U+FFFD; a save keeps them where their lines aren't changed."""
    picture: str = ""
    """`image/svg+xml` where the text is a picture."""
    start_byte: int = 0
    """Where `content` begins in the file: whole characters, and whole lines where there are any."""
    end_byte: int = 0
    """Behind its last byte: `start_byte` of the next part."""
    first_line: int | None = 1
    """The number of the line in which it begins; none where that isn't known, far into a file."""
    total_lines: int | None = None
    """Lines of the whole file; none where that isn't known."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The part that is shown. `whole` are the file's bytes, where it is all of it."""

    part: Part
    whole: bytes | None
    mtime: int
    picture: str | None


def _open(call: Call, arguments: OpenInput) -> Envelope:
    path = place_of(call, arguments.path)
    seen = _look(call, path, arguments)
    part = seen.part
    version = f"part-{version_of(part.text.encode())}" if seen.whole is None else version_of(seen.whole)
    call.workspace.buffers.put(call.actor, path, version, seen.mtime, truncated=seen.whole is None)
    data = {
        "path": path,
        "content": part.text,
        "language": language_of(path),
        "mtime": seen.mtime,
        "size": part.size,
        "truncated": seen.whole is None,
        "version": version,
        "encoding": part.encoding,
        "lossy": part.lossy,
        "picture": seen.picture or "",
        "start_byte": part.start,
        "end_byte": part.end,
        "first_line": part.first_line,
        "total_lines": part.total_lines,
    }
    cut = "" if seen.whole is not None else f" {_extent(part)}"
    facts = f"{path}: {part.size:,} bytes, {data['language']}, version {version}, mtime {seen.mtime}.{cut}"
    return Envelope(True, "editor_open", facts, data, omit_when_summarizing=("content",), text=part.text)


def _extent(part: Part) -> str:
    """Which part it is, and how to go on."""
    line = "" if part.first_line is None else f", from line {part.first_line:,}"
    on = f" `start_byte` {part.end} goes on." if part.end < part.size else ""
    return f"Only bytes {part.start:,} to {part.end:,}{line}; it can't be saved.{on}"


def _look(call: Call, path: str, arguments: OpenInput) -> _Seen:
    """The file, or the part of it that was asked for or fits. INVALID_INPUT for binary."""
    root, room = call.workspace.root, call.room()

    def fits(content: str) -> bool:
        return room is None or json_length(content) <= room - _BESIDE

    seen = root.stat(path)
    if seen is not None and seen.kind == "directory":
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, f"{path} is a folder.", next_step="editor_tree lists what is in it."
        )
    most = call.settings().editor_max_file_bytes
    try:
        return _whole(root, path, arguments, most, fits) or _part(root, path, arguments, most, fits)
    except WorkroomError as error:
        if error.code is not ErrorCode.NOT_FOUND:
            raise
        raise WorkroomError(error.code, error.message, next_step="editor_find looks for a file by name.") from None


def _whole(root: Root, path: str, arguments: OpenInput, most: int, fits: Callable[[str], bool]) -> _Seen | None:
    """All of the file; None where a part was asked for, or all is too long."""
    if arguments.parts():
        return None
    try:
        data, stat = root.read_with_stat(path, most)
    except WorkroomError as error:
        if error.code is not ErrorCode.LIMIT_EXCEEDED:
            raise
        return None
    file = decode(data)
    if file is None:
        raise _binary(path, data, stat.size)
    content = as_shown(file.text)
    lines = len(split_lines(file.text))
    part = Part(content, 0, len(data), len(data), file.encoding, file.lossy, 1, lines)
    return _Seen(part, data, mtime_of(stat), picture_type(data)) if fits(content) else None


def _part(root: Root, path: str, arguments: OpenInput, most: int, fits: Callable[[str], bool]) -> _Seen:
    descriptor = root.open_file(path)
    try:
        info = os.fstat(descriptor)
        head, text = head_of(descriptor)
        if text is None:
            raise _binary(path, head, info.st_size)
        part = read_part(descriptor, text, _where(path, descriptor, text, arguments), most, fits)
    finally:
        os.close(descriptor)
    if arguments.start_line is not None:
        part = replace(part, first_line=arguments.start_line)
    return _Seen(part, None, info.st_mtime_ns // 1_000_000_000, picture_type(head))


def _where(path: str, descriptor: int, head: TextFile, arguments: OpenInput) -> From | UpTo:
    if len(arguments.parts()) > 1:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, f"A part is named by one of {', '.join(arguments.parts())}, not by several."
        )
    if arguments.end_byte is not None:
        return UpTo(arguments.end_byte)
    if arguments.start_line is not None:
        return From(line_at(path, descriptor, head, arguments.start_line))
    return From(arguments.start_byte or 0)


def _binary(path: str, data: bytes, size: int) -> WorkroomError:
    kind = content_kind(data)
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{path} is binary ({kind + ', ' if kind else ''}{size:,} bytes); only text is opened.",
        next_step="It can be moved and deleted.",
        details={"bytes": size, "kind": kind, "picture": picture_type(data)},
    )


OPEN = flat_tool(
    "editor_open",
    "Open a file",
    "Read a text file and have it open, also in the person's view. Keep `version`: editor_save needs it. Of a long "
    "file a part is read; `start_byte`, `end_byte` or `start_line` names another.",
    OpenInput,
    OpenOutput,
    answer=_open,
    annotations={"readOnlyHint": False, "destructiveHint": False},
)
