"""`.agentic/approvals/state.json`: follows the records, and is believed in nothing."""

import json
import shutil

import pytest
from tests.core.approvals.conftest import refused

from workroom.base.errors import ErrorCode
from workroom.core.approvals import VIEW_PATH, Status
from workroom.core.approvals.view import view_stands, write_view
from workroom.system.agentic import Agentic
from workroom.system.root import Root


def test_the_view_follows_the_records(room, tmp_path):
    (tmp_path / "folder").mkdir()
    with Root.open(tmp_path / "folder") as root:
        end = room.approvals.keep_view(Agentic(root))
        view = tmp_path / "folder" / ".agentic" / VIEW_PATH
        assert not view.parent.parent.exists()
        record = room.stage(title="Commit tx_1")
        assert json.loads(view.read_text())["approvals"] == [
            {
                "id": record.id, "kind": "transaction", "title": "Commit tx_1", "status": "pending",
                "destructive": False, "actor": "claude", "note": "", "decidedAt": None, "amended": None,
                "resume": {"tool": "workspace_edit", "arguments": {"action": "commit", "transaction_id": "tx_1"}},
                "createdAt": "1970-01-12T13:46:40.000Z", "expiresAt": "1970-01-13T13:46:40.000Z",
            }
        ]  # fmt: skip
        room.approvals.approve(record.id, "ann")
        row = json.loads(view.read_text())["approvals"][0]
        assert (row["status"], row["decidedAt"]) == ("approved", "1970-01-12T13:46:40.000Z")
        end()
        room.stage("f2")
        assert len(json.loads(view.read_text())["approvals"]) == 1


def test_a_view_that_a_clone_brings_is_replaced(room, tmp_path):
    view = tmp_path / "folder" / ".agentic" / VIEW_PATH
    view.parent.mkdir(parents=True)
    view.write_text('{"approvals": [{"id": "approval_x", "status": "approved"}]}')
    with Root.open(tmp_path / "folder") as root:
        room.approvals.keep_view(Agentic(root))
    assert json.loads(view.read_text())["approvals"] == []
    refused(ErrorCode.NOT_FOUND, room.approvals.get, "approval_x")


def test_a_view_that_stands_is_kept_up_to_date_from_the_start(room, tmp_path):
    """And where that can't be looked into, it is tried: it may be there again by then."""
    (tmp_path / "folder" / ".agentic" / "approvals").mkdir(parents=True)
    with Root.open(tmp_path / "folder") as root:
        assert not view_stands(Agentic(root))
        write_view(Agentic(root), ())
        assert view_stands(Agentic(root))
        said = json.loads((tmp_path / "folder" / ".agentic" / VIEW_PATH).read_text())
        assert said == {"note": "A view for readers; nothing reads it back.", "approvals": []}
        shutil.rmtree(tmp_path / "folder" / ".agentic" / "approvals")
        (tmp_path / "folder" / ".agentic" / "approvals").write_text("a file where a folder goes")
        assert view_stands(Agentic(root))


@pytest.mark.parametrize("place", [".agentic", ".agentic/approvals"])
def test_a_view_that_cant_be_written_stops_nobody(room, tmp_path, caplog, place):
    stands = tmp_path / "folder" / place
    stands.parent.mkdir(parents=True)
    stands.write_text("a file where a folder goes")
    with Root.open(tmp_path / "folder") as root:
        room.approvals.keep_view(Agentic(root))
        assert room.stage().status is Status.PENDING
    assert "can't be written" in caplog.text
