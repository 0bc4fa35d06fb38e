"""Folders of one server: each opened once, apart from each other, found again."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from threading import Event

import apsw
import pytest

from workroom.base.errors import ErrorCode, WorkroomError


def refused(hub, path, **options):
    with pytest.raises(WorkroomError) as caught:
        hub.open(str(path), **options)
    return caught.value.code


def test_everybody_gets_the_same_workspace(hub, folder):
    (folder.parent / "link").symlink_to(folder)
    with ThreadPoolExecutor(8) as pool:
        found = set(map(id, pool.map(hub.open, [str(folder), str(folder.parent / "link"), f"{folder}/."] * 4)))
    assert len(found) == 1
    assert [workspace.root.path for workspace in hub.workspaces()] == [str(folder)]


def test_what_is_no_folder_is_refused(hub, folder):
    (folder / "file").write_text("")
    assert refused(hub, folder / "gone") is ErrorCode.NOT_FOUND
    assert refused(hub, folder / "file") is ErrorCode.INVALID_INPUT
    assert hub.workspaces() == ()


def test_folders_inside_each_other_are_refused(hub, folder):
    (folder / "sub").mkdir()
    (folder.parent / "ws-2").mkdir()
    hub.open(str(folder))
    assert refused(hub, folder / "sub") is ErrorCode.UNSUPPORTED
    assert refused(hub, folder.parent) is ErrorCode.UNSUPPORTED
    hub.open(str(folder.parent / "ws-2"))


def test_closing_makes_room(hub, folder):
    (folder / "sub").mkdir()
    told = []
    hub.closing.append(told.append)
    workspace = hub.open(str(folder))
    assert hub.close(str(folder)) is True
    assert told == [workspace]
    assert hub.close(str(folder)) is False
    hub.open(str(folder / "sub"))


def test_a_moved_folder_keeps_its_store(hub, folder):
    store = hub.open(str(folder)).store.folder
    folder.rename(folder.parent / "moved")
    assert hub.open(str(folder.parent / "moved")).store.folder == store
    assert len(hub.workspaces()) == 1


def test_another_folder_at_the_same_path_gets_its_own_store(hub, folder):
    store = hub.open(str(folder)).store.folder
    shutil.rmtree(folder)
    folder.mkdir()
    assert hub.open(str(folder)).store.folder != store
    assert len(hub.workspaces()) == 1


def test_a_copy_takes_a_store_over_only_while_nobody_works_with_it(hub, folder):
    copy = folder.parent / "copy"
    copy.mkdir()
    store = hub.open(str(folder)).store.folder
    assert refused(hub, copy, adopt=str(folder)) is ErrorCode.TRANSACTION_STATE
    hub.close(str(folder))
    assert hub.open(str(copy), adopt=str(folder)).store.folder == store


def test_a_path_finds_the_workspace_that_holds_it(hub, folder):
    (folder / "a" / "b").mkdir(parents=True)
    assert hub.locate(str(folder / "a")) is None
    hub.open(str(folder))
    assert hub.locate(str(folder / "a" / "b")) == str(folder)
    assert hub.locate(str(folder)) == str(folder)
    assert hub.locate(str(folder.parent)) is None
    hub.close(str(folder))
    assert hub.locate(str(folder / "a" / "nowhere")) == str(folder)


def held_store(workspace):
    """Somebody who keeps the store's database to themselves, so that it can't be opened before they have gone."""
    holder = apsw.Connection(str(workspace.store.folder / "workspace.db"))
    holder.execute("BEGIN IMMEDIATE")
    return closing(holder)


def test_a_folder_that_is_slow_to_open_holds_nobody_else_up(hub, folder):
    for name in ("other", "third"):
        (folder.parent / name).mkdir()
    before = hub.open(str(folder.parent / "other"))
    slow = hub.open(str(folder))
    hub.close(str(folder))
    with ThreadPoolExecutor(4) as pool, held_store(slow):
        opening = [pool.submit(hub.open, str(folder)) for _ in range(2)]
        assert not wait(opening, 0.3).done
        assert pool.submit(hub.open, str(folder.parent / "other")).result(5) is before
        third = pool.submit(hub.open, str(folder.parent / "third")).result(5)
        assert hub.workspaces() == (before, third)
        assert refused(hub, folder.parent) is ErrorCode.UNSUPPORTED
        assert not any(one.done() for one in opening)
        assert hub.stop(0.1) is False
    one, other = (opened.result(30) for opened in opening)
    assert one is other
    assert one is not slow


def test_a_folder_that_is_slow_to_close_holds_nobody_else_up(hub, folder):
    (folder.parent / "other").mkdir()
    first, go_on, asked = hub.open(str(folder)), Event(), Event()

    def wait_for_word(_workspace):
        asked.set()
        go_on.wait(60)

    hub.closing.append(wait_for_word)
    with ThreadPoolExecutor(4) as pool:
        closed = pool.submit(hub.close, str(folder))
        asked.wait(60)
        assert pool.submit(hub.open, str(folder.parent / "other")).result(5)
        again = pool.submit(hub.open, str(folder))
        assert not wait([closed, again], 0.3).done
        go_on.set()
        assert closed.result(30) is True
        assert again.result(30) is not first


def test_a_folder_is_closed_as_soon_as_it_is_open(hub, folder):
    slow = hub.open(str(folder))
    hub.close(str(folder))
    with ThreadPoolExecutor(4) as pool:
        with held_store(slow):
            opening = hub.opening(str(folder))
            closed = pool.submit(hub.close, str(folder))
            assert not wait([closed], 0.3).done
        assert closed.result(30) is True
    assert opening.result(30).store.folder == slow.store.folder
    assert hub.workspaces() == ()


def test_a_closing_that_fails_is_told_to_whoever_asked(hub, folder):
    hub.open(str(folder))
    hub.closing.append(lambda workspace: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        hub.close(str(folder))


def test_nothing_is_opened_any_more_once_it_stops(hub, folder):
    hub.stop(10)
    assert refused(hub, folder) is ErrorCode.CANCELLED


def test_stopping_closes_every_folder(hub, folder):
    hub.open(str(folder))
    assert hub.stop(10) is True
    assert hub.workspaces() == ()


def test_stopping_leaves_a_call_that_does_not_end(hub, folder):
    hub.open(str(folder))
    ended, began = Event(), Event()

    def run():
        began.set()
        ended.wait(60)

    hub.pool.run(run)
    began.wait(60)
    assert hub.stop(0.01) is False
    assert len(hub.workspaces()) == 1
    ended.set()
    assert hub.stop(60) is True


def test_a_folder_whose_store_cannot_be_opened_is_free_again(hub, folder):
    workspace = hub.open(str(folder))
    store = workspace.store.folder
    hub.close(str(folder))
    database = store / "workspace.db"
    kept = database.read_bytes()
    database.write_bytes(b"no database at all" * 1000)
    with pytest.raises(WorkroomError) as caught:
        hub.open(str(folder))
    assert caught.value.code is ErrorCode.IO_ERROR
    assert str(store) in str(caught.value)
    for suffix in ("-wal", "-shm"):
        if os.path.exists(f"{database}{suffix}"):
            os.unlink(f"{database}{suffix}")
    database.write_bytes(kept)
    hub.open(str(folder))
