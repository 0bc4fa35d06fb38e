"""The pieces that fit a question best: by words (BM25 of the piece, and of its file), by meaning (cosines of both).

    words    = BM25(piece; path and symbol count twice) + 0.6 BM25(file)
    meaning  = cos(piece) + cos(file)
    score    = z(words) + 0.6 z(meaning)        z: how many standard deviations above the mean of all pieces

The weights were chosen on the questions marked `tuned` in benchmarks/meaning.tsv, where sums of such scores found more
than ranks joined by reciprocals. A test is rarely what answers a question, so that its piece counts less, where the
question doesn't speak of tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workroom.core.search.listing import is_test
from workroom.core.search.semantic.table import Table
from workroom.core.search.semantic.words import COMMON, stems, words

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Held", "Loaded", "Ranked", "load", "rank"]

_FILE, _MEANING, _TEST = 0.6, 0.6, 0.7
_PIECE_WEIGHTS, _FILE_WEIGHTS = (2.0, 2.0, 1.0), (1.0, 1.0)
_FOREMOST = 100
"""A piece among so many by one of both was found by that."""
_FEW = 1_000
_BLOCK = 16_384
_TEST_STEM = "test"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One piece, its score, and by which it is among the foremost: `words`, `meaning`, `both`."""

    chunk: int
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """What of a table is held in memory to ask it: arrays with an element, or a row, for each piece or file."""

    version: int
    chunks: np.ndarray
    """Ids, growing."""
    owners: np.ndarray
    """For each piece the place of its file in `files`."""
    vectors: np.ndarray
    """Bytes, signed."""
    lengths: np.ndarray
    """Of those vectors."""
    files: np.ndarray
    """Ids, growing."""
    file_vectors: np.ndarray
    paths: list[str]
    tests: np.ndarray
    """Of each file, whether it is one of tests."""
    remote: bool
    """Whether the vectors are the endpoint's."""


def load(table: Table, *, remote: bool) -> Loaded:
    """Read vectors and paths; those of the endpoint only where there is one for each piece."""
    import numpy as np  # noqa: PLC0415 - heavy

    version = table.version()
    files = list(table.db.execute("SELECT id, path FROM files ORDER BY id"))
    remote = remote and not any(table.db.execute("SELECT 1 FROM chunks WHERE remote IS NULL LIMIT 1"))
    column = "remote" if remote else "vector"
    rows = list(table.db.execute(f"SELECT id, file, {column} FROM chunks ORDER BY id"))  # noqa: S608 - one of two
    numbers = np.array([number for number, _ in files], dtype=np.int64)
    width = len(rows[0][2]) if rows else 1
    if any(len(row[2]) != width for row in rows):  # the endpoint's model has become another behind its name
        return load(table, remote=False)
    vectors = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.int8).reshape(len(rows), width)
    owners = np.searchsorted(numbers, np.array([row[1] for row in rows], dtype=np.int64))
    paths = [os.fsdecode(path) for _, path in files]
    return Loaded(
        version,
        np.array([row[0] for row in rows], dtype=np.int64),
        owners,
        vectors,
        _lengths(vectors),
        numbers,
        _of_files(vectors, owners, len(files)),
        paths,
        np.array([is_test(path) for path in paths], dtype=bool),
        remote,
    )


class Held:
    """What was loaded of one table, with the endpoint's vectors and without, until somebody writes to the table."""

    def __init__(self) -> None:
        self._loaded: dict[bool, Loaded] = {}

    def of(self, table: Table, *, remote: bool) -> Loaded:
        """What `load` answers, read anew only where it may be another."""
        version = table.version()
        self._loaded = {each: loaded for each, loaded in self._loaded.items() if loaded.version == version}
        if remote not in self._loaded:
            self._loaded[remote] = load(table, remote=remote)
        return self._loaded[remote]


