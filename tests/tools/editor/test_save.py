"""editor_save: whole files, never over what the client hasn't seen."""

from __future__ import annotations

import os

import pytest
from tests.conftest import AGENT
from tests.tools.editor.conftest import ANN, OTHER

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.base.pulse import Pulse
from workroom.base.settings import Settings
from workroom.person import calls, decisions
from workroom.tools.dispatch import call, propose
from workroom.tools.editor.save import SAVE
from workroom.tools.schema import parse_arguments
from workroom.tools.tool import Call, Proposal

SECOND = 1_700_000_000


def test_open_then_save(house, ask):
    house.write("a.txt", "one\ntwo\n", mode=0o755)
    version = ask("open", path="a.txt")["version"]
    saved = ask("save", path="a.txt", content="one\n2\n3\n", expected_version=version)
    assert house.read("a.txt") == b"one\n2\n3\n"
    assert (house.folder / "a.txt").stat().st_mode & 0o777 == 0o755
    assert (saved["saved"], saved["conflict"], saved["created"], saved["added"], saved["removed"]) == (
        True, False, False, 2, 1,
    )  # fmt: skip
    assert saved["mtime"] == int((house.folder / "a.txt").stat().st_mtime)
    again = ask("save", path="a.txt", content="4\n", expected_version=saved["version"])
    assert again["saved"]
    house.undo(again["transaction_id"])
    assert house.read("a.txt") == b"one\n2\n3\n"


def test_what_could_not_be_opened_again_is_not_saved(house, ask):
    house.write("a.txt", "one\n")
    ask("open", path="a.txt")
    for name, path in (("save", "a.txt"), ("save", "new.txt"), ("create", "new.txt")):
        refused = ask(name, path=path, content="one\ntw\0o\n")["error"]
        assert (refused["code"], refused["message"]) == (
            "INVALID_INPUT", "Line 2 holds U+0000, by which a file is binary and no text.",
        )  # fmt: skip
    assert (house.read("a.txt"), list(house.tree())) == (b"one\n", ["a.txt"])


def test_a_return_within_a_line_stays_where_that_was_not_edited(house, ask):
    """An editor has one kind of line end, and cuts such a line in two."""
    house.write("log.txt", "10%\r20%\nend\n")
    ask("open", path="log.txt")
    assert "transaction_id" not in ask("save", path="log.txt", content="10%\n20%\nend\n"), "nothing was done"
    assert ask("save", path="log.txt", content="10%\n20%\nthe end\n")["saved"]
    assert house.read("log.txt") == b"10%\r20%\nthe end\n"


def test_a_new_file_is_made_and_is_its_clients(house, ask):
    made = ask("save", path="new/a.txt", content="x\n")
    assert (made["created"], made["added"], made["saved"]) == (True, 1, True)
    assert ask("save", path="new/a.txt", content="y\n")["saved"]  # the client wrote what stands there
    assert house.read("new/a.txt") == b"y\n"


def test_what_is_there_already_is_saved_without_an_entry(house, ask):
    house.write("a.txt", "x\n")
    version = ask("open", path="a.txt")["version"]
    saved = ask("save", path="a.txt", content="x\n", expected_version=version)
    assert (saved["saved"], saved["added"], saved["version"]) == (True, 0, version)
    assert house.tx.history() == []


def test_a_file_that_changed_is_a_conflict_with_a_patch(house, ask):
    house.write("a.txt", "one\n")
    version = ask("open", path="a.txt")["version"]
    file = house.write("a.txt", "theirs\n")
    answer = ask("save", path="a.txt", content="mine\n", expected_version=version, whole=True)
    data = answer.data
    assert answer.ok
    assert (data["saved"], data["conflict"], data["created"]) == (False, True, False)
    assert data["conflict_patch"] == "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-theirs\n+mine\n"
    assert data["disk_mtime"] == data["mtime"] == int(file.stat().st_mtime)
    assert house.read("a.txt") == b"theirs\n"
    assert ask("save", path="a.txt", content="both\n", expected_version=data["disk_version"])["saved"]


def test_a_version_counts_more_than_a_time(house, ask):
    file = house.write("a.txt", "one\n")
    opened = ask("open", path="a.txt")
    os.utime(file, (SECOND, SECOND))  # a clock or a checkout moved it
    assert ask("save", path="a.txt", content="2\n", expected_version=opened["version"], expected_mtime=1)["saved"]
    house.write("a.txt", "theirs\n")
    os.utime(file, (SECOND, SECOND))
    refused = ask("save", path="a.txt", content="3\n", expected_version=opened["version"], expected_mtime=SECOND)
    assert refused["conflict"]


