r"""Encodings of text that ripgrep doesn't see by itself: it is told them, for files that `read` shows in one of those.

    number_of(data)     which one a file's bytes are in, as a number for an index; 0 for UTF-8 and for none
    by_label(files)     paths with such numbers, by what ripgrep calls the encoding

Only what isn't ASCII looks different there; so queries of ASCII alone have no need of this. An expression of ASCII that
could match other letters (`.`, `\w`) matches there as ripgrep does it: by bytes, of which those are none.
"""

from __future__ import annotations

from collections.abc import Iterable

from workroom.text.encoding import decode

__all__ = ["NOT_UTF8", "by_label", "number_of"]

_LABELS = {
    "windows-1252": "windows-1252", "windows-1250": "windows-1250", "windows-1251": "windows-1251",
    "windows-1253": "windows-1253", "windows-1254": "windows-1254", "windows-1255": "windows-1255",
    "windows-1256": "windows-1256", "koi8-r": "koi8-r", "gb18030": "gb18030", "big5": "big5", "cp932": "shift_jis",
    "euc-jp": "euc-jp", "cp949": "euc-kr",
}  # fmt: skip
"""By our names: the Encoding Standard's, which are ripgrep's."""
_NUMBERS = {name: number for number, name in enumerate(_LABELS, 1)}

NOT_UTF8 = r"(?-u)[\xC0\xC1\xF5-\xFF]|[\xC2-\xF4](?:[^\x80-\xBF]|$)|(?:^|[\x00-\x7F])[\x80-\xBF]"
"""What nearly every text in another encoding has somewhere, and none in UTF-8."""


def number_of(data: bytes) -> int:
    """The number of the encoding that `read` shows a file in; slow where it has to be guessed."""
    if data.isascii():
        return 0
    text = decode(data)
    return 0 if text is None else _NUMBERS.get(text.encoding, 0)


def by_label(files: Iterable[tuple[str, int]]) -> dict[str, list[str]]:
    """Paths by ripgrep's name of their encoding, in the order in which they come; those with 0 are left out."""
    labels = list(_LABELS.values())
    found: dict[str, list[str]] = {}
    for path, number in files:
        if number:
            found.setdefault(labels[number - 1], []).append(path)
    return found
