"""The sample project that `make serve` opens."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "make_sample.py"


def make(target: Path, **env: str) -> None:
    subprocess.run([sys.executable, str(SCRIPT), str(target)], check=True, env=env or None)


def test_the_sample_is_a_project_whose_own_tests_pass(tmp_path):
    make(tmp_path / "sample")
    done = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=tmp_path / "sample", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Ran 2 tests" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["sample"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_sample_has_a_clean_repository_of_its_own(tmp_path):
    make(tmp_path / "sample")
    for command, wanted in (("rev-parse --show-toplevel", str(tmp_path / "sample")), ("status --porcelain", "")):
        done = subprocess.run(
            ["git", *command.split()], cwd=tmp_path / "sample", capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == wanted


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "sample").mkdir()
    make(tmp_path / "sample")
    assert list((tmp_path / "sample").iterdir()) == []


def test_without_git_there_is_a_folder_all_the_same(tmp_path):
    make(tmp_path / "sample", PATH="/nowhere")
    assert (tmp_path / "sample" / "README.md").is_file()
    assert not (tmp_path / "sample" / ".git").exists()
