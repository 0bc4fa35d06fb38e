"""A proposal's files in the person's own editor: written beside each other, opened, and read back."""

from __future__ import annotations

import base64
import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.exits import Exit, failed
from workroom.interfaces.cli.output import Output, plain

__all__ = ["edit_files"]

_FALLBACK = "vi"


def edit_files(out: Output, proposal: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Open what a proposal would leave in `$VISUAL` or `$EDITOR`; the contents that were changed there, by path.

    Nothing is decided, and the command ends with NOTHING, where nothing was changed or can be.
    """
    files = [file for file in proposal["files"] if file.get("encoding")]
    for file in proposal["files"]:
        if file.get("flags"):
            out.note(f"CAUTION: {file['shown']} holds {', '.join(file['flags'])}; `workroom show` shows them escaped.")
        elif file not in files:
            out.note(f"Not to be edited: {file.get('obstacle') or file['shown'] + ' is no text.'}")
    if not files:
        raise _nothing("There is no text in it to be edited")
    with tempfile.TemporaryDirectory(prefix="workroom-edit-") as folder:  # mode 0700
        places = [_write(Path(folder), file) for file in files]
        _open([str(place) for place in places], environ)
        changed = {}
        for file, place in zip(files, places, strict=True):
            data = base64.b64encode(_read(place, file)).decode("ascii")
            if data != file["base64"]:
                changed[file["path"]] = {"base64": data}
    if not changed:
        raise _nothing("Nothing was edited")
    return changed


def _write(folder: Path, file: Mapping[str, Any]) -> Path:
    """The file under its own name, so that the editor knows what it is; one folder each, so that names don't meet."""
    name: str = os.path.basename(file["path"])
    place = Path(tempfile.mkdtemp(dir=folder)) / name
    place.write_bytes(base64.b64decode(file["base64"]))
    return place


def _read(place: Path, file: Mapping[str, Any]) -> bytes:
    try:
        return place.read_bytes()
    except OSError as error:
        raise WorkroomError(
            ErrorCode.CANCELLED,
            f"{file['shown']} can't be read after the editing ({error.strerror}); nothing was decided.",
            next_step="To leave a file out, accept the others with --files.",
        ) from error


def _open(places: Sequence[str], environ: Mapping[str, str]) -> None:
    words = environ.get("VISUAL") or environ.get("EDITOR")
    if not words and not os.isatty(0):  # the fallback would wait for keys that nobody can press
        nobody = WorkroomError(
            ErrorCode.INVALID_INPUT,
            "Nobody sits at a terminal, and neither VISUAL nor EDITOR is set; nothing was decided.",
            next_step="Set VISUAL or EDITOR to yours.",
        )
        raise failed(nobody, Exit.USAGE)
    words = words or _FALLBACK
    try:
        code = subprocess.run([*shlex.split(words), *places], check=False).returncode
    except (OSError, ValueError) as error:
        raise WorkroomError(
            ErrorCode.IO_ERROR,
            f"The editor {plain(words)} can't be started: {error}. Nothing was decided.",
            next_step="Set VISUAL or EDITOR to yours.",
        ) from error
    if code:
        raise WorkroomError(ErrorCode.CANCELLED, f"The editor ended with {code}; nothing was decided.")


def _nothing(what: str) -> WorkroomError:
    step = "`workroom accept` without --edit accepts it as it is."
    return failed(WorkroomError(ErrorCode.INVALID_INPUT, f"{what}; nothing was decided.", next_step=step), Exit.NOTHING)
