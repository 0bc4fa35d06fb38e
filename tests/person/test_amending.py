"""Accepting a part of what was shown, and what the person makes of it: what is run, and what everybody is told."""

import pytest
from tests.person.test_decisions import AGENT, ANN, Desk, refused

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.approvals import Status
from workroom.person import decisions
from workroom.person.amending import LARGEST_BYTES
from workroom.text.diff import FileSide, render_file

LINES = "".join(f"line {n}\n" for n in range(1, 41))
EDITED = LINES.replace("line 3\n", "three\n").replace("line 20\n", "").replace("line 38\n", "line 38\nmore\n")


@pytest.fixture
def desk(house):
    house.settings = Settings(mode="manual", destructive_edits="ask")
    return Desk(house)


def patch(before=LINES, after=EDITED, path="a.txt"):
    sides = (FileSide(path, text.encode(), 0o644) for text in (before, after))
    return {"type": "patch", "patch": render_file(*sides)}


def create(path, content="x\n"):
    return {"type": "create", "path": path, "content": content}


@pytest.fixture
def both(desk, house):
    """An edit of three hunks and a new file that waits; its answer."""
    house.write("a.txt", LINES)
    both = {"operations": [patch(), create("b.txt", "b\n")], "title": "Both"}
    return lambda **more: desk.ask(action="apply", **both | more)


def hunks_of(desk):
    return dict(desk.show().hunks)["a.txt"]


def edit(desk, contents, words="", **options):
    return decisions.accept_edited(ANN, desk.house.workspace, words, contents, **options)


# In part.


def test_a_part_of_what_was_shown_is_run_and_the_rest_stays_planned(desk, house, both):
    answer = both()
    whole = answer.data["transactionId"]
    decided = desk.accept(files=["b.txt"])
    assert (house.read("a.txt"), house.read("b.txt")) == (LINES.encode(), b"b\n")
    assert decided.record.status is Status.CONSUMED
    assert (decided.record.amended["how"], decided.record.amended["files"]) == ("in part", ["b.txt"])
    assert decided.record.amended["asked"]["arguments"] == {"action": "commit", "transaction_id": whole}
    assert desk.show(decided.record.id).facts[3] == "accepted in part: b.txt"
    assert "a.txt" not in desk.show(decided.record.id).body
    entry = house.tx.history(1)[0]
    assert (entry.actor, entry.decided_by, entry.approval_id) == (AGENT, "ann", decided.record.id)
    collected = both()
    assert collected.summary.startswith("The person, ann, accepted only a part of what you asked for. Applied tx_")
    assert collected.data["rest"]["files"] == ["a.txt"]
    assert collected.data["acceptedInPart"] == {"files": ["b.txt"], "hunks": []}
    rest = house.tx.get(whole)
    assert (rest.status, list(rest.planned.change_set.paths())) == ("planned", ["a.txt"])


def test_hunks_by_the_ids_that_were_shown(desk, house, both):
    both()
    shown = desk.show()
    ids = dict(shown.hunks)["a.txt"]
    assert all(f"@@ {each}\n" in shown.body for each in ids)
    desk.accept(hunks=[ids[1]])
    assert house.read("a.txt") == LINES.replace("line 20\n", "").encode()


def test_what_was_left_out_is_asked_for_anew(desk, house, both):
    answer = both()
    desk.accept(files=["b.txt"])
    resume = answer.data["approval"]["resume"]["arguments"]
    assert desk.ask(**resume).data["committed"]
    again = desk.ask(**resume)
    assert again.data["status"] == "pending_approval"
    assert again.data["approval"]["id"] != answer.data["approval"]["id"]
    desk.accept()
    assert house.read("a.txt") == EDITED.encode()


def test_a_held_part_is_all_that_runs(desk, house, both):
    answer = both()
    decided = desk.accept(files=["b.txt"], hold=True)
    assert (decided.record.status, house.tree().keys()) == (Status.APPROVED, {"a.txt"})
    collected = desk.ask(**answer.data["approval"]["resume"]["arguments"])
    assert "accepted only a part" in collected.summary
    assert (house.read("a.txt"), house.read("b.txt")) == (LINES.encode(), b"b\n")
    assert desk.status(decided.record.id) is Status.CONSUMED


def test_a_held_part_that_fails_is_told_once(desk, house, both):
    both()
    decided = desk.accept(files=["b.txt"], hold=True)
    house.write("b.txt", "mine\n")
    assert both().error["code"] == "EDIT_CONFLICT"
    assert desk.status(decided.record.id) is Status.APPROVED
    assert both().error["code"] == "EDIT_CONFLICT"  # planned anew: a file stands there
    assert house.read("b.txt") == b"mine\n"


