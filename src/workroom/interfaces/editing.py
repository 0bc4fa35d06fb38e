"""A proposal's contents on the wire, there and back: texts where they are texts, and bytes in base64."""

from __future__ import annotations

import base64
import binascii

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import answers
from workroom.person.amending import Editable, Proposed
from workroom.text.display import show

__all__ = ["bytes_of", "proposal_row"]


def proposal_row(proposed: Proposed) -> answers.Proposal:
    """A proposal to be edited. `path` is the real one, to be sent back; `shown` is what a person may be shown.

    The contents are the real bytes: whoever puts them before a person shows `flags` with them.
    """
    return {
        "id": proposed.record.id,
        "fingerprint": proposed.fingerprint,
        "files": [_file_row(each) for each in proposed.files],
    }


def _file_row(file: Editable) -> answers.EditableRow:
    row: answers.EditableRow = {"path": file.path, "shown": show(file.path, multiline=False).text}
    if file.data is None:
        return {**row, "obstacle": show(file.obstacle, multiline=False).text}
    data = base64.b64encode(file.data).decode("ascii")
    return {**row, "base64": data, "encoding": file.encoding or None, "flags": list(file.flags)}


def bytes_of(path: str, text: str) -> bytes:
    """The bytes that were sent for a path. INVALID_INPUT when that is no base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"contents: {path[:80]!a}: no base64.") from None
