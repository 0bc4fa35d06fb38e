"""Folders brought to the disk. That the system is asked is seen by the kernel, in tests/system/test_store.py."""

from __future__ import annotations

import os

import pytest

from workroom.system.durable import fsync_folder


def test_a_folder_is_synced_and_let_go(tmp_path):
    before = len(os.listdir("/dev/fd"))
    fsync_folder(tmp_path)
    assert len(os.listdir("/dev/fd")) == before
    with pytest.raises(FileNotFoundError):
        fsync_folder(tmp_path / "gone")
