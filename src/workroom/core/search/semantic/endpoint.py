"""Vectors from a server that speaks OpenAI's protocol for embeddings, where the person has named one.

POST URL   {"model": …, "input": [text, …]}  ──>  {"data": [{"index": 0, "embedding": [number, …]}, …]}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.net import post_json

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Endpoint"]

_WIDEST = 16_384
_CHARACTERS = 8_000
"""Of one text; models take about as much."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where it is, and what is asked there. The key is in no `repr`."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 30.0

    def name(self) -> str:
        """What vectors are kept by: those of another place or model are others."""
        return f"{self.model} {self.url}"

    def ask(self, texts: Sequence[str]) -> list[np.ndarray]:
        """A vector of length 1 for each text. IO_ERROR where that isn't what comes back."""
        import numpy as np  # noqa: PLC0415 - heavy

        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        body = {"model": self.model, "input": [text[:_CHARACTERS] or " " for text in texts]}
        answer = post_json(self.url, body, headers, self.timeout)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            found = np.array([row["embedding"] for row in rows], dtype=np.float32)
            fits = found.ndim == 2 and len(found) == len(texts) and 0 < found.shape[1] <= _WIDEST
            if not fits or not np.isfinite(found).all():
                raise ValueError(found.shape)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise WorkroomError(
                ErrorCode.IO_ERROR, "The embeddings endpoint answered something else than one vector for each text."
            ) from None
        return list(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))
