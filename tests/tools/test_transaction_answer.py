"""The answer about one transaction: counts and lines as every action gives them."""

import pytest
from tests.conftest import AGENT

from workroom.base.errors import WorkroomError
from workroom.tools.tool import Call
from workroom.tools.transaction_answer import answer, counts, plan_data


def test_counts_in_a_few_words(house):
    house.write("a.txt", "a\n")
    one = house.plan({"type": "rewrite", "path": "a.txt", "content": "b\nc\n"})
    assert counts(one) == "1 path, +2 -1 lines"
    two = house.plan({"type": "create", "path": "d/b", "content": "b\n"})
    assert counts(two) == "2 paths, +1 -0 lines"


def test_more_files_than_are_shown_are_counted(house):
    planned = house.plan(*({"type": "mkdir", "path": f"d{n}"} for n in range(201)))
    data = plan_data(planned, "planned", "")
    assert (len(data["files"]), data["fileCount"], data["filesTruncated"]) == (200, 201, True)


def test_views_that_cant_be_written_are_a_warning(house):
    """The answer is true all the same, and names no file that isn't there."""
    (house.folder / ".agentic" / "transactions").write_text("a file where a folder belongs")
    planned = house.plan({"type": "create", "path": "f", "content": "x"})
    told = answer(Call(house.workspace, AGENT), "edit.apply", planned, "applied", "Applied.")
    assert (told.ok, told.artifacts) == (True, ())
    assert "can't be written for reading" in told.text


def test_what_is_done_is_told_whatever_can_be_read(house):
    house.write("f", "x" * 100_000)
    kept = house.tx.keep(house.plan({"type": "rewrite", "path": "f", "content": "y"}), AGENT)
    (image,) = (path for path in (house.store_folder / "images").rglob("*") if path.is_file())
    image.unlink()
    image.mkdir()
    call = Call(house.workspace, AGENT)
    told = answer(call, "edit.commit", kept, "applied", "Applied.")
    assert (told.ok, told.data["status"]) == (True, "applied")
    assert "can't be shown" in told.data["warnings"][-1]
    with pytest.raises(WorkroomError, match="can't be read"):
        answer(call, "edit.preview", kept, "planned", "Planned.")
