"""Reading only below some folders."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from workroom.system.landlock import confined, has_landlock

pytestmark = pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")


@pytest.fixture
def folder(tmp_path):
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
    (tmp_path / "in/link").symlink_to(tmp_path / "out/f")
    descriptor = os.open(tmp_path / "in", os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_what_is_below_can_be_read_and_nothing_else(tmp_path, folder):
    assert confined((tmp_path / "in/f").read_text, [folder]) == "in"
    assert confined(lambda: os.listdir(tmp_path / "in"), [folder]) in (["f", "link"], ["link", "f"])
    for path in (tmp_path / "out/f", tmp_path / "in/link"):
        with pytest.raises(PermissionError):
            confined(path.read_text, [folder])
    with pytest.raises(PermissionError):
        confined(lambda: os.listdir(tmp_path), [folder])


def test_nothing_can_be_written(tmp_path, folder):
    for do in ((tmp_path / "in/f").unlink, (tmp_path / "in/new").touch, (tmp_path / "in/d").mkdir):
        with pytest.raises(PermissionError):
            confined(do, [folder])
    assert (tmp_path / "in/f").read_text() == "in"


def test_the_caller_is_left_as_it_was(tmp_path, folder):
    confined(lambda: None, [folder])
    assert (tmp_path / "out/f").read_text() == "out"


def test_no_program_runs_but_the_one(tmp_path, folder):
    with pytest.raises(PermissionError), open(os.devnull, "rb") as nothing:
        confined(lambda: subprocess.run([sys.executable, "-V"], stdin=nothing, check=True), [folder])
    with pytest.raises(PermissionError), open(sys.executable, "rb") as program, open(os.devnull, "rb") as nothing:
        confined(lambda: subprocess.run(["/bin/true"], stdin=nothing, check=True), [folder], program.fileno())


def test_what_is_no_folder_is_refused():
    with pytest.raises(OSError, match="Bad file descriptor"):
        confined(lambda: None, [-1])
