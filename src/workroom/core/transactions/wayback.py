"""When a commit fails it is taken back; and where the disk was at fault, no other is taken before it is proven.

A sync that failed may succeed the next time without the bytes being there. So a commit whose folders were not synced
is undone and its intent stays, for a power cut; the next commit first has new files written to the disk and read from
it, in each folder that is in doubt.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.apply import prove_folders, sync_folders, worked_in
from workroom.core.transactions.images import Images
from workroom.core.transactions.model import Planned
from workroom.core.transactions.recover import conclude, doubt
from workroom.core.transactions.steps import Folders, Step
from workroom.core.transactions.unwind import Unwound, copies_of, unwind
from workroom.system.clock import Clock
from workroom.system.root import Root
from workroom.system.store import Store, StoreError
from workroom.system.syscalls import SyncError

__all__ = ["WayBack"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Why no commit is taken before the disk is proven in these folders, and what is to be done once it is."""

    reason: str
    folders: tuple[str, ...]
    resolve: Callable[[], object]


class WayBack:
    """Takes back what failed. Call it as the writer only."""

    def __init__(self, root: Root, store: Store, images: Images, clock: Clock, recover: Callable[[], object]) -> None:
        """`recover` is what an opening does: it is tried again where even taking back failed."""
        self._root = root
        self._store = store
        self._images = images
        self._clock = clock
        self._recover = recover
        self._doubt: _Doubt | None = None

    def ready(self) -> None:
        """Go on after a failure, once the disk takes new files and gives them back. IO_ERROR until then."""
        if self._doubt is None:
            return
        try:
            prove_folders(self._root, self._doubt.folders)
            self._doubt.resolve()
        except (OSError, WorkroomError) as error:
            raise WorkroomError(
                ErrorCode.IO_ERROR,
                f"No commit is taken: {self._doubt.reason}, and that can't be put right now: {error}.",
                next_step="See that the disk is well and has room; each further commit tries again.",
            ) from error
        self._doubt = None

    def distrust(self, steps: Sequence[Step], error: OSError) -> None:
        """New files weren't confirmed by the disk; nothing else was done yet."""
        folders = tuple({step.slot_folder for step in steps if step.action != "move"})
        self._doubt = _Doubt(f"the disk did not confirm new files ({error.strerror})", folders, lambda: None)

    def take_back(
        self, folders: Folders, planned: Planned, steps: Sequence[Step], done: Sequence[Step], error: BaseException
    ) -> None:
        """Undo what was done, and tell `error` of copies that were kept. IO_ERROR where that fails, too."""
        try:
            report = self._unwind(folders, planned, steps, done, error)
            unsynced = error if isinstance(error, SyncError) else self._synced(folders, steps)
        except Exception as second:
            self._failed(planned, second)
            raise _half_done(planned, error, second) from second
        try:
            if unsynced is not None:
                self._disbelieve(planned, steps, report, unsynced)
            else:
                self._conclude(planned, steps, report, str(error))
        except Exception as second:  # noqa: BLE001 - all stands as it did before, whatever the history says of it
            self._failed(planned, second)

    def _synced(self, folders: Folders, steps: Sequence[Step]) -> SyncError | None:
        """Bring to the disk what was taken back; answers why that failed."""
        try:
            sync_folders(self._root, folders, steps)
        except SyncError as error:
            return error
        return None

    def _failed(self, planned: Planned, second: Exception) -> None:
        self._doubt = _Doubt(f"taking back {planned.id} failed ({second})", (), self._recover)
        _log.error("%s", self._doubt.reason, exc_info=second)

    def _unwind(
        self, folders: Folders, planned: Planned, steps: Sequence[Step], done: Sequence[Step], error: BaseException
    ) -> Unwound:
        report = unwind(self._root, folders, steps, self._images.get, planned.id, done)
        report.copies = copies_of(self._root, steps, planned.id, report.copies)
        if report.copies and isinstance(error, WorkroomError):
            error.details["kept"] = report.copies
            error.message += f" What another program wrote meanwhile is kept in {', '.join(report.copies)}."
        return report

    def _conclude(self, planned: Planned, steps: Sequence[Step], report: Unwound, note: str) -> None:
        status = "planned" if planned.kept else "failed"
        at = self._clock()
        conclude(self._root, self._store, self._images, planned.id, steps, report, at, status=status, note=note)

    def _disbelieve(self, planned: Planned, steps: Sequence[Step], report: Unwound, error: SyncError) -> None:
        """The folders are as they were; whether the disk knows of that is open."""
        reason = f"the disk did not confirm {planned.id} ({error.strerror})"
        self._doubt = _Doubt(
            reason, tuple(worked_in(steps)), lambda: self._conclude(planned, steps, report, f"{reason}; taken back")
        )
        with contextlib.suppress(StoreError):  # then it stays prepared, and the next opening takes it back
            doubt(self._store, planned.id, self._clock())


def _half_done(planned: Planned, error: BaseException, second: Exception) -> WorkroomError:
    """What was done stands there: nobody may be told that nothing was."""
    return WorkroomError(
        ErrorCode.IO_ERROR,
        f"{planned.id} failed ({error}), and so did taking it back ({second}). Files may be half changed; they are "
        "taken back before the next commit, or when the workspace is opened again.",
        next_step="See that the disk is well and has room, then make the call again.",
    )