def test_a_time_alone_guards_as_far_as_it_tells(house, ask):
    file = house.write("a.txt", "one\n")
    os.utime(file, (SECOND, SECOND))
    assert ask("save", path="a.txt", content="x\n", expected_mtime=SECOND + 1)["conflict"]
    assert ask("save", path="a.txt", content="x\n", expected_mtime=SECOND)["saved"]
    os.utime(file, (SECOND, SECOND))
    opened = ask("open", path="a.txt")
    house.write("a.txt", "in the same second\n")
    os.utime(file, (SECOND, SECOND))
    assert ask("save", path="a.txt", content="y\n", expected_mtime=opened["mtime"])["conflict"]
    assert ask("save", path="gone.txt", content="y\n", expected_mtime=SECOND)["conflict"]


def test_a_save_without_any_guard_over_a_file_never_opened_is_a_conflict(house, ask):
    house.write("a.txt", "theirs\n")
    refused = ask("save", path="a.txt", content="mine\n")
    assert (refused["conflict"], refused["saved"], house.read("a.txt")) == (True, False, b"theirs\n")
    assert ask("save", path="a.txt", content="mine\n", expected_version="")["conflict"]  # empty: unknown
    ask("open", path="a.txt", who=OTHER)
    assert ask("save", path="a.txt", content="mine\n")["conflict"]  # another's view is not this one's


def test_the_base_is_each_clients_own(house, ask):
    """A tab that was edited, then read again by somebody else, must not pass."""
    house.write("a.txt", "one\n")
    ask("open", path="a.txt")
    house.write("a.txt", "two\n")
    ask("open", path="a.txt", who=OTHER)
    refused = ask("save", path="a.txt", content="mine\n")
    assert (refused["conflict"], house.read("a.txt")) == (True, b"two\n")
    assert ask("save", path="a.txt", content="other's\n", who=OTHER)["saved"]


def test_two_sessions_of_one_client_each_have_a_base(house, ask):
    one, two = Actor("agent", "tester", "session_a"), Actor("agent", "tester", "session_b")
    house.workspace.buffers.arrive(one.session)
    house.workspace.buffers.arrive(two.session)
    house.write("a.txt", "one\n")
    ask("open", path="a.txt", who=one)
    house.write("a.txt", "two\n")
    ask("open", path="a.txt", who=two)
    assert ask("save", path="a.txt", content="x\n", who=one)["conflict"]


def test_a_file_that_is_gone_is_a_conflict_to_who_had_it(house, ask):
    house.write("a.txt", "one\n")
    version = ask("open", path="a.txt")["version"]
    (house.folder / "a.txt").unlink()
    refused = ask("save", path="a.txt", content="x\n", expected_version=version)
    assert (refused["conflict"], refused["disk_version"], refused["disk_mtime"], refused["mtime"]) == (
        True,
        "",
        None,
        0,
    )
    assert ask("save", path="a.txt", content="x\n")["conflict"]
    ask("buffers_close", path="a.txt")
    assert ask("save", path="a.txt", content="x\n")["created"]


def test_what_was_opened_in_part_cannot_be_saved(house, ask):
    house.settings = Settings(mode="auto", destructive_edits="allow", editor_max_file_bytes=4)
    house.write("a.txt", "one\ntwo\n")
    opened = ask("open", path="a.txt")
    whole = ask("buffers_list")["buffers"]
    assert whole[0]["truncated"]
    error = ask("save", path="a.txt", content="one\n", expected_version=opened["version"])["error"]
    assert (error["code"], "editor_max_file_bytes" in error["message"]) == ("INVALID_INPUT", True)
    fresh = Actor("agent", "fresh", "session_9")
    assert ask("save", path="a.txt", content="one\n", expected_version=opened["version"], who=fresh)["conflict"]
    assert house.read("a.txt") == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "a\nB\n", b"a\r\nB\r\n"),
        (b"a\nb\n", "a\r\nB\r\n", b"a\nB\n"),
        (b"\xef\xbb\xbfa\n", "é\n", b"\xef\xbb\xbf\xc3\xa9\n"),
        ("é\n".encode("utf-16"), "ü\n", "ü\n".encode("utf-16")),
        (b"a\r\nb\nc\r\n", "a\nb\nC\nd\n", b"a\r\nb\nC\r\nd\r\n"),
        (b"good \xc3\xa9\xc3\xa9\xc3\xa9\nbad \xff\n", "GOOD\nbad \ufffd\n", b"GOOD\nbad \xff\n"),
    ],
)
def test_encoding_mark_and_line_endings_stay(house, ask, before, content, after):
    house.write("a.txt", before)
    version = ask("open", path="a.txt")["version"]
    assert ask("save", path="a.txt", content=content, expected_version=version)["saved"]
    assert house.read("a.txt") == after