def test_a_held_part_serves_its_asker_only(desk, house, both):
    both()
    desk.accept(files=["b.txt"], hold=True)
    other = Actor("agent", "codex", "session-9")
    assert both(actor=other).data["status"] == "pending_approval"
    assert house.tree().keys() == {"a.txt"}


def test_all_of_it_is_a_plain_yes(desk, house, both):
    both()
    decided = desk.accept(files=["."])
    assert decided.record.amended is None
    assert house.read("a.txt") == EDITED.encode()


def test_a_part_of_a_part_must_be_within_it(desk, house, both):
    house.settings = Settings(mode="auto", destructive_edits="ask")
    house.write("a.txt", LINES)
    data = desk.ask(action="preview", operations=[patch(), create("b.txt"), create("c.txt")]).data
    house.settings = Settings(mode="manual", destructive_edits="ask")
    one, two, three = next(row["hunks"] for row in data["files"] if row["path"] == "a.txt")
    desk.ask(action="commit", transaction_id=data["transactionId"], hunks=[one, two], files=["b.txt"])
    for outside in ({"hunks": [one, three]}, {"files": ["c.txt"]}, {"files": ["a.txt"]}):
        refused(ErrorCode.INVALID_INPUT, desk.accept, **outside)
    assert house.read("a.txt") == LINES.encode()
    desk.accept(hunks=[two])
    assert house.read("a.txt") == LINES.replace("line 20\n", "").encode()
    assert list(house.tx.get(data["transactionId"]).planned.change_set.paths()) == ["a.txt", "b.txt", "c.txt"]


def test_what_is_no_part_of_it_names_the_nearest(desk, both):
    both()
    error = refused(ErrorCode.INVALID_INPUT, desk.accept, files=["b.text"])
    assert "The nearest is b.txt." in error.message
    assert desk.pending()[0].id


def test_only_an_edit_that_waits_has_parts(desk, house, both):
    plan = desk.plan()
    refused(ErrorCode.UNSUPPORTED, desk.accept, plan, files=["a.txt"])
    desk.deny(plan)
    both()
    desk.accept(files=["b.txt"])
    refused(ErrorCode.TRANSACTION_STATE, desk.accept, desk.house.tx.history(1)[0].approval_id, files=["a.txt"])
    desk.ask(action="rollback", transaction_id=house.tx.history(1)[0].transaction_id)
    refused(ErrorCode.UNSUPPORTED, desk.accept, files=["b.txt"])


def test_a_plan_that_changed_since_it_was_shown_has_no_part_to_accept(desk, house, both):
    whole = both(operations=[patch(), create("b.txt"), create("c.txt")]).data["transactionId"]
    (house.folder / "link").symlink_to("b.txt")
    asked = desk.ask(action="commit", transaction_id=whole, files=["a.txt", "link"]).data["approval"]["id"]
    (house.folder / "link").unlink()
    (house.folder / "link").symlink_to("c.txt")
    error = refused(ErrorCode.EDIT_CONFLICT, desk.accept, asked, files=["a.txt"])
    assert "has changed since" in error.message
    refused(ErrorCode.EDIT_CONFLICT, desk.accept, asked)
    assert house.read("a.txt") == LINES.encode()


def test_the_ceiling_is_about_the_part(desk, house):
    house.write("a.txt", "a\n")
    desk.ask(action="apply", operations=[{"type": "delete", "path": "a.txt"}, create("b.txt")])
    house.settings = Settings(mode="manual", destructive_edits="refuse")
    refused(ErrorCode.PROTECTED_PATH, desk.accept)
    refused(ErrorCode.PROTECTED_PATH, desk.accept, files=["a.txt"])
    assert desk.accept(files=["b.txt"]).envelope.ok
    assert house.tree().keys() == {"a.txt", "b.txt"}


def test_a_part_of_what_was_denied_whole_may_be_accepted(desk, house, both):
    whole = both().data["transactionId"]
    desk.deny()
    assert both().error["code"] == "APPROVAL_DENIED"
    assert desk.ask(action="commit", transaction_id=whole, files=["b.txt"]).data["status"] == "pending_approval"
    assert desk.accept().envelope.ok


# Edited.


