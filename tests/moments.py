"""Races that always happen: another program's act, put exactly before one of our own calls."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

_moments: list[tuple[str, str, Callable[[], object]]] = []


def _at_moment(event: str, arguments: tuple[object, ...]) -> None:
    if _moments and event == _moments[0][0] and str(arguments[0]).startswith(_moments[0][1]):
        _moments.pop(0)[2]()


sys.addaudithook(_at_moment)


@contextlib.contextmanager
def just_before(event: str, name: str, action: Callable[[], object]) -> Iterator[None]:
    """Do `action` once, just before the next call of that kind (`open`, `os.mkdir`) on a name that starts so."""
    moment = (event, name, action)
    _moments.append(moment)
    try:
        yield
    finally:
        came = moment not in _moments
        if not came:
            _moments.remove(moment)  # of this test alone
    assert came
