"""A commit is settled a while after it was made, by itself."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import apsw

from workroom.base.events import Committed, ModeChanged
from workroom.server.settler import Settler


def until(true):
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def emit(house, event):
    with house.workspace.store.write() as db:
        house.workspace.store.emit(db, event, house.clock())


def timers():
    return [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def test_a_commit_is_settled_after_its_time(house):
    house.write("a.txt", "one\n")
    settler = Settler(house.workspace, seconds=0)
    house.edit({"type": "rewrite", "path": "a.txt", "content": "two\n"})
    kept = list((house.folder / ".agentic" / "stage").iterdir())
    assert kept
    house.time += 120
    until(lambda: not list((house.folder / ".agentic" / "stage").iterdir()))
    settler.close()


def test_what_could_not_be_settled_is_tried_again(house):
    house.write("a.txt", "one\n")
    house.edit({"type": "rewrite", "path": "a.txt", "content": "two\n"})
    house.time += 120
    stage = house.folder / ".agentic" / "stage"
    with closing(apsw.Connection(str(house.store_folder / "workspace.db"))) as db:
        db.execute("ALTER TABLE intents RENAME TO gone")
        settler = Settler(house.workspace, seconds=0)
        emit(house, Committed(9, "tx_9", (), 0, "x", "edit"))
        (first,) = timers()
        until(lambda: timers() not in ([first], []))
        assert list(stage.iterdir())
        db.execute("ALTER TABLE gone RENAME TO intents")
    until(lambda: not list(stage.iterdir()))
    settler.close()


def test_only_commits_set_the_clock_and_closing_ends_it(house):
    settler = Settler(house.workspace, seconds=3600)
    emit(house, ModeChanged("auto"))
    assert timers() == []
    emit(house, Committed(1, "tx_1", (), 0, "x", "edit"))
    emit(house, Committed(2, "tx_2", (), 0, "x", "edit"))
    assert len(timers()) == 1
    settler.close()
    until(lambda: timers() == [])
    emit(house, Committed(3, "tx_3", (), 0, "x", "edit"))
    assert timers() == []