def rank(
    table: Table,
    loaded: Loaded,
    question: str,
    vector: np.ndarray,
    within: str,
    most: int,
    shares: tuple[float, float] = (1.0, _MEANING),
) -> list[Ranked]:
    """The best pieces below the folder (or in the file) `within`, the best first; `shares` of words and of meaning."""
    import numpy as np  # noqa: PLC0415 - heavy

    if not loaded.chunks.size:
        return []
    asked = list(dict.fromkeys(stems(_counting(words(question), loaded.chunks.size))))
    by_words = _placed(table.matching("chunk_words", _PIECE_WEIGHTS, asked), loaded.chunks)
    by_file = _placed(table.matching("file_words", _FILE_WEIGHTS, asked), loaded.files)
    spoken = by_words + _FILE * by_file[loaded.owners]
    meant = _cosines(loaded.vectors, vector) / loaded.lengths + (loaded.file_vectors @ vector)[loaded.owners]
    score = shares[0] * _standard(spoken) + shares[1] * _standard(meant)
    if _TEST_STEM not in asked:
        score = np.where(loaded.tests[loaded.owners] & (score > 0), score * _TEST, score)
    inside = np.array([_is_within(path, within) for path in loaded.paths], dtype=bool)[loaded.owners]
    places = np.flatnonzero(inside)
    best = places[np.argsort(-score[places], kind="stable")[:most]]
    by = _by(spoken[best], _foremost(spoken[places]), meant[best], _foremost(meant[places]))
    return [Ranked(*row) for row in zip(loaded.chunks[best].tolist(), score[best].tolist(), by, strict=True)]


def _counting(asked: list[str], pieces: int) -> list[str]:
    """The words that count. In few pieces the common ones are rare by chance, and say nothing."""
    telling = [word for word in asked if word not in COMMON]
    return telling if telling and pieces < _FEW else asked


def _is_within(path: str, within: str) -> bool:
    return within in {".", path} or path.startswith(f"{within}/")


def _foremost(scores: np.ndarray) -> float:
    """The least score that is among the foremost."""
    import numpy as np  # noqa: PLC0415 - heavy

    few = min(_FOREMOST, scores.size)
    return float(np.partition(scores, -few)[-few]) if few else 0.0


def _by(spoken: np.ndarray, words: float, meant: np.ndarray, meaning: float) -> list[str]:
    """Which of both has each piece among its foremost; meaning where neither does, or no word is in it."""
    found = {(True, True): "both", (True, False): "words"}
    pairs = zip((spoken >= max(words, 1e-9)).tolist(), (meant >= meaning).tolist(), strict=True)
    return [found.get(pair, "meaning") for pair in pairs]


def _placed(rows: Iterable[tuple[int, float]], ids: np.ndarray) -> np.ndarray:
    """Scores by id as an array beside the ids; a row that came after these were loaded is left out."""
    import numpy as np  # noqa: PLC0415 - heavy

    found = np.zeros(len(ids), dtype=np.float32)
    pairs = np.array(list(rows), dtype=np.float64).reshape(-1, 2)
    numbers = pairs[:, 0].astype(np.int64)
    there = np.isin(numbers, ids)
    found[np.searchsorted(ids, numbers[there])] = pairs[there, 1]
    return found


def _cosines(vectors: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Cosines, but for the vectors' lengths."""
    import numpy as np  # noqa: PLC0415 - heavy

    found = np.zeros(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        found[start : start + _BLOCK] = vectors[start : start + _BLOCK].astype(np.float32) @ vector
    return found


def _lengths(vectors: np.ndarray) -> np.ndarray:
    import numpy as np  # noqa: PLC0415 - heavy

    found = np.zeros(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        found[start : start + _BLOCK] = np.linalg.norm(vectors[start : start + _BLOCK].astype(np.float32), axis=1)
    return np.maximum(found, 1e-9)


def _of_files(vectors: np.ndarray, owners: np.ndarray, count: int) -> np.ndarray:
    """For each file the sum of its pieces' directions, of length 1."""
    import numpy as np  # noqa: PLC0415 - heavy

    found = np.zeros((count, vectors.shape[1]), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK].astype(np.float32)
        block /= np.maximum(np.linalg.norm(block, axis=1, keepdims=True), 1e-9)
        np.add.at(found, owners[start : start + _BLOCK], block)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))


def _standard(scores: np.ndarray) -> np.ndarray:
    """How many standard deviations each is above the mean."""
    import numpy as np  # noqa: PLC0415 - heavy

    return np.asarray((scores - scores.mean()) / max(float(scores.std()), 1e-9))
