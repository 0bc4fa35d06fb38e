r"""Unified diffs of texts and of files, as git writes them.

    diff_texts    two texts -> Diff: the patch and where its hunks are
    render_file   one file before and after -> one `diff --git` section
    count_lines   lines added and removed, without a patch

libgit2 compares; difflib stands in where its wheel is missing. Lines end at `\n` only, as in git.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from workroom.text import encoding
from workroom.text.quoting import quote_name

__all__ = ["Diff", "FileSide", "Hunk", "count_lines", "diff_texts", "render_file"]

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_FUNCTION = re.compile(rb"^(@@ [^@\n]* @@)[^\n]*", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_NEWLINE = "\\ No newline at end of file\n"
_LINK_MODE = 0o120000
_MAX_COUNTED = 2_000_000


@dataclass(frozen=True, slots=True)
class Hunk:
    """One `@@` block: the lines it covers on each side, and how many of them it adds and removes.

    Lines count from 1. A side of no lines starts at the line before it, so at 0 in an empty file.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff and its hunks in order. `truncated`: a side was too large, and nothing was compared."""

    patch: str
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    identical: bool
    truncated: bool


@dataclass(frozen=True, slots=True)
class FileSide:
    """A file before or after: `data` is None where there is none, a link's target where `link`.

    `mode` is the permission bits; of them a diff tells only whether the owner may execute.
    """

    path: str
    data: bytes | None
    mode: int | None
    link: bool = False


def diff_texts(before: str, after: str, *, path: str = "file", context: int = 3, max_bytes: int = 2_000_000) -> Diff:
    r"""The diff from `before` to `after`; `path` only labels its header, `max_bytes` bounds each side.

    Undecodable bytes (lone surrogates in the texts) are shown as `\xNN`: the patch can always be written as UTF-8.
    """
    if before == after:
        return Diff("", (), 0, 0, identical=True, truncated=False)
    old, new = _encoded(before), _encoded(after)
    if max(len(old), len(new)) > max_bytes:
        return Diff("", (), 0, 0, identical=False, truncated=True)
    lines, hunks = _compare(old, new, context)
    patch = _names(path, path) + "".join(lines)
    added, removed = sum(h.added for h in hunks), sum(h.removed for h in hunks)
    return Diff(patch, tuple(hunks), added, removed, identical=False, truncated=False)


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    """How many lines a diff would add and remove. Above 2 MB lines that only moved aren't counted, as that is slow."""
    if before == after:
        return 0, 0
    if before and after and max(len(before), len(after)) <= _MAX_COUNTED:
        old_text, new_text = (_encoded(side.decode("utf-8", "surrogateescape")) for side in (before, after))
        hunks = _compare(old_text, new_text, 0)[1]
        return sum(h.added for h in hunks), sum(h.removed for h in hunks)
    old, new = (Counter(_LINE.findall(side)) for side in (before, after))
    return (new - old).total(), (old - new).total()


def render_file(before: FileSide, after: FileSide, *, context: int = 3, max_bytes: int = 2_000_000) -> str:
    """One file's change as git writes it; empty when nothing changed.

    Made, deleted, renamed, its executable bit, its text. `git apply` takes the result where both sides are UTF-8;
    text in other encodings is shown decoded, and what is no text in git's words (`Binary files … differ`). A link
    that becomes a file, or a file that becomes a link, is two sections, as in git.
    """
    if before.data is not None and after.data is not None and before.link != after.link:
        gone = FileSide(after.path, None, None)
        return render_file(before, gone, context=context, max_bytes=max_bytes) + render_file(
            FileSide(before.path, None, None), after, context=context, max_bytes=max_bytes
        )
    body, similarity = _content(before, after, context, max_bytes)
    headers = _change_headers(before, after, similarity)
    if not headers and not body:
        return ""
    pair = f"{quote_name('a/' + before.path)} {quote_name('b/' + after.path)}"
    return f"diff --git {pair}\n{headers}{body}"


def _change_headers(before: FileSide, after: FileSide, similarity: int) -> str:
    """The extended headers of git headers: what changes beside the text."""
    if before.data is None or after.data is None:
        if before.data == after.data:
            return ""
        word, side = ("new", after) if before.data is None else ("deleted", before)
        return f"{word} file mode {_mode(side):o}\n"
    headers = ""
    if None not in {before.mode, after.mode} and _mode(before) != _mode(after):
        headers += f"old mode {_mode(before):o}\nnew mode {_mode(after):o}\n"
    if before.path != after.path:
        names = f"rename from {quote_name(before.path)}\nrename to {quote_name(after.path)}\n"
        headers += f"similarity index {similarity}%\n{names}"
    return headers


def _mode(side: FileSide) -> int:
    if side.link:
        return _LINK_MODE
    return 0o100755 if (side.mode or 0) & 0o100 else 0o100644


