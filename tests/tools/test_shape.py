"""Answers within their length, and the whole beside them."""

from __future__ import annotations

import json

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from workroom.base.envelope import Artifact, Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.tools.catalog import INSPECT
from workroom.tools.editor import TOOLS
from workroom.tools.shape import bounded, formed

LIMIT = 4_000


class Shelf:
    """Keeps what is written in memory, or refuses."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.kept: dict[str, bytes] = {}
        self.trimmed: list[str] = []

    def trim(self, folder):
        self.trimmed.append(folder)

    def write(self, path, data, kind, description=""):
        if self.error:
            raise self.error
        self.kept[path] = data
        return Artifact(kind, f".agentic/{path}", "0" * 64, len(data), description)


def envelope(**parts):
    return Envelope(**{"ok": True, "operation": "x.y", "summary": "Said.", **parts})


def length(answer):
    return len(json.dumps(answer.to_json(), ensure_ascii=False, separators=(",", ":")))


@pytest.mark.parametrize(
    "whole",
    [
        envelope(),
        envelope(data={"text": "x" * 1000, "n": 1}, text="x" * 1000),
        envelope(data={"text": "x" * (LIMIT - 500)}),
        envelope(data={"text": "\0" * 100}),
        envelope(data={"rows": list(range(100))}),
        envelope(ok=False, error={"code": "X", "message": "m"}),
    ],
)
def test_what_fits_is_left_alone(whole):
    shelf = Shelf()
    assert bounded(whole, LIMIT, shelf) is whole
    assert shelf.kept == {}


def test_a_long_list_keeps_its_beginning():
    shelf = Shelf()
    rows = [{"path": f"src/{n}.py", "line": n} for n in range(1000)]
    answer = bounded(envelope(data={"rows": rows, "total": 1000}, facts=("one",)), LIMIT, shelf)
    kept = answer.data["rows"]
    assert kept == rows[: len(kept)]
    assert len(kept) > 50
    assert answer.data["truncated"] is True
    assert answer.data["omitted"] == {"rows": 1000 - len(kept)}
    assert answer.data["total"] == 1000
    assert length(answer) <= LIMIT
    (path, body), *_ = shelf.kept.items()
    assert shelf.trimmed == ["artifacts"]
    assert json.loads(body) == {"rows": rows, "total": 1000}
    assert path.startswith("artifacts/x.y-")
    assert path.endswith(".json")
    assert answer.artifacts[0].path == f".agentic/{path}"
    assert answer.facts == ("one", f"the answer was cut; the whole is in .agentic/{path}")


def test_a_long_text_keeps_whole_lines_and_is_kept_as_text():
    shelf = Shelf()
    text = "".join(f"line {n}\n" for n in range(2000))
    answer = bounded(envelope(data={"path": "a", "text": text}, text=text), LIMIT, shelf)
    assert text.startswith(answer.data["text"])
    assert answer.data["text"].endswith("\n")
    assert answer.data["omitted"] == {"text": len(text) - len(answer.data["text"])}
    assert answer.text.splitlines()[-1].endswith(f"the whole is in {answer.artifacts[0].path}")
    assert len(answer.text) <= LIMIT
    (path, body), *_ = shelf.kept.items()
    assert body.decode() == text
    assert path.endswith(".txt")


def test_only_the_text_is_too_long():
    shelf = Shelf()
    answer = bounded(envelope(data={"n": 1}, text="x" * 10_000), LIMIT, shelf)
    assert answer.data == {"n": 1}
    assert list(shelf.kept.values()) == [b"x" * 10_000]
    assert len(answer.text) <= LIMIT
    assert "characters more" in answer.text


def test_a_short_field_beside_a_long_one_stays_whole():
    answer = bounded(envelope(data={"long": ["y" * 100] * 500, "short": ["z" * 100] * 5}), LIMIT, Shelf())
    assert answer.data["short"] == ["z" * 100] * 5
    assert list(answer.data) == ["long", "short", "truncated", "omitted"]


def test_a_list_whose_first_item_is_too_long_keeps_a_part_of_it():
    files = [{"path": "a", "text": "x\n" * 5000}, {"path": "b", "text": "y"}]
    answer = bounded(envelope(data={"files": files}), LIMIT, Shelf())
    assert answer.data["files"][0]["path"] == "a"
    assert set(answer.data["omitted"]) == {"files", "files[0].text"}


def test_details_of_an_error_are_cut_too():
    shelf = Shelf()
    error = {"code": "EDIT_CONFLICT", "message": "m", "details": {"places": ["p" * 50] * 1000}}
    answer = bounded(envelope(ok=False, error=error, summary="s" * 9000), LIMIT, shelf)
    assert answer.error["code"] == "EDIT_CONFLICT"
    assert 0 < len(answer.error["details"]["places"]) < 100
    assert answer.data["omitted"]["error.details.places"] > 900
    assert length(answer) <= LIMIT
    assert json.loads(next(iter(shelf.kept.values())))["error"] == error


@pytest.mark.parametrize("error", [WorkroomError(ErrorCode.IO_ERROR, "The disk is full."), OSError("no")])
def test_where_the_whole_cant_be_kept_that_is_told(error):
    answer = bounded(envelope(data={"rows": ["x" * 100] * 1000}), LIMIT, Shelf(error))
    assert answer.artifacts == ()
    assert "couldn't be stored" in answer.facts[-1]
    assert length(answer) <= LIMIT


def test_what_is_no_text_is_never_cut():
    numbers = {f"k{n}": 123456 for n in range(300)}
    answer = bounded(envelope(data={"numbers": numbers}), LIMIT, Shelf())
    assert set(answer.data["numbers"].values()) == {123456}
    assert len(answer.data["numbers"]) < 300


def test_facts_and_the_summary_are_counted_too():
    facts = tuple(f"fact {number} " + "x" * 300 for number in range(40))
    answer = bounded(envelope(data={"rows": ["y" * 50] * 100}, facts=facts, summary="s" * 900), LIMIT, Shelf())
    assert length(answer) <= LIMIT
    assert 0 < len(answer.facts) < 10
    assert answer.facts[-1].startswith("the answer was cut")


def test_a_text_that_fits_only_without_its_summary_is_cut():
    answer = bounded(envelope(data={"n": 1}, text="x" * (LIMIT - 100), summary="s" * 300), LIMIT, Shelf())
    assert len(answer.summary) + len(answer.text) + 60 <= LIMIT
    assert "characters more" in answer.text


def test_what_has_no_text_gets_none():
    answer = bounded(envelope(data={"rows": ["x" * 100] * 1000}), LIMIT, Shelf())
    assert answer.text is None


def test_half_a_surrogate_pair_is_kept_somehow():
    shelf = Shelf()
    bounded(envelope(data={"text": "\udc80" * 10_000}), LIMIT, shelf)
    assert shelf.kept


def test_a_field_without_room_goes_and_is_counted():
    rows = {f"key-{n}": {str(m): "v" * 10 for m in range(20)} for n in range(500)}
    answer = bounded(envelope(data={"map": rows, "": ["x" * 9000], "none": ""}), LIMIT, Shelf())
    assert answer.data["omitted"]["map"] > 10
    assert answer.data["none"] == ""
    assert length(answer) <= LIMIT


def test_places_that_were_cut_are_not_told_without_end():
    data = {f"list-{n}": ["x" * 500] * 3 for n in range(60)}
    answer = bounded(envelope(data=data), LIMIT, Shelf())
    assert len(answer.data["omitted"]) == 20
    assert data.keys() < answer.data.keys()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=200),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=4), inner, max_size=5),
    max_leaves=30,
)


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.dictionaries(st.text(min_size=1, max_size=6), json_values, max_size=6))
def test_every_answer_comes_out_within_its_length_and_keeps_its_fields(data):
    answer = bounded(envelope(data=data), 2_000, Shelf())
    assert length(answer) <= 2_000 * 1.5
    assert data.keys() <= answer.data.keys()


def test_a_flat_tools_answer_is_shown_as_fields_and_every_other_whole():
    assert formed(envelope(), "editor", TOOLS[0]).form == "fields"
    assert formed(envelope(), "editor", INSPECT).form == "envelope"
    assert formed(envelope(), "editor").form == "fields"  # there is no tool of that name
    assert formed(envelope(), "workspace").form == "envelope"
