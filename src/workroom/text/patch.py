"""Reading multi-file unified diffs, strictly where a slip could change the wrong thing.

    parse_patch   a patch -> one FilePatch a file
    hunks.py      applies a FilePatch to a file's text
    headers.py    which file a section's header lines mean

Plain (`---`, `+++`) and `diff --git` sections may mix. Forgiven are what models get wrong without harm: line numbers
and counts of a `@@` line, a bare `@@`, CRLF, a missing final newline, blank context lines without their space, fences
and prose around the patch. Every other line that can't be read is refused with its number, never skipped.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.headers import Exists, Names, resolve

__all__ = ["FilePatch", "PatchHunk", "PatchKind", "parse_patch"]

PatchKind = Literal["modify", "create", "delete", "rename"]

MAX_FILES = 50

_NUMBERS = re.compile(r"@@ *-(\d{1,9})(?:,(\d{1,9}))? *\+(\d{1,9})(?:,(\d{1,9}))?")
_BETWEEN = re.compile(r"\s+$|```|Index: |={5,}|diff (?!--)")
_MISLEADING = re.compile(r"@@|\+\+\+ |--- |\*\*\* ")
_BINARY = re.compile(r"Binary files .* differ|GIT binary patch")
_VERSION = re.compile(r"\d+\.\d")


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """One `@@` block of a patch.

    Each of `lines` is a mark (space, `-`, `+`) and the line with its ending, which is empty where the patch says that
    the file ends without one. `old_start` and `old_count` are what the `@@` line claims, None where it claims nothing.
    `line` is its number in the patch.
    """

    line: int
    old_start: int | None
    old_count: int | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file.

    `old_path` is None for a create and `new_path` for a delete; they differ only for a rename. Modes are permission
    bits, 0o644 or 0o755 as git knows them, and None where the patch doesn't tell.
    """

    kind: PatchKind
    old_path: str | None
    new_path: str | None
    hunks: tuple[PatchHunk, ...]
    old_mode: int | None
    new_mode: int | None


@dataclass(slots=True)
class _Section:
    """One file's part of a patch, as read so far."""

    line: int
    names: Names
    hunks: list[PatchHunk] = field(default_factory=list)
    created: bool = False
    deleted: bool = False
    old_mode: int | None = None
    new_mode: int | None = None

    @property
    def complete(self) -> bool:
        """Whether it says what to do even without hunks: rename, change a mode, make or delete an empty file."""
        renamed = self.names.rename_to is not None
        return renamed or self.created or self.deleted or self.new_mode is not None


def parse_patch(patch: str, exists: Exists) -> tuple[FilePatch, ...]:
    """The files that a patch changes, in its order.

    `exists` tells whether a file stands at a path; it only decides between a prefix (`a/`, `b/`) and a real folder of
    that name. INVALID_INPUT names the line that can't be read, and refuses binary and copy sections, links, a path
    named twice. PATH_OUTSIDE_WORKSPACE and PROTECTED_PATH are for the paths; LIMIT_EXCEEDED is for more than 50 files.
    """
    reader = _Reader(patch)
    sections: list[_Section] = []
    while reader.find_section(first=not sections):
        sections.append(_section(reader))
    if not sections:
        raise _no_patch()
    if len(sections) > MAX_FILES:
        raise WorkroomError(
            ErrorCode.LIMIT_EXCEEDED,
            f"The patch changes {len(sections)} files; the limit is {MAX_FILES}.",
            next_step="Send it in several patches.",
        )
    styles = {section.names.style(exists) for section in sections}
    bare = "bare" in styles and "prefixed" not in styles
    files = tuple(_file_patch(section, exists, bare) for section in sections)
    _check_once(files)
    return files


