import codecs
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.encoding import TextFile, decode, decode_new


def text_of(data: bytes) -> TextFile:
    file = decode(data)
    assert file is not None
    return file


def test_utf8_and_empty():
    assert text_of(b"") == TextFile("", "utf-8")
    assert text_of("naïve — 日本\r\n".encode()) == TextFile("naïve — 日本\r\n", "utf-8")
    assert not text_of(b"plain\n").lossy


def test_the_mark_is_kept_and_is_not_text():
    data = codecs.BOM_UTF8 + b"a\r\nb"
    file = text_of(data)
    assert (file.text, file.encoding) == ("a\r\nb", "utf-8-bom")
    assert file.encode(file.text) == data
    assert file.encode("ü") == codecs.BOM_UTF8 + "ü".encode()


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_by_their_mark(codec: str):
    mark = {
        "utf-16-le": codecs.BOM_UTF16_LE,
        "utf-16-be": codecs.BOM_UTF16_BE,
        "utf-32-le": codecs.BOM_UTF32_LE,
        "utf-32-be": codecs.BOM_UTF32_BE,
    }[codec]
    data = mark + "grün 日本 😀\r\n".encode(codec)
    file = text_of(data)
    assert (file.text, file.encoding, file.lossy) == ("grün 日本 😀\r\n", codec, False)
    assert file.encode(file.text) == data


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_mark_where_it_is_evident(codec: str):
    data = "key = värde\r\n".encode(codec)
    file = text_of(data)
    assert (file.text, file.encoding, file.bom) == ("key = värde\r\n", codec, b"")
    assert file.encode(file.text) == data


@pytest.mark.parametrize(
    "data",
    [
        b"\0",
        b"abc\0def\0",
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0",
        b"".join(n.to_bytes(2, "little") for n in range(1, 200)),
        codecs.BOM_UTF8 + b"a\0b",
        codecs.BOM_UTF16_LE + b"a\0b",
        codecs.BOM_UTF16_LE + b"a\0\0\0",
        random.Random(1).randbytes(4000).replace(b"\0", b""),
    ],
)
def test_binary_is_refused(data: bytes):
    assert decode(data) is None


def test_a_legacy_text_that_begins_like_a_mark():
    data = codecs.BOM_UTF16_LE + b"a"
    assert text_of(data).encode(text_of(data).text) == data


@pytest.mark.parametrize(
    ("codec", "label", "text"),
    [
        ("cp1252", "windows-1252", "# café\nname = 'Müller'\nprint('naïve')\n"),
        ("cp1252", "windows-1252", "El niño comió una manzana mañana\r\n"),
        ("cp1250", "windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy\n"),
        ("cp1251", "windows-1251", "Привет, мир! Это тест кодировки.\n"),
        ("koi8_r", "koi8-r", "Привет, мир! Это тест кодировки.\n"),
        ("cp932", "cp932", "これはテストです。日本語の文字コード。\n"),
        ("gb18030", "gb18030", "这是一个测试文件,编码为GBK。\n"),
    ],
)
def test_legacy_encodings_by_detection(codec: str, label: str, text: str):
    data = text.encode(codec)
    file = text_of(data)
    assert (file.text, file.encoding, file.lossy) == (text, label, False)
    assert file.encode(text) == data


def test_detection_looks_where_the_text_stops_being_ascii():
    data = b"x = 1\n" * 20_000 + "# café, déjà vu, naïve\n".encode("latin-1") + b"y = 2\n" * 20_000
    file = text_of(data)
    assert file.encoding == "windows-1252"
    assert file.encode(file.text) == data


def test_a_character_that_the_encoding_lacks_is_named():
    file = text_of("# café, déjà vu, naïve\n".encode("cp1252"))
    with pytest.raises(WorkroomError, match=r"'日' \(U\+65E5\).*windows-1252") as caught:
        file.encode("# 日本")
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert caught.value.details == {"character": "U+65E5", "encoding": "windows-1252"}


def test_broken_utf8_is_edited_byte_exactly():
    data = "grün, schön, 日本, ".encode() + b"\xff\n" + "für\n".encode()
    file = text_of(data)
    assert file.encoding == "utf-8"
    assert file.lossy
    assert file.encode(file.text) == data
    assert file.encode(file.text.replace("schön", "schöner")) == data.replace("schön".encode(), "schöner".encode())
    assert file.encode(file.text.replace("\udcff", "")) == data.replace(b"\xff", b"")


def test_undetectable_bytes_are_escaped():
    data = b"\x81\x8d\x8f\x90\x9d\n"
    file = text_of(data)
    assert file.encode(file.text) == data


def test_broken_bytes_after_a_mark():
    data = codecs.BOM_UTF8 + b"a\xffb"
    file = text_of(data)
    assert (file.encoding, file.lossy) == ("utf-8-bom", True)
    assert file.encode(file.text) == data


def test_an_edit_brings_in_no_surrogates():
    lossy = text_of("grün, schön, 日本, ".encode() + b"\xff\n")
    with pytest.raises(WorkroomError, match=r"U\+DC80"):
        lossy.encode(lossy.text + "\udc80")
    with pytest.raises(WorkroomError, match=r"U\+DCFF"):
        lossy.encode(lossy.text + "\udcff")
    with pytest.raises(WorkroomError, match=r"U\+D800"):
        text_of(b"plain").encode("\ud800")


def test_new_files_are_utf8():
    assert decode_new("ü\n") == "ü\n".encode()
    with pytest.raises(WorkroomError, match=r"U\+DC80") as caught:
        decode_new("a\udc80")
    assert caught.value.code is ErrorCode.INVALID_INPUT


@settings(deadline=None)  # the detector is loaded by the first example that needs it
@given(st.binary(max_size=200))
def test_whatever_decodes_comes_back(data: bytes):
    file = decode(data)
    assert file is None or file.encode(file.text) == data


@settings(deadline=None)
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60), st.sampled_from(["utf-8", "utf-8-sig"])
)
def test_utf8_is_always_utf8(text: str, codec: str):
    data = text.encode(codec)
    file = text_of(data)
    assert file.encoding.startswith(("utf-8", "utf-16", "utf-32"))
    assert file.encode(file.text) == data


def test_an_ordinary_file_needs_no_guessing():
    """The library that guesses encodings, which takes a thousand times as long, isn't even loaded."""
    code = "import sys; from workroom.text.encoding import decode; decode(sys.stdin.buffer.read()); print(*sys.modules)"
    texts = {"def f(x):\n    return 'é'\n".encode(): False, "é à ü\n".encode("cp1252") * 50: True}
    for data, guessed in texts.items():
        done = subprocess.run([sys.executable, "-c", code], input=data * 40, capture_output=True, check=True)
        assert (b"charset_normalizer" in done.stdout.split()) is guessed
