"""The opened folder: what is seen, read and refused, by the kernel's way and by the walk."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import signal
import socket
import stat
import subprocess
import threading
import time

import pytest
from tests.limits import few_descriptors, open_descriptors
from tests.moments import just_before

from workroom.base.changes import ABSENT, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system import syscalls
from workroom.system.root import Root, _nowhere, refusal


@pytest.fixture(params=[False, True], ids=["kernel", "walk"])
def root(request, tmp_path):
    (tmp_path / "ws").mkdir()
    with Root.open(tmp_path / "ws", walk=request.param) as opened:
        yield opened


@pytest.fixture
def here(tmp_path):
    return tmp_path / "ws"


@contextlib.contextmanager
def refused(code: ErrorCode, match: str | None = None):
    with pytest.raises(WorkroomError, match=match) as caught:
        yield
    assert caught.value.code is code


def test_opening(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with refused(ErrorCode.NOT_FOUND):
        Root.open(tmp_path / "none")
    (tmp_path / "round").symlink_to("round")
    with refused(ErrorCode.INVALID_INPUT, "not a folder"):
        Root.open(tmp_path / "file")
    with refused(ErrorCode.INVALID_INPUT, "round"):
        Root.open(tmp_path / "round")
    with Root.open(tmp_path) as root:
        assert root.path == os.path.realpath(tmp_path)
        assert (root.device, root.inode) == (tmp_path.stat().st_dev, tmp_path.stat().st_ino)
        assert not os.get_inheritable(root.fd)
    assert root.fd == -1
    root.close()


def test_the_name_it_was_opened_by_is_as_good(tmp_path):
    (tmp_path / "real/ws").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real/ws")
    with Root.open(tmp_path / "link") as root:
        assert root.path == str(tmp_path / "real/ws")
        assert root.parse(f"{tmp_path}/link/a/b") == "a/b"
        assert root.parse(f"{tmp_path}/real/ws/a") == "a"
        assert root.parse_write(f"{tmp_path}/link/a") == "a"
        assert root.parse(f"{tmp_path}/link") == "."
        with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE):
            root.parse(f"{tmp_path}/link-evil/a")
    with Root.open(f"{tmp_path}/link/../ws") as root:  # the kernel's `..`, not the text's
        assert root.path == str(tmp_path / "real/ws")
        with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE):
            root.parse(f"{tmp_path}/ws/a")
    with Root.open("/") as root:
        assert root.parse("/etc/hosts") == "etc/hosts"


def test_a_refusal_names_what_was_asked_for(root, here, tmp_path):
    (here / "folder").mkdir()
    os.mkfifo(here / "fifo")
    (here / "large").write_bytes(b"12345")
    long = "folder/" + "n" * 256
    for path, look in {
        long: root.stat,
        f"{long}1": root.state,
        f"{long}2": root.resolve,
        "none": root.scan,
        "nobody": root.readlink,
        "absent": root.open_file,
        "missing": lambda path: root.folder(path).__enter__(),
        "fifo/x": lambda path: root.folder(path).__enter__(),
        "fifo": root.open_file,
        "folder": root.make_folder,
        "large": lambda path: root.read(path, 4),
    }.items():
        with pytest.raises(WorkroomError) as caught:
            look(path)
        assert repr(path) in caught.value.message
    with pytest.raises(WorkroomError) as caught:
        Root.open(tmp_path / "nowhere")
    assert str(tmp_path / "nowhere") in caught.value.message


def test_no_call_leaves_a_descriptor_open(root, here, tmp_path):
    def become_fifo():
        (here / "a/x").unlink()
        os.mkfifo(here / "a/x")

    (here / "a").mkdir()
    (here / "a/x").write_bytes(b"")
    (here / "a/file").write_bytes(b"")
    root.capabilities()
    open_before = open_descriptors()
    with just_before("open", "x", become_fifo), refused(ErrorCode.INVALID_INPUT):
        root.open_file("a/x")
    root.read("a/file")
    root.state("a/file")
    root.stat("a/file")
    root.scan("a")
    assert open_descriptors() == open_before


def test_resolve(root, here):
    (here / "real/sub").mkdir(parents=True)
    (here / "real/file").write_bytes(b"")
    (here / "folder").symlink_to("real")
    (here / "absolute").symlink_to(here / "real")
    (here / "dangling").symlink_to("real/not/yet")
    (here / "out").symlink_to("/etc")
    (here / "round").symlink_to("round")
    for path, leads_to in {
        ".": ".",
        "real/file": "real/file",
        "real/none/x": "real/none/x",
        "real/file/x": "real/file/x",
        "folder": "real",
        "folder/sub": "real/sub",
        "folder/none": "real/none",
        "absolute/file": "real/file",
        "dangling": "real/not/yet",
    }.items():
        assert root.resolve(path) == leads_to
    assert root.resolve("folder", last=False) == "folder"
    assert root.resolve("out", last=False) == "out"
    assert root.resolve("none", last=False) == "none"
    with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE):
        root.resolve("out/passwd", last=False)
    with refused(ErrorCode.INVALID_INPUT, "circle"):
        root.resolve("round")
    with refused(ErrorCode.INVALID_INPUT, "too long"):
        root.resolve("x" * 256)


def test_split(root):
    assert root.split("a") == (".", "a")
    assert root.split("a/b/c") == ("a/b", "c")
    with refused(ErrorCode.INVALID_INPUT):
        root.split(".")


def test_stat(root, here):
    (here / "a").mkdir()
    (here / "a/file").write_bytes(b"12345")
    (here / "a/file").chmod(0o4751)
    os.link(here / "a/file", here / "again")
    (here / "link").symlink_to("a/file")
    (here / "folder").symlink_to("a")
    os.mkfifo(here / "fifo")
    seen = root.stat("a/file")
    info = (here / "a/file").stat()
    assert (seen.path, seen.kind, seen.size, seen.mode, seen.links) == ("a/file", Kind.FILE, 5, 0o4751, 2)
    assert (seen.mtime_ns, seen.device, seen.inode) == (info.st_mtime_ns, info.st_dev, info.st_ino)
    assert seen.target is None
    assert root.stat("a").kind is Kind.DIRECTORY
    assert root.stat(".").inode == root.inode
    assert (root.stat("link").kind, root.stat("link").target) == (Kind.SYMLINK, "a/file")
    assert root.stat("fifo").kind is Kind.OTHER
    for absent in ("none", "none/x", "a/file/x", "folder/file"):
        assert root.stat(absent) is None
    with refused(ErrorCode.INVALID_INPUT):
        root.stat("y" * 300)


def test_state(root, here):
    (here / "file").write_bytes(b"abc")
    (here / "file").chmod(0o640)
    (here / "link").symlink_to("file")
    (here / "folder").mkdir(mode=0o750)
    os.mkfifo(here / "fifo", 0o600)
    assert root.state("file") == State(Kind.FILE, hashlib.sha256(b"abc").hexdigest(), 3, 0o640)
    assert root.state("link") == State(Kind.SYMLINK, hashlib.sha256(b"file").hexdigest(), 4)
    assert root.state("folder") == State(Kind.DIRECTORY, mode=0o750)
    assert root.state("fifo") == State(Kind.OTHER, mode=0o600)
    assert root.state("none") is ABSENT


def test_what_changes_between_two_looks_is_looked_at_again(root, here):
    def become_folder():
        (here / "x").unlink()
        (here / "x").mkdir()

    (here / "x").write_bytes(b"")
    with just_before("open", "x", become_folder):
        assert root.state("x").kind is Kind.DIRECTORY
    (here / "y").write_bytes(b"")
    with just_before("open", "y", (here / "y").unlink):
        assert root.state("y") is ABSENT

    def become_link():
        (here / "z").unlink()
        (here / "z").symlink_to("x")

    (here / "z").write_bytes(b"")
    with just_before("open", "z", become_link):
        assert root.state("z").kind is Kind.SYMLINK


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="leases are Linux's")
def test_a_file_that_another_program_keeps_to_itself_is_no_absent_one(root, here):
    (here / "kept").write_bytes(b"")
    holder = os.open(here / "kept", os.O_WRONLY)
    try:
        fcntl.fcntl(holder, fcntl.F_SETSIG, signal.SIGURG)  # ignored, where SIGIO would end the process
        fcntl.fcntl(holder, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        with refused(ErrorCode.IO_ERROR):
            root.state("kept")
    finally:
        os.close(holder)


def test_reading(root, here):
    (here / "a").mkdir()
    (here / "a/file").write_bytes(b"some bytes")
    (here / "empty").write_bytes(b"")
    large = os.urandom(3_000_001)
    (here / "large").write_bytes(large)
    assert root.read("a/file") == b"some bytes"
    assert root.read("empty", 0) == b""
    assert root.read("large") == large
    assert root.state("large").sha256 == hashlib.sha256(large).hexdigest()
    data, seen = root.read_with_stat("a/file")
    assert (data, seen) == (b"some bytes", root.stat("a/file"))
    assert root.read("a/file", 10) == b"some bytes"
    with pytest.raises(WorkroomError, match="10 bytes; the limit is 9") as caught:
        root.read("a/file", 9)
    assert (caught.value.code, caught.value.details) == (ErrorCode.LIMIT_EXCEEDED, {"bytes": 10, "limit": 9})


def test_a_file_that_tells_no_size_is_read_to_its_end():
    with Root.open("/proc/self") as proc:
        whole = proc.read("status")
        assert proc.stat("status").size == 0
        assert whole.startswith(b"Name:")
        for limit in (1, 10):
            with refused(ErrorCode.LIMIT_EXCEEDED, "'status'"):
                proc.read("status", limit)
        with refused(ErrorCode.IO_ERROR, "'mem'"):
            proc.read("mem")
        with refused(ErrorCode.IO_ERROR):
            proc.state("mem")


def test_what_is_no_file_is_not_opened(root, here, tmp_path):
    (here / "folder").mkdir()
    (here / "link").symlink_to("folder")
    (tmp_path / "outside").mkdir()
    (here / "out").symlink_to(tmp_path / "outside")
    for path, code, word in [
        ("none", ErrorCode.NOT_FOUND, "does not exist"),
        ("folder", ErrorCode.INVALID_INPUT, "a folder"),
        (".", ErrorCode.INVALID_INPUT, "a folder"),
        ("link", ErrorCode.INVALID_INPUT, "a link"),
        ("out/x", ErrorCode.PATH_OUTSIDE_WORKSPACE, "link"),
    ]:
        with refused(code, word):
            root.read(path)


def test_a_fifo_put_in_a_files_place_at_the_last_moment_does_not_hang(root, here):
    def become_fifo():
        (here / "x").unlink()
        os.mkfifo(here / "x")

    (here / "x").write_bytes(b"")
    begun = time.monotonic()
    with just_before("open", "x", become_fifo), refused(ErrorCode.INVALID_INPUT, "'x' is a FIFO"):
        root.open_file("x")
    assert time.monotonic() - begun < 60


def test_a_link_put_in_a_files_place_at_the_last_moment_is_not_followed(root, here, tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")

    def become_link():
        (here / "x").unlink()
        (here / "x").symlink_to(tmp_path / "secret")

    (here / "x").write_bytes(b"")
    with just_before("open", "x", become_link), refused(ErrorCode.PATH_OUTSIDE_WORKSPACE):
        root.read("x")


def test_names(root, here):
    (here / "b").mkdir()
    (here / ".workroom-stage-1").write_bytes(b"")
    assert sorted(root.names(".")) == [".workroom-stage-1", "b"]
    assert root.names("b") == root.names("gone") == root.names(".workroom-stage-1") == []


@pytest.mark.parametrize("folder", [".", "b", "b/gone"])
def test_a_file_system_that_tells_cases_apart(root, here, folder):
    assert not root.folds_names(folder)  # nothing there to ask about
    (here / "b").mkdir()
    (here / "b/1").write_bytes(b"")
    assert not root.folds_names(folder)
    (here / "B").mkdir()
    (here / "b/2").mkdir()
    (here / "b/x").write_bytes(b"")
    (here / "X").write_bytes(b"")  # another folder's
    assert not root.folds_names(folder)


def test_two_names_that_differ_by_case_alone_are_told_apart(root, here):
    (here / "a").write_bytes(b"")
    (here / "A").write_bytes(b"")
    assert not root.folds_names(".")


def test_a_name_that_no_file_can_have_is_refused_by_that_name(root, here):
    (here / "b").mkdir()
    with pytest.raises(WorkroomError, match=r"'b/n+' is too long") as caught:
        root.stats("b", ["x", "n" * 300])
    assert caught.value.code is ErrorCode.INVALID_INPUT


def test_a_file_tells_when_anything_of_it_was_changed(root, here):
    (here / "a").write_bytes(b"")
    assert root.stat("a").ctime_ns == os.stat(here / "a").st_ctime_ns
    assert root.read_with_stat("a")[1].ctime_ns == os.stat(here / "a").st_ctime_ns


def test_scan(root, here):
    (here / "b").mkdir()
    (here / "a").write_bytes(b"1")
    (here / "c").symlink_to("/etc/passwd")
    (here / ".workroom-stage-1").write_bytes(b"")
    (here / "b/inner").write_bytes(b"")
    assert [(s.path, s.kind, s.target) for s in root.scan(".")] == [
        ("a", Kind.FILE, None),
        ("b", Kind.DIRECTORY, None),
        ("c", Kind.SYMLINK, "/etc/passwd"),
    ]
    assert [s.path for s in root.scan("b")] == ["b/inner"]
    assert root.scan("b")[0] == root.stat("b/inner")
    with refused(ErrorCode.NOT_FOUND):
        root.scan("none")
    with refused(ErrorCode.INVALID_INPUT, "not a folder"):
        root.scan("a")
    with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE):
        root.scan("c")


def test_names_that_are_no_text_can_be_reached(root, here):
    try:
        (here / os.fsdecode(b"caf\xe9")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes text only")
    (name,) = (seen.path for seen in root.scan("."))
    assert root.read(name) == b"x"


def test_readlink(root, here):
    (here / "link").symlink_to("../any where")
    (here / "file").write_bytes(b"")
    assert root.readlink("link") == "../any where"
    with refused(ErrorCode.INVALID_INPUT, "not a link"):
        root.readlink("file")
    with refused(ErrorCode.NOT_FOUND):
        root.readlink("none")


def test_folder(root, here):
    (here / "a/b").mkdir(parents=True)
    (here / "file").write_bytes(b"")
    (here / "link").symlink_to("a")
    with root.folder("a/b") as folder:
        assert os.path.samestat(os.fstat(folder), (here / "a/b").stat())
        os.fsync(folder)
        with pytest.raises(OSError, match="closed soon"):
            raise_in_block(root)
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(folder)
    with root.folder(".") as one, root.folder(".") as other:
        assert os.path.samestat(os.fstat(one), os.fstat(root.fd))
        with os.scandir(one) as entries:
            next(entries)
            assert len(os.listdir(other)) == 3  # each has a position of its own
    os.fstat(root.fd)
    for path, code in [
        ("file", ErrorCode.INVALID_INPUT),
        ("file/x", ErrorCode.NOT_FOUND),
        ("none", ErrorCode.NOT_FOUND),
        ("link", ErrorCode.PATH_OUTSIDE_WORKSPACE),
        ("link/b", ErrorCode.PATH_OUTSIDE_WORKSPACE),
    ]:
        with refused(code), root.folder(path):
            pass


def raise_in_block(root):
    with root.folder("a"):
        raise OSError(errno.EIO, "closed soon")


def test_make_folder(root, here):
    (here / "file").write_bytes(b"")
    root.make_folder("a")
    root.make_folder("a/b", 0o700)
    assert (here / "a/b").stat().st_mode & 0o777 == 0o700
    for path in ("a", "file", "."):
        with refused(ErrorCode.EDIT_CONFLICT):
            root.make_folder(path)
    with refused(ErrorCode.NOT_FOUND):
        root.make_folder("x/y")


def test_writable(root, here):
    (here / ".git").mkdir()
    (here / "src").mkdir()
    (here / "src/git").symlink_to("../.git")
    (here / "ok").symlink_to(".git/config")
    (here / "bad").symlink_to("/etc/passwd")
    (here / "code").symlink_to("src")
    assert root.check_writable("code/a") == "src/a"
    assert root.check_writable("bad", last=False) == "bad"
    for path in (".git/x", "ok", "src/git/x", "code/git/x", ".GIT"):
        with refused(ErrorCode.PROTECTED_PATH):
            root.check_writable(path)
    with refused(ErrorCode.PROTECTED_PATH, "person"):
        root.check_writable("code/key.pem", ("src/*.pem",))
    with refused(ErrorCode.PROTECTED_PATH, "person"):  # by the name that was asked for as well
        root.check_writable("code/a", ("code/*",))
    with refused(ErrorCode.PATH_OUTSIDE_WORKSPACE):
        root.check_writable("bad")


def test_new_names(root, here):
    (here / "aux").mkdir()
    (here / "aux/con").write_bytes(b"")
    root.check_new_name("aux/fine")
    root.check_new_name("aux/con")
    (here / "old.").mkdir()
    root.check_new_name("old./fine")
    for path in ("nul", "aux/nul", "aux/x.", "aux/a:b/c", "new/com1.txt"):
        with refused(ErrorCode.INVALID_INPUT, "Windows"):
            root.check_new_name(path)


def test_capabilities(root, here, request):
    found = root.capabilities()
    walks = "walk" in request.node.callspec.id or not syscalls.has_openat2()
    assert found["confinement"] == ("walk" if walks else "openat2")
    assert not walks or "as safe" in found["confinement_reason"]
    assert found["atomic_replace"] in {"exchange", "rename"}
    assert ("confinement_reason" in found) == (found["confinement"] == "walk")
    assert ("atomic_replace_reason" in found) == (found["atomic_replace"] == "rename")
    assert found["lease"] is True or "can't tell" in found["lease"]
    assert root.capabilities() == found
    assert os.listdir(here) == []


def test_the_kernels_way_is_taken_where_it_is_there(tmp_path):
    with Root.open(tmp_path) as root:
        assert root.capabilities()["confinement"] == ("openat2" if syscalls.has_openat2() else "walk")
    before = open_descriptors()
    with Root.open(tmp_path) as another:
        another.make_folder("a")
        another.capabilities("a")
        held = len(open_descriptors()) - len(before)
    assert held == 1
    assert (tmp_path / "a").stat().st_mode & 0o700 == 0o700


def test_weaker_promises_come_with_their_reason():
    with Root.open("/proc/self") as proc:
        found = proc.capabilities()
    assert found["atomic_replace"] == "rename"
    assert "overwritten" in found["atomic_replace_reason"]
    assert "can't tell" in found["lease"]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOENT, ErrorCode.NOT_FOUND),
        (errno.ENOTEMPTY, ErrorCode.EDIT_CONFLICT),
        (errno.EISDIR, ErrorCode.EDIT_CONFLICT),
        (errno.ENOSPC, ErrorCode.IO_ERROR),
        (errno.EXDEV, ErrorCode.PATH_OUTSIDE_WORKSPACE),
    ],
)
def test_refusals_name_the_path(number, code):
    error = refusal("a/b", OSError(number, os.strerror(number)))
    assert error.code is code
    assert "'a/b'" in error.message
    assert code is not ErrorCode.IO_ERROR or os.strerror(number) in error.message


def test_a_refusal_without_a_number_is_told_in_its_own_words():
    assert refusal("a", OSError("it went odd")).message == "Path 'a': it went odd."


def test_a_folder_swapped_for_a_link_and_back_lets_nothing_out(root, here, tmp_path):
    """A short form of the race in tests/attacks; every read brings our bytes or a refusal."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_bytes(b"theirs")
    (tmp_path / "outside/secret").write_bytes(b"")
    (here / "x").mkdir()
    (here / "x/file").write_bytes(b"ours")
    (here / "spare").symlink_to(tmp_path / "outside")
    stop = threading.Event()

    def swap():
        with root.folder(".") as folder:
            while not stop.is_set():
                syscalls.rename_exchange(folder, "x", folder, "spare")

    if not syscalls.supports_exchange(root.fd):
        pytest.skip("this file system can't exchange")
    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for turn in range(1000):
            with contextlib.suppress(WorkroomError):
                assert root.read("x/file") == b"ours"
            with contextlib.suppress(WorkroomError):
                assert root.resolve("x/file") == "x/file"
            seen = root.stat("x")
            assert seen.kind is Kind.DIRECTORY or seen.target == str(tmp_path / "outside")
            with contextlib.suppress(WorkroomError):
                assert "x/secret" not in {entry.path for entry in root.scan("x")}
                root.make_folder(f"x/made{turn % 10}")
    finally:
        stop.set()
        swapping.join()
    assert sorted(os.listdir(tmp_path / "outside")) == ["file", "secret"]


