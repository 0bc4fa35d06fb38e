"""What a command prints: tables and colours on a terminal, plain lines in a pipe, one JSON object with `--json`.

Whatever comes from an agent or a file is escaped here once more; what is escaped already stays as it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, TextIO

from workroom.base.errors import WorkroomError
from workroom.interfaces.cli.numbered import Line, number_lines
from workroom.text.display import show
from workroom.text.overlap import render_conflict

__all__ = ["Output", "plain", "standard"]

_STYLES = {"file": "bold", "hunk": "cyan", "added": "green", "removed": "red", "kept": "", "plain": ""}


_ROOMY_COLUMNS = 120
"""A terminal this wide has room for columns that can be done without."""


class Output:
    """Where one command writes. Colours need a terminal; a pipe never gets any."""

    def __init__(self, stream: TextIO, errors: TextIO) -> None:
        self._stream = stream
        self._errors = errors
        self.terminal = stream.isatty()

    def data(self, body: dict[str, Any]) -> None:
        """One JSON object, ASCII only: indented for a reader at a terminal, on one line for a program."""
        self._write(json.dumps(body, indent=2 if self.terminal else None))

    def failure(self, error: WorkroomError) -> None:
        """A refusal or failure as the JSON object that stands for the answer."""
        body = {"code": error.code, "message": error.message, "next_step": error.next_step, "details": error.details}
        self.data({"ok": False, "error": body})

    def table(
        self, columns: Sequence[str], rows: Iterable[Sequence[str]], *, whole: Collection[str] = (), spare: str = ""
    ) -> None:
        """Rows of one-line texts; in a pipe separated by tabs, without a head.

        On a terminal the first column and those named in `whole` are never broken, and `spare` is left out where there
        is no room for it.
        """
        cells = [[plain(cell) for cell in row] for row in rows]
        if self.terminal:
            self._rich_table(columns, cells, {columns[0], *whole}, spare)
        else:
            for row in cells:
                self._write("\t".join(row))

    def line(self, text: str = "", style: str = "") -> None:
        """One line; `style` is seen on a terminal only."""
        self._styled(plain(text), style)

    def ascii(self, text: str) -> None:
        """One line as it is, for what a program reads; it holds no other characters, and no control characters."""
        self._write(text.encode("ascii", "backslashreplace").decode("ascii").replace("\x7f", "\\u007f"))

    def text(self, text: str, *, prefix: str = "") -> None:
        """A text of several lines, each behind `prefix`."""
        for line in show(text).text.removesuffix("\n").split("\n"):
            self._write(prefix + line)

    def diff(self, text: str) -> None:
        """A text that holds unified diffs, with line numbers, coloured on a terminal."""
        for line in number_lines(show(text).text):
            self._styled(_numbered(line), _STYLES[line.kind])

    def note(self, text: str) -> None:
        """A line for the person that is no part of the answer: on standard error."""
        self._errors.write(plain(text) + "\n")
        self._errors.flush()

    def error(self, error: WorkroomError) -> None:
        """A refusal or failure: code, message, next step, on one line where the message has one; else each of its lines
        indented, so that none passes for ours. Then the differences that it brings along."""
        first, *more = error.message.split("\n")
        self.note(f"workroom: {error.code}: {first if more else error}")
        for part in [*more, error.next_step] if more else []:
            self.note(f"  {part}")
        conflicts = error.details.get("conflicts")
        for conflict in conflicts if isinstance(conflicts, list) else []:
            for line in number_lines(show(render_conflict(conflict)).text):
                self._errors.write(_numbered(line) + "\n")
        self._errors.flush()

    def when(self, at: str) -> str:
        """A time on the wire as it is read best: by the clock here on a terminal, as it is in a pipe."""
        if not self.terminal:
            return at
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")

    def _write(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()  # a reader who has gone is noticed here, where the command can end quietly

    def _styled(self, text: str, style: str) -> None:
        if not style or not self.terminal:
            self._write(text)
            return
        from rich.text import Text  # noqa: PLC0415 - slow to load, and only a terminal needs it

        self._console().print(Text(text, style), soft_wrap=True)

    def _rich_table(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], whole: Collection[str], spare: str
    ) -> None:
        from rich.table import Table  # noqa: PLC0415 - slow to load, and only a terminal needs it
        from rich.text import Text  # noqa: PLC0415

        console = self._console()
        shown = [index for index, column in enumerate(columns) if column != spare or console.width >= _ROOMY_COLUMNS]
        table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
        for index in shown:
            table.add_column(columns[index], overflow="fold", no_wrap=columns[index] in whole)
        for row in rows:
            table.add_row(*(Text(row[index]) for index in shown))
        console.print(table)

    def _console(self) -> Any:
        from rich.console import Console  # noqa: PLC0415 - slow to load, and only a terminal needs it

        return Console(file=self._stream, markup=False, emoji=False, highlight=False)


def plain(text: str) -> str:
    """`text` on one line, with what acts or hides escaped."""
    return show(text, multiline=False).text


def _numbered(line: Line) -> str:
    if line.kind in {"plain", "file", "hunk"}:
        return line.text
    old, new = ("" if number is None else str(number) for number in (line.old, line.new))
    return f"{old:>6}{new:>6}  {line.text}"


def _usable(stream: TextIO) -> TextIO:
    """The stream, so that a character that the terminal's encoding lacks is escaped and doesn't end the command."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream


def standard() -> Output:
    """Standard output and error."""
    return Output(_usable(sys.stdout), _usable(sys.stderr))
