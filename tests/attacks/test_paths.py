"""Attacks by paths, against the opened root itself; what counts is what is on disk afterwards."""

from __future__ import annotations

import contextlib
import os
import socket
import time

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.root import Root

SECRET = b"marker outside the workspace"
REFUSED_WITHIN = 60.0
"""Seconds: a guard against hanging, which holds on a busy machine too."""


@pytest.fixture(params=[False, True], ids=["kernel", "walk"])
def root(request, tmp_path):
    """A workspace `ws` beside an evil twin; a marker file stands outside."""
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/inside").write_bytes(b"inside")
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws-evil/x").write_bytes(SECRET)
    (tmp_path / "f").write_bytes(SECRET)
    with Root.open(tmp_path / "ws", walk=request.param) as opened:
        yield opened
    assert (tmp_path / "ws-evil/x").read_bytes() == SECRET
    assert (tmp_path / "f").read_bytes() == SECRET
    assert sorted(os.listdir(tmp_path / "ws-evil")) == ["x"]


@pytest.fixture
def ws(root, tmp_path):
    return tmp_path / "ws"


def read(root: Root, given: str) -> bytes:
    """As every reading tool goes: parse, resolve, read."""
    return root.read(root.resolve(root.parse(given)))


def write(root: Root, given: str, patterns: tuple[str, ...] = ()) -> None:
    """As every writing tool goes: parse, guard, make by the parent's descriptor and one name."""
    path = root.check_writable(root.parse_write(given), patterns)
    root.check_new_name(path)
    parent, name = root.split(path)
    with root.folder(parent) as folder:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, dir_fd=folder))


@contextlib.contextmanager
def denied(code: ErrorCode = ErrorCode.PATH_OUTSIDE_WORKSPACE):
    with pytest.raises(WorkroomError) as caught:
        yield
    assert caught.value.code is code
    assert SECRET.decode() not in str(caught.value)


def test_p01_sibling_prefix(root, tmp_path):
    for given in ("../ws-evil/x", f"{tmp_path}/ws-evil/x", f"{root.path}-evil/x", f"{root.path}/../ws-evil/x"):
        with denied():
            read(root, given)
        with denied():
            write(root, given + "-new")


def test_p02_dots_that_leave(root):
    for given in ("../", "..", "a/../../", "../ws/f", "../f", "inside/../../f", f"{root.path}/../f", "./.././f"):
        with denied():
            read(root, given)
    assert read(root, "a/../inside") == b"inside"


def test_p03_links_that_leave(root, ws, tmp_path):
    (ws / "relative").symlink_to("../f")
    (ws / "absolute").symlink_to(tmp_path / "f")
    (ws / "folder").symlink_to(tmp_path / "ws-evil")
    (ws / "leave").symlink_to("..")
    (ws / "again").symlink_to("leave/ws/inside")
    (ws / "chain1").symlink_to("chain2")
    (ws / "chain2").symlink_to("../ws/inside")
    (tmp_path / "back").symlink_to("ws")
    (ws / "via").symlink_to(tmp_path / "back/inside")
    for given in ("relative", "absolute", "folder/x", "leave/ws/inside", "leave/f", "again", "chain1", "chain2", "via"):
        with denied():
            read(root, given)
    for direct in ("folder/x", "leave/f"):
        with denied():
            root.read(direct)
        assert root.stat(direct) is None
    (ws / "fine").symlink_to(ws / "inside")
    assert read(root, "fine") == b"inside"


def test_p04_parent_or_target_is_a_link_outside(root, ws, tmp_path):
    (ws / "folder").symlink_to(tmp_path / "ws-evil")
    (ws / "dangling").symlink_to(tmp_path / "made-outside")
    (ws / "hidden").symlink_to("../made-outside")
    for given in ("folder/new", "folder/sub/new", "dangling", "hidden"):
        with denied():
            write(root, given)
    with denied():
        root.make_folder("folder/new")
    with denied(), root.folder("folder"):
        pass
    assert not (tmp_path / "made-outside").exists()
    (ws / "within").symlink_to("made-inside")
    write(root, "within")
    assert (ws / "made-inside").is_file()


