"""Operations as values: what they refuse, and the form that equal requests share."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from workroom.core.transactions.operations import Move, Operation, normalised

PARSE = TypeAdapter(Operation).validate_python
EACH = (
    {"type": "create", "path": "f", "content": "x"},
    {"type": "rewrite", "path": "f", "content": "x"},
    {"type": "replace", "path": "f", "search": "x", "replacement": "y"},
    {"type": "splice", "path": "f", "start_line": 1, "delete_count": 0},
    {"type": "copy", "from": "f", "to": "g"},
    {"type": "move", "from": "f", "to": "g"},
    {"type": "delete", "path": "f"},
    {"type": "mkdir", "path": "d"},
    {"type": "patch", "patch": "--- a/f\n"},
)


DEFAULTS: dict[str, dict[str, Any]] = {
    "create": {"overwrite": False},
    "rewrite": {"create_if_missing": False},
    "replace": {"expected_matches": 1},
    "splice": {"content": "", "expected_hash": None},
    "copy": {"overwrite": False},
    "move": {"overwrite": False},
    "delete": {"ignore_missing": False, "recursive": False},
}
"""What each takes where nothing is said, beside what all take."""


@pytest.mark.parametrize("body", EACH, ids=lambda body: body["type"])
def test_each_is_normalised_to_what_was_asked_for(body):
    assert normalised((PARSE(body),)) == [body]


@pytest.mark.parametrize("body", EACH, ids=lambda body: body["type"])
def test_defaults_spelled_out_are_the_same_request(body):
    defaults = {"allow_line_numbers": False, "expected_sha256": None, **DEFAULTS.get(body["type"], {})}
    assert normalised((PARSE({**body, **defaults}),)) == normalised((PARSE(body),)) == [body]
    assert PARSE(body).model_dump(by_alias=True) == {**body, **defaults}


@pytest.mark.parametrize("body", EACH, ids=lambda body: body["type"])
def test_a_field_that_is_not_known_is_named(body):
    with pytest.raises(ValidationError, match="contents"):
        PARSE({**body, "contents": "x"})


@pytest.mark.parametrize(
    "body",
    [
        {"type": "replace", "path": "f", "search": "", "replacement": "y"},
        {"type": "replace", "path": "f", "search": "x", "replacement": "y", "expected_matches": 0},
        {"type": "replace", "path": "f", "search": "x", "replacement": "y", "expected_matches": 100_001},
        {"type": "splice", "path": "f", "start_line": 0, "delete_count": 0},
        {"type": "splice", "path": "f", "start_line": 1, "delete_count": -1},
        {"type": "chmod", "path": "f"},
        {"path": "f"},
    ],
)
def test_what_is_out_of_range_is_refused(body):
    with pytest.raises(ValidationError):
        PARSE(body)


def test_the_ends_of_a_range_are_in_it():
    replace, splice = EACH[2], EACH[3]
    for body in ({**replace, "expected_matches": 1}, {**replace, "expected_matches": 100_000}, splice):
        assert PARSE(body).type == body["type"]


@pytest.mark.parametrize("body", EACH, ids=lambda body: body["type"])
def test_only_what_is_wrong_for_the_type_is_told(body):
    for field in body.keys() - {"type", "content"}:
        with pytest.raises(ValidationError) as caught:
            PARSE({key: value for key, value in body.items() if key != field})
        assert [error["loc"] for error in caught.value.errors()] == [(body["type"], field)]


def test_operations_are_values():
    one, other = (PARSE({"type": "move", "from": "f", "to": "g"}) for _ in range(2))
    assert one == other
    assert isinstance(one, Move)
    assert (one.source, one.target) == ("f", "g")
    with pytest.raises(ValidationError):
        one.source = "h"
