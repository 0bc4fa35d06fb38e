"""Make a small sample project to serve: a Python package with a README and tests, and its own git repository.

`python tools/make_sample.py FOLDER` makes FOLDER once; a folder that is there is left alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = {
    "README.md": """\
# Recipes

Scales recipes to the number of people at the table.

    >>> from recipes import scale
    >>> scale({"flour": 500, "eggs": 4}, people=2, serves=4)
    {'flour': 250.0, 'eggs': 2.0}

Run the tests with `python3 -m unittest`.
""",
    "pyproject.toml": """\
[project]
name = "recipes"
version = "0.1.0"
description = "Scales recipes to the number of people at the table."
requires-python = ">=3.11"
""",
    "recipes/__init__.py": """\
\"\"\"Recipes for as many people as come.\"\"\"

from .scale import scale

__all__ = ["scale"]
""",
    "recipes/scale.py": """\
\"\"\"Scaling amounts.\"\"\"

from collections.abc import Mapping


def scale(amounts: Mapping[str, float], *, people: int, serves: int) -> dict[str, float]:
    \"\"\"The amounts for `people`, of a recipe written for `serves`.\"\"\"
    return {name: amount * people / serves for name, amount in amounts.items()}
""",
    "tests/__init__.py": "",
    "tests/test_scale.py": """\
import unittest

from recipes import scale


class ScaleTest(unittest.TestCase):
    def test_half_of_the_people_need_half_of_everything(self) -> None:
        self.assertEqual(scale({"flour": 500, "eggs": 4}, people=2, serves=4), {"flour": 250, "eggs": 2})

    def test_an_empty_recipe_stays_empty(self) -> None:
        self.assertEqual(scale({}, people=3, serves=4), {})


if __name__ == "__main__":
    unittest.main()
""",
    ".gitignore": "__pycache__/\n",
}


def write_files(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make_repository(folder: Path) -> None:
    """A first commit, whatever the user's own git settings and environment say."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = ["-c", "user.name=Workroom", "-c", "user.email=sample@workroom.invalid", "-c", "commit.gpgsign=false"]
    commands = (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        [*who, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Scale recipes"],
    )
    for arguments in commands:
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=env)


def main() -> int:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "sample").absolute()
    if target.exists():
        return 0
    # Made beside the target and moved there whole, so that an interrupted run leaves no half a sample.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".sample-") as work:
        folder = Path(work) / target.name
        write_files(folder)
        if shutil.which("git"):
            make_repository(folder)
        folder.rename(target)
    print(f"Made a small sample project in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
