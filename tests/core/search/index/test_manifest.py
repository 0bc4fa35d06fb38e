"""The manifest: read as it was written, or not at all."""

from __future__ import annotations

import os

import numpy as np
import pytest

from workroom.core.search.index import manifest
from workroom.core.search.index.manifest import NAME, Manifest, Segment

PATHS = ["a.txt", "b/c d", os.fsdecode(b"caf\xe9")]


@pytest.fixture
def folder(tmp_path):
    rows = len(PATHS)
    manifest.write(
        str(tmp_path),
        Manifest(
            PATHS, np.arange(rows * 5).reshape(rows, 5), np.zeros(rows, np.uint8), np.full(rows, -1, np.int16),
            np.zeros(rows, np.int32), np.arange(rows, dtype=np.uint8),
            (Segment("x.bits", 7, ((10, 0, (0, 1)),)),), frozenset({"", ".d"}), 2,
        ),
    )  # fmt: skip
    return tmp_path


def test_it_comes_back_as_it_was(folder):
    found = manifest.read(str(folder))
    assert (found.paths, found.suffixes, found.unreadable) == (PATHS, {"", ".d"}, 2)
    assert found.matrices == (Segment("x.bits", 7, ((10, 0, (0, 1)),)),)
    assert found.identities[1].tolist() == [5, 6, 7, 8, 9]
    assert found.encodings.tolist() == [0, 1, 2]
    assert [each.name for each in folder.iterdir()] == [NAME]


def test_a_torn_or_foreign_one_is_none(folder):
    path = folder / NAME
    whole = path.read_bytes()
    for torn in (b"", b"not a manifest", whole[: len(whole) // 2], whole[:-1], whole[:90] + b"?" + whole[91:]):
        path.write_bytes(torn)
        assert manifest.read(str(folder)) is None
    path.unlink()
    assert manifest.read(str(folder)) is None


def test_one_of_another_version_or_whose_arrays_differ_in_length_is_none(folder):
    arrays = dict(np.load(folder / NAME))
    np.savez(folder / NAME, **{**arrays, "flags": np.zeros(1, np.uint8)})
    assert manifest.read(str(folder)) is None
    head = np.frombuffer(arrays["head"].tobytes().replace(b'"version": 3', b'"version": 9'), dtype=np.uint8)
    np.savez(folder / NAME, **{**arrays, "head": head})
    assert manifest.read(str(folder)) is None


def test_one_that_cant_be_written_leaves_nothing(folder):
    (folder / NAME).unlink()
    (folder / NAME).mkdir()
    (folder / NAME / "in the way").touch()
    found = Manifest([], np.zeros((0, 5)), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0), ())
    with pytest.raises(OSError, match="directory"):
        manifest.write(str(folder), found)
    assert [each.name for each in folder.iterdir()] == [NAME]
