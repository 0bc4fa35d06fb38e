"""audit verify and export: the exit code, what is noted, and lines that a script can check offline."""

import json
import re
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from workroom.system.state import StateDirectory

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "audit.md"


@pytest.fixture
def worked(auto):
    """A commit, an undo, and a call that was refused."""
    auto.edit({"type": "create", "path": "new.txt", "content": "new\n"}, title="\x1b[31mred\u202e")
    auto.run("undo", "--yes")
    auto.edit({"type": "create", "path": "../out.txt", "content": ""})
    return auto


def exported(program, *more):
    return [json.loads(line) for line in program.run("audit", "export", *more).out.splitlines()]


def test_a_whole_log_is_told_so(worked):
    done = worked.run("audit", "verify")
    assert done.code == 0, done.err
    first, noted, last = done.out.splitlines()
    assert re.fullmatch(r"\d+ lines, \d+ of them looked at, 2 of these tell of changes\.", first)
    assert last.startswith("Nobody was at the log, unless they hold its key.")
    told = worked.run("audit", "verify", "--json").json
    assert (told["ok"], told["good"], told["faults"]) == (True, True, [])
    assert noted == f"The last: {told['lines']}:{told['hash']}"
    assert worked.run("audit", "verify", "--expect", noted.removeprefix("The last: ")).code == 0


def test_another_line_than_the_one_noted_is_a_fault(worked):
    done = worked.run("audit", "verify", "--expect", f"2:{'0' * 64}")
    assert done.code == 1
    assert "line 2: isn't the one that was noted" in done.out
    assert "The audit log has 1 fault. Whose" in done.err, "and not the fault itself: it stands above"
    asked = worked.run("audit", "verify", "--expect", f"2:{'0' * 64}", "--json")
    assert asked.json["error"]["message"].startswith("The audit log has 1 fault. line 2: isn't the one")
    assert worked.run("audit", "verify", "--expect", "nonsense").code == 2
    cut_short = worked.run("audit", "verify", "--expect", f"2:{'0' * 63}")
    assert (cut_short.code, cut_short.out) == (2, ""), "a slip of the hand, and no fault of the log"


def test_the_export_is_whole_in_order_and_harmless_at_a_terminal(worked):
    lines = exported(worked)
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert [line["kind"] for line in lines][:2] == ["begun", "opened"]
    assert next(line["what"]["title"] for line in lines if line["kind"] == "entry") == "\x1b[31mred\u202e"
    assert [line["what"]["code"] for line in lines if line["kind"] == "refused"] == ["PATH_OUTSIDE_WORKSPACE"]
    assert exported(worked, "--since", "3") == lines[2:]
    assert worked.run("audit", "export", "--json").json["lines"] == lines
    for arguments in ((), ("--format", "text")):
        text = worked.at_terminal("audit", "export", *arguments).out
        assert "\x1b[31m" not in text
        assert "\u202e" not in text
    text = worked.run("audit", "export", "--format", "text").out
    assert re.search(r"^\d+ \S+Z agent workroom call: entry .*entry=1 .*paths=\[\"new.txt\"\]", text, re.MULTILINE)


def test_the_script_of_the_manual_checks_an_export_offline(worked, tmp_path):
    (script,) = re.findall(r"```python\n(.*?)```", HOW_TO.read_text(), re.DOTALL)
    lines = worked.run("audit", "export").out.splitlines(keepends=True)

    def check(text):
        (tmp_path / "check.py").write_text(script)
        return subprocess.run(
            [sys.executable, "check.py"], input=text, capture_output=True, text=True, cwd=tmp_path, check=False
        ).stdout

    assert check("".join(lines)) == f"{len(lines)} lines, whole.\n"
    assert check("".join(lines[:2] + lines[3:])).startswith("line 4: ")
    assert check("".join(lines).replace("new.txt", "old.txt", 1)).startswith("line ")


def test_what_was_done_to_the_database_ends_with_1_and_names_the_first_fault(worked):
    worked.ask("close", path=str(worked.folder))
    state = StateDirectory(worked.state)
    (store,) = [one.store for one in state.workspaces() if one.path == str(worked.folder)]
    db = apsw.Connection(str(state.store_folder(store) / "workspace.db"))
    db.execute("DROP TRIGGER audit_is_not_changed; UPDATE audit SET line = replace(line, 'new.txt', 'old.txt')")
    db.close()
    with_folder = worked.run("open", str(worked.folder))
    assert with_folder.code == 0
    done = worked.run("audit", "verify")
    assert done.code == 1
    assert "was changed: its hash is another" in done.out
    assert "workroom: IO_ERROR: The audit log has " in done.err
    asked = worked.run("audit", "verify", "--json")
    assert asked.code == 1
    assert asked.json["error"]["details"]["faults"][0]["what"] == "was changed: its hash is another"
