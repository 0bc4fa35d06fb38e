"""A part of a plan, by files or by hunks, and the rest, which stays planned under the plan's id.

    whole ── chosen paths and hunks, and what they can't be without ──> part    its own id, committed like any other
      └───── everything else ─────────────────────────────────────────> rest    the whole's id, another fingerprint

A file of which some hunks are chosen is in both: the part leads to the bytes between, the rest from there on to the
end; a change of its mode stays with the rest. What a chosen path can't be without comes along: the other end of a move,
the folders that are made above it, and, where a folder makes way for a file, what is in that folder.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workroom.base.changes import Change, ChangeSet, Danger, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.hunks import Named, name_hunks, partners
from workroom.core.transactions.images import held
from workroom.core.transactions.model import ImageOf, Part, Planned
from workroom.core.transactions.policy import reason_of
from workroom.system.root import Root
from workroom.text.diff import count_lines
from workroom.text.partial import take

__all__ = ["Selection", "named_of", "narrowed", "select", "take_part"]

_NAMED = 20
"""Hunks or paths that a refusal lists."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is chosen of a plan: paths whole, and of other paths some hunks by id."""

    paths: frozenset[str]
    hunks: Mapping[str, frozenset[str]]
    named: frozenset[str]
    """All hunks that were named, those too that came to be a whole file."""

    def within(self, other: Selection) -> bool:
        """Whether all of this is in the other, too."""
        by_hunk = all(
            path in other.paths or ids <= other.hunks.get(path, frozenset()) for path, ids in self.hunks.items()
        )
        return by_hunk and self.paths <= other.paths

    def to_json(self) -> dict[str, Any]:
        """As it is stored and shown."""
        return {"files": sorted(self.paths), "hunks": sorted(self.named)}


def select(root: Root, planned: Planned, files: Sequence[str], hunks: Sequence[str], named: Named) -> Selection:
    """What files and hunks mean in a plan; a folder stands for all below it. INVALID_INPUT names the nearest."""
    changes = planned.change_set.changes
    paths = {path for number, name in enumerate(files) for path in _named_paths(root, planned, number, name)}
    owner = {hunk.id: path for path, each in named.items() for hunk in each}
    chosen: dict[str, set[str]] = {}
    for number, name in enumerate(hunks):
        if name not in owner:
            raise _unknown(f"hunks[{number}]", name, planned, list(owner), "hunk")
        chosen.setdefault(owner[name], set()).add(name)
    keeps_mode = {change.path for change in changes if change.before.mode == change.after.mode}
    paths |= {path for path, ids in chosen.items() if len(ids) == len(named[path]) and path in keeps_mode}
    paths = _completed(changes, paths, set(chosen))
    split = {path: frozenset(ids) for path, ids in chosen.items() if path not in paths}
    return Selection(frozenset(paths), split, frozenset(hunks))


def take_part(planned: Planned, selection: Selection, named: Named, image: ImageOf, *, id: str) -> Planned:  # noqa: A002 - the field's name
    """The part of a plan that is selected; the plan itself where that is all of it."""
    if planned.cause != "edit":
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            f"{planned.id} takes something back, and that is done whole or not at all.",
            next_step="Commit it without files and hunks.",
        )
    if selection.paths == set(planned.change_set.paths()):
        return planned
    splitter = _Splitter(selection, named, image)
    for change in planned.change_set.changes:
        splitter.split(change)
    rest = narrowed(planned, splitter.left)
    part = narrowed(planned, splitter.taken)
    return replace(
        part,
        id=id,
        title=f"{planned.title} (in part)",
        operations=({"type": "part", "of": planned.id, **selection.to_json()},),
        contents={**held(part.change_set, image), **splitter.middles},
        idempotency_key=None,
        supersedes=None,
        kept=False,
        part=Part(planned.fingerprint, rest),
    )


