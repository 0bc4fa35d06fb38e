"""The program that takes PDFs apart, within the process of the tests."""

from __future__ import annotations

import io
import json

import pypdfium2  # type: ignore[import-untyped]
import pytest
from tests.documents import encrypted, long_page, pdf

from workroom.core.search.pdf_text import main, pages


def test_pages_until_there_is_no_room():
    data = pdf("One", "Two", "Three")
    assert pages(pypdfium2, io.BytesIO(data), 1, 9, 6) == {"pages": 3, "texts": ["One", "Two"]}
    assert pages(pypdfium2, io.BytesIO(data), 3, 9, 6) == {"pages": 3, "texts": ["Three"]}
    assert pages(pypdfium2, io.BytesIO(data), 4, 9, 6) == {"pages": 3, "texts": []}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (pdf("One", "Two"), {"pages": 2, "texts": ["One", "Two"]}),
        (encrypted(), {"error": "encrypted"}),
        (b"%PDF-", {"error": "damaged"}),
    ],
)
def test_the_program_answers_json(capsysbinary, data, told):
    assert main(["1", "9", "1000"], io.BytesIO(data)) == 0
    assert json.loads(capsysbinary.readouterr().out) == told


def test_a_page_of_a_million_characters_is_cut():
    lines = "\n".join(["word " * 20] * 50)
    page = pdf(lines).replace(b"BT /F1 12 Tf", b"BT /F1 1 Tf")
    stream = page[page.index(b"BT ") : page.index(b"ET\nendstream") + 2] + b" "
    (text,) = pages(pypdfium2, io.BytesIO(long_page(stream * 250)), 1, 1, 10)["texts"]
    assert 900_000 < len(text) < 1_000_100
    assert text.endswith(" characters more)")


def test_a_page_that_cant_be_read_is_none():
    data = pdf("One", "Two").replace(b"6 0 obj", b"9 0 obj")
    found = pages(pypdfium2, io.BytesIO(data), 1, 2, 1000)["texts"]
    assert found[0] == "One"
    assert found[1:] in ([None], [])
