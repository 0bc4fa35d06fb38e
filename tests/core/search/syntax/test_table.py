"""The table, held beside the grammars themselves."""

from __future__ import annotations

import pytest
from semble_grammars import get_language  # type: ignore[import-untyped]

from workroom.core.search.syntax.table import GRAMMARS


@pytest.mark.parametrize("grammar", sorted(GRAMMARS))
def test_each_node_is_one_of_the_grammars(grammar):
    table, language = GRAMMARS[grammar], get_language(grammar)
    nodes = {*table.by_node, *table.outer, *table.bodied, *table.around, *table.local, *table.names}
    unknown = sorted(node for node in nodes if language.id_for_node_kind(node, True) is None)
    assert unknown == []
    assert not table.above or any(language.id_for_node_kind(node, True) is not None for node in table.above)
