"""PDFs by the program that takes them apart, whole and hostile."""

from __future__ import annotations

import hashlib
import threading
import time

import pytest
from tests.documents import bomb, encrypted, heap, pdf, pdf_of

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.pdf import LARGEST_PDF, read_pdf
from workroom.system.root import Root


@pytest.fixture
def root(tmp_path):
    with Root.open(tmp_path) as opened:
        yield opened


def read(root, data, first=1, last=None, chars=10_000, known=None, seconds=60.0):
    with open(f"{root.path}/f", "wb") as file:
        file.write(data)
    return read_pdf(root, "f", first, last, chars, known, seconds)


def refused(code, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        read(*arguments, **named)
    assert caught.value.code is code
    return str(caught.value)


def test_pages(root):
    data = pdf("One\nTwo", "Größe", "")
    found = read(root, data)
    assert (found.pages, found.texts) == (3, ("One\nTwo", "Größe", ""))
    assert (found.size, found.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert read(root, data, first=2, last=2).texts == ("Größe",)
    assert read(root, data, first=2, last=9).texts == ("Größe", "")
    assert read(root, data, chars=1).texts == ("One\nTwo",)


def test_what_the_caller_has_already(root):
    data = pdf("One")
    assert read(root, data, known=hashlib.sha256(data).hexdigest()).unchanged
    assert read(root, data, known="0" * 64).texts == ("One",)


def test_behind_the_end(root):
    assert "has 1 pages" in refused(ErrorCode.INVALID_INPUT, root, pdf("One"), first=2)


def test_a_page_that_isnt_there_is_told(root):
    """The root promises ten pages, and one is there."""
    data = pdf("One").replace(b"/Count 1", b"/Count 9")
    found = read(root, data)
    assert found.texts[0] == "One"
    assert set(found.texts[1:]) <= {None}


def test_encrypted_or_damaged(root):
    assert "encrypted with a password" in refused(ErrorCode.INVALID_INPUT, root, encrypted())
    for data in (pdf("One")[:300], b"%PDF-1.7\n" + bytes(1000), b"%PDF-1.7", pdf_of([b"[" * 100_000])):
        assert "damaged" in refused(ErrorCode.INVALID_INPUT, root, data)


def test_a_bomb_ends_in_bounds(root):
    started = time.monotonic()
    found = read(root, bomb())
    assert (found.pages, found.texts) == (1, ("",))
    assert time.monotonic() - started < 60


def test_many_pages_are_read_as_far_as_there_is_room(root):
    found = read(root, pdf(*[f"page {n}" for n in range(20_000)]), first=10_000, chars=500)
    assert found.pages == 20_000
    assert found.texts[0] == "page 9999"
    assert len(found.texts) < 100


def test_what_takes_too_long_is_given_up(root):
    message = refused(ErrorCode.TIMEOUT, root, pdf(*["page"] * 1_000), chars=10**9, seconds=0.01)
    assert "takes too long" in message


def test_what_needs_too_much_memory_is_refused(root):
    started = time.monotonic()
    assert "needs too much memory" in refused(ErrorCode.INVALID_INPUT, root, heap())
    assert time.monotonic() - started < 60


def test_a_file_that_changes_meanwhile_is_told(root, tmp_path):
    (tmp_path / "f").write_bytes(pdf(*["page"] * 5_000))
    over = threading.Event()

    def write() -> None:
        with (tmp_path / "f").open("ab") as file:
            while not over.is_set():
                file.write(b"%")
                file.flush()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with pytest.raises(WorkroomError) as caught:
            read_pdf(root, "f", 1, None, 10_000, None, 60.0)
    finally:
        over.set()
        writer.join()
    assert caught.value.code is ErrorCode.IO_ERROR
    assert "changed while it was read" in str(caught.value)


def test_what_is_too_large_is_refused_with_the_figure(root, tmp_path):
    with (tmp_path / "f").open("wb") as file:
        file.write(b"%PDF-1.7\n")
        file.truncate(10_000_000_000)
    with pytest.raises(WorkroomError) as caught:
        read_pdf(root, "f", 1, None, 100, None, 60.0)
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED
    assert f"at most {LARGEST_PDF:,}" in str(caught.value)
