"""The reading half of `Transactions`: what was planned and committed, found again. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Callable

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.consumption import used_for
from workroom.core.transactions.images import Images
from workroom.core.transactions.model import Entry, Planned, Transaction
from workroom.core.transactions.standing import check_changed, not_in_force
from workroom.system.store import Store

__all__ = ["History"]

_LARGEST = 2**63 - 1


class History:
    """Transactions, the lines that they wrote, and the contents that are kept of them."""

    def __init__(self, store: Store, images: Images) -> None:
        self._store = store
        self._images = images

    def get(self, transaction_id: str) -> Transaction:
        """A stored transaction. NOT_FOUND."""
        with self._store.read() as db:
            found = tables.find_transaction(db, transaction_id)
        if found is None:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                f"There is no transaction {transaction_id!r}.",
                next_step="workspace_edit with action list shows them.",
                details={"transactionId": transaction_id},
            )
        return found

    def find(
        self, *, limit: int = 20, status: str | None = None, after: tuple[float, str] | None = None
    ) -> tuple[list[Transaction], int]:
        """Transactions, newest first, and how many there are in all; `after` one, told by its time and id."""
        with self._store.read() as db:
            return tables.transactions(db, status, limit, after), tables.count_transactions(db, status)

    def derived_from(self, transaction_id: str) -> list[Transaction]:
        """What was taken from a transaction, or made of it by the person; oldest first."""
        with self._store.read() as db:
            return tables.derived_from(db, transaction_id)

    def history(self, limit: int = 20, before: int | None = None) -> list[Entry]:
        """Lines of the history, newest first."""
        with self._store.read() as db:
            return tables.entries(db, limit, before)

    def entries_after(self, number: int) -> list[Entry]:
        """Lines of the history beyond a number, newest first."""
        with self._store.read() as db:
            return tables.entries_after(db, number)

    def entry(self, number: int) -> Entry:
        """A line by its number. NOT_FOUND."""
        with self._store.read() as db:
            found = tables.entry(db, number) if number <= _LARGEST else None
        if found is None:
            raise WorkroomError(ErrorCode.NOT_FOUND, f"The history has no entry {number}.")
        return found

    def entry_of(self, transaction_id: str) -> Entry | None:
        """The line that a transaction wrote, None before it is applied."""
        with self._store.read() as db:
            return tables.entry_of(db, transaction_id)

    def entry_by(self, approval_id: str) -> Entry | None:
        """The line that was written under an approval, None while it is unused."""
        with self._store.read() as db:
            transaction_id = used_for(db, approval_id)
            return None if transaction_id is None else tables.entry_of(db, transaction_id)

    def newest_undoable(self) -> Entry | None:
        """The newest entry that is neither undone nor an undo."""
        with self._store.read() as db:
            return tables.newest_undoable(db)

    def last_by(self, at: float) -> int:
        """The number of the last entry that was written by a time, in seconds since 1970; 0 before the first."""
        with self._store.read() as db:
            return tables.last_by(db, at)

    def image(self, sha: str) -> bytes | None:
        """A kept content by its hash; the empty one is always there."""
        return self._images.get(sha)

    def image_of(self, planned: Planned) -> Callable[[str], bytes | None]:
        """Contents of a plan, held in memory or kept in the store."""

        def image(sha: str) -> bytes | None:
            held = planned.contents.get(sha)
            return held if held is not None else self.image(sha)

        return image

    # For the writing half.

    def _older(self, path: str, sha: str) -> bytes | None:
        """A content that the path had, as far as the history or a plan has it."""
        with self._store.read() as db:
            return self.image(sha) if tables.held(db, path, sha) else None

    def _entry_in_force(self, transaction_id: str) -> Entry:
        entry = self.entry_of(self.get(transaction_id).id)
        if entry is None or entry.undone_by is not None:
            raise not_in_force(transaction_id, "was never applied" if entry is None else "is rolled back")
        check_changed(entry)
        return entry
