"""Following links by hand, against a dictionary of links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.resolve import MAX_LINKS, follow

LINKS = {
    "abs": "/ws/real",
    "abs2": "//ws/./real/",
    "top": "/ws",
    "here": ".",
    "up": "..",
    "out": "/etc",
    "evil": "/ws-evil/x",
    "back": "../ws/real",
    "abs-back": "/ws/../ws/real",
    "real/up": "../other",
    "chain": "abs",
    "one": "two",
    "two": "one",
    "dangling": "not/yet",
    "deep/a": "../real/up",
}


def lead(path: str, *, last: bool = True, links: dict[str, str] = LINKS, root: str = "/ws") -> str:
    return follow(path, root, links.get, last=last)


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("plain/x", "plain/x"),
        ("abs", "real"),
        ("abs2/f", "real/f"),
        ("top/abs/f", "real/f"),
        ("here", "."),
        ("here/here/f", "f"),
        ("real/up/f", "other/f"),
        ("chain/up", "other"),
        ("deep/a", "other"),
        ("dangling", "not/yet"),
        ("dangling/x", "not/yet/x"),
    ],
)
def test_links_inside_are_followed(path, leads_to):
    assert lead(path) == leads_to


@pytest.mark.parametrize("path", ["up", "up/ws/real", "out", "out/x", "evil", "back/f", "abs-back"])
def test_links_that_leave_are_refused_even_if_they_come_back(path):
    with pytest.raises(WorkroomError) as caught:
        lead(path)
    assert caught.value.code is ErrorCode.PATH_OUTSIDE_WORKSPACE


def test_the_last_link_stays_when_asked():
    assert lead("out", last=False) == "out"
    assert lead("abs/up", last=False) == "real/up"


def test_links_in_a_circle_and_chains_as_the_kernel_counts():
    with pytest.raises(WorkroomError, match="circle") as caught:
        lead("one/x")
    assert caught.value.code is ErrorCode.INVALID_INPUT
    chain = {f"l{n}": f"l{n + 1}" for n in range(MAX_LINKS)}
    assert lead("l0", links=chain) == f"l{MAX_LINKS}"
    chain["before"] = "l0"
    with pytest.raises(WorkroomError, match="circle"):
        lead("before", links=chain)


def test_below_the_file_systems_own_root_everything_is_inside():
    assert lead("out/passwd", root="/") == "etc/passwd"


@given(
    st.dictionaries(st.sampled_from(["a", "b", "a/b", "b/a"]), st.text(alphabet="ab./", min_size=1, max_size=8)),
    st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=4).map("/".join),
    st.booleans(),
)
def test_what_is_answered_is_canonical_and_stable(links, path, last):
    try:
        found = follow(path, "/ws", links.get, last=last)
    except WorkroomError:
        return
    parts = found.split("/")
    assert found == "." or not {"", ".", ".."} & set(parts)
    assert follow(found, "/ws", links.get, last=last) == found
