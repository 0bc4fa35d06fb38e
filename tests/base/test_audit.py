"""The kinds of lines: each named once, each explained, nothing in it that JSON lacks."""

from workroom.base import audit
from workroom.base.audit import KINDS, EntryWritten


def test_every_kind_has_a_name_of_its_own_and_a_manual():
    assert len({kind.kind for kind in KINDS}) == len(KINDS)
    assert {kind.__name__ for kind in KINDS} == set(audit.__all__) - {"KINDS", "Line"}
    assert all(len(kind.__doc__) > 20 and "(" not in kind.__doc__[:20] for kind in KINDS)


def test_what_is_not_there_is_left_out():
    line = EntryWritten(1, "tx_1", "edit", "t", "f", "s", 1, ("a",), "auto", None, None, 3)
    body = line.to_json()
    assert body["undoes"] == 3
    assert not {"approval", "decided_by"} & body.keys()