def test_a_socket_is_named_as_one(root, here):
    with socket.socket(socket.AF_UNIX) as listening:
        old = os.getcwd()
        os.chdir(here)  # a socket's path must be short
        try:
            listening.bind("s")
        finally:
            os.chdir(old)
        with refused(ErrorCode.INVALID_INPUT, "a socket"):
            root.read("s")


def test_a_closed_root_reaches_nothing(root, here):
    (here / "a").mkdir()
    for path in ("file", "a/file"):
        (here / path).write_bytes(b"")
    root.close()
    for look in (root.scan, root.stat, root.read, root.readlink, root.make_folder, root.resolve):
        for path in ("file", "a/file") if look != root.scan else (".", "a"):
            with refused(ErrorCode.IO_ERROR, "was closed"):
                look(path)


def test_a_folder_is_let_go_where_no_descriptor_can_be_had(tmp_path):
    os.close(_nowhere())
    _nowhere.cache_clear()  # as in a process that has opened none yet
    root = Root.open(tmp_path)
    with few_descriptors():
        root.close()
    assert root.fd == -1


def test_a_call_under_way_reads_no_other_folder_when_the_root_is_closed(root, here, tmp_path):
    (here / "file").write_bytes(b"ours")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_bytes(b"theirs")
    opened = []

    def close_and_open_another():
        root.close()
        opened.append(os.open(tmp_path / "other", os.O_RDONLY))

    try:
        with just_before("open", "file", close_and_open_another), refused(ErrorCode.IO_ERROR, "was closed"):
            root.read("file")
    finally:
        os.close(*opened)


