import sys
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.text.fold import FoldedLine, fold

TRICKY = st.text(
    st.one_of(st.sampled_from("ae…“\u2019—\u00a0\u0301\u0323\u1100\u1161\u11a8\u09c7\u09beé\ud800"), st.characters()),
    max_size=12,
)


def test_punctuation_becomes_plain():
    assert fold("“It\u2019s” — 1\u00a0\u2013\u20092…") == '"It\'s" - 1 - 2...'
    assert fold("plain") == "plain"


def test_text_is_composed():
    assert fold("cafe\u0301") == "café"
    assert fold("\u1112\u1161\u11ab") == "한"


def test_the_way_back():
    line = FoldedLine("a…cafe\u0301!")
    assert [line.origin(n) for n in range(10)] == [0, 1, None, None, 2, 3, 4, 5, 7, 8]
    assert FoldedLine("").origin(0) == 0


@settings(deadline=None)
@given(TRICKY)
def test_parts_fold_as_the_whole_does(text: str):
    line = FoldedLine(text)
    folded = fold(text)
    assert line.origin(len(folded)) == len(text)
    for offset in range(len(folded)):
        origin = line.origin(offset)
        assert origin is None or fold(text[:origin]) == folded[:offset]


def test_every_composition_stays_within_a_part():
    for code in range(0x80, sys.maxunicode + 1):
        composed = chr(code)
        parts = unicodedata.normalize("NFD", composed)
        if len(parts) > 1 and unicodedata.normalize("NFC", parts) == composed:
            assert FoldedLine(parts).origin(len(fold(composed))) == len(parts), hex(code)
