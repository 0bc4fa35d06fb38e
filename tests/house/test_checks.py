"""Each guard of the house, broken once: it has to see it."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tools import check_coverage, check_house, check_mirror

HERE = Path(__file__).parents[2]


# Programs that are started here look at other projects: what they run must not be measured as if it were ours.
ENV = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}


@pytest.fixture
def run(capsys):
    """`run(check, root)`: exit code and output of one of the project's checks."""

    def call(check, root: Path) -> tuple[int, str]:
        code = check.main([str(root)])
        return code, capsys.readouterr().out

    return call


@pytest.fixture
def house(tmp_path):
    """A sound little house; `write(path, text)` adds to it or breaks it."""

    def write(path: str, text: str = "") -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")

    for package in ("", "base/", "text/", "core/", "interfaces/", "interfaces/mcp/"):
        write(f"src/workroom/{package}__init__.py")
    write("src/workroom/__main__.py", "import sys\n\ndef main():\n    import workroom.interfaces.mcp.shim\n")
    write("src/workroom/interfaces/mcp/shim.py", "import socket\n")
    write("src/workroom/base/ids.py", "import secrets\nimport pydantic\n")
    write("tests/base/test_ids.py")
    write("tests/attacks/test_paths.py")
    return tmp_path, write


def lines_of(count: int, indent: str = "    ") -> str:
    return f"{indent}x = 1\n" * count


def test_a_sound_house_has_no_faults(run, house):
    root, _ = house
    assert run(check_house, root)[0] == 0
    assert run(check_mirror, root)[0] == 0


def test_a_function_over_the_stop_is_a_fault(run, house):
    root, write = house
    write("src/workroom/text/long.py", "def fits():\n" + lines_of(59) + "\n\ndef too_long():\n" + lines_of(60))
    code, output = run(check_house, root)
    assert code == 1
    assert "long.py:63: function too_long has 61 lines; the stop is 60" in output
    assert "function fits has" not in output


def test_a_docstring_does_not_count_as_length(run, house):
    root, write = house
    docstring = '    """Shapes.\n\n' + "    and units\n" * 40 + '    """\n'
    write("src/workroom/text/told.py", "def told():\n" + docstring + lines_of(59))
    assert run(check_house, root)[0] == 0


def test_a_method_and_an_async_function_have_the_same_stop(run, house):
    root, write = house
    write("src/workroom/text/long.py", "class C:\n    async def method(self):\n" + lines_of(60, " " * 8))
    assert "function method has 61 lines" in run(check_house, root)[1]


def test_a_module_over_the_stop_is_a_fault(run, house):
    root, write = house
    write("src/workroom/text/long.py", lines_of(601, ""))
    code, output = run(check_house, root)
    assert code == 1
    assert "long.py:1: module has 601 lines; the stop is 600" in output


def test_what_is_over_its_aim_is_told_and_no_fault(run, house):
    root, write = house
    write("src/workroom/text/long.py", "def f():\n" + lines_of(11) + lines_of(150, ""))
    code, output = run(check_house, root)
    assert code == 0
    assert "1 of 10 modules are over the aim of 150 lines" in output
    assert "12 " in output
    assert "long.py:1: function f" in output


@pytest.mark.parametrize(
    "line",
    [
        "from workroom.base import ids",
        "from ..base.ids import new",
        "from . import other",
        "import workroom.base.ids",
        "importlib.import_module('workroom.base.ids')",
    ],
)
def test_an_import_of_our_own_inside_a_function_is_a_fault(run, house, line):
    root, write = house
    write("src/workroom/text/sly.py", f"def f():\n    {line}\n")
    code, output = run(check_house, root)
    assert code == 1
    assert "sly.py:2: imports workroom." in output
    assert "inside a function" in output


def test_a_library_may_be_imported_inside_a_function(run, house):
    root, write = house
    write("src/workroom/text/lazy.py", "def f():\n    import pygit2\n")
    assert run(check_house, root)[0] == 0