def test_what_cannot_be_written_as_it_is_is_refused(house, ask):
    house.write("latin.txt", "Käse und Brötchen, Straße\n".encode("cp1252"))
    version = ask("open", path="latin.txt")["version"]
    assert ask("save", path="latin.txt", content="語\n", expected_version=version)["error"]["code"] == "INVALID_INPUT"
    house.write("b", b"\0\1")
    error = ask("save", path="b", content="x", expected_version=ask("save", path="b", content="x")["disk_version"])
    assert "binary" in error["error"]["message"]
    (house.folder / "folder").mkdir()
    assert "is a folder" in ask("save", path="folder", content="x")["error"]["message"]
    assert ask("save", path=".git/config", content="x")["error"]["code"] == "PROTECTED_PATH"


def test_text_that_looks_numbered_is_text(house, ask):
    assert ask("save", path="a.txt", content="1 | one\n2 | two\n")["saved"]


def test_the_difference_of_what_cannot_be_compared_is_left_out_and_said(house, ask):
    house.write("b", b"\0\1")
    refused = ask("save", path="b", content="x")
    assert (refused["conflict_patch"], refused["conflict_patch_truncated"]) == ("", True)


def test_a_change_in_the_instant_of_the_commit_is_a_conflict(house, ask):

    house.write("a.txt", "one\n")
    version = ask("open", path="a.txt")["version"]
    raw = {"path": "a.txt", "content": "mine\n", "expected_version": version}
    proposal = propose(SAVE.actions[0], Call(house.workspace, AGENT, "editor"), parse_arguments(SAVE, raw)[1])
    assert isinstance(proposal, Proposal)
    house.write("a.txt", "theirs\n")
    answered = proposal.run(Permit(proposal.fingerprint, "test"))
    assert (answered.ok, answered.data["conflict"], house.read("a.txt")) == (True, True, b"theirs\n")


# With the person.


def test_what_stops_a_commit_is_told_as_it_is(house, ask):
    house.write("a.txt", "one\n")
    version = ask("open", path="a.txt")["version"]
    house.tx.close()
    refused = ask("save", path="a.txt", content="two\n", expected_version=version)["error"]
    assert refused["code"] == "IO_ERROR"
    assert "closed" in refused["message"]
    assert house.read("a.txt") == b"one\n"


@pytest.mark.parametrize(
    ("mode", "ceiling", "over", "new"),
    [
        ("auto", "refuse", "PROTECTED_PATH", "runs"), ("auto", "ask", "waits", "runs"),
        ("auto", "allow", "runs", "runs"), ("manual", "refuse", "PROTECTED_PATH", "waits"),
        ("manual", "ask", "waits", "waits"), ("manual", "allow", "waits", "waits"),
        ("plan", "refuse", "PROTECTED_PATH", "APPROVAL_REQUIRED"),
        ("plan", "ask", "APPROVAL_REQUIRED", "APPROVAL_REQUIRED"),
        ("plan", "allow", "APPROVAL_REQUIRED", "APPROVAL_REQUIRED"),
    ],
)  # fmt: skip
def test_a_save_over_a_file_is_judged_as_a_rewrite_and_a_new_file_as_a_create(house, ask, mode, ceiling, over, new):
    def became(answer):
        waits = answer.get("status") == "pending_approval"
        return answer["error"]["code"] if "error" in answer else "waits" if waits else "runs"

    def edited(operation):
        answer = call(
            Call(house.workspace, AGENT, "workspace"), "workspace_edit", {"action": "apply", "operations": [operation]}
        )
        return became({**answer.data, **({} if answer.ok else {"error": answer.error})})

    for name in "ab":
        house.write(name, "one\n")
    house.settings = Settings(mode=mode, destructive_edits=ceiling)
    version = ask("open", path="a")["version"]
    assert became(ask("save", path="a", content="", expected_version=version)) == over
    assert edited({"type": "rewrite", "path": "b", "content": ""}) == over
    assert became(ask("save", path="c", content="x\n")) == new
    assert edited({"type": "create", "path": "d", "content": "x\n"}) == new


def test_an_agents_save_waits_and_is_collected_by_the_same_call(gated, ask):
    gated.write("a.txt", "one\n")
    version = ask("open", path="a.txt")["version"]
    raw = {"path": "a.txt", "content": "two\n", "expected_version": version}
    waits = ask("save", **raw)
    assert (waits["status"], waits["saved"], waits["added"], waits["removed"]) == ("pending_approval", False, 1, 1)
    assert waits["approval"]["resume"] == {
        "tool": "editor_save",
        "arguments": {"path": "a.txt", "content": "", "transaction_id": waits["transaction_id"]},
    }
    assert gated.read("a.txt") == b"one\n"
    shown = decisions.show(ANN, gated.workspace)
    assert "-one\n+two\n" in shown.body
    decisions.accept(ANN, gated.workspace)
    assert gated.read("a.txt") == b"two\n"
    saved = ask("save", **raw)
    assert (saved["saved"], saved["conflict"]) == (True, False)
    assert gated.workspace.buffers.own(AGENT, "a.txt").version == saved["version"]
    (entry,) = gated.tx.history()
    assert entry.actor == AGENT
    assert ask("save", **raw)["conflict"]  # the next is a new call, and the file is another


