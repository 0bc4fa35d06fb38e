"""Brings a table to what stands in the folder: a program of its own, so that it holds up nobody and may be killed.

    python -P -m workroom.core.search.semantic.build ROOT IDENTITY FOLDER GRAMMARS < job.json

A file that is what it was keeps its rows; the rest is read, and written a few files at a time, so that what is done
can be asked at once. It says how far it is in lines of its output: `files DONE OF`, then `vectors DONE OF` where an
endpoint is asked. Files are parsed by another program, as they are everywhere (`syntax.service`).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.core.search.index.build import by_folder, identity_of, walked
from workroom.core.search.pieces import is_pdf
from workroom.core.search.query import Query
from workroom.core.search.semantic.chunks import divided, lines_of
from workroom.core.search.semantic.endpoint import Endpoint
from workroom.core.search.semantic.table import Piece, Table, digest
from workroom.core.search.semantic.vectors import Meanings, packed
from workroom.core.search.semantic.words import stems, words
from workroom.core.search.syntax.model import Definition
from workroom.core.search.syntax.service import Syntax
from workroom.system.root import Root
from workroom.text.encoding import decode

__all__ = ["LARGEST", "Job", "Step", "bring", "main", "path_words"]

LARGEST = 1_000_000
"""Bytes. Larger files are data, or made by programs."""
_NICE = 10
_BATCH_SECONDS = 0.5
_AT_ONCE = 64
"""Pieces whose vectors are asked for in one request."""

Step = tuple[str, int, int]
"""How many of what are done (`files`, `vectors`), and of how many."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done. `scope`: the folder that is walked. `first`: what comes first where not all of it fits."""

    scope: str = "."
    first: str = "."
    most_bytes: int = 100_000_000
    endpoint: Endpoint | None = None

    def dumped(self) -> bytes:
        """As the program reads it from its input, where no other program sees it."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def loaded(cls, data: bytes) -> Job:
        """What `dumped` wrote."""
        fields: dict[str, Any] = json.loads(data)
        endpoint = fields.pop("endpoint")
        return cls(**fields, endpoint=None if endpoint is None else Endpoint(**endpoint))


def main(arguments: Sequence[str]) -> int:
    """Bring the table in the folder FOLDER to the files of the folder ROOT; GRAMMARS is where grammars are unpacked. 1
    where another folder than IDENTITY stands there."""
    where, identity, folder, grammars = arguments
    os.nice(_NICE)
    with Root.open(where) as root:
        if root.identity != identity:
            return 1
        for what, done, of in bring(root, folder, Path(grammars), Job.loaded(sys.stdin.buffer.read())):
            sys.stdout.write(f"{what} {done} {of}\n")
            sys.stdout.flush()
    return 0


def bring(root: Root, folder: str, grammars: Path, job: Job) -> Iterator[Step]:
    """The same, within this process."""
    table, syntax = Table(folder, write=True), Syntax(root, grammars, kept=0)
    try:
        yield from _Builder(root, table, syntax, job).bring()
        yield from _told(root, table, job.endpoint)
        table.shorten()
    finally:
        syntax.stop()
        table.close()


def path_words(path: str) -> list[str]:
    """The words of a path, but for the ending of its name."""
    stem, _ = os.path.splitext(path)
    return words(stem)


@dataclass(frozen=True, slots=True)
class _Seen:
    path: str
    identity: str
    size: int


class _Builder:
    """One run."""

    def __init__(self, root: Root, table: Table, syntax: Syntax, job: Job) -> None:
        self._root = root
        self._table = table
        self._syntax = syntax
        self._job = job
        self._meanings: Meanings | None = None

    def bring(self) -> Iterator[Step]:
        """Drop what is gone or doesn't fit any more, then read what is new."""
        chosen, left, large = self._chosen()
        known = self._table.known()
        wanted = {seen.path: seen for seen in chosen}
        fits = {path for path, (_, was, _) in known.items() if path in wanted and wanted[path].identity == was}
        todo = [seen for seen in chosen if seen.path not in fits]
        with self._table.db:
            self._table.drop(number for path, (number, _, _) in known.items() if path not in wanted)
            self._table.say(files=len(chosen), left=left, large=large)
        done, since, anew = len(fits), time.monotonic(), len(todo) > len(fits)
        while todo:
            with self._table.db:
                while todo and time.monotonic() - since < _BATCH_SECONDS:
                    self._take(todo.pop(0))
                    done += 1
            since = time.monotonic()
            yield "files", done, len(chosen)
        if anew:
            self._table.tidy()
        yield "files", done, len(chosen)

    def _chosen(self) -> tuple[list[_Seen], int, int]:
        """The files that fit, in the order of a walk, those below `first` before all; how many don't, or are large."""
        first = self._job.first
        paths, _ = walked(self._root, self._job.scope, Query(""))
        paths.sort(key=lambda path: first not in {".", path} and not path.startswith(f"{first}/"))
        chosen, left, large, held = list[_Seen](), 0, 0, 0
        for folder, names in by_folder(paths):
            prefix = "" if folder == "." else f"{folder}/"
            for name, seen in zip(names, self._root.stats(folder, names), strict=True):
                if seen is None or seen.kind is not Kind.FILE:  # pragma: no cover - it went away this moment
                    continue
                if seen.size > LARGEST:
                    large += 1
                elif held + seen.size > self._job.most_bytes:
                    left += 1
                else:
                    held += seen.size
                    chosen.append(_Seen(prefix + name, _written(identity_of(seen)), seen.size))
        return chosen, left, large

    def _take(self, seen: _Seen) -> None:
        """Read one file and write its rows; one that isn't text has none but its own."""
        at = time.time_ns()
        try:
            data, same = self._root.read_with_stat(seen.path, LARGEST)
            known = _written(identity_of(same, at))
        except WorkroomError:  # pragma: no cover - it went away this moment, or isn't ours to read
            data, known = b"", ""  # looked at again the next time
        named = path_words(seen.path)
        self._table.put(seen.path, " ".join(stems(named)), known, seen.size, self._pieces(seen.path, data, named))

    def _pieces(self, path: str, data: bytes, named: Sequence[str]) -> list[Piece]:
        file = None if is_pdf(data) else decode(data)
        if file is None:
            return []
        if self._meanings is None:
            self._meanings = Meanings()
        lines = lines_of(file.text)
        found = []
        for chunk in divided(lines, self._definitions(path, data)):
            part = lines[chunk.start - 1 : chunk.end]
            own, symbol = words("\n".join(part)), words(chunk.symbol)
            vector = packed(self._meanings.of(Counter([*own, *symbol, *named])))
            stemmed = " ".join(stems(symbol)), " ".join(stems(own))
            found.append(Piece(chunk.start, chunk.end, chunk.symbol, *stemmed, digest(part), vector))
        return found

    def _definitions(self, path: str, data: bytes) -> Sequence[Definition]:
        """What is defined there; nothing where it can't be parsed, or is another by now."""
        try:
            parsed = self._syntax.of(path)
        except (OSError, WorkroomError):
            return ()
        same = parsed.sha256 == hashlib.sha256(data).hexdigest()
        return parsed.outline.definitions if same else ()