class _Reader:
    """The patch's lines and where we are in them."""

    def __init__(self, patch: str) -> None:
        if not patch.endswith("\n"):
            crlf = patch.count("\r\n") * 2 > patch.count("\n")
            patch = patch.removesuffix("\r") + ("\r\n" if crlf else "\n")
        self.lines: Sequence[str] = list(io.StringIO(patch, newline="\n"))
        self.texts: Sequence[str] = [line.rstrip("\r\n") for line in self.lines]
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        """A line without its ending; empty beyond the end."""
        index = self.at + ahead
        return self.texts[index] if index < len(self.texts) else ""

    @property
    def done(self) -> bool:
        return self.at >= len(self.lines)

    def take(self) -> str:
        line = self.peek()
        self.at += 1
        return line

    def plain_header(self) -> bool:
        return self.peek().startswith("--- ") and self.peek(1).startswith("+++ ")

    def signature(self) -> bool:
        """Whether a mail's signature begins here, as `git format-patch` ends with; else `-- ` is a removed line."""
        last = self.at + 1 >= len(self.texts)
        return self.peek() == "-- " and (last or _VERSION.match(self.peek(1)) is not None)

    def at_hunk(self) -> bool:
        """Whether a hunk comes next; blank lines before it are passed over."""
        blank = 0
        while self.at + blank < len(self.texts) and not self.peek(blank):
            blank += 1
        if not self.peek(blank).startswith("@@"):
            return False
        self.at += blank
        return True

    def fault(self, what: str, next_step: str = "", *, line: int | None = None) -> WorkroomError:
        return _fault(self.at + 1 if line is None else line, what, next_step)

    def find_section(self, *, first: bool) -> bool:
        """Go to the next section's first line; False at the end.

        Before the first section, and after a mail's signature, prose is passed over unless it could be a part of a
        patch; elsewhere only what tools write between sections.
        """
        prose = first
        while not self.done:
            line = self.peek()
            if self.plain_header() or line.startswith("diff --git "):
                return True
            if not line:
                pass
            elif self.signature():
                prose = True
            elif _BINARY.match(line) or line.startswith(("diff --cc ", "diff --combined ")):
                raise self.fault("binary files and merges can't be patched", "Send a unified diff of text files.")
            elif prose and _MISLEADING.match(line):
                raise self.fault(f"{line[:80]!r} stands before any file's header", _FORMAT)
            elif not prose and not _BETWEEN.match(line):
                raise self.fault(f"{line[:80]!r} belongs to no hunk and begins no file's section", _BODY)
            self.at += 1
        return False


_FORMAT = "Each file begins with two lines, `--- a/PATH` and `+++ b/PATH`, then its `@@` hunks."
_BODY = "Give context lines their leading space, and check the counts in the `@@` line before it."


def _section(reader: _Reader) -> _Section:
    section = _Section(reader.at + 1, Names())
    if reader.peek().startswith("diff --git "):
        section.names.git = reader.take().removeprefix("diff --git ")
        while _extended_header(reader, section):
            reader.at += 1
    if reader.plain_header() and not (section.complete and _next_file(reader, section.names)):
        section.names.old = reader.take().removeprefix("--- ")
        section.names.new = reader.take().removeprefix("+++ ")
    while reader.at_hunk():
        section.hunks.append(_hunk(reader))
    return section


def _next_file(reader: _Reader, names: Names) -> bool:
    """Whether the `---` and `+++` lines here are another file's than the `diff --git` line before them."""
    old, new = reader.peek().removeprefix("--- "), reader.peek(1).removeprefix("+++ ")
    return not names.continued_by(old, new)


def _extended_header(reader: _Reader, section: _Section) -> bool:
    """Take in one of git's lines between `diff --git` and `---`; False for any other line."""
    line = reader.peek()
    key = next((key for key in _EXTENDED if line.startswith(key)), None)
    if key is None:
        return False
    value = line.removeprefix(key)
    if key in {"copy from ", "copy to "}:
        raise reader.fault("copies can't be patched", "Use the operation copy, or send the new file's whole text.")
    if key == "rename from ":
        section.names.rename_from = value
    elif key == "rename to ":
        section.names.rename_to = value
    elif key == "index " and value.count(" ") == 1:
        _mode(reader, value.partition(" ")[2])
    elif key in {"old mode ", "deleted file mode "}:
        section.old_mode, section.deleted = _mode(reader, value), section.deleted or key[0] == "d"
    elif key in {"new mode ", "new file mode "}:
        section.new_mode, section.created = _mode(reader, value), section.created or key[4] == "f"
    return True


_EXTENDED = (
    "old mode ", "new mode ", "deleted file mode ", "new file mode ", "copy from ", "copy to ", "rename from ",
    "rename to ", "similarity index ", "dissimilarity index ", "index ",
)  # fmt: skip


def _mode(reader: _Reader, text: str) -> int:
    if not re.fullmatch(r"100[0-7]{3}", text.strip()):
        raise reader.fault(f"mode {text[:20]!r} is not a regular file's", "Links and submodules can't be patched.")
    return 0o755 if int(text, 8) & 0o100 else 0o644


