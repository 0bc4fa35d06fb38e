r"""Unified diffs of texts and of files, as git writes them.

    diff_texts    two texts -> Diff: the patch and where its hunks are
    render_file   one file before and after -> one `diff --git` section
    file_pieces   the hunks of such a section, as lines that go and lines that come
    count_lines   lines added and removed, without a patch
    line_blocks   which lines became which, without a patch
    shown_lines   lines that the patch would mark as added or removed

libgit2 compares; difflib stands in where its wheel is missing. Lines end at `\n` only, as in git.

Comparing can cost the square of what differs, and libgit2 lets no other thread run meanwhile. So only what lies between
the first and the last difference is compared, stretch by stretch between lines that are surely common where it is long,
and at most 20,000 lines a side in all. Beyond that everything in between is one hunk: removed, then added.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from workroom.text import encoding
from workroom.text.quoting import quote_name

__all__ = [
    "Block",
    "Diff",
    "FileSide",
    "Heading",
    "Hunk",
    "Piece",
    "count_lines",
    "diff_texts",
    "file_pieces",
    "line_blocks",
    "render_file",
    "shown_lines",
]

_HEADER = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_NEWLINE = "\\ No newline at end of file\n"
_LINK_MODE = 0o120000
_MOST_COMPARED = 20_000
"""Lines a side that libgit2 compares: about 0.05 s for the worst known; twice as many take four times as long."""
_MOST_COMPARED_SLOWLY = 2_000
"""The same for difflib."""
_MOST_ANCHORED = 200_000
"""Lines a side among which common ones are looked for."""
_MOST_COUNTED = 1_000_000
"""Lines a side of which those that only moved are told from new ones."""
_MARGIN = 20
"""Common lines around the differences that are compared with them, so that a change may be put where it reads best."""

Block: TypeAlias = tuple[int, int, int, int]
"""Lines `a` to `b` of the old side become `c` to `d` of the new one: from 0, ends not included."""

Heading: TypeAlias = Callable[[str, str], str]
"""What stands behind a hunk's second `@@`, made from the text that it removes and the text that it adds."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One `@@` block: the lines it covers on each side, and how many of them it adds and removes.

    Lines count from 1. A side of no lines starts at the line before it, so at 0 in an empty file. Where there was too
    much to compare, lines that only moved are in the patch twice, but aren't counted.
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
class Piece:
    r"""One hunk of a file without its context: the blocks of lines, and the text that goes and that comes.

    Lines end at `\n`. Blocks count from the first line of the file.
    """

    blocks: tuple[Block, ...]
    removed: str
    added: str


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

    For the editor profile, which shows a buffer's hunks beside what is on disk; edits and files use `render_file`.

    Undecodable bytes (lone surrogates in the texts) are shown as `\xNN`: the patch can always be written as UTF-8.
    """
    if before == after:
        return Diff("", (), 0, 0, identical=True, truncated=False)
    if max(len(side.encode("utf-8", "surrogatepass")) for side in (before, after)) > max_bytes:
        return Diff("", (), 0, 0, identical=False, truncated=True)
    body, hunks = _render(_compare(before, after, context), context)
    added, removed = sum(h.added for h in hunks), sum(h.removed for h in hunks)
    return Diff(_names(path, path) + body, hunks, added, removed, identical=False, truncated=False)


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    """How many lines a diff adds and removes, as in `Diff`.

    Where there is too much to compare, lines that only moved aren't counted; beyond a million lines they are, too.
    """
    if before == after:
        return 0, 0
    found = _compare(before.decode("latin-1"), after.decode("latin-1"), 0)
    return found.count(found.blocks)


def shown_lines(before: bytes, after: bytes) -> int:
    """How many lines a patch marks as added or removed: more than `count_lines` where there is too much to compare."""
    if before == after:
        return 0
    found = _compare(before.decode("latin-1"), after.decode("latin-1"), 0)
    return sum(b - a + d - c for a, b, c, d in found.blocks)


def line_blocks(before: str, after: str) -> list[Block]:
    """Which lines of `before` became which of `after`, in order; one block where there is too much to compare."""
    if before == after:
        return []
    found = _compare(before, after, 0)
    return [_placed(block, found.first) for block in found.blocks]


def file_pieces(before: bytes, after: bytes, *, context: int = 3, max_bytes: int = 2_000_000) -> tuple[Piece, ...]:
    """The hunks that `render_file` shows of a file that is changed, in order; none where it shows no text."""
    texts = None if before == after or max(len(before), len(after)) > max_bytes else _texts(before, after)
    if texts is None:
        return ()
    found = _compare(*texts, context)
    old, new = _lines(found.old), _lines(found.new)
    return tuple(
        Piece(tuple(_placed(block, found.first) for block in group), *_moving(old, new, group))
        for group in _groups(found.blocks, context)
    )


def render_file(
    before: FileSide,
    after: FileSide,
    *,
    context: int = 3,
    max_bytes: int = 2_000_000,
    heading: Heading | None = None,
) -> str:
    """One file's change as git writes it; empty when nothing changed. `heading` names each hunk.

    Made, deleted, renamed, its executable bit, its text. `git apply` takes the result where both sides are UTF-8;
    text in other encodings is shown decoded, and what is no text in git's words (`Binary files … differ`). A link
    that becomes a file, or a file that becomes a link, is two sections, as in git.
    """
    if before.data is not None and after.data is not None and before.link != after.link:
        gone = FileSide(after.path, None, None)
        return render_file(before, gone, context=context, max_bytes=max_bytes) + render_file(
            FileSide(before.path, None, None), after, context=context, max_bytes=max_bytes
        )
    body, similarity = _content(before, after, context, max_bytes, heading)
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


def _content(
    before: FileSide, after: FileSide, context: int, max_bytes: int, heading: Heading | None
) -> tuple[str, int]:
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
    found = _compare(texts[0], texts[1], context)
    total = max(len(texts[0]), len(texts[1]))
    similarity = min(99, max(0, len(texts[0]) - found.removed_characters()) * 100 // total)
    return _names(names[0], names[1]) + _render(found, context, heading)[0], similarity


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


@dataclass(frozen=True, slots=True)
class _Compared:
    """What differs, within the part of both texts that holds all differences and some lines around them.

    `first`: lines before that part, the same on both sides. `blocks`: in lines of the part. `complete`: whether it was
    all compared; else the only block is from the first to the last difference.
    """

    first: int
    old: str
    new: str
    blocks: list[Block]
    complete: bool

    def count(self, blocks: Sequence[Block]) -> tuple[int, int]:
        """Lines that these blocks add and remove."""
        added, removed = sum(d - c for _, _, c, d in blocks), sum(b - a for a, b, _, _ in blocks)
        if self.complete or max(added, removed) > _MOST_COUNTED:
            return added, removed
        counts: defaultdict[str, int] = defaultdict(int)
        for text, step in ((self.new, 1), (self.old, -1)):
            for line in io.StringIO(text, newline="\n"):  # a loop of Python's, so that other threads run meanwhile
                counts[line] += step
        return sum(n for n in counts.values() if n > 0), -sum(n for n in counts.values() if n < 0)

    def removed_characters(self) -> int:
        """How long the old lines are that the blocks remove."""
        lines = _lines(self.old)
        return sum(len(line) for a, b, _, _ in self.blocks for line in lines[a:b])


def _compare(before: str, after: str, context: int) -> _Compared:
    """Where two different texts differ, with at least `context` lines around it where there are as many."""
    head, tail = _common_ends(before, after)
    margin = max(context, _MARGIN)
    old_end, new_end = len(before) - tail, len(after) - tail
    above = before[_back(before, head, margin) : head]
    below = before[old_end : _forth(before, old_end, margin)]
    old, new = above + before[head:old_end] + below, above + after[head:new_end] + below
    first = before.count("\n", 0, head) - above.count("\n")
    old_lines, new_lines = _line_count(old), _line_count(new)
    blocks = _blocks(_lines(old), _lines(new)) if max(old_lines, new_lines) <= _MOST_ANCHORED else None
    if blocks is not None:
        return _Compared(first, old, new, blocks, complete=True)
    start, rest = above.count("\n"), _line_count(below)
    return _Compared(first, old, new, [(start, old_lines - rest, start, new_lines - rest)], complete=False)


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters, in whole lines, both texts have in common at their beginning and, after it, at their end."""
    head = old.rfind("\n", 0, _shared(old, new)) + 1
    tail = _shared(old[head:][::-1], new[head:][::-1])
    starts = (text[head : len(text) - tail] for text in (old, new))
    if any(text and not text.endswith("\n") for text in starts):
        line_end = old.find("\n", len(old) - tail)
        tail = 0 if line_end < 0 else len(old) - line_end - 1
    return head, tail