def test_a_closed_root_gives_its_lock_back_at_once_and_its_number_at_last(tmp_path):
    root = Root.open(tmp_path)
    number = root.fd
    assert syscalls.lock_folder(number)
    root.close()
    root.close()
    with Root.open(tmp_path) as next_one:
        assert next_one.fd != number
        assert syscalls.lock_folder(next_one.fd)
    assert stat.S_ISCHR(os.fstat(number).st_mode)
    assert not os.get_inheritable(number)
    del root
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


def test_links_at_the_top(root, here):
    (here / "a").symlink_to("elsewhere")
    (here / "b").write_text("x")
    (here / "d").mkdir()
    assert root.top_links({"a", "b", "d", "none"}) == {"a"}


def test_a_folder_that_cannot_be_listed_is_told(root, here):
    (here / "d").mkdir()

    def fail():
        raise OSError(errno.EIO, "Input/output error")

    with just_before("os.listdir", "", fail), refused(ErrorCode.IO_ERROR, "'d'"):
        root.scan("d")


def test_what_cant_be_tried_now_is_tried_again(tmp_path):
    root = Root.open(tmp_path, walk=True)
    for more in (0, 1):
        with few_descriptors(more):
            found = root.capabilities()
        assert (found["confinement"], found["atomic_replace"]) == ("walk", "rename")
        assert "can't be tried now" in found["atomic_replace_reason"]
        assert "can't be tried now" in found["lease"]
    assert "tried" not in str(root.capabilities().get("atomic_replace_reason", ""))
    root.close()


