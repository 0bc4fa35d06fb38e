"""What can go wrong, said once.

    WorkroomError           a refusal or failure that a caller is told: code, message, next step
    `- ErrorCode            the closed list of codes; docs/reference/errors.md is made from it

Every layer raises `WorkroomError`; interfaces turn it into the wire's form at one place.
Own classes exist only where callers react differently, and none do yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

__all__ = ["ERROR_MEANINGS", "ErrorCode", "WorkroomError"]


class ErrorCode(StrEnum):
    """The closed list of codes an answer can carry."""

    INVALID_INPUT = "INVALID_INPUT"
    NOT_FOUND = "NOT_FOUND"
    PATH_OUTSIDE_WORKSPACE = "PATH_OUTSIDE_WORKSPACE"
    PROTECTED_PATH = "PROTECTED_PATH"
    EDIT_CONFLICT = "EDIT_CONFLICT"
    TRANSACTION_STATE = "TRANSACTION_STATE"
    APPROVAL_REQUIRED = "APPROVAL_REQUIRED"
    APPROVAL_DENIED = "APPROVAL_DENIED"
    AMBIGUOUS_APPROVAL = "AMBIGUOUS_APPROVAL"
    EXECUTABLE_DENIED = "EXECUTABLE_DENIED"
    AGENT_DISABLED = "AGENT_DISABLED"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    UNSUPPORTED = "UNSUPPORTED"
    IO_ERROR = "IO_ERROR"
    INTERNAL = "INTERNAL"


ERROR_MEANINGS: Mapping[ErrorCode, str] = {
    ErrorCode.INVALID_INPUT: "The call itself is wrong; the message names the field. Nothing was changed.",
    ErrorCode.NOT_FOUND: "The path, transaction, approval, plan or note named does not exist.",
    ErrorCode.PATH_OUTSIDE_WORKSPACE: "The path, or a link on it, leads out of the folder that the person opened.",
    ErrorCode.PROTECTED_PATH: "A protected path, or a destructive change while the ceiling refuses them.",
    ErrorCode.EDIT_CONFLICT: "What is on disk is not what the edit was made against. Nothing was changed.",
    ErrorCode.TRANSACTION_STATE: "The transaction or plan is not in a state that allows this.",
    ErrorCode.APPROVAL_REQUIRED: "Plan mode without an approved plan: propose one and wait for the person.",
    ErrorCode.APPROVAL_DENIED: "The person denied exactly what this would do. Do something else or ask them.",
    ErrorCode.AMBIGUOUS_APPROVAL: "Several records wait and none was named; the list is in the details.",
    ErrorCode.EXECUTABLE_DENIED: "The program is not on the person's allow list.",
    ErrorCode.AGENT_DISABLED: "Sub-agents are switched off in the settings.",
    ErrorCode.LIMIT_EXCEEDED: "A limit was met; the message gives the figure and the limit.",
    ErrorCode.TIMEOUT: "It took longer than allowed and was stopped.",
    ErrorCode.CANCELLED: "The caller cancelled it, or the workspace was closed, before it took effect.",
    ErrorCode.UNSUPPORTED: "This build or platform can't do it; the message says what can.",
    ErrorCode.IO_ERROR: "The operating system refused; the message carries its reason.",
    ErrorCode.INTERNAL: "A fault of Workroom's own. It is logged; please report it.",
}


class WorkroomError(Exception):
    """A refusal or failure with a code, a message and the next step the reader can take.

    `message` names the field or path. `next_step` is one imperative sentence, or empty where there is none.
    `details` is JSON-serialisable and goes to the answer's `error.details`.
    """

    def __init__(
        self, code: ErrorCode, message: str, *, next_step: str = "", details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.next_step = next_step
        self.details: dict[str, Any] = dict(details or {})

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".rstrip()
