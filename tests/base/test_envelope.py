from __future__ import annotations

import json
from dataclasses import replace

from workroom.base.envelope import PROTOCOL, Artifact, Envelope, Picture, failure
from workroom.base.errors import ErrorCode, WorkroomError


def test_absent_fields_are_left_out() -> None:
    assert Envelope(ok=True, operation="workspace_edit.apply", summary="Done.", text="more").to_json() == {
        "protocol": PROTOCOL,
        "ok": True,
        "operation": "workspace_edit.apply",
        "summary": "Done.",
        "retention": {"importance": "normal"},
    }


def test_pictures_are_no_part_of_it_and_can_be_carried() -> None:
    answer = Envelope(ok=True, operation="x", summary="s", data={"a": 1}, pictures=(Picture("p", "image/png", b"abc"),))
    assert "pictures" not in answer.to_json()
    assert answer.shown() == answer.to_json()
    pictures = [{"path": "p", "mimeType": "image/png", "base64": "YWJj"}]
    assert answer.carried() == {**answer.to_json(), "pictures": pictures}
    assert replace(answer, pictures=()).carried() == answer.to_json()


def test_every_field_has_its_place_and_is_json() -> None:
    body = Envelope(
        ok=False,
        operation="x",
        summary="s",
        data={"a": 1},
        importance="critical",
        facts=("f",),
        omit_when_summarizing=("data.a",),
        artifacts=(Artifact("diff", ".agentic/d", "0" * 64, 3), Artifact("review", ".agentic/r", "1" * 64, 4, "why")),
        error={"code": "INTERNAL", "message": "m"},
    ).to_json()
    assert json.loads(json.dumps(body)) == {
        "protocol": "agentic-workspace/v1",
        "ok": False,
        "operation": "x",
        "summary": "s",
        "retention": {"importance": "critical", "facts": ["f"], "omit_when_summarizing": ["data.a"]},
        "artifacts": [
            {"kind": "diff", "path": ".agentic/d", "sha256": "0" * 64, "bytes": 3},
            {"kind": "review", "path": ".agentic/r", "sha256": "1" * 64, "bytes": 4, "description": "why"},
        ],
        "data": {"a": 1},
        "error": {"code": "INTERNAL", "message": "m"},
    }


def test_a_failure_carries_the_code_and_the_next_step() -> None:
    error = WorkroomError(ErrorCode.NOT_FOUND, "a.txt is gone.", next_step="Read it.", details={"path": "a.txt"})
    body = failure("workspace_inspect.read", error, {"seen": 1}).to_json()
    assert body == {
        "protocol": PROTOCOL,
        "ok": False,
        "operation": "workspace_inspect.read",
        "summary": "a.txt is gone. Read it.",
        "retention": {"importance": "high", "facts": ["workspace_inspect.read failed: NOT_FOUND"]},
        "data": {"seen": 1},
        "error": {"code": "NOT_FOUND", "message": "a.txt is gone. Read it.", "details": {"path": "a.txt"}},
    }


def test_a_flat_answer_is_shown_as_its_fields() -> None:
    kept = Artifact("answer", ".agentic/artifacts/x.json", "0" * 64, 3)
    whole = Envelope(ok=True, operation="editor_diff", summary="Said.", data={"patch": ""}, form="fields")
    assert whole.shown() == {"patch": ""}
    assert replace(whole, artifacts=(kept,)).shown() == {"patch": "", "artifacts": [kept.to_json()]}
    assert replace(whole, form="envelope").shown() == whole.to_json()


def test_a_flat_failure_is_shown_as_its_error_alone() -> None:
    error = WorkroomError(ErrorCode.NOT_FOUND, "a.txt is gone.", next_step="Read it.", details={"path": "a.txt"})
    told = replace(failure("editor_open", error, {"seen": 1}), form="fields")
    assert told.shown() == {
        "error": {"code": "NOT_FOUND", "message": "a.txt is gone.", "next_step": "Read it.",
                  "details": {"path": "a.txt"}},
    }  # fmt: skip
    bare = replace(failure("x", WorkroomError(ErrorCode.INTERNAL, "m")), form="fields")
    assert bare.shown() == {"error": {"code": "INTERNAL", "message": "m", "next_step": ""}}


def test_a_failure_without_details_has_none() -> None:
    body = failure("x", WorkroomError(ErrorCode.INTERNAL, "m")).to_json()
    assert body["error"] == {"code": "INTERNAL", "message": "m"}
    assert "data" not in body
