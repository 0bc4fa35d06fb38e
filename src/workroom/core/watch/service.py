"""Watch: the thread that hears of other programs' changes, waits for a burst to end, and has it looked at.

    hint ──> gathered ──> quiet for a moment, or the longest wait is over; git doesn't hold its index
                │             └──> Look.gather, Look.tell ──> entries
    a walk of everything: at the start (what happened while nobody watched; calls go first), after lost events, and
    every now and then as long as the system watches less than everything

                └──> a folder was made: what comes into it is heard of at once, and belongs to the same burst

Nothing is polled while there are events. What is pending is bounded: beyond that everything is looked at.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workroom.base.changes import ChangeSet
from workroom.base.errors import WorkroomError
from workroom.base.events import Event, SettingsChanged
from workroom.base.settings import Settings
from workroom.base.traffic import Traffic
from workroom.core.transactions import Transactions
from workroom.core.watch.look import ANOTHER, GIT, Ignored, Look, Repository
from workroom.system.hearing import Hearing
from workroom.system.root import Root
from workroom.system.store import Store
from workroom.system.syscalls import is_on_this_machine
from workroom.system.watching import Watcher, mounts_below

__all__ = ["ANOTHER", "GIT", "Ignored", "Pace", "Repository", "Watch"]

_log = logging.getLogger(__name__)

_MANY_EMPTY = 20
"""So many folders that were made and hold nothing wait for what is fetched for them: so npm begins."""
_BREATH = 0.01
"""Between two batches of files that are read ahead, in seconds."""
_COURTESY, _COURTESY_READING = 3.0, 1.0
"""So many seconds in all the first look gives way to calls, and the reading ahead before each batch."""
_HEARD_SECONDS = 0.05
"""How long is waited for what the system has to tell; a look at every folder takes about as long."""
_OPENING = "Changed while nobody watched"
_LOST = "The system dropped events of changes; everything was looked at."


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to wait, in seconds: for a burst to end, where folders are made in it, and where those stay empty; while
    it doesn't end; longest, for what never ends, and where folders are made; for git to let its index go; between walks
    where there are no events; before another try after a failure. And how many names are kept until all is walked."""

    quiet: float = 0.2
    building: float = 1.0
    unfilled: float = 10.0
    longest: float = 5.0
    endless: float = 60.0
    busy: float = 60.0
    walks: float = 30.0
    retry: float = 10.0
    names: int = 100_000


class _Stopped(Exception):  # noqa: N818 - no error: the watch was ended
    """The watch was ended in the middle of a walk."""


@dataclass(slots=True)
class _Pending:
    """What was heard and not looked at."""

    names: dict[str, set[str]] = field(default_factory=dict)
    count: int = 0
    everything: bool = False
    notes: tuple[str, ...] = ()
    building: bool = False
    made: list[str] = field(default_factory=list)
    """Folders that were made and aren't watched yet."""
    empty: set[str] = field(default_factory=set)
    """Those that are, and into which nothing has come since."""
    first: float = 0.0
    last: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.names) or self.everything


