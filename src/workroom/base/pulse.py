"""How a long piece of work tells how far it is, and learns that nobody waits for it any more."""

from __future__ import annotations

from collections.abc import Callable

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["STILL", "Pulse"]


class Pulse:
    """One call's. The work beats where it can stop without having done anything; who waits may cancel, on any thread.

    A change that is prepared beats no more: from there on it is made whole or taken back, whoever has gone.
    """

    __slots__ = ("_report", "cancelled")

    def __init__(self, report: Callable[[int, int | None], None] | None = None) -> None:
        self.cancelled = False
        self._report = report

    def cancel(self) -> None:
        """Nobody waits any more: the next beat ends the work."""
        self.cancelled = True

    def check(self) -> None:
        """Go on, or raise CANCELLED."""
        if self.cancelled:
            raise WorkroomError(
                ErrorCode.CANCELLED,
                "The call was cancelled; nothing was done.",
                next_step="Send it again if it is wanted.",
            )

    def beat(self, done: int, total: int | None = None) -> None:
        """The same, and tell how much is done; `total` where it is known. A later part of the work may begin at 0."""
        self.check()
        if self._report is not None:
            self._report(done, total)


STILL = Pulse()
"""For work that nobody follows; it is never cancelled."""
