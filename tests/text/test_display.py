import time

from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.text.display import LONGEST_RUN, Shown, flags_of, show


def test_plain_text_is_shown_as_it_is():
    for text in ("", "def f(x):\n\treturn 'naïve — 日本 ✅'\n", "全角　空白", "e\u0301", r"a literal \x1b"):
        assert show(text) == Shown(text, ())


def test_an_emoji_selector_stays_behind_its_symbol_only():
    assert show("⚠\ufe0f ❤\ufe0f ©\ufe0f") == Shown("⚠\ufe0f ❤\ufe0f ©\ufe0f", ())
    assert show("a\ufe0f") == Shown("a\\ufe0f", ("invisible characters",))
    assert show("⚠\ufe0f\ufe0f") == Shown("⚠\ufe0f\\ufe0f", ("invisible characters",))


def test_newlines_and_tabs_stay_only_in_many_lines():
    assert show("a\tb\nc") == Shown("a\tb\nc", ())
    assert show("a\tb\nc", multiline=False) == Shown("a\\tb\\nc", ("control characters",))


def test_cr_is_shown_and_flagged_where_it_overwrites():
    assert show("a\r\nb\r\n") == Shown("a\\r\nb\\r\n", ())
    assert show("a\r\nb\rc") == Shown("a\\r\nb\\rc", ("control characters",))
    assert show("a\r\nb\x07") == Shown("a\\r\nb\\x07", ("control characters",))
    assert show("a\r\n", multiline=False) == Shown("a\\r\\n", ("control characters",))


def test_other_kinds():
    assert show("a\x00\x7f\x85") == Shown("a\\x00\\x7f\\x85", ("control characters",))
    assert show("a\u200db\u2028c\u3164d") == Shown("a\\u200db\\u2028c\\u3164d", ("invisible characters",))
    assert show("rm\u00a0-rf") == Shown("rm\\xa0-rf", ("unusual blanks",))
    assert show("\ue000\U000e0fff") == Shown("\\ue000\\U000e0fff", ("unassigned characters",))
    assert show("a\udcffb\ud800") == Shown("a\\xffb\\ud800", ("undecodable bytes",))


def test_flags_are_sorted():
    assert show("\u202e\x1b\u200b").flags == ("bidirectional controls", "control characters", "invisible characters")


def test_a_run_of_blanks_is_told_not_shown():
    assert show(" " * LONGEST_RUN).flags == ()
    assert show("a" + " \t" * 150 + "b") == Shown("a⟨300 blanks⟩b", ("long run of blanks",))
    assert show("a" + "\n" * 300 + "b") == Shown("a⟨300 blanks, 300 line ends⟩\nb", ("long run of blanks",))
    assert show("a" + "\n" * 300 + "b", multiline=False).text == "a⟨300 blanks, 300 line ends⟩b"
    assert show("\u3000" * 201).text == "⟨201 blanks⟩"


@settings(deadline=None)
@given(st.text(st.characters(), max_size=50), st.booleans())
def test_what_is_shown_is_safe_and_says_so(text: str, multiline: bool):
    shown = show(text, multiline=multiline)
    shown.text.encode()
    assert not any(c in shown.text for c in "\x1b\r\u202e\u200b")
    assert multiline or "\n" not in shown.text
    assert shown.flags or shown.text in (text, text.replace("\r", "\\r"))


def test_hostile_text_is_quick():
    start = time.perf_counter()
    show((" " * LONGEST_RUN + "x") * 5_000 + "\u202e" * 500_000)
    assert time.perf_counter() - start < 60


def test_the_flags_of_several_texts():
    assert flags_of("plain", "a\u202e", "b\x1b", "c\u202e") == ("bidirectional controls", "control characters")
    assert flags_of() == ()