@pytest.mark.parametrize(
    "line", ["import workroom", "from workroom import open_workspace", "from .. import __version__"]
)
def test_an_import_of_the_root_is_a_fault(run, house, line):
    root, write = house
    write("src/workroom/text/up.py", line + "\n")
    assert "up.py:1: imports the package's root" in run(check_house, root)[1]


def test_a_room_may_be_imported_from_the_root(run, house):
    root, write = house
    write("src/workroom/text/fine.py", "from workroom import base\nfrom .. import base as again\n")
    assert run(check_house, root)[0] == 0


def test_base_keeps_to_the_standard_library_and_pydantic(run, house):
    root, write = house
    write("src/workroom/base/heavy.py", "def f():\n    import rich.console\n")
    assert "heavy.py:2: base may not import rich.console" in run(check_house, root)[1]


def test_the_shim_loads_no_library(run, house):
    root, write = house
    write("src/workroom/interfaces/mcp/shim.py", "try:\n    import mcp\nexcept ImportError:\n    pass\n")
    assert "shim.py:2: loads mcp, and workroom.interfaces.mcp.shim reaches it" in run(check_house, root)[1]


def test_the_shim_loads_no_library_by_way_of_our_own_modules_or_packages(run, house):
    root, write = house
    write("src/workroom/interfaces/mcp/shim.py", "from workroom.base.ids import new\n")
    assert "ids.py:2: loads pydantic, and workroom.interfaces.mcp.shim" in run(check_house, root)[1]
    write("src/workroom/interfaces/mcp/shim.py")
    write("src/workroom/interfaces/__init__.py", "from typer import Typer\n")
    assert "loads typer.Typer, and workroom.interfaces.mcp.shim" in run(check_house, root)[1]


def test_what_only_a_type_checker_imports_is_not_loaded(run, house):
    root, write = house
    write(
        "src/workroom/interfaces/mcp/shim.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import mcp\n"
    )
    assert run(check_house, root)[0] == 0


@pytest.mark.parametrize(
    "pragma", ["# pragma: no cover", "# pragma: no cover - ", "#pragma:no cover", "# PRAGMA: NO COVER"]
)
def test_a_pragma_without_a_reason_is_a_fault(run, house, pragma):
    root, write = house
    write("src/workroom/text/shy.py", f"x = 1\ny = 2  {pragma}\n")
    assert "shy.py:2: leaves a line out of coverage without a reason" in run(check_house, root)[1]


@pytest.mark.parametrize("reason", ["macOS", "the kernel never answers this"])
def test_a_pragma_with_a_reason_is_heard(run, house, reason):
    root, write = house
    write("src/workroom/text/shy.py", f"y = 2  # pragma: no cover - {reason}\n")
    assert run(check_house, root)[0] == 0


def test_a_module_without_its_test_file_is_a_fault(run, house):
    root, write = house
    write("src/workroom/core/transactions/plan.py")
    code, output = run(check_mirror, root)
    assert code == 1
    assert "plan.py: has no test file" in output
    assert "tests/core/transactions/test_plan.py" in output
    write("tests/core/transactions/test_plan.py")
    assert run(check_mirror, root)[0] == 0


def test_a_test_file_without_its_module_is_a_fault(run, house):
    root, write = house
    write("tests/base/test_gone.py")
    code, output = run(check_mirror, root)
    assert code == 1
    assert "test_gone.py: tests no source file" in output


def test_interfaces_and_server_are_not_mirrored(run, house):
    root, write = house
    write("src/workroom/server/hub.py")
    write("tests/interfaces/test_first_day.py")
    assert run(check_mirror, root)[0] == 0


def coverage_report(folder: Path, **missing: list[int]) -> Path:
    """What `coverage json` writes for one file a room."""
    files = {
        f"src/workroom/{room}/x.py": {
            "missing_lines": lines,
            "summary": {"covered_lines": 10 - len(lines), "num_statements": 10},
        }
        for room, lines in missing.items()
    }
    path = folder / "coverage.json"
    path.write_text(json.dumps({"files": files}), encoding="utf-8")
    return path