def test_what_stands_at_some_names_of_a_folder(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a").write_text("x")
    (tmp_path / "d/link").symlink_to("a")
    with Root.open(tmp_path) as root:
        assert root.stats("d", ["link", "gone", "a"]) == [root.stat("d/link"), None, root.stat("d/a")]
        assert root.stats(".", ["d"]) == [root.stat("d")]
        assert root.stats("none", ["a", "b"]) == [None, None]
        assert root.stats("d/a", ["a"]) == [None]
        assert sorted(root.listing("d")) == [("a", False), ("link", False)]
        assert ("d", True) in root.listing(".")
        with pytest.raises(WorkroomError):
            root.listing("none")
        link, gone, plain = root.lstats("d", ["link", "gone", "a"])
        assert (stat.S_ISLNK(link.st_mode), gone, plain.st_ino) == (True, None, root.stat("d/a").inode)
        assert root.lstats("none", ["a", "b"]) == [None, None]


def test_what_lies_beyond_every_path_that_can_be_named(root, here):
    names, at = ["d" * 200] * 30, os.open(here, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("file", os.O_CREAT, dir_fd=at))
    os.close(at)
    deep = "/".join(names)
    with root.folder(deep, beyond=True) as folder:
        assert os.listdir(folder) == ["file"]
    assert [seen and seen.kind for seen in root.stats(deep, ["file", "gone"], beyond=True)] == [Kind.FILE, None]
    if not root._walk:
        with refused(ErrorCode.INVALID_INPUT, "too long"), root.folder(deep):
            pass
    root.close()
    with refused(ErrorCode.IO_ERROR, "closed"), root.folder(deep, beyond=True):
        pass
    subprocess.run(["rm", "-rf", "--", here / names[0]], check=True)
