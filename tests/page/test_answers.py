"""What the server really answers has the shapes that the page's types are made from: nothing missing, nothing more."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest
from pydantic import ConfigDict, TypeAdapter, with_config
from tests.page.conftest import Page
from tests.page.test_sign_in import staged
from typing_extensions import TypedDict, is_typeddict

from workroom.base import events
from workroom.interfaces import answers
from workroom.interfaces.methods import METHODS

for _name in dir(answers):  # only here: on the wire more may come with a newer server
    if is_typeddict(getattr(answers, _name)):
        with_config(ConfigDict(extra="forbid"))(getattr(answers, _name))


def check(page: Page, method: str, **params: Any) -> Any:
    """Ask, and hold the answer against its shape."""
    answer = page.ask(method, params)
    assert answer.status == 200, answer.body
    result = answer.json["result"]
    return TypeAdapter(get_type_hints(METHODS[method].run)["return"]).validate_python(result, strict=True)


def test_every_answer_has_its_shape(page: Page) -> None:
    room = page.web.room
    waiting = staged(room)
    for method in ("status", "pending", "mode", "settings.list", "log", "clients.list", "pages.list"):
        check(page, method)
    assert check(page, "show", id=waiting)["changes"][0]["path"] == "new.txt"
    check(page, "proposal", words=waiting)
    check(page, "settings.get", key="mode")
    check(page, "settings.set", key="wait_seconds_files", value=1)
    check(page, "settings.unset", key="wait_seconds_files")
    check(page, "edit", words=waiting, contents={"new.txt": "two\n"})
    check(page, "undo", preview=True)
    check(page, "rewind", to="0", preview=True)
    check(page, "undo")
    check(page, "deny", words=staged(room))
    check(page, "rewind", to="1")
    check(page, "audit.verify")
    check(page, "audit.export")
    made = check(page, "clients.create", name="other", folders=[str(room.folder)])
    check(page, "clients.revoke", name=made["client"]["id"])
    check(page, "close", path=str(room.folder))
    check(page, "open", path=str(room.folder))


def test_a_shape_that_is_wrong_is_seen() -> None:
    class Wrong(TypedDict):
        id: int

    with pytest.raises(ValueError, match="valid integer"):
        TypeAdapter(Wrong).validate_python({"id": "approval_1"}, strict=True)


def test_each_event_is_among_the_types() -> None:
    kinds = [getattr(events, name) for name in events.__all__ if name != "Event"]
    assert all(issubclass(kind, events.Event) for kind in kinds)
    assert len({kind.type for kind in kinds}) == len(kinds)
