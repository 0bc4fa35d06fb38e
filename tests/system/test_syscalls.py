"""Opening beneath, renames, leases, attributes: against the real kernel, and the weaker ways as well."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import threading

import pytest
from tests.limits import few_descriptors

from workroom.system import syscalls

WALKS = [pytest.param(False, id="kernel"), pytest.param(True, id="walk")]


@pytest.fixture
def folder(tmp_path):
    """A descriptor of an empty folder at `tmp_path`."""
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def failure(call, *arguments, **named) -> int | None:
    with pytest.raises(OSError, match="Errno") as caught:
        call(*arguments, **named)
    return caught.value.errno


# Opening.


@pytest.fixture
def deep(tmp_path, folder):
    """A path that is longer than the system takes, of a folder in which `way/out` is a link; removed at the end."""
    names, at = ["d" * 200, "é" * 100] * 20, os.dup(folder)
    for name in names:
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.symlink("/", "link", dir_fd=at)
    os.mkdir("under", dir_fd=at)
    os.close(at)
    yield "/".join(names)
    subprocess.run(["rm", "-rf", "--", tmp_path / names[0]], check=True)


@pytest.mark.parametrize("walk", WALKS)
def test_a_path_of_any_length_is_opened_in_pieces(tmp_path, folder, deep, walk):
    before = len(os.listdir("/dev/fd"))
    descriptor = syscalls.open_far_beneath(folder, deep, os.O_RDONLY | os.O_DIRECTORY, walk=walk)
    assert sorted(os.listdir(descriptor)) == ["link", "under"]
    os.close(descriptor)
    os.close(syscalls.open_far_beneath(folder, f"{deep}/under", syscalls.O_FOLDER, walk=walk))
    os.close(syscalls.open_far_beneath(folder, "d" * 200, syscalls.O_FOLDER, walk=walk))
    for path, code in (
        (f"{deep}/link/etc", errno.ELOOP),
        (f"{deep}/gone/x", errno.ENOENT),
        (f"gone/{deep}", errno.ENOENT),
        (f"../{tmp_path.name}/{deep}", errno.EXDEV),
        (f"{deep}/{'x' * 2_000}", errno.ENAMETOOLONG),
        ("x" * 2_000, errno.ENAMETOOLONG),
    ):
        assert failure(syscalls.open_far_beneath, folder, path, os.O_RDONLY, walk=walk) == code, path
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("walk", WALKS)
def test_open_reads_and_makes_what_is_beneath(tmp_path, folder, walk):
    (tmp_path / "a/b").mkdir(parents=True)
    descriptor = syscalls.open_beneath(folder, "a/./b/new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640, walk=walk)
    assert os.write(descriptor, b"made") == 4
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)
    assert (tmp_path / "a/b/new").read_bytes() == b"made"
    assert (tmp_path / "a/b/new").stat().st_mode & 0o137 == 0
    top = syscalls.open_beneath(folder, ".", syscalls.O_FOLDER, walk=walk)
    assert os.path.samestat(os.fstat(top), tmp_path.stat())
    os.close(top)


@pytest.mark.parametrize("walk", WALKS)
def test_open_follows_no_link(tmp_path, folder, walk):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_bytes(b"x")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "link").symlink_to("real/file")
    (tmp_path / "absolute").symlink_to(tmp_path / "real")
    for path, flags in [
        ("folder/file", os.O_RDONLY),
        ("absolute/file", os.O_RDONLY),
        ("link", os.O_RDONLY),
        ("folder", os.O_RDONLY | os.O_DIRECTORY),
        ("folder", syscalls.O_FOLDER),
        ("link/x", os.O_RDONLY),
        ("link", os.O_WRONLY | os.O_CREAT),
    ]:
        assert failure(syscalls.open_beneath, folder, path, flags, walk=walk) == errno.ELOOP, path


@pytest.mark.parametrize("walk", WALKS)
def test_open_leaves_for_nowhere(tmp_path, folder, walk):
    (tmp_path / "a").mkdir()
    for path in ("..", "../x", "a/../../x", "/etc/passwd", str(tmp_path)):
        assert failure(syscalls.open_beneath, folder, path, os.O_RDONLY, walk=walk) == errno.EXDEV, path


@pytest.mark.parametrize("walk", WALKS)
def test_open_tells_missing_from_no_folder(tmp_path, folder, walk):
    (tmp_path / "file").write_bytes(b"")
    assert failure(syscalls.open_beneath, folder, "no/file", os.O_RDONLY, walk=walk) == errno.ENOENT
    assert failure(syscalls.open_beneath, folder, "file/x", os.O_RDONLY, walk=walk) == errno.ENOTDIR


@pytest.mark.parametrize("walk", WALKS)
def test_open_leaks_no_descriptor(tmp_path, folder, walk):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/link").symlink_to("b")
    before = os.open("/", os.O_RDONLY)
    os.close(before)
    for path in ("a/b/none", "a/link/x", "a/../x", "none/x"):
        failure(syscalls.open_beneath, folder, path, os.O_RDONLY, walk=walk)
    os.close(syscalls.open_beneath(folder, "a/b", syscalls.O_FOLDER, walk=walk))
    after = os.open("/", os.O_RDONLY)
    os.close(after)
    assert after == before  # the lowest free number is the same


# Renaming.


def test_rename_noreplace(tmp_path, folder):
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    assert failure(syscalls.rename_noreplace, folder, "a", folder, "b") == errno.EEXIST
    assert (tmp_path / "b").read_bytes() == b"b"
    syscalls.rename_noreplace(folder, "a", folder, "c")
    assert sorted(os.listdir(tmp_path)) == ["b", "c"]
    assert failure(syscalls.rename_noreplace, folder, "none", folder, "d") == errno.ENOENT


def test_rename_noreplace_keeps_a_dangling_link(tmp_path, folder):
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert failure(syscalls.rename_noreplace, folder, "a", folder, "dangling") == errno.EEXIST
    assert os.readlink(tmp_path / "dangling") == "nowhere"


def test_a_folder_does_not_go_into_itself(tmp_path, folder):
    (tmp_path / "a/b").mkdir(parents=True)
    inner = os.open(tmp_path / "a/b", os.O_RDONLY)
    assert failure(syscalls.rename_noreplace, folder, "a", inner, "c") == errno.EINVAL
    os.close(inner)
    assert os.listdir(tmp_path / "a/b") == []


def test_the_weaker_rename_links_and_unlinks(tmp_path, folder):
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "taken").write_bytes(b"t")
    inode = (tmp_path / "a").stat().st_ino
    assert failure(syscalls._rename_by_link, folder, "a", folder, "taken") == errno.EEXIST
    assert failure(syscalls._rename_by_link, folder, "none", folder, "x") == errno.ENOENT
    syscalls._rename_by_link(folder, "a", folder, "b")
    syscalls._rename_by_link(folder, "link", folder, "link2")
    assert (tmp_path / "b").stat().st_ino == inode
    assert sorted(os.listdir(tmp_path)) == ["b", "link2", "taken"]
    assert os.readlink(tmp_path / "link2") == "a"


def test_the_weaker_rename_of_a_folder_looks_first(tmp_path, folder):
    (tmp_path / "a").mkdir()
    (tmp_path / "empty").mkdir()
    assert failure(syscalls._rename_by_link, folder, "a", folder, "empty") == errno.EEXIST
    syscalls._rename_by_link(folder, "a", folder, "b")
    assert sorted(os.listdir(tmp_path)) == ["b", "empty"]


def test_rename_exchange(tmp_path, folder):
    if not syscalls.supports_exchange(folder):
        pytest.skip("this file system can't exchange")
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b").write_bytes(b"b")
    sub = os.open(tmp_path / "sub", os.O_RDONLY)
    syscalls.rename_exchange(folder, "a", sub, "b")
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "sub/b").read_bytes()) == (b"b", b"a")
    assert failure(syscalls.rename_exchange, folder, "a", sub, "none") == errno.ENOENT
    os.close(sub)


def test_finding_out_leaves_nothing_behind(tmp_path, folder):
    assert syscalls.supports_exchange(folder) in (True, False)
    assert syscalls.supports_lease(folder) in (True, False)
    assert os.listdir(tmp_path) == []


def test_where_nothing_can_be_made_nothing_is_promised(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    descriptor = os.open(gone, os.O_RDONLY)
    gone.rmdir()
    assert not syscalls.supports_exchange(descriptor)
    assert not syscalls.supports_lease(descriptor)
    os.close(descriptor)


# Leases.


@pytest.fixture
def leasable(tmp_path, folder):
    """A file's path and a descriptor for reading, where the file system has leases."""
    if not syscalls.supports_lease(folder):
        pytest.skip("this file system has no leases")
    path = tmp_path / "file"
    path.write_bytes(b"x")
    descriptor = os.open(path, os.O_RDONLY)
    yield path, descriptor
    os.close(descriptor)