def _hunk(reader: _Reader) -> PatchHunk:
    line, header = reader.at + 1, reader.take()
    if header.startswith("@@@"):
        raise reader.fault("a merge's combined diff can't be patched", "Send a diff against one side.", line=line)
    numbers = _NUMBERS.match(header)
    if numbers is None:
        start, old, new = None, None, None
    else:
        start = int(numbers[1])
        old, new = (1 if count is None else int(count) for count in (numbers[2], numbers[4]))
    body = _Body(reader, old, new)
    body.read()
    if not body.lines:
        raise reader.fault("the hunk is empty", "Give its context, removed and added lines.", line=line)
    return PatchHunk(line, start, old, tuple(body.lines))


class _Body:
    """Reads a hunk's lines. `old` and `new` count what the `@@` line still promises, None where it promises nothing.

    The counts decide only where a line has two meanings: `--- x` may be a removed `-- x` or the next file's header.
    """

    def __init__(self, reader: _Reader, old: int | None, new: int | None) -> None:
        self.reader = reader
        self.lines: list[str] = []
        self.old = old
        self.new = new

    def read(self) -> None:
        reader = self.reader
        blank = 0
        while not reader.done and not self._ends():
            text = reader.peek()
            ending = reader.lines[reader.at][len(text) :]
            if text.startswith("\\"):
                self._drop_ending(ending)
            else:
                blank = 0 if text else blank + 1
                self._add((text or " ") + ending)
            reader.at += 1
        self._drop_blank_end(blank)

    def _ends(self) -> bool:
        line = self.reader.peek()
        if not line or self.reader.signature():
            return self.old == 0 and self.new == 0
        if line[0] == "-":
            return self.reader.plain_header() and not self._promised_pair()
        return line[0] not in " +\\"

    def _promised_pair(self) -> bool:
        """Whether `--- x` and `+++ y` are a removed and an added line.

        Only while both counts promise more; and before a `@@` only when they promise exactly these two.
        """
        if not self.old or not self.new or self.old < 0 or self.new < 0:
            return False
        return not self.reader.peek(2).startswith("@@") or self.old == self.new == 1

    def _add(self, line: str) -> None:
        self.lines.append(line)
        if self.old is not None and self.new is not None:
            self.old -= line[0] != "+"
            self.new -= line[0] != "-"

    def _drop_ending(self, ending: str) -> None:
        r"""The last line has no newline; the `\r` before it goes too where the whole patch has CRLF."""
        if not self.lines:
            raise self.reader.fault("a hunk can't begin with the note that a file has no newline at its end")
        self.lines[-1] = self.lines[-1].removesuffix(ending).removesuffix("\n")

    def _drop_blank_end(self, blank: int) -> None:
        """Blank lines at the end without their space are context only where the counts ask for exactly them."""
        if blank and (self.old, self.new) != (0, 0):
            del self.lines[-blank:]


def _file_patch(section: _Section, exists: Exists, bare: bool) -> FilePatch:
    names = section.names
    old, new = resolve(names, exists, bare=bare)
    created, deleted = section.created or names.old_absent, section.deleted or names.new_absent
    if created + deleted + (old != new) > 1:
        raise _fault(section.line, f"{old!r} can't be created, deleted and renamed at once")
    if not section.hunks and not section.complete:
        raise _fault(section.line, f"the section of {old!r} has no hunk", _FORMAT)
    kind: PatchKind = "create" if created else "delete" if deleted else "modify" if old == new else "rename"
    return FilePatch(
        kind,
        None if created else old,
        None if deleted else new,
        tuple(section.hunks),
        section.old_mode,
        section.new_mode,
    )


def _check_once(files: Sequence[FilePatch]) -> None:
    seen: set[str] = set()
    for file in files:
        for path in {file.old_path, file.new_path} - {None}:
            if path in seen:
                raise WorkroomError(
                    ErrorCode.INVALID_INPUT,
                    f"The patch names {path!r} more than once.",
                    next_step="Put all hunks of one file into one section.",
                )
            seen.add(str(path))


def _no_patch() -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, "The patch names no file.", next_step=_FORMAT)


def _fault(line: int, what: str, next_step: str = "") -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, f"Line {line} of the patch: {what}.", next_step=next_step)
