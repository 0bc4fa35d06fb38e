"""The meanings of words."""

from __future__ import annotations

from collections import Counter

import numpy as np

from workroom.core.search.semantic.vectors import WIDTH, Meanings, packed
from workroom.core.search.semantic.words import words


def cosine(one, other):
    meanings = Meanings()
    return float(meanings.of(Counter(words(one))) @ meanings.of(Counter(words(other))))


def test_what_means_the_same_is_near():
    assert cosine("delete the folder", "remove the directory") > 2 * cosine("delete the folder", "play some music")


def test_only_the_direction_counts():
    found = Meanings().of({"folder": 3, "directory": 1})
    assert found.shape == (WIDTH,)
    assert abs(float(np.linalg.norm(found)) - 1) < 1e-5


def test_a_text_without_words_means_nothing():
    assert not Meanings().of({}).any()


def test_packed_vectors_point_the_same_way():
    vector = Meanings().of({"folder": 1, "copy": 2})
    small = np.frombuffer(packed(vector), dtype=np.int8).astype(np.float32)
    assert float(small @ vector / np.linalg.norm(small)) > 0.999
    assert packed(np.zeros(3, dtype=np.float32)) == b"\0\0\0"


def test_words_are_forgotten_when_they_are_many():
    meanings = Meanings(kept=3)
    first = meanings.of({"one": 1, "two": 1})
    meanings.of({"three": 1, "four": 1})
    assert np.allclose(meanings.of({"one": 1, "two": 1}), first)
