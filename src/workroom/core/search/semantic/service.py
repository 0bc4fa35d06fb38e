"""Semantic: places that are about what a question says, of one folder.

    ask ──> heard of anything since the table was brought along?  yes: a program of its own brings it along,
            │                                                          and is waited for, a while
            └─> rank ──> read from disk again: the piece as it was indexed?  no: left out ──> results

`.git` and `.agentic` have a table each, made when a question names them; the folder's own leaves them out. What isn't
indexed by the time of the answer is counted in it. Nothing is built before the first question.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import apsw

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.base.settings import Settings
from workroom.core.search.idle import Idle
from workroom.core.search.listing import APART
from workroom.core.search.semantic import build
from workroom.core.search.semantic.build import LARGEST, Job, path_words
from workroom.core.search.semantic.chunks import lines_of
from workroom.core.search.semantic.endpoint import Endpoint
from workroom.core.search.semantic.rank import Held, Loaded, Ranked, rank
from workroom.core.search.semantic.table import Table, digest, discard
from workroom.core.search.semantic.vectors import Meanings
from workroom.core.search.semantic.words import COMMON, stems, words
from workroom.system.process import base_env, stream
from workroom.system.root import Root
from workroom.text.encoding import decode

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Answer", "Ears", "Result", "Semantic"]

_log = logging.getLogger(__name__)

_WAIT_SECONDS = 8.0
"""So long a question waits for the table; then it is answered from what is in it."""
_TICK = 0.25
_KEPT_SECONDS = 300.0
_VECTORS_SECONDS = 3.0
"""So long it waits for the endpoint's vectors when all else is there."""
_RETRY_SECONDS = 60.0
"""So long after it failed the endpoint is tried again."""
_QUESTION_SECONDS = 5.0
"""How long it may take over a question, at most."""
_BUILD_SECONDS = 3600.0
_PER_FILE = 2
"""Pieces of one file in an answer, where the question isn't of that file."""
_SPARE = 10
"""So many times as many pieces are ranked as are wanted: some are of one file, some are others by now."""
_SAID = 8
"""Words of the question that are told of a result."""


class Ears(Protocol):
    """What hears of changes in the folder."""

    def listen(self, hear: Callable[[str, str], None], lost: Callable[[], None]) -> None:
        """Tell of each name in a folder at which something happened, and of the loss of such hints."""

    def heard_all(self) -> bool:
        """Whether all that happened so far, wherever it isn't ignored, has been told by now."""


@dataclass(frozen=True, slots=True)
class Result:
    """One place. `by`: words, meaning or both; `said`: the question's words that are in it."""

    path: str
    start: int
    end: int
    symbol: str
    score: float
    lines: tuple[str, ...]
    by: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The best places, and of how many files nothing can be said yet, or at all."""

    results: tuple[Result, ...]
    more: bool
    indexed: int
    pending: int
    """Files that are still to be read; there may be more where the walk isn't over (`unknown`)."""
    left: int
    """Files beyond what the setting allows to be indexed."""
    large: int
    stale: int
    """Places that were others by the time of the answer, and were left out."""
    unknown: bool
    notes: tuple[str, ...]


class _Stopped(Exception):  # noqa: N818 - no error
    """The folder was closed while its table was brought along, or something came that has to go before."""


@dataclass(slots=True)
class _Scope:
    """One table: of the folder, or of a folder apart."""

    where: str
    folder: Path
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Of what is read."""
    table: Table | None = None
    held: Held = field(default_factory=Held)
    thread: threading.Thread | None = None
    doing: tuple[int, Job] | None = None
    """What was heard of, and what is to be done, of what runs now."""
    superseded: bool = False
    """What runs now isn't wanted any more."""
    whole: bool = False
    """All files are in the table; only the endpoint's vectors may be missing."""
    vectors: tuple[int, int] | None = None
    """Of those, how many are there, of how many."""
    brought: tuple[int, Job] | None = None
    """What was heard of, and what was done, when it was brought along last."""
    ended: float = 0.0
    faint: bool = False
    """The endpoint failed then."""
    progress: tuple[int, int] | None = None
    """Files that are done, of how many; None until the folder was walked."""
    fault: str = ""
    left: int = 0
    """Files that didn't fit, when it was asked last."""


