"""The state directory with real folders, real files and a list of mounts given as a value."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system import state as module
from workroom.system.state import SOCKET_PATH_BYTES, Binding, StateDirectory

NOBODY = 65534


@pytest.fixture
def state(tmp_path: Path) -> StateDirectory:
    made = StateDirectory(tmp_path / "state")
    made.make()
    return made


def bind(state: StateDirectory, folder: Path, adopt: Path | None = None) -> str:
    status = os.stat(folder)
    return state.bind(str(folder), status.st_dev, status.st_ino, adopt).name


def folder(path: Path) -> Path:
    path.mkdir()
    (path / "file").write_text("content")
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def settle(file: Path) -> None:
    """Give a file the time of an hour ago: it is old enough to be believed."""
    then = time.time_ns() - 3600 * 10**9
    os.utime(file, ns=(then, then))


# The directory itself.


def test_make_makes_private_folders_and_their_parents(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "deep" / "er" / "state")
    state.make()
    state.make()
    for path in (tmp_path / "deep", state.path, state.log_folder, state.path / "workspaces"):
        assert mode(path) == 0o700
    assert state.warning == ""


def test_make_takes_away_what_others_could_read(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    os.chmod(tmp_path / "state", 0o755)
    StateDirectory(tmp_path / "state").make()
    assert mode(tmp_path / "state") == 0o700


def test_make_refuses_what_others_could_write(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    os.chmod(tmp_path / "state", 0o770)
    with pytest.raises(WorkroomError, match="must belong to you alone") as caught:
        StateDirectory(tmp_path / "state").make()
    assert caught.value.code == ErrorCode.PROTECTED_PATH


def test_make_refuses_a_link_or_a_file_in_its_place(state: StateDirectory, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    state.log_folder.rmdir()
    state.log_folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkroomError, match="no link"):
        state.make()
    state.log_folder.unlink()
    state.log_folder.write_text("")
    with pytest.raises(WorkroomError, match="must belong to you alone"):
        state.make()


def test_make_refuses_another_users_folder(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        theirs = tmp_path / "theirs"
        theirs.mkdir(mode=0o700)
        os.chown(theirs, NOBODY, NOBODY)
    else:
        theirs = Path("/usr")
    with pytest.raises(WorkroomError, match="no other owner"):
        StateDirectory(theirs).make()


def test_make_says_why_a_folder_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkroomError, match="can't be made: Not a directory") as caught:
        StateDirectory(tmp_path / "file" / "state").make()
    assert caught.value.code == ErrorCode.IO_ERROR


def test_a_link_to_the_state_directory_is_resolved_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert StateDirectory(tmp_path / "link").path == tmp_path / "real"


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "fuse.sshfs"])
def test_a_network_file_system_is_refused(tmp_path: Path, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:50 / {tmp_path} rw shared:1 - {kind} server:/x rw\n")
    state = StateDirectory(tmp_path / "state", mounts=mounts)
    with pytest.raises(WorkroomError, match="local disk") as caught:
        state.make()
    assert caught.value.code == ErrorCode.UNSUPPORTED
    assert not state.path.exists()


@pytest.mark.parametrize(("kind", "told"), [("tmpfs", "in memory"), ("overlay", "container's layer"), ("ext4", "")])
def test_a_passing_file_system_is_warned_of(tmp_path: Path, kind: str, told: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"1 0 0:5 / / rw - {kind} {kind} rw\n")
    state = StateDirectory(tmp_path / "state", mounts=mounts)
    state.make()
    assert told in state.warning
    assert bool(state.warning) == bool(told)


def test_the_mount_nearest_to_the_path_counts_and_the_latest_of_two(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "1 0 8:1 / / rw - ext4 /dev/a rw\n"
        "2 1 0:50 / /home rw - autofs x rw\n"
        "3 1 0:51 / /home rw - nfs x rw\n"
        "4 1 0:52 / /home/a\\040b rw - xfs x rw\n"
    )
    assert module._file_system("/home/me", mounts) == "nfs"
    assert module._file_system("/homes/me", mounts) == "ext4"
    assert module._file_system("/home/a b", mounts) == "xfs"


def test_without_a_list_of_mounts_nothing_is_refused(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "state", mounts=tmp_path / "none")
    state.make()
    assert state.warning == ""


def test_importing_loads_nothing_but_the_standard_library() -> None:
    code = (
        "import sys, workroom.system.state;"
        "sys.exit(any(name in sys.modules for name in ('pydantic', 'apsw', 'tomlkit', 'subprocess', 'ctypes')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# The socket.


def test_the_socket_is_in_the_state_directory_when_its_path_is_short(tmp_path: Path) -> None:
    short = Path("/tmp") / f"w{os.getpid()}"
    try:
        socket = StateDirectory(short).socket_path()
        assert socket.parent == short
        assert socket == StateDirectory(short).socket_path()
        assert mode(short) == 0o700
    finally:
        shutil.rmtree(short)


def test_a_long_path_gets_a_short_socket_elsewhere_one_for_each_state_directory(tmp_path: Path) -> None:
    runtime = Path("/tmp") / f"r{os.getpid()}"
    try:
        one = StateDirectory(tmp_path / ("x" * 100), runtime=runtime).socket_path()
        two = StateDirectory(tmp_path / ("y" * 100), runtime=runtime).socket_path()
        assert one.parent == two.parent == runtime
        assert one != two
        assert len(os.fsencode(one)) <= SOCKET_PATH_BYTES
        assert mode(runtime) == 0o700
    finally:
        shutil.rmtree(runtime)


def test_without_a_runtime_folder_the_socket_is_in_one_of_this_user(tmp_path: Path) -> None:
    socket = StateDirectory(tmp_path / ("x" * 100)).socket_path()
    assert socket.parent == Path(f"/tmp/workroom-{os.geteuid()}")
    assert mode(socket.parent) == 0o700


def test_the_socket_folder_is_refused_when_it_is_a_link(tmp_path: Path) -> None:
    runtime = Path("/tmp") / f"l{os.getpid()}"
    runtime.symlink_to(tmp_path)
    try:
        with pytest.raises(WorkroomError, match="no link") as caught:
            StateDirectory(tmp_path / ("x" * 100), runtime=runtime).socket_path()
        assert caught.value.code == ErrorCode.PROTECTED_PATH
    finally:
        runtime.unlink()


def test_a_runtime_folder_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkroomError, match="too long for a socket") as caught:
        StateDirectory(tmp_path / ("x" * 100), runtime=tmp_path / ("y" * 100)).socket_path()
    assert caught.value.code == ErrorCode.LIMIT_EXCEEDED


# The person's key.


def test_the_key_is_made_once_and_for_this_user_alone(state: StateDirectory) -> None:
    key = state.person_key()
    assert len(bytes.fromhex(key)) == 32
    assert mode(state.key_file) == 0o600
    assert StateDirectory(state.path).person_key() == key


def test_makers_of_the_key_at_the_same_time_agree(state: StateDirectory) -> None:
    keys: list[str] = []
    threads = [threading.Thread(target=lambda: keys.append(state.person_key())) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 16
    assert len(set(keys)) == 1


def test_a_key_that_others_could_read_is_refused(state: StateDirectory) -> None:
    state.person_key()
    os.chmod(state.key_file, 0o640)
    with pytest.raises(WorkroomError, match=r"person\.key must belong to you alone"):
        state.person_key()


def test_a_link_in_the_place_of_the_key_is_refused(state: StateDirectory, tmp_path: Path) -> None:
    (tmp_path / "planted").write_text("0" * 64)
    os.chmod(tmp_path / "planted", 0o600)
    state.key_file.symlink_to(tmp_path / "planted")
    with pytest.raises(WorkroomError, match="no link") as caught:
        state.person_key()
    assert caught.value.code == ErrorCode.PROTECTED_PATH


def test_a_pipe_in_the_place_of_the_key_does_not_hang(state: StateDirectory) -> None:
    os.mkfifo(state.key_file, 0o600)
    with pytest.raises(WorkroomError, match="must belong to you alone"):
        state.person_key()


@pytest.mark.parametrize("body", [b"", b"0" * 63, b"0" * 65, b"G" * 64, b"\xff" * 64])
def test_a_damaged_key_is_told(state: StateDirectory, body: bytes) -> None:
    state.person_key()
    state.key_file.write_bytes(body)
    with pytest.raises(WorkroomError, match="is damaged") as caught:
        state.person_key()
    assert caught.value.code == ErrorCode.IO_ERROR


# Which folder has which store.


# Clients that come over HTTP.


def test_sessions_are_kept_for_the_next_server_once(state: StateDirectory) -> None:
    assert state.take_sessions() == []
    state.keep_sessions([{"key": "0", "lines": ["é"]}])
    assert mode(state.sessions_file) == 0o600
    assert StateDirectory(state.path).take_sessions() == [{"key": "0", "lines": ["é"]}]
    assert state.take_sessions() == []


@pytest.mark.parametrize("body", ["{", "[]", '{"version": 1}'])
def test_damaged_sessions_are_no_loss(state: StateDirectory, body: str) -> None:
    state.sessions_file.write_text(body)
    state.sessions_file.chmod(0o600)
    assert state.take_sessions() == []
    assert not state.sessions_file.exists()


def test_sessions_that_others_could_have_written_are_not_believed(state: StateDirectory) -> None:
    state.keep_sessions([{"key": "0"}])
    state.sessions_file.chmod(0o644)
    assert state.take_sessions() == []


def test_a_port_is_left_to_the_next_server_once(state: StateDirectory) -> None:
    assert state.take_http() is None
    state.keep_http(7117)
    assert StateDirectory(state.path).take_http() == 7117
    assert state.take_http() is None


@pytest.mark.parametrize("body", ["{", "[]", '{"port": 80, "at": 1.5}', '{"port": "x", "at": 9e99}'])
def test_a_port_that_was_left_long_ago_or_is_damaged_counts_nothing(state: StateDirectory, body: str) -> None:
    left = state.path / "http.json"
    left.write_text(body)
    left.chmod(0o600)
    assert state.take_http() is None
    assert not left.exists()


def test_there_are_no_clients_at_first(state: StateDirectory) -> None:
    assert list(state.read_clients()) == []


def test_clients_are_kept_for_this_user_alone(state: StateDirectory) -> None:
    with state.changed_clients() as rows:
        rows.append({"id": "client_1", "sha256": "0"})
    assert mode(state.clients_file) == 0o600
    assert list(StateDirectory(state.path).read_clients()) == [{"id": "client_1", "sha256": "0"}]
    settle(state.clients_file)
    assert state.read_clients() == state.read_clients()
    assert state.read_clients() is state.read_clients(), "read once while nothing changes"
    with state.changed_clients() as rows:
        rows.clear()
    assert list(state.read_clients()) == []


def test_a_change_of_clients_that_fails_changes_nothing(state: StateDirectory) -> None:
    def change() -> None:
        with state.changed_clients() as rows:
            rows.append({"id": "client_1"})
            raise KeyError

    with pytest.raises(KeyError):
        change()
    assert list(state.read_clients()) == []


def test_clients_that_others_could_have_written_are_refused(state: StateDirectory) -> None:
    with state.changed_clients() as rows:
        rows.append({"id": "client_1"})
    os.chmod(state.clients_file, 0o644)
    with pytest.raises(WorkroomError, match=r"clients\.json must belong to you alone") as caught:
        StateDirectory(state.path).read_clients()
    assert caught.value.code == ErrorCode.PROTECTED_PATH


@pytest.mark.parametrize("body", ["", "[]", '{"clients": 3}', '{"clients": ["x"]}', "{}"])
def test_damaged_clients_are_told(state: StateDirectory, body: str) -> None:
    state.clients_file.write_text(body)
    state.clients_file.chmod(0o600)
    with pytest.raises(WorkroomError, match="is damaged") as caught:
        state.read_clients()
    assert caught.value.code == ErrorCode.IO_ERROR


def test_the_folder_of_a_store_is_found_while_it_is_there(state: StateDirectory, tmp_path: Path) -> None:
    there = folder(tmp_path / "there")
    store = bind(state, there)
    assert state.folder_of(store) == str(there)
    assert state.folder_of("nobody") is None
    there.rename(tmp_path / "moved")
    assert state.folder_of(store) is None
    folder(there)
    assert state.folder_of(store) is None, "another folder at its place isn't it"
    assert bind(state, tmp_path / "moved") == store
    assert state.folder_of(store) == str(tmp_path / "moved")
    copy = folder(tmp_path / "copy")
    own = bind(state, copy)
    bind(state, copy, tmp_path / "moved")
    assert state.folder_of(store) == str(copy)
    assert state.folder_of(own) is None, "its folder went to another store"


def test_a_folder_keeps_its_store(state: StateDirectory, tmp_path: Path) -> None:
    work = folder(tmp_path / "work")
    store = bind(state, work)
    assert bind(state, work) == store
    assert bind(StateDirectory(state.path), work) == store
    assert mode(state.store_folder(store)) == 0o700
    assert [one.path for one in state.workspaces()] == [str(work)]


def test_two_folders_have_two_stores(state: StateDirectory, tmp_path: Path) -> None:
    assert bind(state, folder(tmp_path / "one")) != bind(state, folder(tmp_path / "two"))


def test_a_moved_folder_keeps_its_store(state: StateDirectory, tmp_path: Path) -> None:
    store = bind(state, folder(tmp_path / "work"))
    moved = (tmp_path / "work").rename(tmp_path / "moved")
    assert bind(state, moved) == store
    assert [one.path for one in state.workspaces()] == [str(moved)]


def test_a_copied_folder_gets_a_new_store(state: StateDirectory, tmp_path: Path) -> None:
    store = bind(state, folder(tmp_path / "work"))
    shutil.copytree(tmp_path / "work", tmp_path / "copy")
    assert bind(state, tmp_path / "copy") != store
    assert bind(state, tmp_path / "work") == store


def test_another_folder_at_the_same_path_gets_a_new_store(state: StateDirectory, tmp_path: Path) -> None:
    store = bind(state, folder(tmp_path / "work"))
    (tmp_path / "work").rename(tmp_path / "old")
    new = bind(state, folder(tmp_path / "work"))
    assert new != store
    assert bind(state, tmp_path / "old") == store
    assert bind(state, tmp_path / "work") == new


def test_a_folder_with_the_inode_of_a_deleted_one_gets_a_new_store(state: StateDirectory, tmp_path: Path) -> None:
    if not module._statx_birth(str(tmp_path)):
        pytest.skip("this file system keeps no time of birth")
    stores = set()
    for number in range(5):
        work = folder(tmp_path / f"work{number}")  # ext4 gives each of these the same inode
        stores.add(bind(state, work))
        shutil.rmtree(work)
        time.sleep(0.02)  # the clock of births ticks every few milliseconds
    assert len(stores) == 5


def test_a_folder_is_believed_in_nothing_that_it_brings(state: StateDirectory, tmp_path: Path) -> None:
    store = bind(state, folder(tmp_path / "work"))
    clone = folder(tmp_path / "clone")
    (clone / ".agentic").mkdir()
    for name in ("bindings.json", "workspace.db", "settings.toml", "store"):
        (clone / ".agentic" / name).write_text(f'mode = "auto" # {store} {state.store_folder(store)}')
    new = state.store_folder(bind(state, clone))
    assert new.name != store
    assert list(new.iterdir()) == []
    assert state.read_settings(new) == ({}, {})


KNOWN = Binding("s", "/work", device=1, inode=2, born=3)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Binding("", "/work", 1, 2, 3), True),
        (Binding("", "/moved", 1, 2, 3), True),
        (Binding("", "/work", 9, 2, 3), True),  # the disk has another number since the restart
        (Binding("", "/moved", 9, 2, 3), False),
        (Binding("", "/work", 1, 9, 3), False),
        (Binding("", "/work", 1, 2, 9), False),
        (Binding("", "/moved", 1, 2, 0), True),
        (Binding("", "/work", 9, 2, 0), False),
    ],
)
def test_what_tells_folders_apart(other: Binding, *, same: bool) -> None:
    assert KNOWN.is_of(other) is same
    assert other.is_of(KNOWN) is same


def test_a_disk_with_another_number_is_recorded(state: StateDirectory, tmp_path: Path) -> None:
    work = folder(tmp_path / "work")
    if not module._statx_birth(str(work)):
        pytest.skip("this file system keeps no time of birth")
    inode = os.stat(work).st_ino
    store = state.bind(str(work), 1, inode)
    assert state.bind(str(work), 2, inode) == store
    assert [one.device for one in state.workspaces()] == [2]


def test_a_folder_that_moved_while_it_was_opened_is_known_by_device_and_inode(state: StateDirectory) -> None:
    store = state.bind("/nowhere/at/all", 1, 2)
    assert state.bind("/nowhere/at/all", 1, 2) == store
    assert state.bind("/", 1, os.stat("/").st_ino + 1) != store
    assert [one.born for one in state.workspaces()] == [0, 0]
    assert module._statx_birth("/nowhere/at/all") == 0


def test_a_copy_adopts_the_store_of_the_original(state: StateDirectory, tmp_path: Path) -> None:
    work = folder(tmp_path / "work")
    store = bind(state, work)
    shutil.copytree(work, tmp_path / "copy")
    assert bind(state, tmp_path / "copy", adopt=work) == store
    assert bind(state, tmp_path / "copy") == store
    assert bind(state, work) != store


def test_a_folder_back_from_a_backup_adopts_the_store_of_its_path(state: StateDirectory, tmp_path: Path) -> None:
    work = folder(tmp_path / "work")
    store = bind(state, work)
    shutil.copytree(work, tmp_path / "backup")
    shutil.rmtree(work)
    shutil.copytree(tmp_path / "backup", work)
    opened_without = bind(state, work)
    assert opened_without != store
    assert bind(state, work, adopt=work) == store
    assert bind(state, work, adopt=work) == store  # again: nothing to do
    assert bind(state, work) == store
    assert {one.store for one in state.workspaces()} == {store, opened_without}


def test_a_store_is_adopted_by_its_own_folder_recorded_or_not(state: StateDirectory, tmp_path: Path) -> None:
    store = bind(state, folder(tmp_path / "work"))
    (state.path / "bindings.json").unlink()
    assert bind(state, folder(tmp_path / "other"), adopt=state.store_folder(store)) == store


@pytest.mark.parametrize("name", ["never", "state/workspaces/none", "state/workspaces", "state"])
def test_nothing_else_can_be_adopted(state: StateDirectory, tmp_path: Path, name: str) -> None:
    work = folder(tmp_path / "work")
    with pytest.raises(WorkroomError, match="No store belongs to") as caught:
        bind(state, work, adopt=tmp_path / name)
    assert caught.value.code == ErrorCode.NOT_FOUND
    assert state.workspaces() == []


def test_binders_at_the_same_time_agree(state: StateDirectory, tmp_path: Path) -> None:
    folders = [folder(tmp_path / f"work{number}") for number in range(4)]
    found: list[tuple[Path, str]] = []

    def work() -> None:
        found.extend((one, bind(StateDirectory(state.path), one)) for one in folders)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 24
    assert len(set(found)) == 4
    assert len(state.workspaces()) == 4


def test_a_name_that_is_not_text_is_recorded(state: StateDirectory, tmp_path: Path) -> None:
    work = Path(os.fsdecode(os.fsencode(tmp_path) + b"/w\xff"))
    try:
        folder(work)
    except OSError:
        pytest.skip("this file system takes no such name")
    assert bind(state, work) == bind(state, work)
    assert state.workspaces()[0].path == str(work)


@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"workspaces": [{"store": 1}]}', '{"workspaces": [1]}'])
def test_damaged_bindings_are_told_and_never_replaced(state: StateDirectory, tmp_path: Path, body: str) -> None:
    bindings = state.path / "bindings.json"
    bindings.write_text(body)
    with pytest.raises(WorkroomError, match=r"bindings\.json is damaged") as caught:
        bind(state, folder(tmp_path / "work"))
    assert caught.value.code == ErrorCode.IO_ERROR
    assert bindings.read_text() == body


def test_bindings_that_cannot_be_written_leave_the_old_ones(state: StateDirectory, tmp_path: Path) -> None:
    (state.path / "target").mkdir()
    with pytest.raises(WorkroomError, match="can't be written") as caught:
        module._write(state.path / "target", b"body")
    assert caught.value.code == ErrorCode.IO_ERROR
    with pytest.raises(WorkroomError, match="can't be written: No such file"):
        module._write(state.path / "none" / "target", b"body")
    assert sorted(one.name for one in state.path.iterdir()) == ["audit", "grammars", "logs", "target", "workspaces"]


def test_bindings_are_plain_json(state: StateDirectory, tmp_path: Path) -> None:
    store = bind(state, folder(tmp_path / "work"))
    body = json.loads((state.path / "bindings.json").read_text())
    assert body["version"] == 1
    assert body["workspaces"][0]["store"] == store
    assert mode(state.path / "bindings.json") == 0o600


# Settings.


def test_without_files_there_are_no_settings(state: StateDirectory, tmp_path: Path) -> None:
    assert state.read_settings(None) == ({}, {})
    (tmp_path / "file").write_text("")
    assert state.read_settings(tmp_path / "file") == ({}, {})


def test_the_users_and_the_workspaces_settings_are_read(state: StateDirectory, tmp_path: Path) -> None:
    store = state.store_folder(bind(state, folder(tmp_path / "work")))
    state.write_setting(state.settings_file, "mode", "auto")
    state.write_setting(store / "settings.toml", "mode", "manual")
    assert state.read_settings(store) == ({"mode": "auto"}, {"mode": "manual"})
    assert state.read_settings(None) == ({"mode": "auto"}, {})
    assert mode(state.settings_file) == 0o600


def test_a_change_is_seen_at_once_and_an_unchanged_file_not_read_again(state: StateDirectory) -> None:
    state.settings_file.write_text('mode = "auto"')
    settle(state.settings_file)
    first, _ = state.read_settings(None)
    again, _ = state.read_settings(None)
    assert again is first
    for value in ("plan", "auto", "plan"):  # within one tick of the clock, in place, of the same size
        state.settings_file.write_text(f'mode = "{value}"')
        assert state.read_settings(None)[0] == {"mode": value}
    state.settings_file.unlink()
    assert state.read_settings(None)[0] == {}


def test_settings_read_cannot_be_changed_in_place(state: StateDirectory) -> None:
    state.write_setting(state.settings_file, "mode", "auto")
    values, _ = state.read_settings(None)
    with pytest.raises(TypeError):
        values["mode"] = "manual"  # type: ignore[index]


@pytest.mark.parametrize("body", [b"mode = ", b"mode = 1\nmode = 2", b"\xff\xfe", b'mode = "\x00"'])
def test_a_file_that_is_not_toml_is_named(state: StateDirectory, body: bytes) -> None:
    state.settings_file.write_bytes(body)
    with pytest.raises(WorkroomError, match=r"settings\.toml is not valid TOML") as caught:
        state.read_settings(None)
    assert caught.value.code == ErrorCode.INVALID_INPUT
    with pytest.raises(WorkroomError, match=r"mode can't be set in .*settings\.toml"):
        state.write_setting(state.settings_file, "mode", "auto")
    assert state.settings_file.read_bytes() == body


def test_a_file_that_cannot_be_read_is_named(state: StateDirectory) -> None:
    state.settings_file.mkdir()
    with pytest.raises(WorkroomError, match="can't be read: Is a directory") as caught:
        state.read_settings(None)
    assert caught.value.code == ErrorCode.IO_ERROR
    with pytest.raises(WorkroomError, match="can't be read: Is a directory"):
        state.write_setting(state.settings_file, "mode", "auto")
    assert module._parse(state.path / "gone since") == {}


def test_writing_keeps_comments_order_and_tables(state: StateDirectory) -> None:
    state.settings_file.write_text('# mine\nmode = "plan" # for now\nother = 1\n\n[table]\nx = 1\n')
    state.write_setting(state.settings_file, "mode", "auto")
    state.write_setting(state.settings_file, "max_tool_result_chars", 5000)
    text = state.settings_file.read_text()
    assert text.startswith('# mine\nmode = "auto" # for now\nother = 1\n')
    assert state.read_settings(None)[0] == {
        "mode": "auto",
        "other": 1,
        "max_tool_result_chars": 5000,
        "table": {"x": 1},
    }


def test_writing_keeps_line_endings(state: StateDirectory) -> None:
    state.settings_file.write_bytes(b"# mine\r\nother = 1\r\n")
    state.write_setting(state.settings_file, "other", 2)
    assert state.settings_file.read_bytes() == b"# mine\r\nother = 2\r\n"


def test_setting_removes_aliases_and_none_removes_all(state: StateDirectory) -> None:
    state.settings_file.write_text("# first\npermissionMode = 2\nmode = 1\n")
    state.write_setting(state.settings_file, "mode", "manual", aliases=["permissionMode"])
    assert state.read_settings(None)[0] == {"mode": "manual"}
    state.settings_file.write_text("permissionMode = 2\nmode = 1\nkept = 1\n")
    state.write_setting(state.settings_file, "mode", None, aliases=["permissionMode"])
    assert state.read_settings(None)[0] == {"kept": 1}
    state.write_setting(state.settings_file, "never there", None)
    assert state.read_settings(None)[0] == {"kept": 1}


@pytest.mark.parametrize("value", ["a\nb", 'q"\\', True, 0, 1.5, ["a", "b"], [], {"a": 1}, "\u202e", "ü"])
def test_values_come_back_as_they_were_set(state: StateDirectory, value: object) -> None:
    state.write_setting(state.settings_file, "key", value)
    assert state.read_settings(None)[0] == {"key": value}


@pytest.mark.parametrize("value", [object(), {1, 2}, [None], "\ud800"])
def test_a_value_that_toml_has_not_is_refused(state: StateDirectory, value: object) -> None:
    state.write_setting(state.settings_file, "key", 1)
    with pytest.raises(WorkroomError, match="key can't be set") as caught:
        state.write_setting(state.settings_file, "key", value)
    assert caught.value.code == ErrorCode.INVALID_INPUT
    assert state.read_settings(None)[0] == {"key": 1}


def test_a_linked_settings_file_stays_a_link(state: StateDirectory, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("# in my dotfiles\n")
    state.settings_file.symlink_to(tmp_path / "dotfiles.toml")
    state.write_setting(state.settings_file, "mode", "auto")
    assert state.settings_file.is_symlink()
    assert (tmp_path / "dotfiles.toml").read_text() == '# in my dotfiles\nmode = "auto"\n'


def test_writers_at_the_same_time_lose_nothing(state: StateDirectory) -> None:
    threads = [
        threading.Thread(target=state.write_setting, args=(state.settings_file, f"key{number}", number))
        for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.read_settings(None)[0] == {f"key{number}": number for number in range(12)}


def test_settings_that_cant_be_looked_at_are_told(tmp_path):
    with pytest.raises(WorkroomError, match="can't be read") as caught:
        StateDirectory(tmp_path).read_settings(tmp_path / ("x" * 300))
    assert caught.value.code is ErrorCode.IO_ERROR


def test_pages_are_kept_private(state: StateDirectory) -> None:
    assert state.read_pages() == []
    with state.changed_pages() as rows:
        rows.append({"id": "page_1"})
    assert mode(state.page_file) == 0o600
    assert StateDirectory(state.path).read_pages() == [{"id": "page_1"}]
    state.page_file.chmod(0o644)
    with pytest.raises(WorkroomError, match="alone"):
        state.read_pages()


@pytest.mark.parametrize("body", ["{", "[]", '{"version": 1}'])
def test_damaged_pages_are_told(state: StateDirectory, body: str) -> None:
    state.page_file.write_text(body)
    state.page_file.chmod(0o600)
    with pytest.raises(WorkroomError, match="damaged"):
        state.read_pages()
