"""The program that takes PDFs apart, within the process of the tests."""

from __future__ import annotations

import io
import json

import pypdfium2  # type: ignore[import-untyped]
import pytest
from tests.documents import encrypted, pdf

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
def test_the_program_answers_json(capsys, data, told):
    assert main(["1", "9", "1000"], io.BytesIO(data)) == 0
    assert json.loads(capsys.readouterr().out) == told


def test_a_page_that_cant_be_read_is_none():
    data = pdf("One", "Two").replace(b"6 0 obj", b"9 0 obj")
    found = pages(pypdfium2, io.BytesIO(data), 1, 2, 1000)["texts"]
    assert found[0] == "One"
    assert found[1:] in ([None], [])
