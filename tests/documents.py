"""Small PDFs, object by object."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

__all__ = ["bomb", "encrypted", "heap", "long_page", "pdf", "pdf_of"]


def pdf_of(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of objects, numbered from 1, the first of which is its root."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, rows)
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, table)
    return bytes(out)


def pdf(*pages: str, trailer: bytes = b"") -> bytes:
    """A PDF whose pages hold these lines."""
    first = 4
    kids = b" ".join(b"%d 0 R" % (first + 2 * place) for place in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for place, text in enumerate(pages):
        lines = b"".join(b"(%s) Tj 0 -14 Td " % line.encode("cp1252") for line in text.split("\n"))
        objects.append(_page(first + 2 * place + 1))
        objects.append(_stream(b"BT /F1 12 Tf 72 720 Td " + lines + b"ET"))
    return pdf_of(objects, trailer)


def encrypted() -> bytes:
    """A PDF that says that it has a password, whatever that is."""
    rule = b"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <%s> /U <%s> >> /ID [<00> <00>]"
    return pdf("secret", trailer=rule % (b"11" * 32, b"22" * 32))


def bomb() -> bytes:
    """A page that unpacks, layer by layer, into terabytes."""
    data = bytes(10**7)
    for _ in range(3):
        data = zlib.compress(data * 40, 9)
    filters = b"/Filter [/FlateDecode /FlateDecode /FlateDecode]"
    pages = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", _page(5), _stream(data, filters),
    ]  # fmt: skip
    return pdf_of(pages)


def long_page(contents: bytes) -> bytes:
    """A PDF of one page with these contents."""
    pages = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", _page(5), _stream(contents),
    ]  # fmt: skip
    return pdf_of(pages)


def heap() -> bytes:
    """A page whose contents are one stream many times over, gigabytes in all."""
    again = b"[%s]" % b" ".join([b"5 0 R"] * 100)
    data = zlib.compress(b"q " * 20_000_000, 9)
    pages = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", _page(5).replace(b"5 0 R", again),
        _stream(data, b"/Filter /FlateDecode"),
    ]  # fmt: skip
    return pdf_of(pages)


def _page(contents: int) -> bytes:
    return (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
        b"/Contents %d 0 R >>" % contents
    )


def _stream(data: bytes, filters: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), filters, data)
