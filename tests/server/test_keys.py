"""Where keys are read."""

from __future__ import annotations

import pytest

from workroom.base.errors import WorkroomError
from workroom.server.keys import read_key


def test_of_a_file_that_only_its_owner_reads(tmp_path):
    file = tmp_path / "key"
    file.write_text("secret-key\n")
    file.chmod(0o600)
    assert read_key(f"file:{file}") == "secret-key"
    file.chmod(0o640)
    with pytest.raises(WorkroomError, match="chmod 600") as caught:
        read_key(f"file:{file}")
    assert "secret-key" not in str(caught.value)


def test_of_the_environment(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "secret-key")
    assert read_key("env:SOME_KEY") == "secret-key"


@pytest.mark.parametrize("place", ["env:NOT_THERE", "file:/not/there"])
def test_of_nowhere(place):
    with pytest.raises(WorkroomError, match="is missing"):
        read_key(place)


def test_what_cannot_stand_in_a_header(tmp_path):
    file = tmp_path / "key"
    file.write_text("two\nlines")
    file.chmod(0o600)
    with pytest.raises(WorkroomError, match="nothing that can be a key"):
        read_key(f"file:{file}")
