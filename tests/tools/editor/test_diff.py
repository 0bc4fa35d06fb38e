"""editor_diff."""

from __future__ import annotations

import pytest
from tests.conftest import AGENT

from workroom.base.settings import Settings
from workroom.tools.dispatch import call
from workroom.tools.tool import Call, Limits


@pytest.fixture
def diff(house):
    def send(before, after, **more):
        arguments = {"before": before, "after": after, **more}
        return call(Call(house.workspace, AGENT, "editor"), "editor_diff", arguments)

    return send


def test_a_patch_and_its_hunks(diff):
    answer = diff("one\ntwo\n", "one\n2\n", path="a.txt")
    assert answer.ok
    assert answer.shown() == {
        "patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
        "hunks": [{"old_start": 1, "old_lines": 2, "new_start": 1, "new_lines": 2, "added": 1, "removed": 1}],
        "added": 1,
        "removed": 1,
        "identical": False,
        "truncated": False,
    }
    assert answer.summary == "+1 -1 lines in 1 hunks."


def test_context_is_the_calls_then_the_settings(house, diff):
    before = "".join(f"{n}\n" for n in range(20))
    after = before.replace("10\n", "ten\n")
    assert diff(before, after).data["hunks"][0]["old_lines"] == 7
    assert diff(before, after, context_lines=0).data["hunks"][0]["old_lines"] == 1
    house.settings = Settings(editor_diff_context_lines=1)
    assert diff(before, after).data["hunks"][0]["old_lines"] == 3


def test_nothing_differs(diff):
    answer = diff("é", "é")
    assert (answer.data["identical"], answer.data["patch"], answer.summary) == (True, "", "The texts are identical.")


def test_a_text_that_is_too_long_is_not_said_to_be_the_same(house, diff):
    house.settings = Settings(editor_max_diff_bytes=10)
    answer = diff("x" * 11, "")
    assert (answer.data["truncated"], answer.data["identical"], answer.data["hunks"]) == (True, False, [])
    assert "editor_max_diff_bytes" in answer.summary
    assert diff("x" * 10, "").data["truncated"] is False


def test_no_limit_of_other_tools_cuts_a_patch_but_what_the_client_can_take_does(house):
    texts = {"before": "", "after": "line\n" * 20_000}
    whole = call(Call(house.workspace, AGENT, "editor"), "editor_diff", texts)
    assert len(whole.data["patch"]) > 100_000
    cut = call(Call(house.workspace, AGENT, "editor", Limits(6_000, 60)), "editor_diff", texts)
    assert len(cut.data["patch"]) < 6_000
    assert cut.data["truncated"] is True
    assert cut.data["omitted"]["patch"] > 90_000
    (artifact,) = cut.shown()["artifacts"]
    assert (house.folder / artifact["path"]).exists()
    called = call(Call(house.workspace, AGENT, "editor", chars=7_000), "editor_diff", texts)
    assert len(called.data["patch"]) < 7_000