class Watch:
    """Watches one folder, on threads of its own, between `start` and `stop`. Safe to use from many threads."""

    def __init__(
        self,
        root: Root,
        store: Store,
        transactions: Transactions,
        settings: Callable[[], Settings],
        *,
        ignored: Callable[[], Ignored],
        repository: Callable[[], Repository | None],
        pace: Pace | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        self._root = root
        self._store = store
        self._transactions = transactions
        self._settings = settings
        self._repository = repository
        self._pace = pace or Pace()
        self._traffic = traffic or Traffic()
        self._look = Look(
            root,
            store,
            transactions,
            watch=self._watch,
            unwatch=self._unwatch,
            ignored=ignored,
            repository=repository,
            check=self._step,
        )
        self._turning = threading.Lock()
        """Held while it is switched on or off."""
        self._changed = threading.Condition()
        self._pending = _Pending()
        self._thread: threading.Thread | None = None
        self._watcher: Watcher | None = None
        self._unwatched: set[str] = set()
        self._why = ""
        self._stopping = False
        self._idle = False
        self._at_rest = False
        """Whether all that was taken from the hints has been looked at."""
        self._listening = False
        """Whether every folder is listened to, though the first look isn't over."""
        self._courtesy = 0.0
        """So many seconds more it gives way to calls."""
        self._elsewhere = False
        """Whether another machine can change some of it without an event here."""
        self._mounts = mounts_below(root.path)
        self._listeners: list[tuple[Callable[[str, str], None], Callable[[], None]]] = []
        self._walked = 0.0
        self._between = self._pace.walks
        self._wait = self._pace.longest
        self._leave: Callable[[], None] | None = None

    def start(self) -> None:
        """Watch, unless the setting says no; what it finds first is what happened while nobody did. Returns at once."""
        with self._turning:
            if self._leave is None:
                self._leave = self._store.subscribe(self._hear_event)
            self._begin()

    def _begin(self) -> None:
        if self._wanted() and self._thread is None:
            self._stopping, self._idle, self._at_rest, self._elsewhere = False, False, False, False
            self._listening, self._courtesy = False, _COURTESY
            self._miss()
            self._pending = _Pending(everything=True)
            self._transactions.before_commit = self._before_commit
            self._thread = threading.Thread(target=self._run, name="workroom-watch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Watch no more; nothing of it runs when this returns. What was not told yet is found by the next start."""
        with self._turning:
            if self._leave is not None:
                self._leave()
                self._leave = None
            self._end()

    def settled(self, seconds: float) -> bool:
        """Wait until all that was heard so far is told; whether it is within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._thread is None or (self._idle and not self._pending), seconds)

    def looked(self, seconds: float) -> bool:
        """Wait until all that was heard so far is looked at; whether it is within the time."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._thread is None or (self._at_rest and not self._pending), seconds
            )

    def listens(self, seconds: float) -> bool:
        """Wait until every folder that was heard of is listened to; whether it is within the time."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._thread is None or ((self._at_rest or self._listening) and not self._pending), seconds
            )

    def listen(self, hear: Callable[[str, str], None], lost: Callable[[], None]) -> None:
        """Have each hint told as it comes (a folder, and a name in it), and when there may be some that didn't come."""
        self._listeners.append((hear, lost))

    def heard_all(self) -> bool:
        """Whether all that has happened by now was heard, in each folder that isn't ignored."""
        watcher, mounts = self._watcher, mounts_below(self._root.path)
        if mounts != self._mounts:
            self._mounts = mounts
            self._miss()
        if watcher is None or self._unwatched or self._elsewhere:
            return False
        return watcher.hear_all(_HEARD_SECONDS)

    def watches(self, folder: str) -> bool:
        """Whether it hears of what happens in a folder."""
        watcher = self._watcher
        return watcher is not None and watcher.watches(folder)

    def describe(self) -> dict[str, Any]:
        """How it watches: `watching` is events, walks or off, with `watching_reason` where it isn't events."""
        if self._thread is None:
            reason = "What other programs change is seen when it is read or committed against (setting watch)."
            return {"watching": "off", "watching_reason": reason}
        if self._watcher is None:
            return {"watching": "walks", "watching_reason": self._why or "It has just begun."}
        if self._unwatched:
            return {"watching": "walks", "watching_reason": self._limit()}
        return {"watching": "events"}

    def hearing(self) -> Hearing | None:
        """What was heard so far, all of it; None where it isn't known whether that is all."""
        watcher = self._watcher
        return watcher.hearing if watcher is not None and watcher.hear_all(_HEARD_SECONDS) else None

    # What is heard.

    def _hear(self, folder: str, name: str, made: bool) -> None:
        for hear, _ in self._listeners if folder else ():
            hear(folder, name)
        with self._changed:
            pending = self._pending
            if folder:  # else it is git's own folder: its lock came or went
                names = pending.names.setdefault(folder, set())
                pending.count += name not in names
                names.add(name)
                pending.empty.discard(folder)
                if made:
                    self._hear_made(name if folder == "." else f"{folder}/{name}")
                if pending.count > self._pace.names:
                    self._want_everything()
                pending.last = time.monotonic()
                pending.first = pending.first or pending.last
            self._changed.notify_all()

    def _hear_made(self, folder: str) -> None:
        pending = self._pending
        pending.building = True
        pending.made.append(folder)

    def _miss(self) -> None:
        for _, lost in self._listeners:
            lost()

    def _lose(self) -> None:
        self._miss()
        with self._changed:
            self._want_everything(_LOST)
            self._changed.notify_all()

    def _want_everything(self, *notes: str) -> None:
        pending = self._pending
        pending.everything, pending.count = True, 0
        pending.names.clear()
        pending.made.clear()
        pending.empty.clear()
        pending.notes = tuple(dict.fromkeys((*pending.notes, *notes)))
        pending.last = time.monotonic()
        pending.first = pending.first or pending.last

    def _hear_event(self, _number: int, event: Event) -> None:
        if isinstance(event, SettingsChanged) and "watch" in event.keys:
            threading.Thread(target=self._obey, name="workroom-watch-setting", daemon=True).start()

    def _obey(self) -> None:
        """Start or end, as the setting says now; not once it was stopped."""
        with self._turning:
            if self._leave is not None and self._wanted():
                self._begin()
            else:
                self._end()

    def _wanted(self) -> bool:
        """What the setting says; a fault in the settings opens every folder all the same, and each call tells of it."""
        try:
            return self._settings().watch
        except WorkroomError:
            return True

    # The thread.

    def _run(self) -> None:
        with contextlib.suppress(_Stopped):
            try:
                self._watcher = Watcher(self._hear, self._lose)
            except WorkroomError as error:
                self._why = error.message
            self._listen_first()
            self._tell_pending(_OPENING)
            self._listening = False
            self._read_on()
            while True:
                self._await()
                self._tell_pending("")

    def _listen_first(self) -> None:
        """Listen to every folder before any is looked at: who waits for that has not to wait for the look."""
        if self._watcher is not None:
            self._look.watch_ahead(["."])
            with self._changed:
                self._listening = True
                self._changed.notify_all()

    def _tell_pending(self, label: str) -> None:
        """Look at what is pending; what fails is tried again, as a walk."""
        with self._changed:
            pending, self._pending, self._at_rest = self._pending, _Pending(), False
        began = time.monotonic()
        try:
            found = self._look.gather(pending.names, everything=pending.everything)
            if pending.everything:
                self._walked = time.monotonic()
            self._look.tell(found, label, self._notes(pending))
        except _Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, this thread is the one that tries again
            _log.warning("%s: what other programs changed can't be told yet: %s", self._root.path, error)
            with self._changed:
                self._want_everything(*pending.notes)
                self._changed.wait_for(lambda: self._stopping, self._pace.retry)
        with self._changed:
            self._at_rest = True
            self._changed.notify_all()
        self._pace_walks(time.monotonic() - began)

    def _notes(self, pending: _Pending) -> tuple[str, ...]:
        limited = (self._limit(),) if self._unwatched else (self._why,) if self._watcher is None else ()
        return (*pending.notes, *limited)

    def _limit(self) -> str:
        return (
            f"The system watches no more folders (fs.inotify.max_user_watches): {len(self._unwatched)} of them are "
            f"looked at by a walk every {self._pace.walks:g} s."
        )

    def _pace_walks(self, took: float) -> None:
        """Walks are a twentieth of the time at most."""
        self._between = max(self._pace.walks, 20 * took)

    def _await(self) -> None:
        """Wait for a burst, then for its end."""
        with self._changed:
            while not self._pending:
                self._idle = True
                self._changed.notify_all()
                due = None if self._watcher is not None and not self._unwatched else self._between
                self._sleep(due)
                if due is not None and time.monotonic() - self._walked >= due and not self._pending:
                    self._want_everything()
            self._idle = False
        self._await_end()

    def _await_end(self) -> None:
        while True:
            self._watch_made()
            with self._changed:
                pending, at = self._pending, time.monotonic()
                quiet = pending.last + self._patience(pending) - at
                longest = self._pace.endless if pending.building else self._wait
                if quiet <= 0 and not self._busy(pending, at):
                    self._wait = self._pace.longest
                    return
                if quiet > 0 and at - pending.first >= longest and not self._busy(pending, at):
                    self._wait = min(2 * self._wait, self._pace.endless)
                    return
                if not pending.made:
                    self._sleep(quiet if quiet > 0 else self._until_git())

    def _watch_made(self) -> None:
        """What comes into folders that were made in the burst belongs to it."""
        watcher = self._watcher
        with self._changed:
            made, self._pending.made = self._pending.made, []
        if watcher is not None:
            empty = self._look.watch_ahead(folder for folder in made if not watcher.watches(folder))
            with self._changed:
                pending = self._pending
                pending.empty.update(folder for folder, is_so in empty.items() if is_so and folder not in pending.names)

    def _patience(self, pending: _Pending) -> float:
        """How long nothing may come until the burst is over."""
        if len(pending.empty) >= _MANY_EMPTY:
            return self._pace.unfilled
        return self._pace.building if pending.building else self._pace.quiet

    def _until_git(self) -> float:
        """Hear of git's lock from now on; answers how long to wait for that, in seconds."""
        repository, watcher = self._repository(), self._watcher
        if repository is None or watcher is None or watcher.watches(""):
            return self._pace.busy if watcher is not None and repository is not None else self._pace.longest
        return self._pace.quiet if watcher.add_path(repository.folder, "") else self._pace.longest

    def _busy(self, pending: _Pending, at: float) -> bool:
        """Whether git is at work, and has not been for too long."""
        repository = self._repository() if at - pending.first < self._pace.busy else None
        return repository is not None and repository.busy()

    def _sleep(self, seconds: float | None) -> None:
        self._check()  # it may have been ended while nobody waited
        self._changed.wait(seconds)
        self._check()

    def _step(self) -> None:
        """Between two steps of a look. Who looks on a thread of a call's has nobody to give way to."""
        self._check()
        if self._courtesy > 0 and threading.current_thread() is self._thread:
            self._courtesy -= self._traffic.give_way(self._courtesy)

    def _check(self) -> None:
        if self._stopping:
            raise _Stopped

    def _read_on(self) -> None:
        """Keep the contents of what nobody has, a little at a time, until there is no more room for them."""
        after: str | None = ""
        while after is not None:
            self._traffic.give_way(_COURTESY_READING)
            with self._changed:
                self._sleep(0 if self._pending else _BREATH)
                pending = bool(self._pending)
            if pending:
                self._await_end()
                self._tell_pending("")
            try:
                after = self._look.read_some(after, self._settings().watch_max_file_bytes)
            except WorkroomError as error:  # what isn't read ahead is unknown when it changes, and no more than that
                _log.warning("%s: contents can't be kept ahead: %s", self._root.path, error)
                after = None

    # Folders.

    def _watch(self, folder: str) -> None:
        watcher = self._watcher
        if watcher is None:
            return
        again = watcher.watches(folder)
        if again and self._listening:
            return  # another folder by this name would have been heard of
        try:
            with self._root.folder(folder) as descriptor:
                watched = watcher.add(descriptor, folder)
                self._elsewhere |= not is_on_this_machine(descriptor)
        except WorkroomError:  # it is gone again
            return
        if again or not watched:
            self._miss()  # between the two watches nothing was heard
        with self._changed:
            (self._unwatched.discard if watched else self._unwatched.add)(folder)

    def _unwatch(self, folder: str) -> None:
        if self._watcher is not None:
            self._watcher.drop_below(folder)
        with self._changed:
            self._unwatched = {one for one in self._unwatched if one != folder and not one.startswith(f"{folder}/")}

    def _before_commit(self, changes: ChangeSet) -> None:
        """What others did to what is about to be changed is told first; a fault of that stops no commit."""
        try:
            self._look.before_commit(changes.changes)
        except WorkroomError as error:
            _log.warning("what other programs did before a commit can't be told: %s", error)

    def _end(self) -> None:
        thread = self._thread
        if thread is None:
            return
        self._transactions.before_commit = None
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._watcher is not None:
            self._watcher.close()
        thread.join()
        self._thread, self._watcher = None, None
        with self._changed:
            self._unwatched.clear()
            self._changed.notify_all()
