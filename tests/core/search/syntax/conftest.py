"""Grammars that are loaded into the tests' own process are unpacked where the others are."""

from __future__ import annotations

import pytest

from workroom.core.search.syntax.parse import unpack_into


@pytest.fixture(autouse=True, scope="session")
def unpacked(grammars):
    unpack_into(str(grammars))
