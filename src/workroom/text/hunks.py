"""Applying one file's hunks to its text.

Each hunk is looked for by itself in the text as it was: its context and removed lines, on the rungs of `ladder`, the
first with any match deciding; in a large text only on the first two. It goes where its line number says if it matches
there, else to its only match. Two matches, or none, change nothing. What is kept is the file's own; what comes in is
made to fit by `refit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text import explain
from workroom.text.fold import fold
from workroom.text.ladder import TAB_WIDTHS, Rung, columns, indent_of, is_large, loosest
from workroom.text.lines import dominant_ending, line_ending, split_lines, without_ending
from workroom.text.patch import FilePatch, PatchHunk
from workroom.text.refit import file_ending, refit

__all__ = ["Patched", "apply_hunks"]

_MOST_LINES = 1_000_000
"""Context and removed lines in one file's hunks; so many can be told apart by one character each."""
_MOST_SEARCHES = 1_000
"""Searches through a file for hunks that aren't where they say. Each is linear, so this bounds a hostile patch."""
_MOST_MISSES = 1_000
"""Places that looked right but for their indent, after which a search gives up."""
_MOST_PLACES = 6
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Patched:
    """A file's text after its hunks, and the loosest rung that any of them needed."""

    text: str
    rung: Rung


class _Step(NamedTuple):
    """A rung as a comparison of lines: what of a line counts, and whether a shift of the indent is forgiven."""

    rung: Rung
    key: Callable[[str], str]
    shifted: bool = False


class _Edit(NamedTuple):
    """Lines `start` to `end` (from 0, end not included) become `text`."""

    start: int
    end: int
    text: str
    hunk: PatchHunk


def apply_hunks(path: str, patch: FilePatch, text: str) -> Patched:
    """The file's text after the patch; `text` is what the file holds now, empty for a create.

    EDIT_CONFLICT when a hunk matches nowhere or in several places, when two change the same lines, and when a delete
    doesn't remove every line. LIMIT_EXCEEDED when more than 1,000 hunks must be searched for. `path` is for messages.
    """
    target = _Target(path, text, patch.hunks)
    edits: list[_Edit] = []
    rungs: list[Rung] = []
    for hunk in target.hunks:
        start, rung = _locate(target, hunk)
        edits.append(_edit(target, hunk, start, rung))
        rungs.append(rung)
    result = _assembled(target, edits)
    if patch.kind == "delete" and result:
        left = len(split_lines(result))
        raise target.conflict(f"The patch deletes {path}, but leaves {left} of its lines")
    return Patched(result, loosest(*rungs))


