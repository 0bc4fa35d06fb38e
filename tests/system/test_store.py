"""The store on a real disk: units of work, snapshots, events, images, migrations."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ModeChanged, SettingsChanged
from workroom.system.store import INLINE_BYTES, Database, Store, StoreError

TABLE = ("notes/1", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
BIG = b"b" * (INLINE_BYTES + 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store", [TABLE])
    yield made
    made.close()


def texts(store: Store) -> list[str]:
    with store.read() as db:
        return [str(row[0]) for row in db.execute("SELECT text FROM notes ORDER BY id")]


def add(store: Store, text: str) -> None:
    with store.write() as db:
        db.execute("INSERT INTO notes (text) VALUES (?)", (text,))


# The unit of work.


def test_what_is_written_is_read_and_found_again(store: Store) -> None:
    add(store, "one")
    assert texts(store) == ["one"]
    store.close()
    again = Store(store.folder, [TABLE])
    assert texts(again) == ["one"]
    again.close()


def test_the_store_is_private_and_makes_its_folders(tmp_path: Path) -> None:
    made = Store(tmp_path / "deep" / "er", [TABLE])
    add(made, "one")
    for path in (tmp_path / "deep", made.folder, made.folder / "images"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for path in made.folder.glob("workspace.db*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    made.close()


def test_a_failed_unit_leaves_nothing(store: Store) -> None:
    def fail() -> None:
        with store.write() as db:
            db.execute("INSERT INTO notes (text) VALUES ('one')")
            store.emit(db, ModeChanged("auto"), 1.0)
            raise KeyError

    heard: list[int] = []
    store.subscribe(lambda number, _: heard.append(number))
    with pytest.raises(KeyError):
        fail()
    assert texts(store) == []
    assert store.last_event() == 0
    add(store, "two")
    assert texts(store) == ["two"]
    assert heard == []


def test_a_unit_that_sqlite_rolled_back_itself_is_left_cleanly(store: Store) -> None:
    def fail() -> None:
        with store.write() as db:
            db.execute("INSERT INTO notes (text) VALUES ('one')")
            db.execute("INSERT OR ROLLBACK INTO notes (text) VALUES (NULL)")

    with pytest.raises(StoreError, match="Nothing was changed"):
        fail()
    add(store, "two")
    assert texts(store) == ["two"]


def test_a_nested_unit_joins_the_outer_one(store: Store) -> None:
    def fail() -> None:
        with store.write():
            add(store, "one")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert texts(store) == []


def test_a_unit_sees_its_own_writes_and_others_see_them_when_it_is_left(store: Store) -> None:
    seen: list[list[str]] = []
    with store.write():
        add(store, "one")
        assert texts(store) == ["one"]
        other = threading.Thread(target=lambda: seen.append(texts(store)))
        other.start()
        other.join()
    assert seen == [[]]
    assert texts(store) == ["one"]


def test_a_reader_keeps_its_snapshot(store: Store) -> None:
    add(store, "one")
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM notes").get == 1
        other = threading.Thread(target=add, args=(store, "two"))
        other.start()
        other.join()
        assert db.execute("SELECT count(*) FROM notes").get == 1
    assert texts(store) == ["one", "two"]


def test_many_threads_write_one_after_the_other(store: Store) -> None:
    def work() -> None:
        for _ in range(5):
            with store.write() as db:
                count = db.execute("SELECT count(*) FROM notes").get
                db.execute("INSERT INTO notes (text) VALUES (?)", (str(count),))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts(store) == [str(number) for number in range(40)]


def test_many_readers_at_once_are_more_than_are_kept(store: Store) -> None:
    barrier = threading.Barrier(12)
    found: list[list[str]] = []

    def work() -> None:
        with store.read() as db:
            barrier.wait(10)
            found.append([str(row[0]) for row in db.execute("SELECT text FROM notes")])

    add(store, "one")
    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["one"]] * 12
    assert len(store._readers) == 8


def test_a_closed_store_says_so(store: Store) -> None:
    with store.read():
        store.close()
    store.close()
    for use in (store.read, store.write):
        with pytest.raises(WorkroomError, match="Connect again") as caught, use():
            pass  # pragma: no cover
        assert caught.value.code == ErrorCode.CANCELLED


def test_what_was_committed_survives_a_kill(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib, time; from workroom.system.store import Store\n"
        "store = Store(pathlib.Path(sys.argv[1]), [('notes/1', sys.argv[2])])\n"
        "with store.write() as db: db.execute(\"INSERT INTO notes (text) VALUES ('kept')\")\n"
        "with store.write() as db:\n"
        "    db.execute(\"INSERT INTO notes (text) VALUES ('lost')\")\n"
        "    print('ready', flush=True); time.sleep(60)\n"
    )
    argv = [sys.executable, "-c", code, str(tmp_path / "store"), TABLE[1]]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGKILL)
    again = Store(tmp_path / "store", [TABLE])
    assert texts(again) == ["kept"]
    again.close()


# Migrations.


def test_migrations_run_once_and_new_ones_are_added(store: Store) -> None:
    add(store, "one")
    store.close()
    again = Store(store.folder, [TABLE, ("notes/2", "ALTER TABLE notes ADD COLUMN at REAL; UPDATE notes SET at = 2")])
    with again.read() as db:
        assert db.execute("SELECT text, at FROM notes").fetchall() == [("one", 2.0)]
    again.close()


def test_a_store_of_a_newer_workroom_is_refused(store: Store) -> None:
    store.close()
    with pytest.raises(WorkroomError, match=r"newer Workroom \(it has notes/1\)") as caught:
        Store(store.folder)
    assert caught.value.code == ErrorCode.UNSUPPORTED
    assert caught.value.next_step == "Update Workroom."


def test_a_migration_that_fails_leaves_the_store_as_it_was(store: Store) -> None:
    store.close()
    with pytest.raises(apsw.SQLError):
        Store(store.folder, [TABLE, ("notes/2", "CREATE TABLE more (x) ; CREATE TABEL")])
    again = Store(store.folder, [TABLE])
    with again.read() as db:
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").get == 0
    again.close()


# Events.


def test_events_are_numbered_and_followed_from_a_number(store: Store) -> None:
    with store.write() as db:
        assert store.emit(db, ModeChanged("auto"), 1.5) == 1
        assert store.emit(db, SettingsChanged(("mode",)), 2.5) == 2
    assert store.last_event() == 2
    assert store.events_since(0) == [
        {"number": 1, "at": 1.5, "type": "mode_changed", "mode": "auto"},
        {"number": 2, "at": 2.5, "type": "settings_changed", "keys": ["mode"]},
    ]
    assert [event["number"] for event in store.events_since(0, limit=1)] == [1]
    assert [event["number"] for event in store.events_since(1)] == [2]
    assert store.events_since(2) == []
    assert store.first_event("settings_changed", 0) == store.events_since(1)[0]
    assert store.first_event("settings_changed", 2) is store.first_event("committed", 0) is None


def test_listeners_hear_after_the_commit_until_they_leave(store: Store) -> None:
    heard: list[tuple[int, str, int]] = []
    leave = store.subscribe(lambda number, event: heard.append((number, event.type, store.last_event())))
    with store.write() as db:
        store.emit(db, ModeChanged("auto"), 1.0)
        store.emit(db, ModeChanged("plan"), 1.0)
        assert heard == []
    assert heard == [(1, "mode_changed", 2), (2, "mode_changed", 2)]
    leave()
    with store.write() as db:
        store.emit(db, ModeChanged("auto"), 1.0)
    assert len(heard) == 2


def test_a_listener_that_fails_is_logged_and_stops_nobody(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []

    def fail(_number: int, _event: object) -> None:
        raise KeyError("the listener's fault")

    store.subscribe(fail)
    store.subscribe(lambda number, _: heard.append(number))
    with caplog.at_level(logging.ERROR), store.write() as db:
        store.emit(db, ModeChanged("auto"), 1.0)
    assert heard == [1]
    assert "A listener failed at event 1 (mode_changed)." in caplog.text


def test_what_a_listener_writes_is_told_after_what_it_hears(store: Store) -> None:
    heard: list[tuple[str, int]] = []

    def answer(number: int, _event: object) -> None:
        heard.append(("first", number))
        if number == 1:
            with store.write() as db:
                store.emit(db, ModeChanged("plan"), 1.0)

    store.subscribe(answer)
    store.subscribe(lambda number, _: heard.append(("second", number)))
    with store.write() as db:
        store.emit(db, ModeChanged("auto"), 1.0)
    assert heard == [("first", 1), ("second", 1), ("first", 2), ("second", 2)]


def test_listeners_hear_the_numbers_in_order_before_the_writer_goes_on(store: Store) -> None:
    heard: list[int] = []
    early: list[int] = []
    store.subscribe(lambda number, _: heard.append(number))

    def work() -> None:
        for _ in range(10):
            with store.write() as db:
                number = store.emit(db, ModeChanged("auto"), 1.0)
            if number not in heard:
                early.append(number)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == list(range(1, 61))
    assert early == []


# Images.


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(body=st.binary(max_size=2000))
def test_an_image_comes_back_as_it_was(store: Store, body: bytes) -> None:
    with store.write() as db:
        sha = store.put_image(db, body)
    assert sha == hashlib.sha256(body).hexdigest()
    assert store.get_image(sha) == body


@pytest.mark.parametrize("size", [0, INLINE_BYTES, INLINE_BYTES + 1])
def test_large_images_are_files(store: Store, size: int) -> None:
    with store.write() as db:
        sha = store.put_image(db, b"x" * size)
        assert store.put_image(db, b"x" * size) == sha
    assert store.get_image(sha) == b"x" * size
    assert store.images_bytes() == size
    files = [path for path in (store.folder / "images").rglob("*") if path.is_file()]
    assert len(files) == (size > INLINE_BYTES)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)


def test_an_unknown_image_is_none(store: Store) -> None:
    assert store.get_image("0" * 64) is None
    assert store.images_bytes() == 0


@pytest.mark.parametrize("body", [b"small", BIG])
def test_a_forgotten_image_can_be_kept_again(store: Store, body: bytes) -> None:
    with store.write() as db:
        sha = store.put_image(db, body)
    with store.write() as db:
        store.forget_image(db, sha)
    assert store.get_image(sha) is None
    with store.write() as db:
        store.put_image(db, body)
    assert store.get_image(sha) == body


def test_an_image_whose_file_is_gone_is_forgotten_and_a_damaged_one_told(store: Store) -> None:
    with store.write() as db:
        sha = store.put_image(db, BIG)
    file = store.folder / "images" / sha[:2] / sha
    file.write_bytes(b"damaged")
    with pytest.raises(WorkroomError, match="damaged on disk") as caught:
        store.get_image(sha)
    assert caught.value.code == ErrorCode.IO_ERROR
    file.unlink()
    assert store.get_image(sha) is None
    with store.write() as db:
        store.put_image(db, BIG)
    assert store.get_image(sha) == BIG


def test_an_image_that_cannot_be_written_leaves_no_file(store: Store) -> None:
    sha = hashlib.sha256(BIG).hexdigest()
    (store.folder / "images" / sha[:2]).mkdir()
    partial = f"{sha}.{os.getpid()}-{threading.get_ident()}"
    (store.folder / "images" / sha[:2] / partial).symlink_to(store.folder / "none" / "x")
    with pytest.raises(WorkroomError, match="can't be kept: No such file"), store.write() as db:
        store.put_image(db, BIG)
    assert list((store.folder / "images" / sha[:2]).iterdir()) == []
    assert store.get_image(sha) is None


@contextlib.contextmanager
def taken_back(store: Store) -> Iterator[Database]:
    with contextlib.suppress(ZeroDivisionError), store.write() as db:
        yield db
        raise ZeroDivisionError


def image_files(store: Store) -> list[str]:
    return [path.name for path in (store.folder / "images").rglob("*") if path.is_file()]


def test_an_image_forgotten_in_a_unit_that_is_taken_back_is_there(store: Store) -> None:
    with store.write() as db:
        sha = store.put_image(db, BIG)
    with taken_back(store) as db:
        store.forget_image(db, sha)
    assert store.get_image(sha) == BIG
    add(store, "another unit of work")
    assert store.get_image(sha) == BIG


def test_an_image_forgotten_and_kept_again_in_one_unit_is_there(store: Store) -> None:
    with store.write() as db:
        sha = store.put_image(db, BIG)
    with store.write() as db:
        store.forget_image(db, sha)
        store.put_image(db, BIG)
    assert store.get_image(sha) == BIG
    with store.write() as db:
        store.forget_image(db, sha)
    assert image_files(store) == []


def test_image_files_that_nothing_names_go_at_the_next_opening(store: Store) -> None:
    with store.write() as db:
        kept = store.put_image(db, BIG)
        small = store.put_image(db, b"small")
    with taken_back(store) as db:
        store.put_image(db, BIG + b"!")
    (store.folder / "images" / kept[:2] / f"{kept}.1-1").write_bytes(b"half of i")
    assert len(image_files(store)) == 3
    store.close()
    again = Store(store.folder, [TABLE])
    assert image_files(again) == [kept]
    assert (again.get_image(kept), again.get_image(small)) == (BIG, b"small")
    again.close()


def test_an_image_file_that_cannot_be_removed_is_logged_and_the_unit_stands(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    with store.write() as db:
        sha = store.put_image(db, BIG)
    file = store.folder / "images" / sha[:2] / sha
    file.unlink()
    file.mkdir()
    with store.write() as db:
        store.forget_image(db, sha)
    assert sha in caplog.text
    assert store.get_image(sha) is None


def test_an_image_comes_back_piece_by_piece(store: Store) -> None:
    body = BIG * 30
    with store.write() as db:
        large, small = store.put_image(db, body), store.put_image(db, b"small")
    assert b"".join(store.image_pieces(large) or ()) == body
    assert list(store.image_pieces(small) or ()) == [b"small"]
    assert store.image_pieces("0" * 64) is None
    path = store.folder / "images" / large[:2] / large
    path.write_bytes(body[::-1] + b"!")
    with pytest.raises(WorkroomError, match="damaged"):
        list(store.image_pieces(large) or ())
    path.unlink()
    assert store.image_pieces(large) is None


# A disk that fails.


def denying(connection: Database, what: str) -> None:
    """SQLite refuses this statement on a connection."""
    deny = {(apsw.SQLITE_TRANSACTION, what)}
    connection.authorizer = lambda code, first, *_: apsw.SQLITE_DENY if (code, first) in deny else apsw.SQLITE_OK


def test_a_unit_that_cant_be_rolled_back_is_rolled_back_before_the_next(store: Store) -> None:
    def fail() -> None:
        with store.write() as db:
            db.execute("INSERT INTO notes (text) VALUES ('one')")
            denying(db, "ROLLBACK")
            db.execute("INSERT INTO notes (text) VALUES (NULL)")

    with pytest.raises(StoreError, match="NOT NULL"):
        fail()
    store._writer.authorizer = None
    add(store, "two")
    assert texts(store) == ["two"]


def test_a_reader_that_failed_is_not_used_again(store: Store) -> None:
    with store.read() as db:
        denying(db, "COMMIT")
    with store.read() as other:
        assert other is not db
        assert texts(store) == []


def test_what_cant_be_read_is_told_as_such(store: Store) -> None:
    def read() -> None:
        with store.read() as db:
            db.set_progress_handler(lambda: True, 1)  # SQLite gives up
            db.execute("SELECT count(*) FROM notes, notes").fetchall()

    with pytest.raises(StoreError, match="can't be read") as caught:
        read()
    assert "Nothing was changed" not in caught.value.next_step


def test_an_image_that_cant_be_read_is_told(store: Store) -> None:
    with store.write() as db:
        sha = store.put_image(db, b"x" * (INLINE_BYTES + 1))
    path = store._image_path(sha)
    path.unlink()
    path.mkdir()
    with pytest.raises(WorkroomError, match="can't be read"):
        store.get_image(sha)
    with pytest.raises(WorkroomError, match="can't be read"):
        list(store.image_pieces(sha) or ())
    path.rmdir()


# What is held in memory.


def sqlite_bytes() -> int:
    return int(apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)[0])


def fill(store: Store, commits: int) -> None:
    for _ in range(commits):
        with store.write() as db:
            db.executemany("INSERT INTO notes (text) VALUES (?)", (("x" * 1000,) for _ in range(1000)))


def test_however_large_the_database_is_little_of_it_is_held(store: Store) -> None:
    before = sqlite_bytes()
    fill(store, 24)
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(store.read()) for _ in range(12)]
        assert {db.execute("SELECT sum(length(text)) FROM notes").get for db in readers} == {24_000_000}
    assert sqlite_bytes() - before < 16 * 1024 * 1024


def test_a_large_unit_of_work_is_written_once_and_given_back(store: Store) -> None:
    log = Path(f"{store.folder}/workspace.db-wal")
    fill(store, 1)
    before, written = sqlite_bytes(), log.stat().st_size
    with store.write() as db:
        fill(store, 16)
        assert db.execute("SELECT count(*) FROM notes").get == 17_000
        assert log.stat().st_size == written, "nothing is written before its end"
    assert sqlite_bytes() - before < 6 * 1024 * 1024


def summed(store: Store) -> int:
    with store.read() as db:
        return int(db.execute("SELECT coalesce(sum(bytes), 0) FROM images").get)


def test_what_the_images_hold_is_counted_as_they_come_and_go(store: Store) -> None:
    with store.write() as db:
        shas = [store.put_image(db, bytes(size)) for size in (0, 5, 5, 70_000)]
    with contextlib.suppress(ZeroDivisionError), store.write() as db:
        store.put_image(db, b"taken back")
        store.forget_image(db, shas[1])
        assert store.images_bytes() == summed(store) == 70_010
        raise ZeroDivisionError
    assert store.images_bytes() == summed(store) == 70_005
    with store.write() as db:
        store.forget_image(db, shas[3])
        store.forget_image(db, "0" * 64)
    assert store.images_bytes() == summed(store) == 5


def test_a_store_of_before_is_counted_when_it_is_opened(store: Store) -> None:
    with store.write() as db:
        store.put_image(db, b"12345")
        db.execute("DROP TRIGGER images_come; DROP TRIGGER images_go; DROP TABLE images_held")
        db.execute("DELETE FROM meta WHERE name = 'store/held'")
    store.close()
    with contextlib.closing(Store(store.folder, [TABLE])) as again:
        assert again.images_bytes() == 5
