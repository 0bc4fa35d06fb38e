"""editor_open: a text file, read and recorded as open in the caller's view."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pydantic import BaseModel

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import json_length
from workroom.core.search.pieces import content_kind
from workroom.system.root import Stat
from workroom.text.encoding import TextFile, decode
from workroom.text.kept import as_shown
from workroom.text.language import language_of
from workroom.text.picture import picture_type
from workroom.tools.editor.common import mtime_of, place_of, version_of
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["OPEN"]

_BESIDE = 1_500
"""Characters of an answer beside the content."""

_PIECE = 1 << 20


class OpenInput(Arguments):
    path: str
    """The file, from the root or absolute inside it."""


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
    """`content` is only the beginning: the file is longer than `editor_max_file_bytes`, or the answer than the caller
    can take. It can't be saved."""
    version: str
    """Of the content; hand it to editor_save as `expected_version`."""
    encoding: str = ""
    """`utf-8`, `utf-8-bom`, `utf-16-le`, `windows-1252` and so on; a save keeps it."""
    lossy: bool = False
    """Bytes that are no text are shown as U+FFFD; a save keeps them where their lines aren't changed."""
    picture: str = ""
    """`image/svg+xml` where the text is a picture."""


@dataclass(frozen=True, slots=True)
class _Seen:
    data: bytes
    stat: Stat
    whole: bool


def _open(call: Call, arguments: OpenInput) -> Envelope:
    path = place_of(call, arguments.path)
    seen = _look(call, path)
    file = _text(path, seen)
    content, whole = as_shown(file.text), seen.whole
    room = call.room()
    if room is not None and json_length(content) > room - _BESIDE:
        content, whole = _beginning(content, room - _BESIDE), False
    version = version_of(seen.data) if whole else f"part-{version_of(content.encode())}"
    mtime = mtime_of(seen.stat)
    call.workspace.buffers.put(call.actor, path, version, mtime, truncated=not whole)
    data = {
        "path": path,
        "content": content,
        "language": language_of(path),
        "mtime": mtime,
        "size": seen.stat.size,
        "truncated": not whole,
        "version": version,
        "encoding": file.encoding,
        "lossy": file.lossy,
        "picture": picture_type(seen.data) or "",
    }
    cut = "" if whole else f" Only the first {len(content):,} characters; it can't be saved."
    facts = f"{path}: {seen.stat.size:,} bytes, {data['language']}, version {version}, mtime {mtime}.{cut}"
    return Envelope(True, "editor_open", facts, data, omit_when_summarizing=("content",), text=content)


def _look(call: Call, path: str) -> _Seen:
    """The file's bytes, or as many as may be shown; told apart by its size when it is opened."""
    root, most = call.workspace.root, call.settings().editor_max_file_bytes
    seen = root.stat(path)
    if seen is not None and seen.kind == "directory":
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, f"{path} is a folder.", next_step="editor_tree lists what is in it."
        )
    try:
        data, stat = root.read_with_stat(path, most)
        return _Seen(data, stat, whole=True)
    except WorkroomError as error:
        if error.code is ErrorCode.NOT_FOUND:
            raise WorkroomError(error.code, error.message, next_step="editor_find looks for a file by name.") from None
        if error.code is not ErrorCode.LIMIT_EXCEEDED or seen is None:
            raise
    descriptor = root.open_file(path)
    try:
        data = b""
        while len(data) < most and (piece := os.read(descriptor, min(_PIECE, most - len(data)))):
            data += piece
    finally:
        os.close(descriptor)
    return _Seen(data, seen, whole=False)


def _text(path: str, seen: _Seen) -> TextFile:
    """The text; of a beginning without the half of a letter that it may end with. INVALID_INPUT for binary."""
    found: TextFile | None = None
    for spare in range(1 if seen.whole else 4):
        file = decode(seen.data[: len(seen.data) - spare])
        found = file if found is None or (file is not None and found.lossy) else found
    if found is None:
        raise _binary(path, seen)
    return found


def _binary(path: str, seen: _Seen) -> WorkroomError:
    kind = content_kind(seen.data)
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{path} is binary ({kind + ', ' if kind else ''}{seen.stat.size:,} bytes); only text is opened.",
        next_step="It can be moved and deleted.",
        details={"bytes": seen.stat.size, "kind": kind, "picture": picture_type(seen.data)},
    )


def _beginning(content: str, room: int) -> str:
    """Whole lines from the start that fit, or the beginning of the first."""
    low, high = 0, len(content)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if json_length(content[:middle]) <= room else (low, middle - 1)
    return content[: content.rfind("\n", 0, low) + 1 or low]


OPEN = flat_tool(
    "editor_open",
    "Open a file",
    "Read a text file and have it open, also in the person's view. Keep `version`: editor_save needs it.",
    OpenInput,
    OpenOutput,
    answer=_open,
    annotations={"readOnlyHint": False, "destructiveHint": False},
)
