"""The flags by which ripgrep walks."""

from __future__ import annotations

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.query import Query, walk_flags


def flags(query, *, named=False, apart=(".git",)):
    return set(walk_flags(query, named=named, apart=apart))


def test_what_is_walked_to():
    assert {"--hidden", "!.git", "--no-follow"} <= flags(Query("x"))
    assert "--hidden" not in flags(Query("x", hidden=False))
    assert "--no-ignore" in flags(Query("x", ignored=True))
    assert {"--hidden", "--no-ignore"} <= flags(Query("x", hidden=False), named=True)
    assert {"*.py", "!*.txt"} <= flags(Query("x", include=("*.py",), exclude=("*.txt",)))


@pytest.mark.parametrize("glob", ["", "!x"])
def test_what_is_no_glob_is_refused(glob):
    with pytest.raises(WorkroomError) as caught:
        flags(Query("x", include=(glob,)))
    assert caught.value.code is ErrorCode.INVALID_INPUT
