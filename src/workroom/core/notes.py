"""What a model wants to find again: `.agentic/notes/<name>.md`, and the workspace's memory in `.agentic/MEMORY.md`.

Notes stand in the folder, where a person may write them too and a clone may bring its own. The store keeps the hash
of what was written through Workroom; any other bytes are answered as untrusted. Appending to untrusted bytes doesn't
make them trusted, writing anew does.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from workroom.base.actor import Actor
from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.agentic import FOLDER, Agentic
from workroom.system.clock import Clock
from workroom.system.root import Root, Stat
from workroom.system.store import Database, Migration, Store
from workroom.text.encoding import decode_new
from workroom.text.paths import check_new_name

__all__ = [
    "MEMORY",
    "MEMORY_BYTES",
    "MEMORY_PATH",
    "MIGRATIONS",
    "NOTE_BYTES",
    "READ_BYTES",
    "Note",
    "NoteList",
    "Notes",
    "note_name",
]

NOTE_BYTES = 200_000
"""The largest note, in bytes."""
MEMORY_BYTES = 64_000
"""The largest memory, in bytes."""
READ_BYTES = 1_000_000
"""The largest that is read; a person may have made it larger by hand than it can be written here."""
MEMORY = "MEMORY"
"""The memory's name among the notes; no note can have it."""
MEMORY_PATH = f"{FOLDER}/MEMORY.md"
"""The memory, from the root."""

MIGRATIONS: tuple[Migration, ...] = (
    (
        "notes/1",
        """
        CREATE TABLE note_hashes (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, at REAL NOT NULL,
                                  actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, session TEXT NOT NULL)
                                 STRICT, WITHOUT ROWID;
        """,
    ),
)

_FOLDER = f"{FOLDER}/notes"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Note:
    """One note or the memory. `path` is from the root, `size` in bytes, `modified_ns` in nanoseconds since 1970.

    `untrusted`: its bytes are not what Workroom wrote. `text` is empty in a list.
    """

    name: str
    path: str
    size: int
    untrusted: bool
    modified_ns: int = 0
    text: str = ""

    @property
    def memory(self) -> bool:
        return self.name == MEMORY


@dataclass(frozen=True, slots=True)
class NoteList:
    """Notes by name, how many there are in all, and the memory if there is one."""

    notes: tuple[Note, ...]
    total: int
    memory: Note | None


def note_name(given: str | None, *, memory: bool = False) -> str:
    """The name that a call means: `MEMORY` for the memory, else the note's, without `.md`. INVALID_INPUT."""
    name = re.sub(r"\.md\Z", "", given or "", flags=re.IGNORECASE)
    if name.upper() == MEMORY or (memory and not given):
        return MEMORY
    if memory:
        raise _invalid(
            f"memory: true means {MEMORY_PATH}, and name: {(given or '')[:80]!r} another file, a note's.",
            "Leave out the one that isn't meant.",
        )
    if not given:
        raise _invalid("name is missing.", "Name the note, or set memory: true for the workspace's memory.")
    if not _NAME.fullmatch(name):
        raise _invalid(
            f"name: {given[:80]!r} can't be a note's name.",
            "Use up to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit.",
        )
    check_new_name(f"{name}.md")
    return name


