"""The words of a text, and their stems: what a question and a piece of code can have in common.

parseHTTPHeader_v2  ──>  parse http header v 2, and the whole of it, parsehttpheaderv2
connections         ──>  connect
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

__all__ = ["COMMON", "stems", "words"]

_NAME = re.compile(r"[^\W\d]\w*|\d+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_FOREIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\d+")
"""The same beyond ASCII; what is written without blanks is taken letter by letter."""
_LONGEST = 40
"""Longer words are keys and encoded data."""
_COMMON_WORDS = """a about all an and any are as at be been before but by can could did do does for from had has
have how i if in into is it its may more most no not of off on one only or other our out over own same so some such
than that the their them then there these they this those through to too under until up was we were what when where
which while who whose why will with without would you your"""
COMMON = frozenset(_COMMON_WORDS.split())
"""Words that say nothing of what a text is about."""
_lock = threading.Lock()


def words(text: str) -> list[str]:
    """Its words in small letters, in order; a name of several parts is there in parts, and whole behind them."""
    found: list[str] = []
    for name in _NAME.findall(text):
        if not name.isascii():
            found += [part.lower() for part in _FOREIGN.findall(name)]
            continue
        parts = _PART.findall(name)
        if len(parts) == 1:
            found.append(parts[0].lower())
        elif len(name) <= _LONGEST:
            found += [part.lower() for part in parts]
            found.append("".join(parts).lower())
    return [word for word in found if len(word) <= _LONGEST]


def stems(of: Iterable[str]) -> list[str]:
    """Each word without its ending, by the rules of English."""
    with _lock:  # a stemmer is for one thread at a time
        return list(_stemmer().stemWords(list(of)))


@cache
def _stemmer() -> Any:
    from Stemmer import Stemmer  # type: ignore[import-not-found] # noqa: PLC0415 - loaded where something is searched by meaning

    return Stemmer("english", 100_000)