def _content(before: FileSide, after: FileSide, context: int, max_bytes: int) -> tuple[str, int]:
    """The section from `---` on, and how alike the sides are in percent."""
    old, new = before.data or b"", after.data or b""
    if old == new:
        return "", 100
    names = [None if side.data is None else side.path for side in (before, after)]
    if max(len(old), len(new)) > max_bytes:
        return f"Files too large to compare here: {len(old)} and {len(new)} bytes\n", 0
    texts = _texts(old, new)
    if texts is None:
        shown = [_side_name(prefix, name) for prefix, name in zip("ab", names, strict=True)]
        return f"Binary files {shown[0]} and {shown[1]} differ\n", 0
    lines, _ = _compare(_encoded(texts[0]), _encoded(texts[1]), context)
    removed = sum(len(line) - 1 for line in lines if line[0] == "-")
    total = max(len(texts[0]), len(texts[1]))
    similarity = min(99, max(0, len(texts[0]) - removed) * 100 // total)
    return _names(names[0], names[1]) + "".join(lines), similarity


def _texts(old: bytes, new: bytes) -> tuple[str, str] | None:
    """Both sides as text whose difference is the bytes' difference; None when a side is binary.

    UTF-8 is taken with its BOM, which `git apply` needs to see. Where only the encoding changed, the bytes are shown.
    """
    sides = [_text(old), _text(new)]
    if sides[0] is None or sides[1] is None:
        return None
    if sides[0] != sides[1]:
        return sides[0], sides[1]
    if b"\0" in old or b"\0" in new:
        return None
    return old.decode("utf-8", "surrogateescape"), new.decode("utf-8", "surrogateescape")


def _text(data: bytes) -> str | None:
    if b"\0" not in data:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    decoded = encoding.decode(data)
    return None if decoded is None else decoded.text


def _names(old: str | None, new: str | None) -> str:
    lines = ""
    for mark, prefix, name in (("---", "a", old), ("+++", "b", new)):
        # A tab ends a name that holds a space, or `patch` would cut it there.
        lines += f"{mark} {_side_name(prefix, name)}{chr(9) if ' ' in (name or '') else ''}\n"
    return lines


def _side_name(prefix: str, name: str | None) -> str:
    return "/dev/null" if name is None else quote_name(f"{prefix}/{name}")


def _compare(old: bytes, new: bytes, context: int) -> tuple[list[str], list[Hunk]]:
    """The patch's lines from the first `@@` on, and the hunks they make."""
    raw = _libgit2_body(old, new, context)
    lines = list(_difflib_body(_decoded(old), _decoded(new), context)) if raw is None else _lines(_decoded(raw))
    hunks = [_hunk(lines[start], lines[start + 1 : end]) for start, end in _blocks(lines)]
    return [_SURROGATE.sub(_visible, line) for line in lines], hunks


def _libgit2_body(old: bytes, new: bytes, context: int) -> bytes | None:
    """The hunks by libgit2, None where it isn't installed."""
    try:
        import pygit2  # noqa: PLC0415 - heavy: loaded by the first diff
    except ImportError:
        return None
    text = pygit2.enums.DiffOption.FORCE_TEXT
    patch = pygit2.Patch.create_from(old, new, flag=text, context_lines=context)
    # The patch keeps no reference to its buffers: `old` and `new` must live until its data is read.
    data: bytes = patch.data
    body = data[data.find(b"\n@@ ") + 1 :] if data else b""
    # The enclosing function's name, cut after 80 bytes even within a character, is left out.
    return _FUNCTION.sub(rb"\1", body)


def _difflib_body(before: str, after: str, context: int) -> Iterator[str]:
    old, new = _lines(before), _lines(after)
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(context):
        (_, a, _, c, _), (_, _, b, _, d) = group[0], group[-1]
        yield _header(a + (b > a), b - a, c + (d > c), d - c)
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from _marked(" ", old[i1:i2])
            else:
                yield from _marked("-", old[i1:i2])
                yield from _marked("+", new[j1:j2])


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line
        else:
            yield f"{mark}{line}\n"
            yield _NO_NEWLINE


def _blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    starts = [i for i, line in enumerate(lines) if line[0] == "@"]
    return list(zip(starts, [*starts[1:], len(lines)], strict=True))


def _hunk(header: str, body: Sequence[str]) -> Hunk:
    match = _HEADER.match(header)
    if match is None:  # pragma: no cover - both makers write this header
        raise ValueError(header)
    old_start, new_start = int(match[1]), int(match[3])
    old_lines, new_lines = (1 if count is None else int(count) for count in (match[2], match[4]))
    added, removed = (sum(line[0] == mark for line in body) for mark in "+-")
    return Hunk(old_start, old_lines, new_start, new_lines, added, removed)


def _header(old_start: int, old_lines: int, new_start: int, new_lines: int) -> str:
    old, new = (
        f"{start}" if count == 1 else f"{start},{count}"
        for start, count in ((old_start, old_lines), (new_start, new_lines))
    )
    return f"@@ -{old} +{new} @@\n"


def _lines(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [line + "\n" for line in whole] + ([last] if last else [])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
