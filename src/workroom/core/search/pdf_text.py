"""The text of a PDF's pages: a program of its own, for what takes hostile bytes apart may crash, hang, or eat memory.

    python -P -m workroom.core.search.pdf_text FIRST LAST CHARS  < the file

It answers one line of JSON: `{"pages": 12, "texts": [...]}`, the pages from FIRST on, as many as CHARS takes, at least
one; or `{"error": "encrypted" | "damaged"}`. While it reads it can open nothing (by Landlock, where there is that).
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

from workroom.system.landlock import confined, has_landlock

__all__ = ["main", "pages"]

_MEMORY = 1024**3
_SECONDS = 30
_PAGE_CHARS = 1_000_000
"""What is told of one page."""
_PASSWORD = 4  # FPDF_ERR_PASSWORD


def main(arguments: Sequence[str], file: BinaryIO | None = None) -> int:
    """Tell the pages of the PDF on standard input, within limits; of another file without."""
    first, last, chars = map(int, arguments)
    if file is None:  # pragma: no cover - it would bind the process of the tests
        import resource  # noqa: PLC0415 - Windows has none, and can import this module

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    # All of it is loaded before nothing can be opened any more.
    import pypdfium2  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy

    codecs.lookup("utf-16-le")

    def told() -> dict[str, Any]:
        try:
            return pages(pypdfium2, file or sys.stdin.buffer, first, last, chars)
        except pypdfium2.PdfiumError as error:
            return {"error": "encrypted" if error.err_code == _PASSWORD else "damaged"}

    answer = confined(told, []) if has_landlock() else told()
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
    return 0


def pages(library: Any, file: BinaryIO, first: int, last: int, chars: int) -> dict[str, Any]:
    """The texts of pages, from 1, until they hold so many characters; None for a page that can't be read."""
    with library.PdfDocument(file) as document:
        count = len(document)
        texts: list[str | None] = []
        for number in range(first, min(last, count) + 1):
            text = _text(library, document, number - 1)
            texts.append(text)
            chars -= len(text or "") + 1
            if chars < 0:
                break
        return {"pages": count, "texts": texts}


def _text(library: Any, document: Any, index: int) -> str | None:
    try:
        text: str = document[index].get_textpage().get_text_bounded()
    except library.PdfiumError:
        return None
    if len(text) > _PAGE_CHARS:
        text = f"{text[:_PAGE_CHARS]}\n… ({len(text) - _PAGE_CHARS:,} characters more)"
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n").replace("\0", "\ufffd")


if __name__ == "__main__":  # pragma: no cover - it is run as a program
    sys.exit(main(sys.argv[1:]))