def test_a_lease_is_refused_while_somebody_writes(leasable):
    path, descriptor = leasable
    with open(path, "ab"):
        assert syscalls.take_read_lease(descriptor) == "refused"
    assert syscalls.take_read_lease(descriptor) == "held"
    assert syscalls.lease_intact(descriptor)


def test_a_lease_tells_of_a_writer_and_lets_it_go_on_at_its_end(leasable):
    path, _ = leasable
    descriptor = os.open(path, os.O_RDONLY)
    assert syscalls.take_read_lease(descriptor) == "held"
    assert path.read_bytes() == b"x"  # readers don't matter
    assert syscalls.lease_intact(descriptor)
    assert failure(os.open, path, os.O_WRONLY | os.O_NONBLOCK) == errno.EAGAIN
    assert not syscalls.lease_intact(descriptor)
    waiting = threading.Thread(target=path.write_bytes, args=(b"theirs",))
    waiting.start()
    os.close(descriptor)
    waiting.join(timeout=40)  # the kernel itself ends a lease after 45 seconds
    assert path.read_bytes() == b"theirs"


def test_what_has_no_leases_says_so():
    reading, writing = os.pipe()
    assert syscalls.take_read_lease(reading) == "unsupported"
    os.close(reading)
    os.close(writing)


_BREAK = """
import os, signal, sys
from workroom.system import syscalls
signal.signal(signal.SIGIO, signal.SIG_DFL)
descriptor = os.open(sys.argv[1], os.O_RDONLY)
print(syscalls.take_read_lease(descriptor))
try:
    os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
except BlockingIOError:
    print(syscalls.lease_intact(descriptor))
"""