class _Target:
    """A file's lines, and each rung's view of them: one character a line, so that a search is `str.find`."""

    def __init__(self, path: str, text: str, hunks: Sequence[PatchHunk]) -> None:
        self.path = path
        self.text = text
        self.lines = split_lines(text)
        self.newline = dominant_ending(text)
        self.large = is_large(text)
        self.hunks = [_old_mac(hunk) for hunk in hunks] if line_ending(text) == "cr" else hunks
        if _MARK not in text:
            self.hunks = [_without_mark(hunk) for hunk in self.hunks]
        self._views: dict[_Step, tuple[dict[str, str], str, set[str]]] = {}
        self._searches = 0
        if sum(len(hunk.lines) for hunk in hunks) > _MOST_LINES:
            raise self.limit(f"The hunks of {path} have more than {_MOST_LINES:,} lines")

    def places(self, step: _Step, old: Sequence[str], stated: int) -> list[int]:
        """Where `old` matches: only `stated` if it does there, else up to six places."""
        codes, view, present = self._view(step)
        needle = "".join(codes[step.key(line)] for line in old)
        if not present.issuperset(needle):
            return []
        if stated >= 0 and view.startswith(needle, stated) and self._fits(step, old, stated):
            return [stated]
        self._searches += 1
        if self._searches > _MOST_SEARCHES:
            raise self.limit(f"More than {_MOST_SEARCHES:,} hunks of {self.path} aren't where their line numbers say")
        return self._search(step, old, view, needle)

    def _search(self, step: _Step, old: Sequence[str], view: str, needle: str) -> list[int]:
        places: list[int] = []
        misses = 0
        at = view.find(needle)
        while at >= 0 and len(places) < _MOST_PLACES and misses < _MOST_MISSES:
            if self._fits(step, old, at):
                places.append(at)
            else:
                misses += 1
            at = view.find(needle, at + 1)
        return places

    def _fits(self, step: _Step, old: Sequence[str], at: int) -> bool:
        """Whether what the view left out agrees too: the lines' indents, but for one shift of all."""
        if not step.shifted:
            return True
        pairs = [
            (indent_of(fold(mine)), indent_of(fold(theirs)))
            for mine, theirs in zip(self.lines[at : at + len(old)], old, strict=True)
            if theirs.strip()
        ]
        return any(len({columns(a, width) - columns(b, width) for a, b in pairs}) == 1 for width in TAB_WIDTHS)

    def _view(self, step: _Step) -> tuple[dict[str, str], str, set[str]]:
        if step not in self._views:
            keys = {step.key(line) for hunk in self.hunks for line in _old(hunk)}
            codes = {key: chr(number) for number, key in enumerate(keys, 1)}
            view = "".join(self._coded(step, codes))
            self._views[step] = codes, view, set(view)
        return self._views[step]

    def _coded(self, step: _Step, codes: dict[str, str]) -> list[str]:
        """Each line's code. On the first rungs, which large texts have too, it is found without cutting each line."""
        if step == _STEPS[0]:
            return [codes.get(line, "\0") for line in self.lines]
        if step != _STEPS[1]:
            return [codes.get(step.key(line), "\0") for line in self.lines]
        ended = ((key + ending, key) for key in codes for ending in ("", "\n", "\r\n", "\r"))
        lines = {line: codes[key] for line, key in ended if without_ending(line) == key}
        return [lines.get(line, "\0") for line in self.lines]

    def conflict(self, what: str, notes: str = "", **details: object) -> WorkroomError:
        return WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{what}; nothing was changed." + (f"\n{notes}\n" if notes else ""),
            next_step=f"Read {self.path} again and make a new, small patch with context lines copied from its current "
            "text. Don't write the whole file instead.",
            details={"path": self.path, **details},
        )

    def limit(self, what: str) -> WorkroomError:
        return WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"{what}.", next_step="Make a new patch from its current text.")


def _locate(target: _Target, hunk: PatchHunk) -> tuple[int, Rung]:
    """The line, from 0, at which a hunk begins, and the rung on which it matched."""
    old = _old(hunk)
    if not old:
        return _insertion(target, hunk), "exact"
    stated = -1 if hunk.old_start is None else hunk.old_start - 1
    for step in _steps(hunk, old)[: 2 if target.large else None]:
        places = target.places(step, old, stated)
        if len(places) == 1:
            return places[0], step.rung
        if places:
            raise _ambiguous(target, hunk, step.rung, places)
    notes = explain.not_found(target.path, target.text, "".join(old), "".join(_new(hunk)))
    raise target.conflict(
        f"The hunk at line {hunk.line} of the patch matches nothing in {target.path}: it is stale, or its context was "
        "not copied exactly",
        notes.message.partition("\n")[2],
        **{**notes.details, "patchLine": hunk.line},
    )


def _insertion(target: _Target, hunk: PatchHunk) -> int:
    """Where a hunk goes that has neither context nor removed lines: only its line number can tell."""
    if not target.lines:
        return 0
    if hunk.old_count == 0 and hunk.old_start and hunk.old_start <= len(target.lines):
        return hunk.old_start
    raise target.conflict(
        f"The hunk at line {hunk.line} of the patch has no context to say where in {target.path} it belongs",
        patchLine=hunk.line,
    )


def _ambiguous(target: _Target, hunk: PatchHunk, rung: Rung, places: Sequence[int]) -> WorkroomError:
    lines = [place + 1 for place in places]
    listed = ", ".join(map(str, lines[: _MOST_PLACES - 1])) + (", …" if len(lines) == _MOST_PLACES else "")
    said = (
        "it gives no line number" if hunk.old_start is None else f"its line number, {hunk.old_start}, is none of them"
    )
    return target.conflict(
        f"The hunk at line {hunk.line} of the patch matches in several places of {target.path}, at lines {listed}, and "
        f"{said}",
        lines=lines[: _MOST_PLACES - 1],
        matched=rung,
        patchLine=hunk.line,
    )