class _Splitter:
    """Deals the changes out to the part and the rest."""

    def __init__(self, selection: Selection, named: Named, image: ImageOf) -> None:
        self.selection = selection
        self.named = named
        self.image = image
        self.taken: list[Change] = []
        self.left: list[Change] = []
        self.middles: dict[str, bytes] = {}

    def split(self, change: Change) -> None:
        if change.path in self.selection.paths:
            self.taken.append(change)
        elif change.path in self.selection.hunks:
            self._halve(change, self.selection.hunks[change.path])
        else:
            self.left.append(change)

    def _halve(self, change: Change, ids: frozenset[str]) -> None:
        before, after = self.image(change.before.sha256), self.image(change.after.sha256)
        if before is None or after is None:  # pragma: no cover - its hunks were read from them a moment ago
            raise WorkroomError(ErrorCode.NOT_FOUND, f"The contents of {change.path} are no longer kept.")
        middle = take(before, after, [hunk.piece for hunk in self.named[change.path] if hunk.id in ids])
        state = State(Kind.FILE, hashlib.sha256(middle).hexdigest(), len(middle), change.before.mode)
        self.middles[state.sha256] = middle
        self.taken.append(_counted(replace(change, after=state), before, middle))
        self.left.append(_counted(replace(change, before=state), middle, after))


def _counted(change: Change, before: bytes, after: bytes) -> Change:
    added, removed = (None, None) if change.added is None else count_lines(before, after)
    return replace(change, added=added, removed=removed)


def narrowed(planned: Planned, changes: Sequence[Change]) -> Planned:
    """The plan with these changes, on its own paths, and what is said about those."""
    change_set = ChangeSet(tuple(changes))
    mine = set(change_set.paths())
    others = set(planned.change_set.paths()) - mine
    return replace(
        planned,
        change_set=change_set,
        fingerprint=change_set.fingerprint("edit.commit"),
        directories=tuple(d for d in planned.directories if d.path not in others),
        dangers=tuple(danger for danger in planned.dangers if _concerns(danger, mine, others)),
        asks=tuple(ask for ask in planned.asks if ask not in {reason_of(path) for path in others}),
        warnings=tuple(text for text in planned.warnings if _subject(text, mine | others) not in others),
    )


def _subject(text: str, paths: set[str]) -> str:
    """The path that a sentence begins with; the longest, since names may hold spaces."""
    return max((path for path in paths if text.startswith(f"{path} ")), key=len, default="")


def _concerns(danger: Danger, mine: set[str], others: set[str]) -> bool:
    """Whether a danger is about these changes; one that is about none of the plan's stays with both."""
    return any(_at_or_below(danger.path, path) for path in mine) or not any(
        _at_or_below(danger.path, path) for path in others
    )


# What is chosen.


def _named_paths(root: Root, planned: Planned, number: int, name: str) -> set[str]:
    known = list(planned.change_set.paths())
    for path in _spellings(root, name):
        found = {each for each in known if path == "." or _at_or_below(path, each)}
        if found:
            return found
    raise _unknown(f"files[{number}]", name, planned, known, "path")


def _spellings(root: Root, name: str) -> Iterator[str]:
    """The path as it is written, then where it leads: changes are told by where their files really are."""
    path = root.parse(name)
    yield path
    yield root.resolve(path)


def _completed(changes: Sequence[Change], paths: set[str], split: set[str]) -> set[str]:
    """The chosen paths, and all that they can't be without."""
    by_path = {change.path: change for change in changes}
    bound = partners(changes)
    done: set[str] = set()
    ahead = sorted(paths | split)
    while ahead:
        path = ahead.pop()
        if path in done:
            continue
        done.add(path)
        change = by_path[path]
        ahead += bound.get(path, ())
        if change.after.kind is not Kind.ABSENT:
            ahead += [folder for folder in _above(path) if _is_made(by_path.get(folder))]
        if change.before.kind is Kind.DIRECTORY and change.after.kind is not Kind.DIRECTORY:
            ahead += [each for each in by_path if _at_or_below(path, each)]
    return done - (split - paths)


def _is_made(change: Change | None) -> bool:
    return change is not None and change.after.kind is Kind.DIRECTORY


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _at_or_below(folder: str, path: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _unknown(field: str, name: str, planned: Planned, known: Iterable[str], noun: str) -> WorkroomError:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    shown = ascii(name[:80])
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    has = f"Its {noun}s: {listed}." if names else f"It has no {noun} that can be chosen; choose files."
    nearest = f"The nearest is {near[0]}. " if near else ""
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{field}: {planned.id} has no {noun} {shown}. {nearest}{has}",
        next_step="workspace_edit show gives them as they are now.",
        details={"field": field, "name": name, "nearest": near[0] if near else None, f"{noun}s": names[:200]},
    )


def named_of(planned: Planned, image: ImageOf) -> Named:
    """The hunks of a plan that can be chosen."""
    return name_hunks(planned.change_set.changes, image) if planned.cause == "edit" else {}