def test_what_the_person_makes_of_it_is_run_in_place_of_it(desk, house, both):
    answer = both()
    proposed_id = answer.data["transactionId"]
    decided = edit(desk, {"b.txt": "better\n"})
    assert (house.read("a.txt"), house.read("b.txt")) == (EDITED.encode(), b"better\n")
    assert decided.record.status is Status.CONSUMED
    old, new = house.tx.get(proposed_id), house.tx.get(decided.envelope.data["transactionId"])
    assert (old.status, old.superseded_by, new.status) == ("superseded", new.id, "applied")
    assert decided.record.amended["how"] == "edited"
    assert decided.record.amended["asked"]["fingerprint"] == old.planned.fingerprint
    assert decided.record.fingerprint == new.planned.fingerprint
    entry = house.tx.history(1)[0]
    assert (entry.actor, entry.decided_by, entry.approval_id) == (AGENT, "ann", decided.record.id)
    assert f"Edited by ann, the person, before it was accepted; it was proposed as {old.id}." in entry.warnings
    assert f"accepted as the person edited it: {new.id}" in desk.show(decided.record.id).facts
    assert "+better" in desk.show(decided.record.id).body


@pytest.mark.parametrize("resumes", [True, False])
def test_the_agent_is_told_the_difference_and_the_new_transaction(desk, house, both, resumes):
    answer = both()
    edit(desk, {"b.txt": "better\n"})
    told = desk.ask(**answer.data["approval"]["resume"]["arguments"]) if resumes else both()
    applied = house.tx.history(1)[0].transaction_id
    assert told.data["transactionId"] == applied
    assert told.data["edited"]["by"] == "ann"
    assert told.data["edited"]["proposed"] == answer.data["transactionId"]
    assert "-b\n+better\n" in told.data["edited"]["patch"]
    assert "ann edited it before accepting" in told.summary
    assert "+better" in told.text
    again = desk.ask(action="commit", transaction_id=answer.data["transactionId"])
    assert (again.data["transactionId"], again.data["edited"]["by"]) == (applied, "ann")
    assert "was applied already" in again.summary
    shown = desk.ask(action="show", transaction_id=answer.data["transactionId"]).data
    assert (shown["status"], shown["supersededBy"]) == ("superseded", applied)
    assert desk.ask(action="show", transaction_id=applied).data["edited"]["by"] == "ann"


def test_a_key_leads_to_what_the_person_made_of_it(desk, house, both):
    both(idempotency_key="k")
    edit(desk, {"b.txt": "better\n"})
    for _ in range(2):
        told = both(idempotency_key="k")
        assert (told.data["status"], told.data["edited"]["by"]) == ("applied", "ann")
    assert len(house.tx.history(9)) == 1


def test_held_it_runs_when_the_asker_asks_again(desk, house, both):
    answer = both()
    decided = edit(desk, {"b.txt": "better\n"}, hold=True)
    assert (decided.record.status, house.tree().keys()) == (Status.APPROVED, {"a.txt"})
    house.reopen()
    desk = Desk(house)
    told = desk.ask(**answer.data["approval"]["resume"]["arguments"])
    assert (told.data["committed"], told.data["edited"]["by"]) == (True, "ann")
    assert house.read("b.txt") == b"better\n"


def test_it_is_undone_like_any_other(desk, house, both):
    both()
    edit(desk, {"b.txt": "better\n"})
    house.undo(house.tx.history(1)[0].transaction_id)
    assert house.tree().keys() == {"a.txt"}
    assert house.read("a.txt") == LINES.encode()


def test_a_file_that_ends_as_it_was_falls_out(desk, house, both):
    both()
    decided = edit(desk, {"a.txt": LINES})
    assert decided.envelope.ok
    assert house.read("a.txt") == LINES.encode()
    assert [change.path for change in house.tx.history(1)[0].changes] == ["b.txt"]


def test_nothing_edited_and_nothing_left_are_refused(desk, house):
    house.write("a.txt", LINES)
    desk.ask(action="apply", operations=[patch()])
    assert "nothing was edited" in refused(ErrorCode.INVALID_INPUT, edit, desk, {"a.txt": EDITED}).message
    assert "it changes nothing" in refused(ErrorCode.INVALID_INPUT, edit, desk, {"a.txt": LINES}).message
    assert len(desk.pending()) == 1
    assert house.tx.find(status="superseded")[1] == 0


