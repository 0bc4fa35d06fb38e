"""A client of HTTP enters the workspaces that its token is bound to."""

import asyncio

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.clients import Client
from workroom.server.entry import enter


def opened(hub, folder):
    folder.mkdir()
    return hub.open(str(folder)).store.folder.name


def client(*stores, profile="workspace"):
    return Client("client_1", "ci", stores, profile, 0.0, None, "wrt_1")


def refused(hub, who, store):
    with pytest.raises(WorkroomError) as caught:
        asyncio.run(enter(hub, who, store))
    return caught.value.code


def test_a_client_enters_its_workspaces(hub, tmp_path):
    one, two = opened(hub, tmp_path / "one"), opened(hub, tmp_path / "two")
    assert asyncio.run(enter(hub, client(one), None)).root.path == str(tmp_path / "one")
    assert asyncio.run(enter(hub, client(one, two), two)).root.path == str(tmp_path / "two")
    assert refused(hub, client(one, two), None) is ErrorCode.INVALID_INPUT


def test_no_other_workspace_is_there_for_it(hub, tmp_path):
    one, two = opened(hub, tmp_path / "one"), opened(hub, tmp_path / "two")
    assert refused(hub, client(one), two) is ErrorCode.NOT_FOUND
    assert refused(hub, client(one), "nobody") is ErrorCode.NOT_FOUND
    assert refused(hub, client(one), "") is ErrorCode.NOT_FOUND


def test_a_closed_workspace_is_opened_again(hub, tmp_path):
    one = opened(hub, tmp_path / "one")
    hub.close(str(tmp_path / "one"))
    assert asyncio.run(enter(hub, client(one), one)).root.path == str(tmp_path / "one")


def test_a_folder_that_is_not_there_is_not_opened(hub, tmp_path):
    one = opened(hub, tmp_path / "one")
    hub.close(str(tmp_path / "one"))
    (tmp_path / "one").rename(tmp_path / "moved")
    assert refused(hub, client(one), one) is ErrorCode.NOT_FOUND
    (tmp_path / "one").mkdir()
    assert refused(hub, client(one), one) is ErrorCode.NOT_FOUND
    assert len(hub.state.workspaces()) == 1, "the folder in its place became no workspace"
    assert hub.open(str(tmp_path / "moved")).store.folder.name == one
    assert asyncio.run(enter(hub, client(one), one)).root.path == str(tmp_path / "moved")


def test_a_folder_that_was_swapped_while_open_is_not_entered(hub, tmp_path):
    one = opened(hub, tmp_path / "one")
    (tmp_path / "one").rename(tmp_path / "moved")
    (tmp_path / "one").mkdir()
    assert refused(hub, client(one), one) is ErrorCode.NOT_FOUND
    assert len(hub.state.workspaces()) == 1, "the folder in its place became no workspace"


def test_a_profile_that_is_not_there_enters_nothing(hub, tmp_path):
    one = opened(hub, tmp_path / "one")
    assert refused(hub, client(one, profile="files"), one) is ErrorCode.UNSUPPORTED
