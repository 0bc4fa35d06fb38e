"""The person looks over the log and is handed it."""

from tests.conftest import AGENT

from workroom.base.settings import Settings
from workroom.person import audit, decisions
from workroom.person.credential import PersonCredential
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")


def test_the_log_is_looked_over_and_handed_out(house):
    verdict = audit.verify(ANN, house.workspace.audit)
    lines = audit.export(ANN, house.workspace.audit, 1, 10)
    assert (verdict.good, verdict.lines, verdict.hash) == (True, 2, lines[-1]["hash"])
    assert audit.export(ANN, house.workspace.audit, 2, 1) == lines[1:]


def test_a_line_that_was_noted_is_held_against_the_log(house):
    first = audit.export(ANN, house.workspace.audit, 1, 1)[0]["hash"]
    assert audit.verify(ANN, house.workspace.audit, expect=(1, first)).good
    (fault,) = audit.verify(ANN, house.workspace.audit, expect=(2, first)).faults
    assert (fault.line, fault.what) == (2, "isn't the one that was noted: the log is another, or was set back")


def test_a_yes_to_a_part_is_bound_to_the_part_and_names_what_was_asked(house):
    house.settings = Settings(mode="manual")
    operations = [{"type": "create", "path": path, "content": "x\n"} for path in ("a.txt", "b.txt")]
    call(Call(house.workspace, AGENT), "workspace_edit", {"action": "apply", "operations": operations})
    (waiting,) = house.workspace.approvals.pending()
    decisions.show(ANN, house.workspace)
    decisions.accept(ANN, house.workspace, files=("a.txt",))
    assert (house.folder / "a.txt").exists()
    lines = audit.export(ANN, house.workspace.audit, 1, 100)
    (decided,), (entry,) = ([line["what"] for line in lines if line["kind"] == kind] for kind in ("decided", "entry"))
    assert (decided["how"], decided["asked"]) == ("in part", waiting.fingerprint)
    assert decided["fingerprint"] == entry["fingerprint"] != waiting.fingerprint
    assert (entry["approval"], entry["decided_by"], decided["surface"]) == (waiting.id, "ann", "terminal")
    assert len(decided["shown"]) == 64
    verdict = audit.verify(ANN, house.workspace.audit)
    assert verdict.good, verdict.faults