def _shared(a: str, b: str) -> int:
    """How many characters both begin with. Each step looks at half as many as the one before."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _back(text: str, at: int, lines: int) -> int:
    """The start of the line that is so many lines before the one that starts at `at`."""
    while at and lines:
        at, lines = text.rfind("\n", 0, at - 1) + 1, lines - 1
    return at


def _forth(text: str, at: int, lines: int) -> int:
    while at < len(text) and lines:
        at, lines = text.find("\n", at) + 1 or len(text), lines - 1
    return at


def _blocks(old: list[str], new: list[str]) -> list[Block] | None:
    """What differs, in order; None where it is too much to compare."""
    git = _libgit2()
    most, compare = (_MOST_COMPARED_SLOWLY, _difflib_blocks) if git is None else (_MOST_COMPARED, git)
    if max(len(old), len(new)) <= most:
        return compare(old, new)
    gaps = _gaps(old, new)
    if sum(b - a for a, b, _, _ in gaps) > most or sum(d - c for _, _, c, d in gaps) > most:
        return None
    return [(a + i, a + j, c + k, c + n) for a, b, c, d in gaps for i, j, k, n in compare(old[a:b], new[c:d])]


def _gaps(old: list[str], new: list[str]) -> list[Block]:
    """The stretches that differ between the lines that stand once on each side, in the same order."""
    there = _once(new)
    pairs = [(i, there[line]) for line, i in _once(old).items() if line in there]
    gaps: list[Block] = []
    a = c = 0
    for b, d in [*_rising(pairs), (len(old), len(new))]:
        if old[a:b] != new[c:d]:
            gaps.append((a, b, c, d))
        a, c = b + 1, d + 1
    return gaps


def _once(lines: list[str]) -> dict[str, int]:
    """Where each line is that stands there once, in order."""
    places: dict[str, int] = {}
    for at, line in enumerate(lines):
        places[line] = -1 if line in places else at
    return {line: at for line, at in places.items() if at >= 0}


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most of the pairs, which rise in their first number, that rise in the second too (patience sorting)."""
    ends: list[int] = []  # the smallest second number with which a row of each length ends, and the pair that has it
    holders: list[int] = []
    before: list[int] = []
    for at, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(holders[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        holders[length : length + 1] = [at]
    row: list[tuple[int, int]] = []
    at = holders[-1] if holders else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _libgit2() -> Callable[[list[str], list[str]], list[Block]] | None:
    """The comparison by libgit2, None where it isn't installed."""
    try:
        from pygit2 import Patch  # noqa: PLC0415 - heavy: loaded by the first diff
    except ImportError:
        return None

    def compare(old: list[str], new: list[str]) -> list[Block]:
        # Each line goes as its number: long lines cost no more than short ones, and nobody can make its hashes collide.
        numbers: dict[str, int] = {}
        sides = ["".join([f"{numbers.setdefault(line, len(numbers))}\n" for line in side]) for side in (old, new)]
        before, after = sides[0].encode(), sides[1].encode()
        # The patch keeps no reference to its buffers: both must live until its data is read.
        data: bytes = Patch.create_from(before, after, context_lines=0).data
        return [_block(header) for header in _HEADER.finditer(data)]

    return compare


def _block(header: re.Match[bytes]) -> Block:
    old_lines, new_lines = (1 if header[n] is None else int(header[n]) for n in (2, 4))
    a, c = int(header[1]) - (old_lines > 0), int(header[3]) - (new_lines > 0)
    return a, a + old_lines, c, c + new_lines


def _difflib_blocks(old: list[str], new: list[str]) -> list[Block]:
    return [(a, b, c, d) for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes() if tag != "equal"]


def _render(found: _Compared, context: int, heading: Heading | None = None) -> tuple[str, tuple[Hunk, ...]]:
    """The patch from the first `@@` on, and its hunks."""
    old, new = _lines(found.old), _lines(found.new)
    parts: list[str] = []
    hunks: list[Hunk] = []
    for group in _groups(found.blocks, context):
        (a, _, c, _), (_, b, _, d) = group[0], group[-1]
        above, below = min(a, context), min(len(old) - b, context)
        hunk = _hunk(found, (a - above, b + below, c - above, d + below), group)
        parts.append(_header(hunk, "" if heading is None else heading(*_moving(old, new, group))))
        at = a - above
        for i, j, k, n in group:
            parts += _marked(" ", old[at:i]), _marked("-", old[i:j]), _marked("+", new[k:n])
            at = j
        parts.append(_marked(" ", old[at : b + below]))
        hunks.append(hunk)
    return _SURROGATE.sub(_visible, "".join(parts)), tuple(hunks)


def _groups(blocks: Sequence[Block], context: int) -> list[list[Block]]:
    """The blocks of each hunk: those whose context would touch or overlap are in one."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and block[0] - groups[-1][-1][1] <= 2 * context:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _hunk(found: _Compared, lines: Block, group: Sequence[Block]) -> Hunk:
    (a, b, c, d), (added, removed) = lines, found.count(group)
    return Hunk(found.first + a + (b > a), b - a, found.first + c + (d > c), d - c, added, removed)


def _placed(block: Block, first: int) -> Block:
    a, b, c, d = block
    return a + first, b + first, c + first, d + first


def _moving(old: list[str], new: list[str], group: Sequence[Block]) -> tuple[str, str]:
    """The text that a hunk removes, and the text that it adds."""
    removed, added = (
        [line for a, b, _, _ in group for line in old[a:b]],
        [line for _, _, c, d in group for line in new[c:d]],
    )
    return "".join(removed), "".join(added)


def _marked(mark: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    text = mark + mark.join(lines)
    return text if text.endswith("\n") else f"{text}\n{_NO_NEWLINE}"


def _header(hunk: Hunk, heading: str) -> str:
    old, new = (
        f"{start}" if count == 1 else f"{start},{count}"
        for start, count in ((hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines))
    )
    return f"@@ -{old} +{new} @@ {heading}".rstrip() + "\n"


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))


def _line_count(text: str) -> int:
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
