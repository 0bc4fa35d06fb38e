"""The tool that tells why there are no others."""

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.tools.status import STATUS_NAME, status_answer, status_definition


def test_it_says_why_and_what_to_do():
    error = WorkroomError(ErrorCode.UNSUPPORTED, "Another process serves /ws.", next_step="Stop it.")
    answer = status_answer(error, "/ws").to_json()
    assert answer["ok"] is False
    assert answer["error"] == {"code": "UNSUPPORTED", "message": "Another process serves /ws. Stop it."}
    assert answer["data"] == {"status": "unavailable", "folder": "/ws"}
    assert "Another process serves /ws. Stop it. Tell the person" in answer["summary"]
    assert answer["retention"]["importance"] == "critical"


def test_it_is_listed_without_arguments():
    tool = status_definition()
    assert tool["name"] == STATUS_NAME == "agentic_workspace_status"
    assert tool["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}
