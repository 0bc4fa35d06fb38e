"""Notebooks and PDFs as read shows them, within the road of a call; and how a notebook is edited after it."""

from __future__ import annotations

import hashlib
import json

import pytest
from tests.documents import encrypted, pdf

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.tools.dispatch import call
from workroom.tools.tool import Call


@pytest.fixture
def ask(house):
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(tool, action, **arguments):
        return call(caller, f"workspace_{tool}", {"action": action, **arguments})

    return ask


@pytest.fixture
def read(ask):
    return lambda path, **arguments: ask("inspect", "read", path=path, **arguments)


def code(source, *outputs):
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs), "source": source}


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def notebook(*cells):
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def refused(answer, code, said):
    assert answer.error["code"] == code
    assert said in answer.summary


SMALL = notebook(code(["a = 1\n", "print(a)"], printed("1\n")), code("b = 2"))


def test_a_notebook_by_its_cells(read, house):
    house.write("n.ipynb", SMALL)
    answer = read("n.ipynb")
    sha = hashlib.sha256(SMALL.encode()).hexdigest()
    view = answer.data.pop("viewSha256")
    assert answer.data == {
        "path": "n.ipynb",
        "bytes": len(SMALL),
        "view": "notebook",
        "text": "-- cell 1, code [1], file lines 3-18\na = 1\nprint(a)\n-- output, stdout\n1\n"
        "-- cell 2, code [1], file lines 19-25\nb = 2",
        "startPart": 1,
        "endPart": 2,
        "totalParts": 2,
        "truncated": False,
    }
    assert answer.summary.startswith("n.ipynb: cells 1-2 of 2, as text. This is a view: to edit it")
    assert sha not in json.dumps(answer.to_json())
    for known in (view, sha):
        assert read("n.ipynb", known_sha256=known).data["unchanged"]
    house.write("n.ipynb", SMALL.replace("a = 1", "a = 2"))
    assert "a = 2" in read("n.ipynb", known_sha256=view).text


def test_the_lines_of_a_notebook_are_the_files_own(read, house):
    house.write("n.ipynb", SMALL)
    answer = read("n.ipynb", start_line=19, end_line=25)
    assert answer.data["sha256"] == hashlib.sha256(SMALL.encode()).hexdigest()
    assert '24 |    "source": "b = 2"' in answer.text
    assert json.loads(read("n.ipynb", start_line=1, numbered=False).data["text"])["nbformat"] == 4
    assert read("n.ipynb", tail_lines=1).text.endswith(" | }")


def test_no_edit_is_guarded_by_what_a_view_tells(ask, read, house):
    """Who takes lines of the view for lines of the file is refused; who reads the lines that it names isn't."""
    house.write("n.ipynb", SMALL)
    splice = {"type": "splice", "path": "n.ipynb", "start_line": 24, "delete_count": 1,
              "content": '   "source": "b = 3"\n'}  # fmt: skip
    view = read("n.ipynb").data["viewSha256"]
    refused(ask("edit", "apply", operations=[{**splice, "expected_hash": view}]), "EDIT_CONFLICT", "n.ipynb")
    lines = read("n.ipynb", start_line=19, end_line=25)
    assert ask("edit", "apply", operations=[{**splice, "expected_hash": lines.data["sha256"]}]).ok
    assert "b = 3" in read("n.ipynb").text


def test_cells_in_turn(read, house):
    house.write("n.ipynb", notebook(*[code(f"cell {n}\n" + "x" * 300) for n in range(1, 41)]))
    seen, first = [], 1
    while first:
        answer = read("n.ipynb", start_part=first, max_chars=2_000)
        seen += [line for line in answer.text.split("\n") if line.startswith("cell ")]
        first = answer.data.get("nextStartPart")
        assert answer.data["truncated"] is bool(first)
        assert len(answer.text) <= 2_000
    assert seen == [f"cell {n}" for n in range(1, 41)]
    answer = read("n.ipynb", start_part=3, end_part=4)
    assert (answer.data["startPart"], answer.data["endPart"], answer.data["truncated"]) == (3, 4, False)
    refused(read("n.ipynb", start_part=41), "INVALID_INPUT", "has 40 cells")


def test_a_cell_that_is_too_long_is_kept_whole_beside_the_answer(read, house):
    house.write("n.ipynb", notebook(code("".join(f"line {n}\n" for n in range(9_000))), code("last")))
    answer = read("n.ipynb")
    assert (answer.data["cutParts"], answer.data["truncated"], answer.data["nextStartPart"]) == (1, True, 2)
    assert "cell 1 of 2, as text, and cut" in answer.summary
    (artifact,) = answer.artifacts
    assert read(artifact.path, tail_lines=1).text.endswith("| line 8999")
    assert len(json.dumps(answer.to_json(), separators=(",", ":"))) <= Settings().max_tool_result_chars


def test_a_cell_that_cant_be_kept_is_cut_all_the_same(read, house):
    house.write("n.ipynb", notebook(code("x" * 90_000)))
    house.write(".agentic/artifacts", "a file where the folder should be")
    answer = read("n.ipynb")
    assert (answer.artifacts, answer.data["cutParts"], answer.data["truncated"]) == ((), 1, True)