class Notes:
    """The notes and the memory of one workspace. Names given are those that `note_name` answers."""

    def __init__(self, root: Root, agentic: Agentic, store: Store, clock: Clock) -> None:
        self._root = root
        self._agentic = agentic
        self._store = store
        self._clock = clock

    def write(self, name: str, content: str, actor: Actor) -> Note:
        """Write a note whole. LIMIT_EXCEEDED for one that is too large."""
        with self._store.write() as db:
            return self._put(db, name, decode_new(content), actor, trusted=True)

    def append(self, name: str, content: str, actor: Actor) -> Note:
        """Add to a note after a blank line, making it if there is none; what it holds stays. LIMIT_EXCEEDED."""
        with self._store.write() as db:
            before = self._bytes(name) or b""
            trusted = not before.strip(b"\r\n") or self._trusted(db, name, before)
            return self._put(db, name, _with_blank_line(before) + decode_new(content), actor, trusted=trusted)

    def read(self, name: str) -> Note:
        """A note with its text; NOT_FOUND. Bytes that aren't UTF-8 are shown as U+FFFD."""
        data = self._bytes(name)
        if data is None:
            raise _missing(name)
        with self._store.read() as db:
            trusted = self._trusted(db, name, data)
        return Note(name, _path(name), len(data), not trusted, text=data.decode("utf-8", "replace"))

    def list(self, limit: int) -> NoteList:
        """The first `limit` notes by name. Each is hashed to tell whether it is trusted."""
        folder = self._root.stat(_FOLDER)
        stats = self._root.scan(_FOLDER) if folder is not None and folder.kind is Kind.DIRECTORY else []
        named = [(name, stat) for stat in stats if (name := _listed_name(stat)) is not None]
        memory = self._root.stat(MEMORY_PATH)
        with self._store.read() as db:
            return NoteList(
                notes=tuple(self._listed(db, name, stat) for name, stat in named[:limit]),
                total=len(named),
                memory=None if memory is None or memory.kind is not Kind.FILE else self._listed(db, MEMORY, memory),
            )

    def delete(self, name: str) -> None:
        """Remove a note; NOT_FOUND. The memory is never removed: INVALID_INPUT."""
        if name == MEMORY:
            raise _invalid("The workspace's memory can't be deleted.", "Write it anew with what shall stay.")
        with self._store.write() as db:
            if not self._agentic.delete(_inside(name)):
                raise _missing(name)
            db.execute("DELETE FROM note_hashes WHERE name = ?", (name,))

    def _bytes(self, name: str) -> bytes | None:
        path = _path(name)
        return None if self._root.stat(path) is None else self._root.read(path, READ_BYTES)

    def _put(self, db: Database, name: str, data: bytes, actor: Actor, *, trusted: bool) -> Note:
        data = data if data.endswith(b"\n") else data + b"\n"
        _check_size(name, data)
        artifact = self._agentic.write(_inside(name), data, "note")
        db.execute("DELETE FROM note_hashes WHERE name = ?", (name,))
        if trusted:
            db.execute(
                "INSERT INTO note_hashes VALUES (?, ?, ?, ?, ?, ?)",
                (name, artifact.sha256, self._clock(), actor.kind, actor.name, actor.session),
            )
        return Note(name, artifact.path, len(data), not trusted)

    def _trusted(self, db: Database, name: str, data: bytes) -> bool:
        row = db.execute("SELECT sha256 FROM note_hashes WHERE name = ?", (name,)).fetchone()
        return row is not None and row[0] == hashlib.sha256(data).hexdigest()

    def _listed(self, db: Database, name: str, stat: Stat) -> Note:
        trusted = stat.size <= NOTE_BYTES and self._trusted(db, name, self._bytes(name) or b"")
        return Note(name, stat.path, stat.size, not trusted, stat.mtime_ns)


def _with_blank_line(before: bytes) -> bytes:
    """A note's bytes, with as many line ends after them as make one blank line; an empty note needs none."""
    if before.endswith((b"\n\n", b"\n\r\n")) or before in (b"", b"\n", b"\r\n"):
        return before
    return before + (b"\n" if before.endswith(b"\n") else b"\n\n")


def _inside(name: str) -> str:
    """A note's path below `.agentic/`."""
    return f"{MEMORY}.md" if name == MEMORY else f"notes/{name}.md"


def _path(name: str) -> str:
    return f"{FOLDER}/{_inside(name)}"


def _listed_name(stat: Stat) -> str | None:
    """The name of the note that this is, or None for anything else."""
    base, dot, ending = stat.path.rpartition("/")[2].rpartition(".")
    is_note = stat.kind is Kind.FILE and dot and ending == "md" and _NAME.fullmatch(base) and base.upper() != MEMORY
    return base if is_note else None


def _check_size(name: str, data: bytes) -> None:
    limit = MEMORY_BYTES if name == MEMORY else NOTE_BYTES
    if len(data) > limit:
        what = "The memory" if name == MEMORY else f"Note {name}"
        raise WorkroomError(
            ErrorCode.LIMIT_EXCEEDED,
            f"{what} would be {len(data):,} bytes; at most {limit:,} are kept.",
            next_step="Nothing was changed. Shorten it, or begin another note.",
        )


def _missing(name: str) -> WorkroomError:
    what = "This workspace has no memory yet." if name == MEMORY else f"There is no note {name!r}."
    return WorkroomError(ErrorCode.NOT_FOUND, what, next_step="workspace_notes list shows the notes there are.")


def _invalid(message: str, next_step: str) -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, message, next_step=next_step)
