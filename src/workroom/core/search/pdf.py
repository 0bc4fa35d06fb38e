"""PDFs as text, page by page; what takes them apart is a program of its own (`pdf_text`)."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search import pdf_text
from workroom.core.search.pieces import survey
from workroom.system.process import Completed, base_env, run
from workroom.system.root import Root, refusal

__all__ = ["LARGEST_PDF", "Pdf", "read_pdf"]

LARGEST_PDF = 256_000_000
"""Bytes of a PDF that is taken apart."""

_OTHER_FORM = "Another program can turn it into text or pictures, which can be read."


@dataclass(frozen=True, slots=True)
class Pdf:
    """What was read: `texts` are the pages from the first that was wanted on, None for one that can't be read.

    `sha256` is of the file, None where it is large. `unchanged`: the caller has these bytes, and no page was read.
    """

    size: int
    sha256: str | None
    pages: int = 0
    texts: tuple[str | None, ...] = ()
    unchanged: bool = False


def read_pdf(root: Root, path: str, first: int, last: int | None, chars: int, known: str | None, seconds: float) -> Pdf:
    """The pages of the PDF at a canonical path, until they hold so many characters; at least one.

    LIMIT_EXCEEDED for one that is too large, INVALID_INPUT for one that is encrypted or damaged, and for a `first`
    behind the end; TIMEOUT; IO_ERROR where it changes meanwhile.
    """
    descriptor = root.open_file(path)
    try:
        before = os.fstat(descriptor)
        if before.st_size > LARGEST_PDF:
            raise _too_large(path, before.st_size)
        sha = survey(descriptor, before.st_size, 1).sha256
        if known is not None and known == sha:
            return Pdf(before.st_size, sha, unchanged=True)
        os.lseek(descriptor, 0, os.SEEK_SET)
        argv = [sys.executable, "-P", "-m", pdf_text.__name__, str(first), str(last or sys.maxsize), str(chars)]
        ended = run(argv, cwd=root.path, env=base_env(), timeout=seconds, stdin=descriptor)
        after = os.fstat(descriptor)
    except OSError as error:  # pragma: no cover - needs a disk that fails
        raise refusal(path, error) from error
    finally:
        os.close(descriptor)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise WorkroomError(ErrorCode.IO_ERROR, f"{path!r} changed while it was read.", next_step="Read it again.")
    return _of(path, ended, before.st_size, sha, first)


def _of(path: str, ended: Completed, size: int, sha: str | None, first: int) -> Pdf:
    if ended.timed_out:
        raise WorkroomError(
            ErrorCode.TIMEOUT, f"{path!r} takes too long to be taken apart.", next_step=_OTHER_FORM
        )  # fmt: skip
    if ended.code != 0 or ended.truncated:
        raise _refused(path, "can't be taken apart: it is damaged, or needs too much memory.")
    answer = json.loads(ended.stdout)
    if answer.get("error") == "encrypted":
        raise _refused(path, "is encrypted with a password.")
    if "error" in answer:
        raise _refused(path, "is damaged, or not a PDF after all.")
    pages: int = answer["pages"]
    if first > max(pages, 1):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`start_part` {first:,} is behind the end: {path!r} has {pages:,} pages.",
            details={"field": "start_part", "totalParts": pages},
        )
    return Pdf(size, sha, pages, tuple(answer["texts"]))


def _refused(path: str, why: str) -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, f"{path!r} {why}", next_step=_OTHER_FORM, details={"path": path})


def _too_large(path: str, size: int) -> WorkroomError:
    return WorkroomError(
        ErrorCode.LIMIT_EXCEEDED,
        f"{path!r} is a PDF of {size:,} bytes; at most {LARGEST_PDF:,} are taken apart.",
        next_step=_OTHER_FORM,
        details={"path": path, "bytes": size, "limit": LARGEST_PDF},
    )