def test_a_save_that_waits_is_collected_by_its_resume(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")
    resume = ask("save", path="a.txt", content="two\n")["approval"]["resume"]["arguments"]
    assert ask("save", **resume)["status"] == "pending_approval"
    decisions.accept(ANN, gated.workspace)
    assert ask("save", **resume)["saved"]
    assert ask("save", **resume)["error"]["code"] == "TRANSACTION_STATE"


def test_held_a_save_runs_when_it_is_called_again(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")
    resume = ask("save", path="a.txt", content="two\n")["approval"]["resume"]["arguments"]
    decisions.accept(ANN, gated.workspace, hold=True)
    assert ask("save", **resume)["saved"]
    assert gated.read("a.txt") == b"two\n"
    other = {"path": "b.txt", "content": "", "transaction_id": resume["transaction_id"]}
    gated.write("b.txt", "x")
    assert ask("save", **other)["error"]["code"] == "TRANSACTION_STATE"


def test_another_files_plan_is_not_this_save(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")
    waiting = ask("save", path="a.txt", content="two\n")["transaction_id"]
    error = ask("save", path="b.txt", content="", transaction_id=waiting)["error"]
    assert "doesn't save b.txt" in error["message"]


def test_what_the_person_edited_is_told_and_is_no_base_of_the_agents(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")
    raw = {"path": "a.txt", "content": "two\n"}
    ask("save", **raw)
    decisions.accept_edited(ANN, gated.workspace, "", {"a.txt": "ann's\n"})
    assert gated.read("a.txt") == b"ann's\n"
    told = ask("save", **raw, whole=True)
    assert told.data["edited"]["by"] == "ann"
    assert "ann edited it" in told.summary
    assert ask("save", path="a.txt", content="three\n")["conflict"]


def test_a_save_that_is_stale_when_it_is_accepted_is_a_conflict(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")
    raw = {"path": "a.txt", "content": "two\n"}
    ask("save", **raw)
    gated.write("a.txt", "theirs\n")
    assert not decisions.accept(ANN, gated.workspace).envelope.ok
    assert ask("save", **raw)["conflict"]
    assert gated.read("a.txt") == b"theirs\n"


def test_a_denied_save_is_told_as_denied(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")
    raw = {"path": "a.txt", "content": "two\n"}
    ask("save", **raw)
    decisions.deny(ANN, gated.workspace, "no")
    assert ask("save", **raw)["error"]["code"] == "APPROVAL_DENIED"


def test_the_persons_save_is_theirs_and_waits_for_nobody(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")

    def save(content, **more):
        raw = {"path": "a.txt", "content": content, **more}
        return calls.call(ANN, gated.workspace, "editor_save", raw, session="tab").shown()

    assert save("x\n")["conflict"]
    version = calls.call(ANN, gated.workspace, "editor_open", {"path": "a.txt"}, session="tab").data["version"]
    assert save("ann's\n", expected_version=version)["saved"]
    assert ask("save", path="a.txt", content="agent's\n")["conflict"]
    assert gated.tx.history()[0].actor == Actor("person", "ann", "tab")


def test_a_failure_of_an_accepted_save_is_told_as_it_is(gated, ask):
    gated.write("a.txt", "one\n")
    ask("open", path="a.txt")
    raw = {"path": "a.txt", "content": "two\n"}
    ask("save", **raw)
    gated.settings = Settings(mode="auto", protected_patterns=("a.txt",))
    decisions.accept(ANN, gated.workspace)
    assert ask("save", **raw)["error"]["code"] == "PROTECTED_PATH"


class _Meanwhile(Pulse):
    """A caller's pulse; at the n-th time that the work asks whether it goes on, another program acts."""

    def __init__(self, number, act):
        super().__init__()
        self.left, self.act = number, act

    def check(self):
        self.left -= 1
        if not self.left:
            self.act()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_change_between_two_looks_is_a_conflict(house, ask, number):
    """Between the save's own look at the file and the plan's, between the plan and the gate, and at the commit."""
    house.write("a.txt", "one\n")
    ask("open", path="a.txt")
    pulse = _Meanwhile(number, lambda: house.write("a.txt", "theirs\n"))
    answer = call(
        Call(house.workspace, AGENT, "editor", pulse=pulse), "editor_save", {"path": "a.txt", "content": "mine\n"}
    )
    assert pulse.left <= 0
    assert (answer.data["conflict"], answer.data["saved"]) == (True, False)
    assert "-theirs\n+mine\n" in answer.data["conflict_patch"]
    assert house.read("a.txt") == b"theirs\n"