def test_only_files_of_the_proposal_can_be_edited(desk, house):
    house.write("old", "x\n")
    house.write("gone", "x\n")
    operations = [
        {"type": "move", "from": "old", "to": "new"},
        {"type": "delete", "path": "gone"},
        {"type": "mkdir", "path": "d"},
        create("made.txt"),
    ]
    desk.ask(action="apply", operations=operations)
    for path in ("new", "old", "gone", "d"):
        refused(ErrorCode.INVALID_INPUT, edit, desk, {path: "mine\n"})
    assert "The nearest is 'made.txt'." in refused(ErrorCode.INVALID_INPUT, edit, desk, {"mde.txt": "m\n"}).message
    refused(ErrorCode.INVALID_INPUT, edit, desk, {".git/config": "m\n"})
    rows = {file.path: file for file in decisions.proposal(ANN, house.workspace).files}
    assert {path: bool(file.obstacle) for path, file in rows.items()} == {"new": True, "made.txt": False}
    edit(desk, {"made.txt": "mine\n"})
    assert house.tree().keys() == {"new", "d", "made.txt"}


def test_a_text_is_written_in_the_files_encoding_and_bytes_as_they_are(desk, house):
    house.write("wide", "eins\r\n".encode("utf-16"))
    house.write("latin", "caf\u00e9 na\u00efve d\u00e9j\u00e0 vu\n".encode("cp1252"))
    house.write("raw", "x\n")
    operations = [
        {"type": "replace", "path": "wide", "search": "eins", "replacement": "zwei"},
        {"type": "replace", "path": "latin", "search": "vu", "replacement": "lu"},
        {"type": "replace", "path": "raw", "search": "x", "replacement": "y"},
    ]
    desk.ask(action="apply", operations=operations)
    proposed = {file.path: file for file in decisions.proposal(ANN, house.workspace).files}
    assert {path: file.encoding for path, file in proposed.items()} == {
        "wide": "utf-16-le", "latin": "windows-1252", "raw": "utf-8",
    }  # fmt: skip
    edit(desk, {"wide": "dr\u00fc\r\n", "latin": "d\u00e9j\u00e0\n", "raw": b"\xff\0"})
    assert house.read("wide") == "dr\u00fc\r\n".encode("utf-16")
    assert house.read("latin") == "d\u00e9j\u00e0\n".encode("cp1252")
    assert house.read("raw") == b"\xff\0"
    assert house.tx.history(1)[0].changes[1].added is None


def test_mode_and_attributes_stay_those_of_the_proposal(desk, house):
    house.write("run", "one\n", 0o755)
    desk.ask(action="apply", operations=[{"type": "replace", "path": "run", "search": "one", "replacement": "two"}])
    edit(desk, {"run": "three\n"})
    assert (house.read("run"), (house.folder / "run").stat().st_mode & 0o777) == (b"three\n", 0o755)


def test_protected_paths_ceilings_and_the_disk_hold(desk, house, both):
    both()
    house.settings = Settings(mode="manual", protected_patterns=("b.txt",))
    refused(ErrorCode.PROTECTED_PATH, edit, desk, {"b.txt": "better\n"})
    house.settings = Settings(mode="manual", destructive_edits="ask")
    house.write("a.txt", LINES + "later\n")
    refused(ErrorCode.EDIT_CONFLICT, edit, desk, {"b.txt": "better\n"})
    assert desk.status(desk.pending()[0].id) is Status.PENDING
    assert house.tx.find(status="superseded")[1] == 0
    house.write("c.txt", "c\n")
    desk.ask(action="apply", operations=[{"type": "rewrite", "path": "c.txt", "content": "d\n"}])
    house.settings = Settings(mode="manual", destructive_edits="refuse")
    refused(ErrorCode.PROTECTED_PATH, edit, desk, {"c.txt": "e\n"}, desk.pending()[0].id)
    assert house.read("c.txt") == b"c\n"


def test_a_proposal_that_changed_while_it_was_edited_is_refused(desk, house, both):
    both()
    fingerprint = decisions.proposal(ANN, house.workspace).fingerprint
    refused(ErrorCode.EDIT_CONFLICT, edit, desk, {"b.txt": "better\n"}, fingerprint="another")
    assert edit(desk, {"b.txt": "better\n"}, fingerprint=fingerprint).envelope.ok
    refused(ErrorCode.TRANSACTION_STATE, edit, desk, {"b.txt": "x\n"}, house.tx.history(1)[0].approval_id)