@dataclass(slots=True)
class _Asked:
    """One question, and what is to be said beside its results."""

    question: str
    path: str
    limit: int
    endpoint: Endpoint | None
    notes: list[str]
    told: dict[str, str] = field(default_factory=dict)
    stale: int = 0


class Semantic:
    """Of one root; safe to use from many threads. `folder` is where the tables are kept, never inside the root."""

    def __init__(
        self,
        root: Root,
        folder: Path,
        grammars: Path,
        ears: Ears,
        settings: Callable[[], Settings],
        secret: Callable[[str], str] = lambda _: "",
        wait: float = _WAIT_SECONDS,
        retry: float = _RETRY_SECONDS,
        kept: float = _KEPT_SECONDS,
    ) -> None:
        """`grammars` is where grammars are unpacked; `secret` answers the key that a setting names; a question waits
        for its table as many seconds as `wait` says, an endpoint that failed is tried again after `retry`, and what is
        in memory is let go when nobody has asked for `kept`."""
        self._root = root
        self._folder = folder
        self._grammars = grammars
        self._ears = ears
        self._settings = settings
        self._secret = secret
        self._wait = wait
        self._retry = retry
        self._changed = threading.Condition()
        self._heard = 0
        self._scopes: dict[str, _Scope] = {}
        self._stopping = False
        self._meanings: Meanings | None = None
        self._meaning = threading.Lock()
        self._idle = Idle(kept, self.forget)

    def start(self) -> None:
        """Listen to what changes."""
        self._ears.listen(self._hear, self._lose)

    def stop(self) -> None:
        """Nothing of it runs when this returns."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            threads = [scope.thread for scope in self._scopes.values() if scope.thread is not None]
        for thread in threads:
            thread.join()
        self._idle.stop()
        self.forget()

    def forget(self) -> None:
        """Let go of what is in memory, until the next question."""
        with self._changed:
            scopes = list(self._scopes.values())
        for scope in scopes:
            with scope.lock:
                _let_go(scope)
        with self._meaning:
            self._meanings = None

    def ask(self, question: str, path: str, limit: int, pulse: Pulse = STILL) -> Answer:
        """The places below the folder, or in the file, `path` that fit best, as they stand on disk now.

        What is in folders apart goes to no endpoint: there are credentials, and answers that hold ignored text.
        """
        scope = self._scope(path)
        endpoint, fault = self._endpoint() if scope.where == "." else (None, "")
        asked = _Asked(question, path, limit, endpoint, [fault] if fault else [])
        self._keep_up(scope, Job(scope.where, path, self._settings().semantic_max_bytes, endpoint), pulse)
        found = self._found(scope, asked)
        self._idle.asked()
        with self._changed:
            done, of = scope.progress or (0, 0)
            unknown = scope.thread is not None and scope.progress is None
            if not found and asked.path != "." and scope.thread is None and not asked.stale:
                asked.notes.append(
                    "Nothing there is indexed: what git ignores, what is no text, and what is too large isn't."
                )
            if scope.fault:
                asked.notes.append(f"The index can't be brought along: {scope.fault}.")
        left, large = (int(asked.told.get(name, 0)) for name in ("left", "large"))
        more = len(found) > limit
        return Answer(
            tuple(found[:limit]), more, done, of - done, left, large, asked.stale, unknown, tuple(asked.notes)
        )

    # Heard.

    def _hear(self, folder: str, name: str) -> None:
        if not {*folder.split("/"), name}.intersection(APART):
            self._lose()

    def _lose(self) -> None:
        with self._changed:
            self._heard += 1

    # Brought along.

    def _scope(self, path: str) -> _Scope:
        parts = path.split("/")
        apart = next((place for place, part in enumerate(parts) if part in APART), None)
        where = "." if apart is None else "/".join(parts[: apart + 1])
        name = "" if apart is None else hashlib.sha256(os.fsencode(where)).hexdigest()[:16]
        with self._changed:
            return self._scopes.setdefault(where, _Scope(where, self._folder / name))

    def _keep_up(self, scope: _Scope, job: Job, pulse: Pulse) -> None:
        """Have all that happened so far in the table, as far as that takes no longer than a question waits."""
        deadline = time.monotonic() + self._wait
        while True:
            earlier = self._freshen(scope, job, pulse, deadline)
            self._await(scope, pulse, deadline)
            if not earlier or time.monotonic() >= deadline:
                return

    def _freshen(self, scope: _Scope, job: Job, pulse: Pulse, deadline: float) -> bool:
        """Have it brought along, unless nothing was heard of since it was; whether a run goes on that began before."""
        sure = scope.where == "." and self._ears.heard_all()
        with self._changed:
            heard = self._heard if sure else -1
            fits = sure and scope.doing == (heard, job)
            if scope.thread is not None and scope.whole and not fits:
                scope.superseded = True
                while scope.thread is not None and (left := deadline - time.monotonic()) > 0:
                    pulse.check()
                    self._changed.wait_for(lambda: scope.thread is None, min(left, _TICK))
            if scope.thread is not None or self._stopping or (sure and self._stands(scope, heard, job)):
                return scope.thread is not None and not fits
            scope.progress, scope.vectors, scope.fault, scope.whole = None, None, "", False
            scope.doing, scope.superseded = (heard, job), False
            scope.thread = threading.Thread(
                target=self._bring, args=(scope, job, heard), name="workroom-meaning", daemon=True
            )
            scope.thread.start()
            return False

    def _stands(self, scope: _Scope, heard: int, job: Job) -> bool:
        """Whether the table is as this job would leave it."""
        if scope.brought is None or scope.brought[0] != heard:
            return False
        if scope.faint and time.monotonic() - scope.ended > self._retry:
            return False
        before = scope.brought[1]
        return job == before or (not scope.left and job == replace(before, first=job.first))

    def _bring(self, scope: _Scope, job: Job, heard: int) -> None:
        fault = ""
        try:
            self._build(scope, job)
        except _Stopped:
            pass
        except Exception as error:  # noqa: BLE001 - whatever it is, what is there is asked
            _log.warning("%s: what is searched by meaning can't be brought along: %s", self._root.path, error)
            fault = str(error)
        with self._changed:
            scope.brought = None if fault or scope.superseded else (heard, job)
            scope.fault, scope.thread, scope.ended = fault, None, time.monotonic()
            self._changed.notify_all()

    def _build(self, scope: _Scope, job: Job) -> None:
        """Run the program to its end."""
        os.makedirs(scope.folder, mode=0o700, exist_ok=True)
        where = str(scope.folder)
        root = self._root
        argv = [sys.executable, "-P", "-m", build.__name__, root.path, root.identity, where, str(self._grammars)]
        with stream(
            argv,
            cwd=where,
            env=base_env(),
            timeout=_BUILD_SECONDS,
            stdin=job.dumped(),
            check=lambda: self._check(scope),
        ) as lines:
            for line in lines:
                what, done, of = line.split()
                with self._changed:
                    if what == b"vectors":
                        scope.vectors = int(done), int(of)
                    else:
                        scope.progress, scope.whole = (int(done), int(of)), done == of
                    self._changed.notify_all()
        if lines.code != 0:
            told = lines.stderr.decode("utf-8", "replace").strip().splitlines()
            raise OSError(told[-1] if told else f"the program ended with {lines.code}")

    def _check(self, scope: _Scope) -> None:
        if self._stopping or scope.superseded:
            raise _Stopped

    def _await(self, scope: _Scope, pulse: Pulse, deadline: float) -> None:
        """Wait until all files are in the table, and a little longer for an endpoint's vectors; tell how far it is."""
        hurried = False
        while time.monotonic() < deadline:
            with self._changed:
                if self._changed.wait_for(lambda: scope.thread is None, _TICK):
                    return
                done, of = scope.progress or (0, 0)
                if scope.whole and not hurried:
                    deadline, hurried = min(deadline, time.monotonic() + _VECTORS_SECONDS), True
            pulse.beat(done, of or None)

    # Asked.

    def _found(self, scope: _Scope, asked: _Asked) -> list[Result]:
        """Up to one more than `limit` results; `asked` is told of the rest."""
        with scope.lock:
            try:
                if scope.table is None:
                    scope.table = Table(str(scope.folder))
                asked.told = scope.table.said()
                scope.left = int(asked.told.get("left", 0))
                loaded, vector = self._loaded(scope, scope.table, asked)
                best = rank(scope.table, loaded, asked.question, vector, asked.path, _SPARE * (asked.limit + 1))
                return list(self._checked(scope.table, loaded, best, asked))
            except apsw.CantOpenError:
                return []
            except apsw.Error as error:
                _log.warning("%s: what is searched by meaning is torn: %s", self._root.path, error)
                _let_go(scope)
                with self._changed:
                    scope.brought = None
                    if scope.thread is None:
                        discard(str(scope.folder))
                asked.notes.append("The index is torn; the next call builds it anew.")
                return []

    def _loaded(self, scope: _Scope, table: Table, asked: _Asked) -> tuple[Loaded, np.ndarray]:
        """What is in memory of the table, read again where that is another by now, and the question's vector."""
        endpoint = asked.endpoint
        scope.faint = endpoint is not None and bool(asked.told.get("endpoint_fault"))
        if scope.faint:
            asked.notes.append(f"{asked.told['endpoint_fault']} The local vectors were used.")
            endpoint = None
        loaded = scope.held.of(table, remote=endpoint is not None)
        if endpoint is not None and not loaded.remote:
            done, of = scope.vectors or (0, len(loaded.chunks))
            asked.notes.append(f"The embeddings endpoint has made {done} of {of} vectors; the local ones were used.")
        elif endpoint is not None:
            try:
                hasty = replace(endpoint, timeout=min(endpoint.timeout, _QUESTION_SECONDS))
                (vector,) = hasty.ask([asked.question])
                if len(vector) == loaded.vectors.shape[1]:
                    return loaded, vector
                raise WorkroomError(ErrorCode.IO_ERROR, "The embeddings endpoint answers vectors of another length.")
            except WorkroomError as error:
                asked.notes.append(f"{error} The local vectors were used.")
                loaded = scope.held.of(table, remote=False)
        with self._meaning:
            if self._meanings is None:
                self._meanings = Meanings()
            return loaded, self._meanings.of(Counter(words(asked.question)))

    def _checked(self, table: Table, loaded: Loaded, best: Sequence[Ranked], asked: _Asked) -> Iterator[Result]:
        """The ranked pieces that stand on disk as they were indexed; few of one file."""
        texts: dict[str, list[str]] = {}
        taken: Counter[str] = Counter()
        for ranked in best:
            if taken.total() > asked.limit:
                return
            path, start, end, symbol, known = table.piece(ranked.chunk)
            if taken[path] >= _PER_FILE and path != asked.path:
                continue
            if path not in texts:
                texts[path] = self._lines(path)
            part = texts[path][start - 1 : end]
            if digest(part) != known:
                asked.stale += 1
                continue
            taken[path] += 1
            said = _said(asked.question, path, symbol, part)
            lines = tuple(line.rstrip("\r") for line in part)
            yield Result(path, start, end, symbol, ranked.score, lines, ranked.by, said)

    def _lines(self, path: str) -> list[str]:
        try:
            file = decode(self._root.read(path, LARGEST))
        except WorkroomError:
            return []
        return [] if file is None else lines_of(file.text)

    def _endpoint(self) -> tuple[Endpoint | None, str]:
        """The person's endpoint, or why it can't be asked."""
        settings = self._settings()
        if settings.embeddings_url is None:
            return None, ""
        try:
            key = "" if settings.embeddings_key is None else self._secret(settings.embeddings_key)
        except WorkroomError as error:
            return None, f"{error.message} The local vectors were used."
        return Endpoint(settings.embeddings_url, settings.embeddings_model, key, settings.embeddings_timeout), ""


def _let_go(scope: _Scope) -> None:
    if scope.table is not None:
        scope.table.close()
    scope.table, scope.held = None, Held()


def _said(question: str, path: str, symbol: str, part: Sequence[str]) -> tuple[str, ...]:
    """The question's words, as they are in it, whose stems a piece has; the common ones left out."""
    asked = list(dict.fromkeys(word for word in words(question) if word not in COMMON))
    there = frozenset(stems([*words("\n".join(part)), *path_words(path), *words(symbol)]))
    return tuple(word for word, stem in zip(asked, stems(asked), strict=True) if stem in there)[:_SAID]
