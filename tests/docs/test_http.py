"""The page about HTTP does what it says: its commands are run, in order, against a real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "http.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_every_command_of_the_page_does_what_it_says():
    base = Path(tempfile.mkdtemp(prefix="wr-"))  # short: a socket's path must be
    folder = base / "folder"
    folder.mkdir()
    (folder / "README.md").write_text("Read me.\n")
    kept = {name: os.environ[name] for name in ("COVERAGE_PROCESS_CONFIG",) if name in os.environ}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {**kept, "PATH": path, "HOME": str(base), "WORKROOM_STATE": str(base / "state"), "LC_ALL": "C.UTF-8"}
    serve = ["workroom", "serve", str(folder), "--port=0"]
    with subprocess.Popen(serve, env=environ, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout.readline().startswith("Serving ")
            port = re.search(r":(\d+)\.", server.stdout.readline())[1]
            said = []
            for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
                for command in re.findall(r"^\$ (.+)$", block, re.MULTILINE):
                    line = ["sh", "-c", command.replace(":7117/", f":{port}/")]
                    done = subprocess.run(line, cwd=folder, env=environ, capture_output=True, text=True, check=True)
                    said.append(done.stdout)
        finally:
            server.terminate()
    workspaces, read = (json.loads(one) for one in said if one.startswith("{"))
    assert (workspaces["client"], workspaces["workspaces"][0]["name"]) == ("ci", "folder")
    assert read["data"]["text"] == "1 | Read me."
    assert "1\n" in said, "the edit waited"
    assert said[-2] == "Over HTTP.\n"
    assert json.loads((folder / "openapi.json").read_text())["openapi"].startswith("3.1")
    shutil.rmtree(base)
