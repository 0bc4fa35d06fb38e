"""The user's state directory: which folder has which store, settings, the person's key, the server's socket.

    <state>/
      bindings.json      which folder (path, device, inode, time of birth) has which store
      settings.toml      the user's settings
      person.key         what a connection shows to speak as the person
      clients.json       clients that come over HTTP, with the hashes of their tokens
      page.json          pages that may speak as the person, by the hashes of their keys
      sessions.json      sessions of theirs between two servers, by the hashes of their ids
      audit/             the key and the heads of the audit logs, apart from the stores
      logs/
      workspaces/<id>/   one store a folder, with its own settings.toml

A folder has the store that is recorded here, whatever it brings along itself: a moved folder keeps its store (the same
device and inode), a copied one gets a new one unless its opener adopts. File systems give the inode of a deleted folder
to the next one, and some give a disk another device number after a restart; the time of birth tells these apart.

Importing this loads the standard library only: the shim finds the server's socket with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import time
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.durable import fsync_folder

__all__ = ["SOCKET_PATH_BYTES", "Binding", "StateDirectory"]

SOCKET_PATH_BYTES = 100
"""The longest socket path in bytes: macOS takes 103, Linux 107."""

_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "fuse.sshfs", "fuse.glusterfs"})
"""File systems where SQLite's write-ahead log and locks don't hold."""
_PASSING = {
    "tmpfs": "in memory: a restart loses the history and what waits for a decision",
    "ramfs": "in memory: a restart loses the history and what waits for a decision",
    "overlay": "in a container's layer: it is gone with the container",
    "aufs": "in a container's layer: it is gone with the container",
}
_SETTLED_NS = 100_000_000
"""A file changed this recently may change again within one tick of its clock; it isn't believed to be unchanged."""
_ROWS_BYTES = 10_000_000
_SESSIONS_BYTES = 100_000_000
_SOON_SECONDS = 600.0
_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Binding:
    """One store and the folder that it belongs to.

    `store` is the name of its folder below `workspaces/`. `born` is the folder's time of birth in nanoseconds since
    1970, 0 where the file system doesn't say. `inode` is 0 when the folder went to another store by an adoption.
    """

    store: str
    path: str
    device: int
    inode: int
    born: int

    def is_of(self, other: Binding) -> bool:
        """Whether `other` is of the same folder, moved or not."""
        if self.inode != other.inode:
            return False
        if self.born and other.born:
            return self.born == other.born and (self.device == other.device or self.path == other.path)
        return self.device == other.device


@dataclass(frozen=True, slots=True)
class _Cached:
    key: tuple[int, int, int]
    values: Mapping[str, Any]


