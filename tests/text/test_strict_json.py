"""JSON as it is meant: each way of saying two things at once is an error that names its place."""

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.strict_json import DEPTH, MOST, holds_too_much, parse


def refused(data, *arguments):
    with pytest.raises(WorkroomError) as caught:
        parse(data, *arguments)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' {"a": [1, 2.5, null, true, "ö"]}\n', {"a": [1, 2.5, None, True, "ö"]}),
        ('"x"', "x"),
        ('{"a": {"k": 1}, "b": {"k": 2}}', {"a": {"k": 1}, "b": {"k": 2}}),
        ("-0.5e3", -500.0),
    ],
)
def test_one_value_is_taken(text, value):
    assert parse(text.encode()) == value


@pytest.mark.parametrize("data", [b"", b"  \n"])
def test_nothing_is_no_value(data):
    assert refused(data) == "The body is empty; it is a JSON value. Send `{}` where there is nothing to say."


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{"a": 1} {"b": 2}', "Extra data, line 1, column 10"),
        (b'{\n  "a": x\n}', "line 2, column 8"),
        (b"{'a': 1}", "line 1, column 2"),
        (b'{"a": 1', "line 1, column 8"),
        (b"nul", "line 1, column 1"),
        (b'"\x01"', "line 1, column 2"),
    ],
)
def test_what_is_no_json_is_told_with_its_place(data, place):
    assert place in refused(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', 'has the key "a" twice in one object, line 1, column 10'),
        ('{"x": [{"b": "}", "a": 1},\n {"k": {}, "k": "\\""}]}', '"k" twice in one object, line 2, column 12'),
        ('{"a": 1, "b": ["a", "a"], "\\u0061": 2}', '"\\u0061" twice in one object, line 1, column 27'),
        ('{"say \\"a\\"": 1, "say \\"a\\"": 2}', "column 18"),
    ],
)
def test_a_key_that_stands_twice_is_told_with_its_place(text, message):
    assert message in refused(text.encode())


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "[1e999]", "9" * 5_000])
def test_numbers_without_a_value_are_refused(text):
    assert refused(text.encode())


@pytest.mark.parametrize("data", [b'{"a": "\xff"}', "{}".encode("utf-16"), b"\xef\xbb\xbf{}"])
def test_another_encoding_is_refused(data):
    assert "UTF-8 at byte" in refused(data) or "byte order mark" in refused(data)


@pytest.mark.parametrize("count", [DEPTH + 1, 500, 100_000])
def test_what_is_too_deep_is_refused(count):
    assert f"deeper than {DEPTH} levels" in refused(b"[" * count + b"]" * count)
    assert f"deeper than {DEPTH} levels" in refused(b'{"a":' * count + b"1" + b"}" * count)


def test_the_deepest_that_is_taken():
    value = parse(b"[" * DEPTH + b"]" * DEPTH)
    for _ in range(DEPTH - 1):
        (value,) = value
    assert value == []


def test_the_text_is_named():
    assert refused(b"", "The argument").startswith("The argument is empty")


@pytest.mark.parametrize("part", [b"[],", b'"a",', b'"k":{},', b'"a" '])
def test_more_values_than_anybody_means_are_not_even_parsed(part):
    many = b"[" + part * (2 * MOST) + b"1" + b"," * MOST
    assert holds_too_much(many)
    assert refused(many) == "The body holds more than 200,000 values."


@pytest.mark.parametrize("part", [b"[],", b'\\"{:,', b"\\\\"])
def test_long_strings_are_not_many_values(part):
    text = b'["' + part * (2 * MOST) + b'"]'
    assert not holds_too_much(text)
    assert len(parse(text)) == 1