@pytest.mark.parametrize("room", ["text", "system", "core", "tools"])
def test_a_line_no_test_runs_is_a_fault(run, tmp_path, room):
    code, output = run(check_coverage, coverage_report(tmp_path, **{room: [3, 4, 5, 9]}))
    assert code == 1
    assert f"src/workroom/{room}/x.py: no test runs line 3-5, 9" in output


def test_the_other_rooms_are_reported_only(run, tmp_path):
    code, output = run(check_coverage, coverage_report(tmp_path, text=[], server=[1, 2]))
    assert code == 0
    assert "server           8 of    10 lines   80.0 %" in output


def pytest_with_plugin(folder: Path, text: str, *options: str) -> tuple[int, str]:
    (folder / "test_it.py").write_text(textwrap.dedent(text), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.pytest_noskip", "-p", "no:cacheprovider", *options]
    command += ["-c", "/dev/null", f"--rootdir={folder}", str(folder)]
    done = subprocess.run(command, cwd=HERE, env=ENV, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


SKIPPING = """
    import pytest

    def test_runs():
        pass

    @pytest.mark.skip(reason="no lamp here")
    def test_skips():
        pass

    @pytest.mark.xfail(reason="known")
    def test_expected_to_fail():
        assert False
"""


@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_a_skipped_test_fails_the_run_and_tells_its_reason(tmp_path, options):
    code, output = pytest_with_plugin(tmp_path, SKIPPING, *options)
    assert code == 1, output
    assert "test_it.py::test_skips: Skipped: no lamp here" in output
    assert "test_expected_to_fail: " not in output
    assert "1 passed, 1 skipped, 1 xfailed" in output.splitlines()[-1]


@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_a_module_skipped_whole_fails_the_run(tmp_path, options):
    code, output = pytest_with_plugin(tmp_path, "import pytest\npytest.importorskip('no_such_library')\n", *options)
    assert code != 0
    assert "could not import 'no_such_library'" in output


def test_without_skips_the_run_passes(tmp_path):
    assert pytest_with_plugin(tmp_path, "def test_runs():\n    pass\n")[0] == 0


def contract(folder: Path, module: str, text: str) -> tuple[int, str]:
    """The project's import contract over a copy of its rooms with one module added."""
    for room in ("base", "text", "system", "core", "core/transactions", "tools", "person", "server", "interfaces"):
        (folder / "workroom" / room).mkdir(parents=True, exist_ok=True)
        (folder / "workroom" / room / "__init__.py").touch()
    for file in ("__init__.py", "core/plans.py", "core/notes.py", "person/decide.py", "interfaces/mcp.py"):
        (folder / "workroom" / file).touch()
    (folder / "workroom" / module).write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    command += [str(HERE / "pyproject.toml")]
    done = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_sound_import_is_kept(tmp_path):
    code, output = contract(tmp_path, "core/plans.py", "from workroom.core import transactions\nimport workroom.base\n")
    assert code == 0, output


@pytest.mark.parametrize(
    ("module", "text", "broken"),
    [
        ("text/up.py", "import workroom.system", "imports point down BROKEN"),
        ("attic.py", "", "attic"),
        (
            "core/plans.py",
            "import workroom.core.notes",
            "core modules stand apart; only core.transactions is shared BROKEN",
        ),
        ("core/transactions/commit.py", "import workroom.core.notes", "core modules stand apart"),
        (
            "tools/sly.py",
            "import workroom.person.decide",
            "nothing an agent reaches imports what only a person may do BROKEN",
        ),
        ("interfaces/mcp.py", "from workroom.person import decide", "nothing an agent reaches"),
        ("core/notes.py", "import workroom.core.plans\n", "core modules stand apart"),
    ],
)
def test_the_import_contract_sees(tmp_path, module, text, broken):
    code, output = contract(tmp_path, module, text)
    assert code == 1
    assert broken in output