@pytest.mark.parametrize(
    "given", ["in\0side", "", "inside" + "/" * 4091, "x" * 4097, "inside\ud800", "\udcff", "inside\n"]
)
def test_p05_what_no_path_can_be(root, given):
    for call in (read, write):
        with denied(ErrorCode.INVALID_INPUT):
            call(root, given)


def test_p06_a_folders_ending(root, ws):
    (ws / "sub").mkdir()
    (ws / "link").symlink_to("sub")
    for given in ("f/", "f/.", "link/", "sub/", "f//", "sub/..", "sub/../."):
        with denied(ErrorCode.INVALID_INPUT):
            write(root, given)
    assert sorted(os.listdir(ws)) == ["inside", "link", "sub"]
    assert os.listdir(ws / "sub") == []


def test_p07_magic_links(root, ws):
    (ws / "passwd").symlink_to("/proc/self/root/etc/passwd")
    (ws / "top").symlink_to("/proc/self/root")
    (ws / "cwd").symlink_to("/proc/self/cwd")
    (ws / "descriptor").symlink_to(f"/proc/self/fd/{root.fd}")
    for given in ("passwd", "top/etc/passwd", "cwd/pyproject.toml", "descriptor/inside", f"top{root.path}/inside"):
        with denied():
            read(root, given)


def test_p08_what_is_no_file_never_hangs(root, ws, monkeypatch):
    os.mkfifo(ws / "fifo")
    monkeypatch.chdir(ws)  # a socket's path must be short
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("socket")
    given = ["fifo", "socket"]
    with contextlib.suppress(PermissionError):  # only root makes devices
        os.mknod(ws / "device", 0o20666, os.makedev(1, 5))
        given.append("device")
    for path in given:
        begun = time.monotonic()
        with denied(ErrorCode.INVALID_INPUT):
            read(root, path)
        root.state(path)
        assert time.monotonic() - begun < REFUSED_WITHIN
    listening.close()
    assert {seen.path for seen in root.scan(".")} == {"inside", *given}


@pytest.mark.parametrize("name", [".GIT", ".g\u200cit", ".git.", "git~1", ".git::$INDEX_ALLOCATION"])
def test_p10_git_in_disguise(root, ws, name):
    (ws / ".git").mkdir()
    for given in (f"{name}/x", name, f"sub/{name}/x", f"{name}/"):
        with denied(ErrorCode.PROTECTED_PATH):
            write(root, given)
    assert os.listdir(ws / ".git") == []
    assert sorted(os.listdir(ws)) == [".git", "inside"]


def test_p11_a_link_to_what_is_protected(root, ws):
    (ws / ".git").mkdir()
    (ws / ".git/config").write_bytes(b"[core]\n")
    (ws / "ok").symlink_to(".git/config")
    (ws / "sub").symlink_to(".git")
    (ws / "absolute").symlink_to(ws / ".git")
    (ws / "chain").symlink_to("sub/hooks")
    for given in ("ok", "sub/new", "absolute/new", "chain/pre-commit", ".git"):
        with denied(ErrorCode.PROTECTED_PATH):
            write(root, given)
    with denied(ErrorCode.PROTECTED_PATH):  # where a folder would be moved onto
        root.check_writable(root.parse("inside/../.git"), last=False)
    assert (ws / ".git/config").read_bytes() == b"[core]\n"
    assert os.listdir(ws / ".git") == ["config"]


@pytest.mark.parametrize("name", ["CON", "con.txt", "a:b", "x.", "C:\\x", "x ", "a\\..\\b"])
def test_p13_names_that_windows_cant_have(root, ws, name):
    for given in (name, f"new/{name}"):
        with denied(ErrorCode.INVALID_INPUT):
            write(root, given)
    assert os.listdir(ws) == ["inside"]
