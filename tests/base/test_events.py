from __future__ import annotations

import json
import re

import pytest

from workroom.base import events
from workroom.base.events import Committed, Event

EVENTS = [getattr(events, name) for name in events.__all__ if name != "Event"]


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_has_the_wires_name_of_its_class_and_a_manual(event: type[Event]) -> None:
    assert issubclass(event, Event)
    assert event.type == re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()
    assert event.__doc__ is not None


def test_no_two_events_have_one_name() -> None:
    assert len({event.type for event in EVENTS}) == len(EVENTS)


def test_an_event_is_json_with_its_type_first() -> None:
    body = Committed(7, "tx_1", ("a", "b"), 2, "agent", "edit").to_json()
    assert json.dumps(body) == (
        '{"type": "committed", "entry": 7, "transaction_id": "tx_1", "paths": ["a", "b"], "total": 2, '
        '"actor": "agent", "cause": "edit"}'
    )