def _written(identity: tuple[int, ...]) -> str:
    return ":".join(map(str, identity))


def _told(root: Root, table: Table, endpoint: Endpoint | None) -> Iterator[Step]:
    """Ask the person's endpoint for the vectors that it hasn't made yet; those of another one are forgotten."""
    name = "" if endpoint is None else endpoint.name()
    if table.said().get("endpoint", "") != name:
        with table.db:
            table.db.execute("UPDATE chunks SET remote = NULL WHERE remote IS NOT NULL")
            table.say(endpoint=name, endpoint_fault="")
    if endpoint is None:
        return
    fault = ""
    try:
        for rows in iter(lambda: _without(table), []):
            found = endpoint.ask(list(_texts(root, rows)))
            with table.db:
                packs = [(packed(vector), number) for vector, (number, *_) in zip(found, rows, strict=True)]
                table.db.executemany("UPDATE chunks SET remote = ? WHERE id = ?", packs)
            yield "vectors", _count(table, "remote IS NOT NULL"), _count(table, "1")
    except WorkroomError as error:
        fault = str(error)
    with table.db:
        table.say(endpoint_fault=fault)


def _without(table: Table) -> list[tuple[int, str, int, int]]:
    sql = (
        "SELECT c.id, f.path, c.start, c.end FROM chunks c JOIN files f ON f.id = c.file WHERE c.remote IS NULL "
        "ORDER BY c.id LIMIT ?"
    )
    return [(number, os.fsdecode(path), *rest) for number, path, *rest in table.db.execute(sql, (_AT_ONCE,))]


def _count(table: Table, where: str) -> int:
    return int(next(iter(table.db.execute(f"SELECT count(*) FROM chunks WHERE {where}")))[0])  # noqa: S608 - ours


def _texts(root: Root, rows: Sequence[tuple[int, str, int, int]]) -> Iterator[str]:
    """What an endpoint is sent of pieces, those of a file side by side, so that it is read once.

    A file that is another by now is told of anew soon.
    """
    for path, pieces in itertools.groupby(rows, key=lambda row: row[1]):
        lines = _lines(root, path)
        for _, _, start, end in pieces:
            yield "\n".join([path, *lines[start - 1 : end]]).encode("utf-8", "replace").decode("utf-8")


def _lines(root: Root, path: str) -> list[str]:
    try:
        file = decode(root.read(path, LARGEST))
    except WorkroomError:
        file = None
    return [] if file is None else lines_of(file.text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
