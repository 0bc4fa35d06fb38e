"""The person makes clients and takes them away."""

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.ids import new_id
from workroom.core.clients import Clients
from workroom.person import clients as person
from workroom.person.credential import PersonCredential
from workroom.system.state import StateDirectory

CREDENTIAL = PersonCredential.grant("k", "k", 0, 0, name="ann")


@pytest.fixture
def clients(house, tmp_path):
    state = StateDirectory(tmp_path / "user")
    state.make()
    return Clients(state, house.clock, new_id)


def test_a_client_is_made_listed_and_revoked(house, clients):
    made = {"seconds": None, "clock": house.clock}
    client, token = person.create(CREDENTIAL, clients, "ci", [house.workspace], "workspace", **made)
    assert client.workspaces == (house.store_folder.name,)
    assert client.expires_at is None
    assert clients.find(token) == client
    assert person.list_clients(CREDENTIAL, clients) == (client,)
    assert person.revoke(CREDENTIAL, clients, "ci") == client
    assert person.list_clients(CREDENTIAL, clients) == ()


def test_a_time_is_counted_from_now(house, clients):
    before = house.clock()
    client, _ = person.create(CREDENTIAL, clients, "ci", [house.workspace], "workspace", seconds=60, clock=house.clock)
    assert before + 60 <= client.expires_at <= house.clock() + 60


@pytest.mark.parametrize("profile", ["files", "x", ""])
def test_a_profile_that_is_not_there_is_refused(house, clients, profile):
    with pytest.raises(WorkroomError) as caught:
        person.create(CREDENTIAL, clients, "ci", [house.workspace], profile, seconds=None, clock=house.clock)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert clients.list() == ()
