"""A client of profile `editor` in a folder of the test's own."""

from __future__ import annotations

import pytest
from jsonschema_rs import validator_for
from tests.conftest import AGENT
from tests.repositories import git, repository

from workroom.base.actor import Actor
from workroom.base.settings import Mode, Settings
from workroom.person.credential import PersonCredential
from workroom.tools.catalog import find_tool
from workroom.tools.dispatch import call
from workroom.tools.schema import output_schema
from workroom.tools.tool import Call

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")
OTHER = Actor("agent", "other", "session_2")


@pytest.fixture
def ask(house):
    """Call a tool as an agent; the fields of its answer. Each answer is what its output schema says."""

    def ask(name, who=AGENT, *, limits=None, whole=False, **arguments):
        envelope = call(Call(house.workspace, who, "editor", limits), f"editor_{name}", arguments)
        shown = envelope.shown()
        schema = output_schema(find_tool(f"editor_{name}", "editor", Mode.AUTO))
        assert validator_for(schema).is_valid(shown), shown
        return envelope if whole else shown

    return ask


@pytest.fixture
def gated(house):
    house.settings = Settings(mode="auto")
    return house


@pytest.fixture
def repo(house, tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = repository(house.folder, f="1\n")
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@x")
    return folder


def newest(house):
    return house.tx.history(1)[0]
