"""Completion as a shell does it: real bash and fish press Tab, zsh reads the lines."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(sys.executable).parent

TAB = """
source <(workroom completion bash)
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_workroom_completion workroom
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def shell(program, *argv: str) -> list[str]:
    """What a shell prints, with `workroom` on its path."""
    name = argv[0]
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    environ = {**program.environ, "PATH": f"{PROGRAMS}:{program.environ['PATH']}", "HOME": str(program.state)}
    done = subprocess.run(
        argv, cwd=program.folder, env=environ, capture_output=True, text=True, check=False, timeout=60
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.splitlines()


def bash(program, words: str) -> list[str]:
    """What bash would offer for a command line whose last word is being typed; `""` is an empty one."""
    return shell(program, "bash", "--norc", "-c", TAB.format(words=words))


def test_bash_completes_commands_options_modes_and_settings(program):
    assert bash(program, "workroom mo") == ["mode"]
    assert set(bash(program, 'workroom mode ""')) == {"manual", "plan", "auto"}
    assert bash(program, "workroom settings get max_to") == ["max_tool_result_chars"]
    assert bash(program, "workroom settings get permissionM") == ["permissionMode"]
    assert "--preview" in bash(program, "workroom undo --p")


def test_bash_completes_what_waits_and_what_can_be_undone(manual):
    program = manual
    waits = program.stage({"type": "create", "path": "b.txt", "content": "b"})
    assert bash(program, "workroom accept appr") == [waits]
    assert bash(program, "workroom deny appr") == [waits]
    assert bash(program, "workroom show appr") == [waits]
    program.run("accept", waits)
    (entry,) = program.run("log", "--json").json["entries"]
    assert bash(program, "workroom undo tx_") == [entry["transactionId"]]
    program.run("undo", "--yes")
    assert entry["transactionId"] not in bash(program, "workroom undo tx_")


def test_a_tab_starts_no_server_and_complains_of_nothing(program):
    program.run("stop")
    assert bash(program, "workroom accept appr") == [""]
    assert program.run("status").code == 4


def test_fish_completes(program):
    script = "workroom completion fish | source; complete -C 'workroom mo'"
    assert [line.split("\t")[0] for line in shell(program, "fish", "--no-config", "-c", script)] == ["mode"]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish", "powershell"])
def test_every_shell_gets_lines_that_call_the_program(program, name):
    done = program.run("completion", name)
    assert done.code == 0
    assert "_WORKROOM_COMPLETE" in done.out
    assert f"complete_{name}" in done.out


def test_zsh_can_read_its_lines(program):
    script = "autoload -U compinit && compinit -D && source <(workroom completion zsh) && print ${_comps[workroom]}"
    assert shell(program, "zsh", "-f", "-c", script) == ["_workroom_completion"]


def test_an_unknown_shell_is_refused_with_the_list(program):
    done = program.run("completion", "tcsh")
    assert done.code == 2
    assert "powershell" in done.err
