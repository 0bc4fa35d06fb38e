"""The server's own audit log: opened when it is needed, whole over restarts, and no way to be let in."""

import pytest

from workroom.base.actor import Actor
from workroom.base.audit import Token
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.server.ledger import Ledger

ANN = Actor("person", "ann")
REFUSAL = WorkroomError(ErrorCode.PROTECTED_PATH, "The key shown is not the person's.")
MADE = Token("client_1", "made", "page", "workspace", ("store",))


def test_it_is_there_only_once_something_is_told(state):
    ledger = Ledger(state)
    ledger.close()
    assert not (state.path / "audit" / "server").exists()
    ledger.tell(MADE, ANN)
    ledger.turned_away(Actor("program", "user 7"), "socket", "speak as the person", REFUSAL)
    ledger.close()
    again = Ledger(state)
    assert [line["kind"] for line in again.audit.lines()] == ["begun", "opened", "token", "turned_away", "opened"]
    assert again.audit.verify().good
    again.close()


def test_a_refusal_stands_where_it_can_not_be_told(state, caplog):
    (state.path / "audit" / "server").write_text("in the way")
    ledger = Ledger(state)
    ledger.turned_away(ANN, "http", "GET /", REFUSAL)
    assert "can't be told" in caplog.text
    with pytest.raises(OSError, match="exists"):
        ledger.tell(MADE, ANN)
