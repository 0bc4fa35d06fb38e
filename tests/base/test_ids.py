from __future__ import annotations

import re

from workroom.base.ids import new_id


def test_an_id_is_a_prefix_and_twelve_characters_that_cannot_be_misread() -> None:
    for _ in range(200):
        assert re.fullmatch(r"tx_[0-9a-hjkmnp-tv-z]{12}", new_id("tx"))


def test_ids_do_not_repeat() -> None:
    assert len({new_id("job") for _ in range(2000)}) == 2000
