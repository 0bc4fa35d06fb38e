"""A file's change in part: the bytes are exactly those of the chosen hunks, whatever the encoding and line endings."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.text.diff import FileSide, render_file
from workroom.text.partial import pieces_of, take

OLD = "".join(f"line {n}\n" for n in range(1, 31))
NEW = OLD.replace("line 2\n", "line two\n").replace("line 15\n", "").replace("line 29\n", "line 29\nand more\n")
BYTES = st.lists(st.sampled_from([b"a\n", b"b\r\n", b"\n", b"\xe9\n", b"c", b"\xff\xfe\n", b"x\ry\n"]), max_size=60)


def ways(pieces):
    return itertools.chain.from_iterable(itertools.combinations(pieces, n) for n in range(len(pieces) + 1))


def test_each_choice_of_three_hunks():
    pieces = pieces_of(OLD.encode(), NEW.encode())
    assert [(piece.removed, piece.added) for piece in pieces] == [
        ("line 2\n", "line two\n"), ("line 15\n", ""), ("", "and more\n"),
    ]  # fmt: skip
    first, second, third = (
        ("line 2\n", "line two\n"),
        ("line 15\n", ""),
        ("line 29\n", "line 29\nand more\n"),
    )
    for choice in ways(range(3)):
        wanted = OLD
        for number in choice:
            wanted = wanted.replace(*(first, second, third)[number])
        assert take(OLD.encode(), NEW.encode(), [pieces[n] for n in choice]) == wanted.encode(), choice


@pytest.mark.parametrize(
    "encode",
    [
        pytest.param(lambda text: text.encode("utf-16"), id="utf-16 with its mark"),
        pytest.param(lambda text: b"\xfe\xff" + text.encode("utf-16-be"), id="utf-16-be"),
        pytest.param(lambda text: text.encode("utf-16-le"), id="utf-16 without a mark"),
        pytest.param(lambda text: text.encode("utf-32"), id="utf-32"),
        pytest.param(lambda text: text.encode("utf-8-sig"), id="utf-8 with its mark"),
        pytest.param(lambda text: text.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(lambda text: text.replace("line", "l\u00e4ne").encode("cp1252"), id="windows-1252"),
        pytest.param(lambda text: text.encode().replace(b"line 9", b"line \xff\x80"), id="undecodable"),
        pytest.param(lambda text: text.removesuffix("\n").encode(), id="no newline at the end"),
    ],
)
def test_bytes_are_kept_in_every_encoding(encode):
    before, after = encode(OLD), encode(NEW)
    pieces = pieces_of(before, after)
    assert len(pieces) == 3
    assert take(before, after, pieces) == after
    assert take(before, after, ()) == before
    middle = take(before, after, pieces[:1])
    assert middle == encode(OLD.replace("line 2\n", "line two\n"))
    assert take(middle, after, pieces_of(middle, after)) == after
    assert take(before, after, pieces[1:]) == encode(NEW.replace("line two\n", "line 2\n"))


def test_a_wide_text_whose_characters_hold_the_byte_of_a_line_feed():
    text = "\u0a05\u0a0a one\n" * 3 + "kept\n" * 9 + "\u0a05 end\n"
    before, after = (
        b"\xff\xfe" + t.encode("utf-16-le") for t in (text, text.replace(" one", " 1").replace("end", "x"))
    )
    first, last = pieces_of(before, after)
    assert take(before, after, [first]).decode("utf-16") == text.replace(" one", " 1")
    assert take(before, after, [last]).decode("utf-16") == text.replace("end", "x")
    one_line = (b"\xff\xfe" + t.encode("utf-16-le") for t in ("\u0a0a\u0a05", "\u0a0a\u0a06"))  # no byte of it is 0
    before, after = one_line
    assert take(before, after, pieces_of(before, after)) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\n", b"a\n"),
        (b"a\0b\x01\x02", b"a\0c\x01\x02"),
        ("a\n".encode("utf-16"), b"b\n"),
        ("a\n".encode("utf-16"), "b\n".encode("utf-32")),
        (b"a\n", "b\n".encode("utf-16")),
        (b"x" * 3_000_000, b"y"),
    ],
)
def test_what_changes_whole_has_no_hunks(before, after):
    assert pieces_of(before, after) == ()


def test_utf16_that_only_got_another_mark_changes_whole():
    assert pieces_of("a\nb\n".encode("utf-16-le"), b"\xff\xfe" + "a\nc\n".encode("utf-16-le")) == ()


@given(BYTES, BYTES)
@settings(deadline=None, max_examples=150)
def test_any_choice_is_between_both_and_the_rest_leads_to_the_end(old, new):
    before, after = b"".join(old), b"".join(new)
    pieces = pieces_of(before, after)
    assert take(before, after, pieces) == after or not pieces
    for choice in itertools.islice(ways(pieces), 16):
        middle = take(before, after, choice)
        rest = pieces_of(middle, after)
        assert (take(middle, after, rest) == after) or not rest


def test_pieces_are_the_hunks_that_the_diff_shows():
    named = []

    def name(removed, added):
        named.append((removed, added))
        return f"h{len(named)}"

    before, after = FileSide("f", OLD.encode(), 0o644), FileSide("f", NEW.encode(), 0o644)
    shown = render_file(before, after, heading=name)
    assert named == [(piece.removed, piece.added) for piece in pieces_of(OLD.encode(), NEW.encode())]
    assert [line for line in shown.splitlines() if line.startswith("@@")] == [
        "@@ -1,5 +1,5 @@ h1", "@@ -12,7 +12,6 @@ h2", "@@ -27,4 +26,5 @@ h3",
    ]  # fmt: skip
