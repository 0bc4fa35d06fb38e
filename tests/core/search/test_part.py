"""Any part of a long file."""

from __future__ import annotations

import os

import pytest

from workroom.base.errors import WorkroomError
from workroom.core.search.part import NUMBERED, From, UpTo, line_at, read_part
from workroom.core.search.pieces import REACH, head_of


@pytest.fixture
def opened(tmp_path):
    """A file with these bytes, and its beginning."""
    descriptors = []

    def opened(data, sparse=0):
        path = tmp_path / f"file{len(descriptors)}"
        path.write_bytes(data)
        if sparse:
            os.truncate(path, sparse)
        descriptors.append(os.open(path, os.O_RDONLY))
        head = head_of(descriptors[-1])[1]
        assert head is not None
        return descriptors[-1], head

    yield opened
    for descriptor in descriptors:
        os.close(descriptor)


ENCODED = [
    ("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"),
    ("utf-32-le", b"\xff\xfe\0\0"), ("cp1252", b""), ("gb18030", b""),
]  # fmt: skip
LINES = "Grüße und Käse\nzweite Zeile, länger als die erste\n\nÄpfel\n"
CHINESE = "这是一个中文文件,用来测试编码\n第二行也是中文的,比较长一点\n\n你好世界\n"


@pytest.mark.parametrize(("codec", "mark"), ENCODED)
@pytest.mark.parametrize("most", [64, 100, 1000])
@pytest.mark.parametrize("ends", [True, False])
def test_parts_one_after_another_are_the_file(opened, codec, mark, most, ends):
    text = (CHINESE if codec == "gb18030" else LINES) * 12
    text = text if ends else text.replace("\n", " ")
    data = mark + text.encode(codec)
    descriptor, head = opened(data)
    start, parts = 0, []
    while start < len(data):
        parts.append(read_part(descriptor, head, From(start), most))
        assert (parts[-1].start, parts[-1].size, parts[-1].lossy) == (start, len(data), False)
        assert start < parts[-1].end <= start + most + len(mark)
        start = parts[-1].end
    assert "".join(part.text for part in parts) == text
    if codec == "gb18030" and not ends:
        return  # in an endless line nothing tells where a character begins
    end, back = len(data), []
    while end > 0:
        back.append(read_part(descriptor, head, UpTo(end), most))
        assert back[-1].end == end
        assert back[-1].start < end
        end = back[-1].start
    assert "".join(part.text for part in reversed(back)) == text


def test_a_part_has_whole_lines_where_there_are_any_and_their_numbers(opened):
    data = b"".join(b"line %d\n" % n for n in range(1, 101))
    descriptor, head = opened(data)
    part = read_part(descriptor, head, From(0), 50)
    assert (part.text.splitlines()[-1], part.first_line, part.total_lines) == ("line 7", 1, 100)
    part = read_part(descriptor, head, From(part.end), 50)
    assert (part.text.splitlines()[0], part.first_line) == ("line 8", 8)
    part = read_part(descriptor, head, UpTo(part.start), 30)
    assert (part.text.splitlines(), part.first_line) == (["line 4", "line 5", "line 6", "line 7"], 4)
    assert read_part(descriptor, head, UpTo(part.end), 28).text == part.text  # it begins with a line
    part = read_part(descriptor, head, UpTo(10**12), 30)
    assert (part.text.splitlines()[-1], part.first_line, part.end) == ("line 100", 98, len(data))
    part = read_part(descriptor, head, From(9), 20)
    assert (part.text.splitlines()[0], part.first_line) == ("ne 2", 2)  # as was asked, within a line
    assert read_part(descriptor, head, From(10**12), 30).text == read_part(descriptor, head, UpTo(10**12), 30).text


def test_a_last_line_without_an_end_is_a_line(opened):
    descriptor, head = opened(b"one\ntwo\nthree")
    part = read_part(descriptor, head, From(4), 100)
    assert (part.text, part.first_line, part.total_lines) == ("two\nthree", 2, 3)


def test_an_empty_file_is_an_empty_part(opened):
    descriptor, head = opened(b"")
    for where in (From(0), From(5), UpTo(0), UpTo(9)):
        part = read_part(descriptor, head, where, 100)
        assert (part.text, part.start, part.end, part.first_line, part.total_lines) == ("", 0, 0, 1, 0)


def test_lines_of_wide_units_and_of_old_macs_have_no_numbers(opened):
    descriptor, head = opened("\ufeffone\ntwo\n".encode("utf-16-le"))
    assert [read_part(descriptor, head, From(start), 8).first_line for start in (0, 10)] == [1, None]
    descriptor, head = opened(b"one\rtwo\rthree\r")
    part = read_part(descriptor, head, From(4), 8)
    assert (part.first_line, part.total_lines) == (None, None)


def test_far_into_a_file_lines_are_not_counted(opened):
    descriptor, head = opened(b"one\n", sparse=NUMBERED + 100)
    near = read_part(descriptor, head, From(NUMBERED), 10)
    assert (near.first_line, near.total_lines, near.start) == (2, None, NUMBERED)
    far = read_part(descriptor, head, From(NUMBERED + 1), 10)
    assert (far.first_line, far.total_lines) == (None, None)


def test_as_much_is_shown_as_fits(opened):
    data = b"".join(b"line %d\n" % n for n in range(1, 101))
    descriptor, head = opened(data)
    part = read_part(descriptor, head, From(7), 500, lambda text: len(text) <= 33)
    assert (part.start, part.text.splitlines()) == (7, ["line 2", "line 3", "line 4", "line 5"])
    part = read_part(descriptor, head, UpTo(len(data)), 500, lambda text: len(text) <= 33)
    assert (part.end, part.text.splitlines()) == (len(data), ["line 97", "line 98", "line 99", "line 100"])


def test_bytes_that_are_no_text_are_shown_as_such(opened):
    descriptor, head = opened("a line with é, è and ê\n".encode() * 4_000 + b"bad \xff one\n")
    part = read_part(descriptor, head, UpTo(10**9), 30)
    assert (part.text, part.lossy) == ("bad \ufffd one\n", True)


def test_a_line_is_found_by_its_number(opened):
    descriptor, head = opened(b"one\ntwo\nthree\n")
    assert [line_at("f", descriptor, head, line) for line in (1, 2, 3)] == [0, 4, 8]
    with pytest.raises(WorkroomError, match="f has no line 5; it has 3") as refused:
        line_at("f", descriptor, head, 5)
    assert refused.value.code == "INVALID_INPUT"


@pytest.mark.parametrize(
    ("data", "size", "said"),
    [
        (b"one\n", REACH + 2_000_000, "Line 9 of f lies beyond its first 256,000,000"),
        (b"\xff\xfea\0", 0, "aren't counted"),
    ],
)
def test_a_line_that_is_not_counted_is_refused_with_another_way(opened, data, size, said):
    descriptor, head = opened(data, sparse=size)
    with pytest.raises(WorkroomError, match=said) as refused:
        line_at("f", descriptor, head, 9)
    assert (refused.value.code, refused.value.next_step) == (
        "LIMIT_EXCEEDED", "`start_byte` leads to any part of it.",
    )  # fmt: skip


def test_a_file_that_shrinks_meanwhile_ends_where_it_ends(opened, tmp_path):
    descriptor, head = opened(b"line\n" * 100)
    with open(tmp_path / "file0", "r+b") as file:
        file.truncate(50)
    part = read_part(descriptor, head, From(400), 20)
    assert (part.text, part.start, part.end, part.size) == ("line\n" * 4, 30, 50, 50)
