from __future__ import annotations

import json

import pytest

from workroom.base.errors import ERROR_MEANINGS, ErrorCode, WorkroomError


def test_the_list_of_codes_is_closed_and_each_is_its_own_name() -> None:
    assert [str(code) for code in ErrorCode] == [
        "INVALID_INPUT", "NOT_FOUND", "PATH_OUTSIDE_WORKSPACE", "PROTECTED_PATH", "EDIT_CONFLICT", "TRANSACTION_STATE",
        "APPROVAL_REQUIRED", "APPROVAL_DENIED", "AMBIGUOUS_APPROVAL", "EXECUTABLE_DENIED", "AGENT_DISABLED",
        "LIMIT_EXCEEDED", "TIMEOUT", "CANCELLED", "UNSUPPORTED", "IO_ERROR", "INTERNAL",
    ]  # fmt: skip


def test_every_code_has_its_meaning() -> None:
    assert list(ERROR_MEANINGS) == list(ErrorCode)
    assert all(meaning.endswith(".") for meaning in ERROR_MEANINGS.values())


@pytest.mark.parametrize(
    ("next_step", "text"), [("", "a.txt is gone."), ("Read it again.", "a.txt is gone. Read it again.")]
)
def test_an_error_says_what_and_what_next(next_step: str, text: str) -> None:
    error = WorkroomError(ErrorCode.NOT_FOUND, "a.txt is gone.", next_step=next_step)
    assert str(error) == text
    assert (error.code, error.message, error.next_step, error.details) == (
        ErrorCode.NOT_FOUND, "a.txt is gone.", next_step, {},
    )  # fmt: skip


def test_details_are_a_copy_of_its_own() -> None:
    given = {"path": "a.txt"}
    error = WorkroomError(ErrorCode.NOT_FOUND, "gone", details=given)
    given["path"] = "b.txt"
    assert json.dumps(error.details) == '{"path": "a.txt"}'
