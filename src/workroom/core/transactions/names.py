"""Names that some file systems take for one: `A` and `a`, the two spellings of `é`.

Where the folder's own file system does, a transaction that means two of them is refused: the second would land in the
first. Elsewhere both are made, and the answer warns: a checkout on another system has room for one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.overlay import Overlay
from workroom.system.root import Root
from workroom.text.paths import fold_name

__all__ = ["check_names"]


def check_names(root: Root, overlay: Overlay) -> list[str]:
    """Warnings of names that differ only for some file systems. EDIT_CONFLICT where this one can't tell them apart."""
    for twins in _alike(overlay.paths()):
        if root.folds_names(root.split(twins[0])[0]):
            raise WorkroomError(
                ErrorCode.EDIT_CONFLICT,
                f"{' and '.join(twins)} are one name on this file system.",
                next_step="Choose another name; to change only its case, move it to a third name first, then back.",
                details={"paths": twins},
            )
    return [
        f"{' and '.join(twins)} differ only in case or in how a letter is written: on macOS and Windows they are one."
        for folder, made in _new_names(overlay)
        for twins in _alike({*made, *_standing(root, overlay, folder)})
        if not made.isdisjoint(twins)
    ]


def _new_names(overlay: Overlay) -> Iterator[tuple[str, set[str]]]:
    """Paths that come to be, by their folder."""
    found = defaultdict(set)
    for path in overlay.paths():
        if overlay.kind(path) is not Kind.ABSENT and overlay.before(path).kind is Kind.ABSENT:
            found[path.rpartition("/")[0]].add(path)
    yield from sorted(found.items())


def _standing(root: Root, overlay: Overlay, folder: str) -> Iterator[str]:
    """Paths that are in a folder and stay."""
    for name in root.names(folder or "."):
        path = f"{folder}/{name}" if folder else name
        if not overlay.touched(path) or overlay.kind(path) is not Kind.ABSENT:
            yield path


def _alike(paths: Iterable[str]) -> list[list[str]]:
    groups = defaultdict(list)
    for path in sorted(paths):
        groups[fold_name(path)].append(path)
    return [twins for twins in groups.values() if len(twins) > 1]