def _edit(target: _Target, hunk: PatchHunk, start: int, rung: Rung) -> _Edit:
    """The hunk's change without the context around it, so that neighbours may share context."""
    old, new = _old(hunk), _new(hunk)
    end = start + len(old)
    above, below = _context(hunk.lines), _context(hunk.lines[::-1])
    if above == len(hunk.lines):
        return _Edit(start, start, "", hunk)
    if above + below == len(new):
        return _Edit(start + above, end - below, "", hunk)
    region, wanted = "".join(target.lines[start:end]), _joined(new, target.newline)
    if rung != "exact" or not any(_ends(line) for line in old):
        wanted = refit(region, "".join(old), wanted, rung, file_ending(target.text, region))
    head, tail = "".join(target.lines[start : start + above]), "".join(target.lines[end - below : end])
    if wanted.startswith(head) and (not head or _ends(head)):
        wanted, start = wanted[len(head) :], start + above
    if wanted.endswith(tail):
        wanted, end = wanted[: len(wanted) - len(tail)], end - below
    return _Edit(start, end, wanted, hunk)


def _assembled(target: _Target, edits: list[_Edit]) -> str:
    """The text with all edits made; none may touch what another changes."""
    parts: list[str] = []
    done = 0
    last: _Edit | None = None
    for edit in sorted((edit for edit in edits if edit.text or edit.end > edit.start), key=lambda e: (e.start, e.end)):
        if last is not None and (edit.start < last.end or edit[:2] == last[:2]):
            raise target.conflict(
                f"The hunks at lines {last.hunk.line} and {edit.hunk.line} of the patch change the same lines of "
                f"{target.path}",
                patchLines=[last.hunk.line, edit.hunk.line],
            )
        parts += [*target.lines[done : edit.start], edit.text]
        done, last = edit.end, edit
    parts += target.lines[done:]
    return _joined([part for part in parts if part], target.newline)


def _joined(parts: Sequence[str], newline: str) -> str:
    """The parts together; one that lacks a newline, as a file's last line may, gets it where others follow."""
    ends = ("\r", "\n") if newline == "\r" else "\n"
    return "".join(part if part.endswith(ends) else part + newline for part in parts[:-1]) + "".join(parts[-1:])


def _old(hunk: PatchHunk) -> list[str]:
    return [line[1:] for line in hunk.lines if line[0] != "+"]


def _new(hunk: PatchHunk) -> list[str]:
    return [line[1:] for line in hunk.lines if line[0] != "-"]


def _context(lines: Sequence[str]) -> int:
    """How many context lines come first."""
    return next((count for count, line in enumerate(lines) if line[0] != " "), len(lines))


def _ends(text: str) -> bool:
    return text.endswith(("\n", "\r"))


def _old_mac(hunk: PatchHunk) -> PatchHunk:
    """The hunk for a file whose lines end at a lone CR, which a diff takes for one line."""
    pieces = tuple(line[0] + piece for line in hunk.lines for piece in split_lines(line[1:]))
    return PatchHunk(hunk.line, hunk.old_start, hunk.old_count, pieces)


def _without_mark(hunk: PatchHunk) -> PatchHunk:
    """The hunk without the byte order mark that a diff shows on both sides, for a text that came without it."""
    if not all(lines and lines[0].startswith(_MARK) for lines in (_old(hunk), _new(hunk))):
        return hunk
    lines = tuple(line[0] + line[1:].removeprefix(_MARK) for line in hunk.lines)
    return PatchHunk(hunk.line, hunk.old_start, hunk.old_count, lines)


def _steps(hunk: PatchHunk, old: list[str]) -> Sequence[_Step]:
    """The rungs that may be tried: blank lines must be as they are, and so must lines that hold a lone CR."""
    new = _new(hunk)
    if split_lines("".join(old)) != old or split_lines("".join(new)) != new:
        return _STEPS[:1]
    return _STEPS if any(line.strip() for line in old) else _STEPS[:2]


def _trimmed(line: str) -> str:
    return without_ending(line).rstrip(" \t")


def _body(line: str) -> str:
    return _trimmed(line).lstrip(" \t")


def _folded(line: str) -> str:
    return fold(without_ending(line)).rstrip(" \t")


def _folded_body(line: str) -> str:
    return _folded(line).lstrip(" \t")


_STEPS = (
    _Step("exact", str),
    _Step("line_endings", without_ending),
    _Step("trailing_blanks", _trimmed),
    _Step("indent", _body, shifted=True),
    _Step("unicode", _folded),
    _Step("unicode", _folded_body, shifted=True),
)