def test_what_only_has_the_name_of_a_notebook_is_text(read, house):
    house.write("n.ipynb", '{"cells": []}\n')
    assert read("n.ipynb").text == '1 | {"cells": []}'
    house.write("n.ipynb", b"\0\1")
    refused(read("n.ipynb"), "INVALID_INPUT", "only text")
    refused(read("none.ipynb"), "NOT_FOUND", "none.ipynb")


def test_pages_of_a_pdf(read, house):
    data = pdf("One\nTwo", "Größe", "")
    house.write("report", data)  # its name says nothing
    answer = read("report")
    sha = hashlib.sha256(data).hexdigest()
    assert answer.data == {
        "path": "report",
        "sha256": sha,
        "bytes": len(data),
        "view": "pdf",
        "text": "-- page 1 of 3\nOne\nTwo\n-- page 2 of 3\nGröße\n-- page 3 of 3, without text",
        "startPart": 1,
        "endPart": 3,
        "totalParts": 3,
        "truncated": False,
    }
    assert answer.summary == f"report: pages 1-3 of 3, as text. sha256 {sha}."
    assert read("report", known_sha256=sha).data["unchanged"]
    assert read("report", start_part=2, end_part=2).text == "-- page 2 of 3\nGröße"
    (house.folder / "link").symlink_to("report")
    assert read("link").data["resolvedPath"] == "report"


def test_a_large_pdf_that_is_known(read, house):
    data = pdf("One").replace(b"%\xe2\xe3", b"%\0\xe3") + b"\n%" + b"x" * 17_000_000
    house.write("f.pdf", data)
    sha = hashlib.sha256(data).hexdigest()
    answer = read("f.pdf")
    assert (answer.data["sha256"], answer.text) == (sha, "-- page 1 of 1\nOne")
    assert read("f.pdf", known_sha256=sha).data["unchanged"]


def test_a_page_that_cant_be_read(read, house):
    house.write("f.pdf", pdf("One", "Two").replace(b"6 0 obj", b"9 0 obj"))
    answer = read("f.pdf")
    assert answer.text == "-- page 1 of 2\nOne\n-- page 2 of 2, which can't be read"


def test_pages_in_turn(read, house):
    house.write("f.pdf", pdf(*[f"page {n}\n" + "\n".join(["word"] * 40) for n in range(1, 61)]))
    answer = read("f.pdf", max_chars=2_000)
    following = answer.data["nextStartPart"]
    assert f"go on with start_part {following}." in answer.summary
    assert read("f.pdf", start_part=following, max_chars=2_000).text.startswith(f"-- page {following} of 60\n")


def test_a_pdf_has_no_lines_and_a_text_no_parts(read, house):
    house.write("f.pdf", pdf("One").replace(b"%\xe2\xe3", b"%\0\xe3"))
    house.write("plain.pdf", pdf("One").replace(b"%\xe2\xe3\xcf\xd3\n", b""))
    house.write("text", "one\n")
    refused(read("f.pdf", start_line=1), "INVALID_INPUT", "has pages and no lines")
    assert read("plain.pdf").data["view"] == "pdf"
    assert read("plain.pdf", start_line=1, end_line=1).text == "1 | %PDF-1.7"
    refused(read("text", start_part=1), "INVALID_INPUT", "`start_line` and `end_line`")
    refused(read("text", start_part=1, tail_lines=3), "INVALID_INPUT", "can't be combined with lines")
    refused(read("f.pdf", start_part=3, end_part=2), "INVALID_INPUT", "is before `start_part` 3")
    house.write("enc.pdf", encrypted())
    refused(read("enc.pdf"), "INVALID_INPUT", "encrypted")


@pytest.mark.parametrize("numbered", [True, False])
def test_a_text_that_shows_a_pdfs_first_line_is_text(read, house, numbered):
    house.write("shown", "1 | %PDF-1.7\ntext\n")
    assert read("shown", numbered=numbered).data["totalLines"] == 2


def test_a_large_pdf_is_one_by_its_first_bytes(read, house):
    house.write("large", b"%PDF-1.7\n" + b"text\n" * 3_500_000)
    refused(read("large"), "INVALID_INPUT", "PDF")
    assert read("large", start_line=1, end_line=1).text == "1 | %PDF-1.7"
    house.write("shown", b"1 | %PDF-1.7\n" + b"text\n" * 3_500_000)
    assert read("shown", numbered=False).data["totalLines"] == 3_500_001


def test_views_among_other_files(ask, house):
    house.write("n.ipynb", SMALL)
    house.write("f.pdf", pdf("One"))
    house.write("text", "one\n")
    house.write("enc.pdf", encrypted())
    answer = ask("inspect", "read", paths=["f.pdf", "enc.pdf", "text", "n.ipynb"])
    assert [row.get("view") for row in answer.data["files"]] == ["pdf", None, None, "notebook"]
    assert answer.data["files"][1]["error"]["code"] == "INVALID_INPUT"
    assert "== f.pdf: page" in answer.text
    assert "\n-- page 1 of 1\nOne\n== enc.pdf: " in answer.text
