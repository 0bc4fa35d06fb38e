"""Pieces of files, on files that are small enough to see."""

from __future__ import annotations

import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.base.errors import WorkroomError
from workroom.core.search.pieces import Survey, content_kind, last_lines, lines_at, sample, survey, wide_offset


@pytest.fixture
def opened(tmp_path):
    descriptors = []

    def make(data: bytes) -> int:
        (tmp_path / "f").write_bytes(data)
        descriptors.append(os.open(tmp_path / "f", os.O_RDONLY))
        return descriptors[-1]

    yield make
    for descriptor in descriptors:
        os.close(descriptor)


@given(st.lists(st.sampled_from([b"a", b"\n", b"bc\n", b"\n\n"])).map(b"".join), st.integers(1, 8))
def test_a_survey_counts_as_lines_are_counted(data, first):
    lines = data.splitlines(keepends=True)
    with open(os.memfd_create("f"), "w+b", buffering=0) as stream:
        stream.write(data)
        found = survey(stream.fileno(), len(data), first)
    reached = first <= max(len(lines), 1)
    offset = len(b"".join(lines[: first - 1])) if reached else None
    assert found == Survey(hashlib.sha256(data).hexdigest(), len(lines), offset)


def test_lines_at_an_offset(opened):
    descriptor = opened(b"one\ntwo\nthree")
    assert lines_at(descriptor, 0, 100, None) == [b"one\n", b"two\n", b"three"]
    assert lines_at(descriptor, 4, 100, 1) == [b"two\n"]
    assert lines_at(descriptor, 4, 6, None) == [b"two\n"]
    assert lines_at(descriptor, 8, 3, None) == [b"thr"]


def test_last_lines(opened):
    descriptor = opened(b"one\ntwo\nthree\n")
    assert last_lines(descriptor, 14, 11, 1) == [b"three\n"]
    assert last_lines(descriptor, 14, 11, 9) == [b"two\n", b"three\n"]
    assert last_lines(descriptor, 14, 3, 9) == [b"ee\n"]


def test_a_sample_tells_the_encoding(opened):
    assert sample("f", opened(b"caf\xc3\xa9\n"), 6).encoding == "utf-8"
    with pytest.raises(WorkroomError):
        sample("f", opened(b"\0\1\2\3"), 4)


def test_kinds_of_content():
    assert content_kind(b"%PDF-1.7") == "PDF document"
    assert content_kind(b"hello") == ""


def test_what_is_written_meanwhile_isnt_counted(opened):
    found = survey(opened(b"one\ntwo\nthree\n"), 8, 1)
    assert found == Survey(hashlib.sha256(b"one\ntwo\n").hexdigest(), 2, 0)


@given(
    st.lists(st.sampled_from(["a", "\n", "ਊ", "Ā", "ā\n"])).map("".join),
    st.integers(1, 6),
    st.sampled_from(["le", "be"]),
)
def test_lines_of_wide_characters_begin_where_they_do(text, first, order):
    codec = f"utf-16-{order}"
    lines = text.split("\n")
    with open(os.memfd_create("f"), "w+b", buffering=0) as stream:
        stream.write(text.encode(codec))
        found = wide_offset(stream.fileno(), len(text.encode(codec)), first, codec)
    reached = first <= len(lines)
    assert found == (len("".join(f"{line}\n" for line in lines[: first - 1]).encode(codec)) if reached else None)
