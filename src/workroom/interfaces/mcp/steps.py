"""What a line from the client amounts to, as values; and what is sent. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workroom.interfaces.mcp.eras import Client
from workroom.interfaces.mcp.jsonrpc import line_of

__all__ = ["Batch", "Cancel", "Question", "Reply", "Request", "Send", "Step", "nothing"]


class Send:
    """Send `line`, one message (or one batch of answers) that ends in a newline.

    `origin` came with what this belongs to; None for what belongs to nothing that was heard. `final`: it is the whole
    answer to that, and nothing more of the same origin comes; the line is empty where the client has cancelled it.
    `error`: the JSON-RPC code, where it is an error's.
    """

    __slots__ = ("error", "final", "line", "origin")

    def __init__(self, line: bytes, origin: object = None, *, final: bool = False, error: int | None = None) -> None:
        self.line = line
        self.origin = origin
        self.final = final
        self.error = error


def nothing(origin: object) -> Send:
    """The end of what is not answered any more."""
    return Send(b"", origin, final=True)


class Batch:
    """Answers of one batch, which leave as one array when the last is there."""

    def __init__(self, origin: object) -> None:
        self.origin = origin
        self._waiting = 1  # for the end of the batch itself
        self._answers: list[str] = []
        self._wanted = False
        """Whether anything in it is answered at all."""

    def wait(self) -> None:
        self._wanted = True
        self._waiting += 1

    def take(self, answer: str) -> None:
        self._wanted = True
        self._answers.append(answer)

    def done(self) -> list[Send]:
        """One of those waited for is through; the array leaves when it was the last."""
        self._waiting -= 1
        if self._waiting or not self._wanted:
            return []
        if not self._answers:
            return [nothing(self.origin)]
        return [Send(line_of("[" + ",".join(self._answers) + "]"), self.origin, final=True)]


class Request:
    """A request that waits for its answer; `params` are not checked yet."""

    __slots__ = ("batch", "client", "id", "method", "origin", "params", "token")

    def __init__(
        self,
        number: str | int,
        method: str,
        params: dict[str, Any],
        client: Client,
        origin: object,
        batch: Batch | None,
    ) -> None:
        self.id = number
        self.method = method
        self.params = params
        self.client = client
        self.origin = origin
        self.batch = batch
        self.token = _progress_token(params)
        """What the client wants to be told its progress by; None when it doesn't."""


class Cancel:
    """The client has given up on a request that is still open."""

    __slots__ = ("request",)

    def __init__(self, request: Request) -> None:
        self.request = request


class Question:
    """A request of ours to the client, which belongs to a request of the client's."""

    __slots__ = ("id", "request")

    def __init__(self, number: str, request: Request) -> None:
        self.id = number
        self.request = request


class Reply:
    """The client's answer to a question; `result` is None where it answered with an error."""

    __slots__ = ("question", "result")

    def __init__(self, question: Question, result: Any) -> None:
        self.question = question
        self.result = result


Step = Send | Request | Cancel | Reply


def _progress_token(params: Mapping[str, Any]) -> str | int | None:
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None
