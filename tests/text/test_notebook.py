"""Notebooks as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.text.lines import split_lines
from workroom.text.notebook import cells


def code(source, outputs=(), count=None):
    return {"cell_type": "code", "execution_count": count, "metadata": {}, "outputs": list(outputs), "source": source}


def markdown(source, **more):
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def notebook(*found, indent=1):
    return json.dumps({"cells": found, "metadata": {"cells": []}, "nbformat": 4, "nbformat_minor": 5}, indent=indent)


def test_cells_with_where_they_stand_in_the_file():
    text = notebook(markdown(["# Title\n", "More"]), code(["a = 1\n", "print(a)"], [
        {"output_type": "stream", "name": "stdout", "text": ["1\n"]}], count=3))  # fmt: skip
    first, second = cells(text)
    assert first == "-- cell 1, markdown, file lines 3-10\n# Title\nMore"
    assert second == "-- cell 2, code [3], file lines 11-28\na = 1\nprint(a)\n-- output, stdout\n1"
    lines = split_lines(text)
    assert json.loads("".join(lines[2:10]).strip().removesuffix(","))["cell_type"] == "markdown"
    assert json.loads("".join(lines[10:28]))["execution_count"] == 3


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_the_files_own_lines_whatever_they_end_with(ending):
    text = notebook(code("a"), code("b")).replace("\n", ending)
    lines = split_lines(text)
    for found in cells(text):
        first, last = map(int, found.split("\n")[0].rpartition(" ")[2].split("-"))
        assert json.loads("".join(lines[first - 1 : last]).strip().removesuffix(","))["cell_type"] == "code"


def test_outputs():
    text = notebook(code("", [
        {"output_type": "display_data", "data": {"image/png": "QUJD" * 1000, "text/plain": ["<Figure>"]}},
        {"output_type": "execute_result", "data": {"text/html": "<b>x</b>", "application/json": {"a": 1}}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mfirst\x1b[0m", "E: v"]},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []},
    ]), markdown("![x](attachment:x.png)", attachments={"x.png": {"image/png": "QUJD"}}))  # fmt: skip
    first, second = cells(text)
    assert first.split("\n")[1:] == [
        "-- output, image/png (3,000 bytes), text/plain (8 characters)",
        "<Figure>",
        "-- output, text/html (8 characters), application/json (8 characters)",
        "-- output, error",
        "first",
        "E: v",
        "-- output, error",
        "E: v",
    ]
    assert second.endswith("\n-- attachment x.png, image/png (3 bytes)")


def test_long_outputs_are_cut_and_many_counted():
    (found,) = cells(notebook(code("", [{"output_type": "stream", "name": "stderr", "text": "x" * 10_000}] * 23)))
    assert found.count("… 8,500 characters left out …") == 20
    assert found.endswith("-- 3 more outputs")
    (found,) = cells(notebook(code("", [{"output_type": "error", "traceback": ["y" * 9_000, "Error: why"]}])))
    assert found.endswith("\nError: why")


def test_output_as_a_terminal_is_left_with_it():
    bar = {"output_type": "stream", "name": "stderr", "text": "10%\r50%\r100%\r\n\x1b[32mdone\x1b[0m\r\n"}
    (found,) = cells(notebook(code("", [bar])))
    assert found.endswith("stderr\n100%\ndone")


def test_half_of_a_surrogate_pair():
    (found,) = cells(notebook(markdown("a\ud800b")))
    assert found.endswith("a?b")


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "{}", "[]", "null", '"cells"', '{"cells"', '{"cells": 1}', '{"cells": []}', '{"cells": [1]}',
        '{"cells": [{}]}', '{"cells": [{"cell_type": "code"}]}', '{"cells": [{"cell_type": "code", "source": 1}]}',
        '{"a" 1}', '{"a": 1 "cells": []}', '{"worksheets": [{"cells": []}]}',
        '{"cells": [{"cell_type": "code", "source": "", "outputs": [1]}]}',
        '{"cells": ' + "[" * 100_000, "text of another kind",
    ],
)  # fmt: skip
def test_what_is_no_notebook(text):
    assert cells(text) is None


@given(st.lists(st.text(), min_size=1, max_size=5), st.sampled_from([None, 1]))
def test_every_source_is_there(sources, indent):
    found = cells(notebook(*map(markdown, sources), indent=indent))
    for text, source in zip(found, sources, strict=True):
        assert source.rstrip("\n") in text