class StateDirectory:
    """The state directory of one user. Safe to use from many threads and processes."""

    def __init__(self, path: Path, *, runtime: Path | None = None, mounts: Path = Path("/proc/self/mountinfo")) -> None:
        """Nothing is read or made yet.

        `runtime` is the folder for the socket when `path` is too long to hold one (the caller's XDG_RUNTIME_DIR with
        a name of our own below it); None: one in /tmp. `mounts` is the kernel's list of mounts, where there is one.
        """
        self.path = Path(os.path.realpath(path))
        self.warning = ""
        """What `make` found weaker than it should be, as a sentence, or empty."""
        self.settings_file = self.path / "settings.toml"
        self.log_folder = self.path / "logs"
        self.key_file = self.path / "person.key"
        self.grammars_folder = self.path / "grammars"
        """Where grammars are unpacked; whatever is there is loaded into a program of ours."""
        self.clients_file = self.path / "clients.json"
        self._http_file = self.path / "http.json"
        self.page_file = self.path / "page.json"
        self.sessions_file = self.path / "sessions.json"
        self._bindings_file = self.path / "bindings.json"
        self._runtime = runtime
        self._mounts = mounts
        self._cache: dict[str, _Cached] = {}
        self._clients: tuple[tuple[int, int, int], tuple[Mapping[str, Any], ...]] | None = None

    def make(self) -> None:
        """Make what is missing, private to the user, and check the rest.

        UNSUPPORTED on a network file system; PROTECTED_PATH when the folder is another user's or others can write it.
        """
        self._check_file_system()
        for folder in (self.path, self.log_folder, self.path / "workspaces", self.path / "audit", self.grammars_folder):
            _private_folder(folder)

    def socket_path(self) -> Path:
        """Where the server listens; the folder is made and checked. PROTECTED_PATH when it isn't private.

        The name tells the mount namespace: who sees other files under the same paths gets a server of its own.
        """
        space = _namespace()
        folder, name = self.path, f"server-{space}.sock"
        if len(os.fsencode(folder / name)) > SOCKET_PATH_BYTES:
            folder = self._runtime or Path(f"/tmp/workroom-{os.geteuid()}")  # noqa: S108 - checked to be ours alone
            name = f"{hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]}-{space}.sock"
        if len(os.fsencode(folder / name)) > SOCKET_PATH_BYTES:
            raise WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"The folder {folder} is too long for a socket.")
        _private_folder(folder)
        return folder / name

    def person_key(self) -> str:
        """The key that a connection of the person's shows: 64 hex digits, made once.

        PROTECTED_PATH when others could read or have written the file; IO_ERROR when it is damaged.
        """
        return self._key(self.key_file)

    def audit_key(self) -> bytes:
        """The key of the audit logs, made once; errors as for `person_key`."""
        return bytes.fromhex(self._key(self.path / "audit" / "key"))

    def audit_head(self, store: str) -> Path:
        """Where the head of a store's audit log stands."""
        return self.path / "audit" / f"{store}.head"

    def _key(self, file_path: Path) -> str:
        with self._locked():
            if not os.path.lexists(file_path):
                _write(file_path, os.urandom(32).hex().encode("ascii"))
        key = _read_private(file_path, 65)
        if len(key) != 64 or not set(key) <= set(b"0123456789abcdef"):
            raise WorkroomError(
                ErrorCode.IO_ERROR, f"{file_path} is damaged.", next_step="Delete it; a new one is made."
            )
        return key.decode("ascii")

    # Clients that come over HTTP.

    def read_clients(self) -> Sequence[Mapping[str, Any]]:
        """The rows of every client, oldest first; cheap enough for every call: one `stat` while nothing has changed.

        PROTECTED_PATH when others could read or have written the file; IO_ERROR when it is damaged.
        """
        try:
            status = os.stat(self.clients_file)
        except FileNotFoundError:
            return ()
        key = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._clients is not None and self._clients[0] == key:
            return self._clients[1]
        rows = tuple(self._read_clients())
        if abs(time.time_ns() - status.st_mtime_ns) > _SETTLED_NS:
            self._clients = key, rows
        return rows

    @contextmanager
    def changed_clients(self) -> Iterator[list[dict[str, Any]]]:
        """The rows, to be changed; on disk when this is left without an error. Errors as for `read_clients`."""
        with self._locked():
            rows = [dict(row) for row in self._read_clients()]
            yield rows
            _write_rows(self.clients_file, "clients", rows)

    # Pages that speak as the person.

    def read_pages(self) -> list[dict[str, Any]]:
        """The rows of every page that was signed in, oldest first.

        PROTECTED_PATH when others could read or have written the file; IO_ERROR when it is damaged.
        """
        return _read_rows(self.page_file, "pages", mend="Delete it, and sign each page in anew.")

    @contextmanager
    def changed_pages(self) -> Iterator[list[dict[str, Any]]]:
        """The rows, to be changed; on disk when this is left without an error. Errors as for `read_pages`."""
        with self._locked():
            rows = self.read_pages()
            yield rows
            _write_rows(self.page_file, "pages", rows)

    # Sessions between two servers.

    def keep_sessions(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep what the next server needs to go on with this one's sessions."""
        with self._locked():
            _write(self.sessions_file, json.dumps({"version": 1, "sessions": list(rows)}).encode("ascii"))

    def take_sessions(self) -> list[dict[str, Any]]:
        """What the last server has kept, once; nothing where it is damaged or open to others: clients begin anew."""
        with self._locked():
            try:
                rows: list[dict[str, Any]] = json.loads(_read_private(self.sessions_file, _SESSIONS_BYTES))["sessions"]
            except (OSError, ValueError, TypeError, KeyError, WorkroomError):
                rows = []
            with suppress(FileNotFoundError):
                os.unlink(self.sessions_file)
        return rows

    def keep_http(self, port: int) -> None:
        """Tell the next server, if it starts soon, on which port this one listened for HTTP."""
        with self._locked():
            _write(self._http_file, json.dumps({"version": 1, "port": port, "at": time.time()}).encode("ascii"))

    def take_http(self) -> int | None:
        """The port that the last server has left to this one, once."""
        with self._locked():
            try:
                row = json.loads(_read_private(self._http_file, 1_000))
                port = int(row["port"]) if abs(time.time() - row["at"]) < _SOON_SECONDS else None
            except (OSError, ValueError, TypeError, KeyError, WorkroomError):
                port = None
            with suppress(FileNotFoundError):
                os.unlink(self._http_file)
        return port

    # Which folder has which store.

    def bind(self, root_path: str, device: int, inode: int, adopt: Path | None = None) -> Path:
        """The folder of the store of the workspace at `root_path`, made and recorded if it is new.

        `adopt` names the folder whose store this one takes over: the same path for a folder that came back from a
        backup, the original's for a copy, or a store's own folder. The store must not be open. Whose store was taken
        gets a new one. NOT_FOUND when no store belongs to `adopt`.
        """
        folder = Binding("", root_path, device, inode, _born(root_path, inode))
        with self._locked():
            before = self._read_bindings()
            found = _newest(before, lambda one: one.is_of(folder))
            if adopt is not None:
                found = self._adopted(before, adopt, folder, found)
            bound = replace(folder, store=found.store if found else os.urandom(8).hex())
            if bound not in before:
                _private_folder(self.store_folder(bound.store))
                self._write_bindings(_rebound(before, bound))
        return self.store_folder(bound.store)

    def workspaces(self) -> list[Binding]:
        """Every store with the folder that it was last bound to, oldest first."""
        return self._read_bindings()

    def folder_of(self, store: str) -> str | None:
        """Where the folder of a store stands; None when it isn't where it was bound last, or went to another store."""
        found = _newest(self._read_bindings(), lambda one: one.store == store)
        if found is None or not found.inode:
            return None
        try:
            status = os.stat(found.path)
        except OSError:
            return None
        there = Binding(store, found.path, status.st_dev, status.st_ino, _born(found.path, status.st_ino))
        return found.path if found.is_of(there) else None

    def store_folder(self, store: str) -> Path:
        """The folder of a store by its name."""
        return self.path / "workspaces" / store

    # Settings.

    def read_settings(self, workspace_folder: Path | None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """The user's settings and those of the workspace whose store is `workspace_folder`, as they stand in the files.

        Cheap enough for every call: one `stat` a file. While a file is unchanged the very same mapping comes back, so
        `is` tells a caller that nothing changed. INVALID_INPUT names a file that isn't TOML.
        """
        workspace = _EMPTY if workspace_folder is None else self._settings_in(f"{workspace_folder}/settings.toml")
        return self._settings_in(str(self.settings_file)), workspace

    def write_setting(self, file: Path, key: str, value: Any, *, aliases: Collection[str] = ()) -> None:
        """Set `key` in a settings file, or remove it when `value` is None; comments and order stay.

        `aliases` are other names of the same setting, which are removed. On disk when this returns. INVALID_INPUT
        for a value that TOML doesn't have, or a file that isn't TOML.
        """
        import tomlkit  # noqa: PLC0415 - slow to load, and rarely needed

        with self._locked():
            target = Path(os.path.realpath(file))
            try:
                document = tomlkit.parse(_text(target))
                for name in {key, *aliases} if value is None else aliases:
                    document.pop(name, None)
                if value is not None:
                    document[key] = value
                body = tomlkit.dumps(document).encode("utf-8")
                tomllib.loads(body.decode("utf-8"))
            except (ValueError, TypeError) as error:
                raise WorkroomError(ErrorCode.INVALID_INPUT, f"{key} can't be set in {file}: {error}.") from error
            _write(target, body)

    def _settings_in(self, file: str) -> Mapping[str, Any]:
        try:
            status = os.stat(file)
        except (FileNotFoundError, NotADirectoryError):
            return _EMPTY
        except OSError as error:
            raise WorkroomError(ErrorCode.IO_ERROR, f"{file} can't be read: {error.strerror}.") from error
        key = (status.st_mtime_ns, status.st_size, status.st_ino)
        cached = self._cache.get(file)
        if cached is not None and cached.key == key:
            return cached.values
        values = MappingProxyType(_parse(Path(file)))
        if abs(time.time_ns() - status.st_mtime_ns) > _SETTLED_NS:
            self._cache[file] = _Cached(key, values)
        return values

    # Files of our own.

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Only one thread of one process at a time changes bindings and settings."""
        import fcntl  # noqa: PLC0415 - Windows has none, and must be able to import this module

        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _read_bindings(self) -> list[Binding]:
        try:
            return [Binding(**row) for row in json.loads(self._bindings_file.read_bytes())["workspaces"]]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError, KeyError) as error:
            raise WorkroomError(
                ErrorCode.IO_ERROR,
                f"{self._bindings_file} is damaged: {error}.",
                next_step="Mend it or move it away; the stores beside it stay, and `open --adopt` takes one up again.",
            ) from error

    def _read_clients(self) -> list[dict[str, Any]]:
        mend = "Mend it, or delete it and give each client a new token."
        return _read_rows(self.clients_file, "clients", mend=mend)

    def _write_bindings(self, bindings: list[Binding]) -> None:
        body = {"version": 1, "workspaces": [asdict(one) for one in bindings]}
        _write(self._bindings_file, json.dumps(body, indent=1).encode("ascii"))

    def _adopted(self, bindings: list[Binding], adopt: Path, folder: Binding, own: Binding | None) -> Binding:
        path = os.path.realpath(adopt)
        if os.path.isdir(path) and os.path.dirname(path) == str(self.path / "workspaces"):
            return replace(folder, store=os.path.basename(path))
        found = _newest(bindings, lambda one: one.path == path and one.inode != 0 and one is not own)
        if found is None and path == folder.path:
            found = own
        if found is None:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                f"No store belongs to {adopt}.",
                next_step="`workroom status` lists the folders that have one.",
            )
        return found

    def _check_file_system(self) -> None:
        kind = _file_system(str(self.path), self._mounts)
        if kind in _NETWORK:
            raise WorkroomError(
                ErrorCode.UNSUPPORTED,
                f"The state directory {self.path} is on a network file system ({kind}), where its database isn't safe.",
                next_step="Set WORKROOM_STATE to a folder on a local disk.",
            )
        if kind in _PASSING:
            self.warning = f"The state directory {self.path} is {_PASSING[kind]} ({kind})."


def _newest(bindings: list[Binding], fits: Callable[[Binding], bool]) -> Binding | None:
    return next((one for one in reversed(bindings) if fits(one)), None)


def _rebound(bindings: list[Binding], bound: Binding) -> list[Binding]:
    """The bindings with `bound` as the newest; another store of the same folder keeps its path only."""
    others = [one for one in bindings if one.store != bound.store]
    return [*(replace(one, device=0, inode=0, born=0) if one.is_of(bound) else one for one in others), bound]


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(file))
    except ValueError as error:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, f"{file} is not valid TOML: {error}.", next_step="Mend it, or delete it."
        ) from error


def _text(file: Path) -> str:
    """A file's text, empty when it isn't there. IO_ERROR, or ValueError for what isn't UTF-8."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise WorkroomError(ErrorCode.IO_ERROR, f"{file} can't be read: {error.strerror}.") from error


def _born(path: str, inode: int) -> int:
    """When the folder at `path` was made, in nanoseconds since 1970; 0 where the system doesn't say."""
    try:
        status = os.stat(path)
    except OSError:  # moved since it was opened
        return 0
    if status.st_ino != inode:
        return 0
    birth = getattr(status, "st_birthtime", None)
    return _statx_birth(path) if birth is None else int(birth * 1_000_000_000)


def _statx_birth(path: str) -> int:
    """Python has no statx: the mask stands at byte 0 of its answer, the time of birth at byte 80."""
    import ctypes  # noqa: PLC0415 - slow to load, and not needed by the shim

    statx = getattr(ctypes.CDLL(None), "statx", None)
    answer = ctypes.create_string_buffer(256)
    at_cwd, birth = -100, 0x800
    if statx is None or statx(at_cwd, os.fsencode(path), 0, birth, answer) != 0:
        return 0
    mask, seconds, nanoseconds = struct.unpack_from("=I76xqI", answer.raw)
    return int(seconds * 1_000_000_000 + nanoseconds) if mask & birth else 0


def _namespace() -> int:
    """The number of this process's mount namespace, 0 where there are none."""
    try:
        return os.stat("/proc/self/ns/mnt").st_ino
    except OSError:  # pragma: no cover - only Linux has them
        return 0


def _file_system(path: str, mounts: Path) -> str:
    """The type of the file system that holds `path`, or empty where the system keeps no list of mounts."""
    try:
        lines = mounts.read_bytes().decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return ""
    best, kind = "", ""
    for line in filter(None, lines):
        left, _, right = line.partition(" - ")
        point = _unescaped(left.split(" ")[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # of two on one point, the later covers the earlier
            best, kind = point, right.split(" ")[0]
    return kind


def _unescaped(text: str) -> str:
    """The kernel writes blank, tab, newline and backslash in octal."""
    for code, char in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        text = text.replace(code, char)
    return text


def _private_folder(folder: Path) -> None:
    """Make a folder for this user alone, its parents too if missing; each is on disk when this returns.

    One that is there must be ours and no link. Others' read permission is taken away; if they could write, what is in
    it may be theirs: PROTECTED_PATH.
    """
    if not os.path.lexists(folder.parent):
        _private_folder(folder.parent)
    try:
        os.mkdir(folder, 0o700)
        fsync_folder(folder.parent)
    except FileExistsError:
        pass
    except OSError as error:
        raise WorkroomError(ErrorCode.IO_ERROR, f"{folder} can't be made: {error.strerror}.") from error
    try:
        status = os.lstat(folder)
    except OSError as error:  # pragma: no cover - it was there a moment ago
        raise WorkroomError(ErrorCode.IO_ERROR, f"{folder} can't be looked at: {error.strerror}.") from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise _not_private(folder)
    if status.st_mode & 0o077:
        os.chmod(folder, 0o700)


def _not_private(path: Path) -> WorkroomError:
    return WorkroomError(
        ErrorCode.PROTECTED_PATH,
        f"{path} must belong to you alone: no link, no other owner, no permissions for others.",
        next_step="Look at what is in it, then take the permissions away or delete it.",
    )


def _read_rows(file: Path, name: str, *, mend: str) -> list[dict[str, Any]]:
    """The rows of a file that nobody else can read, none where there is no file; IO_ERROR where it is damaged."""
    if not os.path.lexists(file):
        return []
    body = _read_private(file, _ROWS_BYTES)
    try:
        return [dict(row) for row in json.loads(body)[name]]
    except (ValueError, TypeError, KeyError) as error:
        raise WorkroomError(ErrorCode.IO_ERROR, f"{file} is damaged: {error}.", next_step=mend) from error


def _write_rows(file: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    _write(file, json.dumps({"version": 1, name: rows}, indent=1).encode("ascii"))


def _write(target: Path, body: bytes) -> None:
    """Replace a file whole; on disk when this returns. IO_ERROR: it is the old one or the new one."""
    aside = _aside(target)
    try:
        _write_new(aside, body)
        os.rename(aside, target)
        fsync_folder(target.parent)
    except OSError as error:
        with suppress(OSError):
            os.unlink(aside)
        raise WorkroomError(ErrorCode.IO_ERROR, f"{target} can't be written: {error.strerror}.") from error


def _write_new(path: Path, body: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())


def _read_private(path: Path, most: int) -> bytes:
    """The first `most` bytes of a file that is this user's alone; PROTECTED_PATH when it isn't."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:  # a link
        raise _not_private(path) from error
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise _not_private(path)
        return file.read(most)


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(6).hex()}")