def test_a_broken_lease_does_not_end_the_process(leasable):
    program = [sys.executable, "-c", _BREAK, leasable[0]]
    assert subprocess.run(program, capture_output=True, check=True).stdout.split() == [b"held", b"False"]


# Files.


def test_attributes_are_copied_but_not_what_speaks_of_the_bytes(tmp_path):
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(b"a")
    target.write_bytes(b"b")
    try:
        os.setxattr(source, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no attributes of users")
    capability = b"\x01\x00\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    with contextlib.suppress(PermissionError):  # only root gives capabilities
        os.setxattr(source, "security.capability", capability)
    with open(source, "rb") as one, open(target, "r+b") as other:
        syscalls.copy_xattrs(one.fileno(), other.fileno())
    assert os.listxattr(target) == ["user.note"]
    assert os.getxattr(target, "user.note") == b"kept"


def test_attributes_that_are_not_ours_to_give_are_left_out(tmp_path):
    """What a file system, or its owner, keeps to itself is no fault; a full disk is one."""
    with syscalls._as_allowed("user.a"):
        raise OSError(errno.ENOTSUP, "not here")
    with syscalls._as_allowed("security.a"):
        raise PermissionError(errno.EPERM, "not yours")
    with pytest.raises(PermissionError), syscalls._as_allowed("user.a"):
        raise PermissionError(errno.EACCES, "not yours")
    path = tmp_path / "a"
    path.write_bytes(b"")
    descriptor = os.open(path, os.O_PATH)
    with pytest.raises(OSError, match="Bad file"):
        syscalls.copy_xattrs(descriptor, descriptor)
    os.close(descriptor)


_FSYNC = """
import os, sys
from workroom.system import syscalls
syscalls.fsync(os.open(sys.argv[1], os.O_RDONLY))
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing")
def test_fsync_reaches_the_kernel_for_files_and_folders(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    for path in (tmp_path / "file", tmp_path):
        program = ["strace", "-f", "-y", "-e", "trace=fsync", "-o", tmp_path / "calls"]
        subprocess.run([*program, sys.executable, "-c", _FSYNC, path], check=True)
        calls = [line for line in (tmp_path / "calls").read_text().splitlines() if "fsync(" in line]
        assert len(calls) == 1
        assert f"<{path}>" in calls[0]
        assert calls[0].endswith("= 0")


def test_one_owner_a_folder(tmp_path, folder):
    other = os.open(tmp_path, os.O_RDONLY)
    assert syscalls.lock_folder(folder)
    assert not syscalls.lock_folder(other)
    os.close(other)
    assert syscalls.lock_folder(folder)


def test_what_cant_be_tried_just_now_is_not_told_as_missing(folder):
    with few_descriptors():
        assert failure(syscalls.supports_exchange, folder) == errno.EMFILE
        assert failure(syscalls.supports_lease, folder) == errno.EMFILE


def test_which_file_systems_are_this_machines_own(tmp_path):
    for path, own in ((tmp_path, True), ("/proc", False), ("/sys", False)):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            assert syscalls.is_on_this_machine(descriptor) is own
        finally:
            os.close(descriptor)
