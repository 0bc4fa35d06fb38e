"""What words mean: a vector for each piece of a word, made once from a large language model, shipped in a package.

The package (`wordllama`) brings 32,000 vectors of 256 numbers and the rules by which words are cut; it isn't imported,
since that loads much and sets up logging. A text's vector is the sum of its words' vectors, each counted as the
logarithm of how often it is there; only its direction counts.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from workroom.base.errors import ErrorCode, WorkroomError

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

__all__ = ["WIDTH", "Meanings", "packed"]

WIDTH = 256
_KEPT = 200_000
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_PIECES = "tokenizers/l2_supercat_tokenizer_config.json"


class Meanings:
    """The vectors of words. Loaded when it is made: 30 MB, a tenth of a second. For one thread at a time."""

    def __init__(self, kept: int = _KEPT) -> None:
        """The pieces of so many words are remembered."""
        self._kept = kept
        self._weights = _weights()
        self._tokenizer = _tokenizer()
        self._pieces: dict[str, tuple[int, ...]] = {}

    def of(self, counts: Mapping[str, int]) -> np.ndarray:
        """The vector of a text with so many of each word: WIDTH numbers, of length 1; all 0 without words."""
        import numpy as np  # noqa: PLC0415 - heavy

        self._learn(counts)
        weights: dict[int, float] = {}
        for word, count in counts.items():
            weight = math.log1p(count)
            for piece in self._pieces[word]:
                weights[piece] = weights.get(piece, 0.0) + weight
        if not weights:
            return np.zeros(WIDTH, dtype=np.float32)
        numbers = np.fromiter(weights.values(), dtype=np.float32, count=len(weights))
        found = numbers @ self._weights[list(weights)].astype(np.float32)
        return np.asarray(found / max(float(np.linalg.norm(found)), 1e-9))

    def _learn(self, words: Iterable[str]) -> None:
        new = [word for word in words if word not in self._pieces]
        if len(self._pieces) + len(new) > self._kept:
            self._pieces.clear()
            new = list(words)
        for word, found in zip(new, self._tokenizer.encode_batch(new, add_special_tokens=False), strict=True):
            self._pieces[word] = tuple(found.ids)


def packed(vector: np.ndarray) -> bytes:
    """A vector as one byte a number, which is near enough: only directions are compared."""
    import numpy as np  # noqa: PLC0415 - heavy

    largest = max(float(np.abs(vector).max(initial=0.0)), 1e-9)
    return np.rint(vector * (127 / largest)).astype(np.int8).tobytes()


def _place(name: str) -> str:
    found = importlib.util.find_spec("wordllama")  # finds it, and imports nothing
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    raise WorkroomError(  # pragma: no cover - the package is one of those that Workroom needs
        ErrorCode.UNSUPPORTED,
        "The package wordllama, which brings the meanings of words, isn't there as it should be.",
        next_step="Install Workroom anew.",
    )


def _weights() -> np.ndarray:
    """The rows of the weights' file: a length, a header of that length that says where they stand, then they."""
    import numpy as np  # noqa: PLC0415 - heavy

    path = _place(_WEIGHTS)
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        (head,) = json.loads(file.read(length)).values()
    start, end = head["data_offsets"]
    flat = np.memmap(path, dtype=np.float16, mode="r", offset=8 + length + start, shape=((end - start) // 2,))
    return np.asarray(flat.reshape(head["shape"]))


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

    return Tokenizer.from_file(_place(_PIECES))
