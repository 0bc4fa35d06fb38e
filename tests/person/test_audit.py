"""The person looks over the log and is handed it."""

from workroom.person import audit
from workroom.person.credential import PersonCredential

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