def test_a_quota_that_has_no_room_leaves_the_proposal_waiting(desk, house, both):
    both()
    house.settings = Settings(mode="manual", history_quota_bytes=1_000_000)
    refused(ErrorCode.LIMIT_EXCEEDED, edit, desk, {"b.txt": "b" * 1_100_000})
    assert desk.pending()
    assert house.tx.find(status="superseded")[1] == 0


def test_the_proposal_is_kept_when_the_commit_fails_and_the_edit_stays_planned(desk, house, both):
    answer = both()
    with open(house.folder / "a.txt", "ab"):  # another program has it open for writing
        decided = edit(desk, {"b.txt": "better\n"})
    assert decided.envelope.error["code"] == "EDIT_CONFLICT"
    assert decided.record.status is Status.APPROVED
    resume = answer.data["approval"]["resume"]["arguments"]
    assert desk.ask(**resume).error["code"] == "EDIT_CONFLICT"  # what came of the accept, told once
    told = desk.ask(**resume)
    assert (told.data["committed"], told.data["edited"]["by"]) == (True, "ann")
    assert house.read("b.txt") == b"better\n"


def test_an_edited_part_leaves_the_rest_but_no_hunks_of_a_file_that_was_edited(desk, house, both):
    house.settings = Settings(mode="auto", destructive_edits="ask")
    house.write("a.txt", LINES)
    data = desk.ask(action="preview", operations=[patch(), create("b.txt"), create("c.txt")]).data
    house.settings = Settings(mode="manual", destructive_edits="ask")
    one, _, _ = next(row["hunks"] for row in data["files"] if row["path"] == "a.txt")
    desk.ask(action="commit", transaction_id=data["transactionId"], hunks=[one], files=["b.txt"])
    edit(desk, {"a.txt": LINES.replace("line 3\n", "3\n")})
    assert house.read("a.txt") == LINES.replace("line 3\n", "3\n").encode()
    rest = house.tx.get(data["transactionId"])
    assert (rest.status, list(rest.planned.change_set.paths())) == ("planned", ["c.txt"])
    desk.ask(action="commit", transaction_id=data["transactionId"])
    desk.accept()
    assert house.tree().keys() == {"a.txt", "b.txt", "c.txt"}


def test_a_part_that_takes_all_there_is_of_an_edited_file_supersedes_the_whole(desk, house):
    house.settings = Settings(mode="auto", destructive_edits="ask")
    house.write("a.txt", LINES)
    data = desk.ask(action="preview", operations=[patch()]).data
    house.settings = Settings(mode="manual", destructive_edits="ask")
    desk.ask(action="commit", transaction_id=data["transactionId"], hunks=data["files"][0]["hunks"][:1])
    edit(desk, {"a.txt": LINES.replace("line 3\n", "3\n")})
    assert house.tx.get(data["transactionId"]).status == "superseded"


def test_images_that_only_the_proposal_needed_are_let_go(desk, house, both):
    both()
    before = house.workspace.store.images_bytes()
    edit(desk, {"b.txt": "better\n"})
    assert house.workspace.store.images_bytes() == before - len("b\n") + len("better\n")


def test_what_is_too_much_or_gone_is_not_offered(desk, house):
    desk.ask(action="apply", operations=[create("big.txt", "x" * (LARGEST_BYTES + 1))])
    refused(ErrorCode.LIMIT_EXCEEDED, decisions.proposal, ANN, house.workspace)
    desk.deny()
    house.write("n", b"\0\1\2")
    desk.ask(action="apply", operations=[{"type": "copy", "from": "n", "to": "m"}, create("t", "e\x1b[2J\n")])
    rows = {file.path: file for file in decisions.proposal(ANN, house.workspace).files}
    assert (rows["m"].data, rows["m"].encoding) == (b"\0\1\2", "")
    assert rows["t"].flags == ("control characters",)
    with house.workspace.store.write() as db:
        for (sha,) in db.execute("SELECT sha256 FROM image_refs").fetchall():
            house.workspace.store.forget_image(db, sha)
    assert "no longer kept" in {f.path: f for f in decisions.proposal(ANN, house.workspace).files}["t"].obstacle


def test_a_second_edit_finds_it_decided(desk, house, both):
    both()
    record = desk.pending()[0].id
    decisions.accept_edited(ANN, house.workspace, record, {"b.txt": "one\n"})
    with pytest.raises(WorkroomError) as caught:
        decisions.accept_edited(ANN, house.workspace, record, {"b.txt": "two\n"})
    assert caught.value.code is ErrorCode.TRANSACTION_STATE
    assert house.read("b.txt") == b"one\n"
