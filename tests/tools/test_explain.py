"""Errors that a model can repair itself by."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode
from workroom.tools.explain import explain, full_schema, nearest, quoted, resolved
from workroom.tools.tool import Action, Arguments, Tool


class Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Create(Value):
    type: Literal["create"]
    path: str
    content: str


class Replace(Value):
    type: Literal["replace"]
    path: str
    search: str


class Step(Value):
    text: str
    kind: Literal["edit", "other"] = "other"


class Apply(Arguments):
    operations: tuple[Annotated[Create | Replace, Field(discriminator="type")], ...] = Field(min_length=1, max_length=2)
    steps: tuple[str | Step, ...] = ()
    limit: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _even(self) -> Apply:
        if self.limit == 13:
            raise ValueError("limit 13 brings bad luck")
        return self


class Read(Arguments):
    path: str


class Nothing(Arguments):
    pass


def action(name: str, model: type[Arguments]) -> Action:
    return Action(name, model, "help", answer=lambda _call, _arguments: Envelope(True, name, ""))


TOOL = Tool("workspace_x", "X", "help", (action("apply", Apply), action("read", Read), action("none", Nothing)))
CREATE = {"type": "create", "path": "a", "content": ""}


def told(name: str, **fields: object) -> str:
    found = next(a for a in TOOL.actions if a.name == name)
    with pytest.raises(ValidationError) as caught:
        found.arguments.model_validate(fields)
    error = explain(TOOL, found, caught.value)
    assert error.code is ErrorCode.INVALID_INPUT
    return str(error)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"operations": [CREATE, {"type": "replace", "path": "a", "search": "b", "old_string": "c"}]},
            (
                "x.apply: `operations[1].old_string` is not a field of replace; did you mean `search`? "
                "Fields of replace: type, path, search."
            ),
        ),
        (
            {"operations": [{"type": "replace", "path": "a"}]},
            "x.apply: `operations[0].search` is missing. Fields of replace: type, path, search.",
        ),
        (
            {"operations": [{"type": "replce", "path": "a"}]},
            (
                "x.apply: `operations[0].type` can't be 'replce'; did you mean `replace`? "
                "Types of `operations[0]`: create, replace."
            ),
        ),
        (
            {"operations": [{"path": "a"}]},
            "x.apply: `operations[0].type` is missing. Types of `operations[0]`: create, replace.",
        ),
        ({}, "x.apply: `operations` is missing. Fields of apply: operations, steps, limit."),
        ({"operations": []}, "x.apply: `operations`: List should have at least 1 item, not 0. Fields of apply: "),
        ({"operations": 5}, "x.apply: `operations`: Input should be a list. Fields of apply: "),
        ({"operations": [CREATE] * 3}, "x.apply: `operations`: List should have at most 2 items, not 3. "),
        (
            {"operations": [CREATE], "limit": 0},
            "x.apply: `limit`: Input should be greater than or equal to 1. Fields of apply: operations, steps, limit.",
        ),
        ({"operations": [CREATE], "limit": 13}, "x.apply: limit 13 brings bad luck. Fields of apply: "),
        (
            {"operations": [CREATE], "steps": [{"text": "x", "kind": "edt"}]},
            "x.apply: `steps[0].kind`: Input should be 'edit' or 'other'. Fields of `steps[0]`: text, kind.",
        ),
        (
            {"operations": [CREATE], "steps": ["a", {"txt": "x"}]},
            (
                "x.apply: `steps[1].text` is missing. `steps[1].txt` is not a field of `steps[1]`; did you mean "
                "`text`? Fields of `steps[1]`: text, kind."
            ),
        ),
        (
            {"operations": [CREATE], "steps": [5]},
            (
                "x.apply: `steps[0]`: Input should be a valid string. `steps[0]`: Input should be a valid Step. "
                "Fields of apply: operations, steps, limit."
            ),
        ),
        (
            {"operations": [CREATE], "path": "x"},
            "x.apply: `path` is not a field of apply, but of read. Fields of apply: operations, steps, limit.",
        ),
        (
            {"operations": [CREATE], "zzz": "x"},
            "x.apply: `zzz` is not a field of apply. Fields of apply: operations, steps, limit.",
        ),
        (
            {"operations": [{"type": "create"}, {"type": "replace"}]},
            (
                "x.apply: `operations[0].path` is missing. `operations[0].content` is missing. "
                "`operations[1].path` is missing. (and 1 more) Fields of create: type, path, content."
            ),
        ),
    ],
)
def test_what_is_told(fields, message):
    assert told("apply", **fields).startswith(message)


def test_an_action_without_fields():
    assert told("none", zzz=1) == "x.none: `zzz` is not a field of none. none takes no fields."


def test_the_details_name_the_field():
    with pytest.raises(ValidationError) as caught:
        Read.model_validate({"file_path": "x"})
    error = explain(TOOL, TOOL.actions[1], caught.value)
    assert error.details == {"field": "path", "fields": ["path"]}
    assert "did you mean `path`?" in error.message


def test_a_wrong_name_of_any_length_is_told_briefly():
    assert len(told("apply", **{"x" * 1_000_000: 1})) < 600


def test_nearest():
    assert nearest("x" * 1_000_000, ["path"]) is None
    assert nearest("start-line", ["start_line", "end_line"]) == "start_line"
    assert nearest("offset", ["start_line", "limit"]) == "start_line"
    assert nearest("glob", ["pattern", "include"]) == "include"
    assert nearest("glob", ["path"]) is None
    assert nearest("zzz", ["path"]) is None


def test_quoted_is_short_and_escaped():
    assert quoted("a\x1b\udc80é") == r"'a\x1b\udc80\xe9'"
    assert len(quoted("x" * 1000)) < 70


def test_full_schema_is_made_once():
    assert full_schema(Read) is full_schema(Read)
    assert resolved({"$ref": "#/$defs/A"}, {"A": {"type": "string"}}) == {"type": "string"}
