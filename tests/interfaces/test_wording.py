"""The person is told what they can do: not to call a tool, and not to ask themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import workroom
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.wording import FOR_PERSON, person_error

SOURCE = Path(workroom.__file__).parent
TO_AGENTS = re.compile(
    r"\b(editor|workspace)_[a-z]|\bthe person\b|\b(the|same|new) call\b|approval\.resume|transaction_id"
)
ONLY_AGENTS = {
    # of the gate, which the person's calls don't pass
    "Stop, and ask the person to decide some of what waits.",
    "Only the person decides, with `workroom` in a terminal.",
    (
        "Propose one with workspace_plan (action propose), show it to the person, then stop and wait until they have "
        "accepted it."
    ),
    "Use the alternative where one is named, or ask the person to run `workroom settings set destructive_edits ask`.",
    "Do something else, or ask the person; another way to the same effect is denied too.",
}


def steps() -> Iterator[str]:
    """Every next step that a room below the interfaces can tell, as it stands in the source."""
    for room in ("base", "text", "system", "core", "tools", "person", "server"):
        for path in sorted(SOURCE.joinpath(room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.keyword) and node.arg == "next_step":
                    yield from _texts(node.value)
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in {"step", "next_step"}:
                    yield from _texts(node.value)


def _texts(value: ast.expr) -> Iterator[str]:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_next_step_that_speaks_to_an_agent_is_worded_for_the_person() -> None:
    said = set(steps())
    to_agents = {each for each in said if TO_AGENTS.search(each)}
    assert to_agents - set(FOR_PERSON) == ONLY_AGENTS
    assert set(FOR_PERSON) <= said, "worded, and said no more"


def test_what_is_worded_speaks_to_the_person() -> None:
    assert [each for each in FOR_PERSON.values() if TO_AGENTS.search(each)] == []


def test_what_speaks_to_both_stays() -> None:
    assert (
        person_error(WorkroomError(ErrorCode.NOT_FOUND, "No.", next_step="Commit first."))["next_step"]
        == "Commit first."
    )
    step = "Have the person do this in a terminal."
    assert (
        person_error(WorkroomError(ErrorCode.NOT_FOUND, "No.", next_step=step))["next_step"] == "Do this in a terminal."
    )
