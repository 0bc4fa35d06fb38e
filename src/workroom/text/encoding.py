"""Bytes <-> text without losing a byte.

    decode(data) -> TextFile | None       None: binary
    file.encode(edited) -> bytes          with the same byte order mark and in the same encoding

What can't be decoded whole is still edited byte-exactly: undecodable bytes travel as lone surrogates
(`surrogateescape`), and come out as they went in.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["TextFile", "decode", "decode_new"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with UTF-16's, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LEGACY = (
    "cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "gb18030", "big5", "cp932",
    "euc_jp", "cp949",
)  # fmt: skip
"""Stateless supersets of ASCII: an edit in one place changes no byte in another."""

_SAMPLE = 32 * 1024
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
_PLAIN_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's bytes as text.

    `encoding` is the label that answers carry: `utf-8`, `utf-8-bom`, `utf-16-le`, `windows-1252` and so on. `bom` is
    the mark that the bytes began with; it is not part of `text`.
    """

    text: str
    encoding: str
    bom: bytes = b""

    @property
    def lossy(self) -> bool:
        """Whether `text` holds bytes that could not be decoded, each as one lone surrogate."""
        return self.encoding.startswith("utf-8") and _first_surrogate(self.text) is not None

    def encode(self, text: str) -> bytes:
        """`text` as bytes of this file. INVALID_INPUT names the character that this encoding can't hold.

        Lone surrogates pass only where the file itself has them: no edit can bring in bytes that aren't text.
        """
        codec = self.encoding.removesuffix("-bom")
        try:
            return self.bom + text.encode(codec)
        except UnicodeEncodeError as error:
            foreign = text[error.start]
        if self.lossy:
            added = Counter(_SURROGATE.findall(text)) - Counter(_SURROGATE.findall(self.text))
            if not added:
                return self.bom + text.encode(codec, "surrogateescape")
            foreign = next(iter(added))
        raise _cannot_hold(foreign, self.encoding)


def decode(data: bytes) -> TextFile | None:
    """The text in `data`, or None for binary.

    UTF-8 first (with and without byte order mark), then UTF-16 and UTF-32 by their marks, then UTF-16 without one
    where it is evident. Other bytes that hold NUL are binary. The rest is a legacy encoding if one is likely and
    gives back every byte, else UTF-8 with its undecodable bytes escaped.
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            marked = _marked(data, bom, codec)
            if marked is not None:
                return marked
    if b"\0" in data:
        return _wide_without_mark(data)
    try:
        return TextFile(data.decode(), "utf-8")
    except UnicodeDecodeError:
        return _not_utf8(data)


def decode_new(text: str) -> bytes:
    """The bytes of a new file with this text: UTF-8. INVALID_INPUT for a lone surrogate, which no file can hold."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise _cannot_hold(text[error.start], "utf-8") from None


def _marked(data: bytes, bom: bytes, codec: str) -> TextFile | None:
    body = data[len(bom) :]
    if codec == "utf-8":
        return None if b"\0" in body else TextFile(body.decode(codec, "surrogateescape"), "utf-8-bom", bom)
    text = _strictly(body, codec)
    return None if text is None or "\0" in text else TextFile(text, codec, bom)


def _wide_without_mark(data: bytes) -> TextFile | None:
    """UTF-16 without a mark: most of one half of the byte pairs is NUL, and nothing of the other."""
    for codec, zeros, others in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        sample = data[:_SAMPLE]
        if sample[others::2].count(0) or sample[zeros::2].count(0) * 10 < len(sample) // 2 * 7:
            continue
        text = _strictly(data, codec)
        if text is not None and not _PLAIN_CONTROL.search(text):
            return TextFile(text, codec)
    return None


def _not_utf8(data: bytes) -> TextFile | None:
    sample = data[:_SAMPLE]
    if (len(sample) - len(sample.translate(None, _CONTROLS))) * 50 > len(sample):
        return None
    escaped = data.decode("utf-8", "surrogateescape")
    broken = len(_SURROGATE.findall(escaped))
    if len(_NOT_ASCII.findall(escaped)) - broken < broken:
        legacy = _legacy(data)
        if legacy is not None:
            return legacy
    return TextFile(escaped, "utf-8")


def _legacy(data: bytes) -> TextFile | None:
    codec = _likely_codec(_telling_part(data))
    text = None if codec is None else _strictly(data, codec)
    if codec is None or text is None or text.encode(codec) != data:
        return None
    label = codec.replace("cp125", "windows-125").replace("_", "-")
    return TextFile(text, label)


def _likely_codec(sample: bytes) -> str | None:
    """The detector's best guess; Western where it is as good, for the detector takes Central European first."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to load, and few files need it

    matches = list(from_bytes(sample, cp_isolation=list(_LEGACY)))
    if not matches:
        return None
    best = matches[0]
    western = any(m.encoding == "cp1252" and (m.chaos, m.coherence) == (best.chaos, best.coherence) for m in matches)
    if western or _strictly(sample, "cp1252") == str(best):
        return "cp1252"
    return best.encoding


def _telling_part(data: bytes) -> bytes:
    """Whole lines around the first byte that isn't ASCII; `data` has one."""
    first = _HIGH_BYTE.search(data)
    at = first.start() if first else 0
    start = data.rfind(b"\n", 0, at) + 1
    end = data.rfind(b"\n", at, start + _SAMPLE) + 1
    return data[start : end if end and len(data) > start + _SAMPLE else start + _SAMPLE]


def _strictly(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _first_surrogate(text: str) -> re.Match[str] | None:
    return None if text.isascii() else _SURROGATE.search(text)


def _cannot_hold(character: str, encoding: str) -> WorkroomError:
    name = f"U+{ord(character):04X}"
    shown = name if _SURROGATE.match(character) or not character.isprintable() else f"{character!r} ({name})"
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"The new text holds {shown}, which the file's encoding, {encoding}, can't hold.",
        next_step="Write it with characters of that encoding, or convert the file to UTF-8 first.",
        details={"character": name, "encoding": encoding},
    )
