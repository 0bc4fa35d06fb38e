"""The chain: each line bound to the one before, sealed; a head that is never ahead of what is on disk."""

import hashlib
import json
import os

import pytest

from workroom.base.actor import Actor
from workroom.base.audit import Decided, RefusedMore, Shown, TakenBack
from workroom.system.audit import GENESIS, LONGEST, MOST, Head, append, canonical, last
from workroom.system.store import Store, StoreError

WHO = Actor("person", "ann", "")
LINE = Shown(approval="approval_1", sha256="ab", surface="terminal")


@pytest.fixture
def head(tmp_path):
    return Head(b"key", "store", tmp_path / "head")


@pytest.fixture
def store(tmp_path, head):
    made = Store(tmp_path / "store", head=head)
    yield made
    made.close()


def add(store, *lines):
    with store.write() as db:
        for line in lines or (LINE,):
            store.record(db, line, WHO, 1_800_000_000.5)


def divide(number):
    return number / 0


def found(store):
    with store.read() as db:
        return store.head.compare(db, store.head.read())


def rows(store):
    with store.read() as db:
        return db.execute("SELECT number, line, hash, seal FROM audit ORDER BY number").fetchall()


def test_each_line_names_the_hash_of_the_one_before_and_is_hashed_itself(store):
    add(store)
    add(store, LINE, LINE)
    before = GENESIS
    for place, (number, text, line_hash, seal) in enumerate(rows(store), 1):
        line = json.loads(text)
        assert (number, line["number"], line["previous"]) == (place, place, before)
        assert line_hash == hashlib.sha256(text.encode()).hexdigest()
        assert text == canonical(line)
        assert store.head.sealed(number, line_hash, seal)
        before = line_hash
    assert line["at"] == "2027-01-15T08:00:00.500Z"
    assert line["who"] == {"kind": "person", "name": "ann", "session": ""}
    assert line["what"] == {"approval": "approval_1", "sha256": "ab", "surface": "terminal"}
    with store.read() as db:
        assert last(db) == (3, before)


def test_a_line_is_never_changed_removed_or_put_in(store):
    add(store, LINE, LINE)
    for sql in (
        "UPDATE audit SET line = '{}' WHERE number = 1", "DELETE FROM audit WHERE number = 2", "DELETE FROM audit",
        "INSERT INTO audit VALUES (7, '', '', '')", "INSERT OR REPLACE INTO audit VALUES (2, '', '', '')",
    ):  # fmt: skip
        with pytest.raises(StoreError), store.write() as db:
            db.execute(sql)
    assert len(rows(store)) == 2


def test_what_an_agent_writes_makes_no_line_long(store):
    decided = Decided("approval_1", "denied", "\ud800é" * LONGEST, "terminal", "f", None)
    more = RefusedMore("", 1, {f"{number:03} {'x' * LONGEST}": number for number in range(500)})
    add(store, decided, more)
    (_, one, _, _), (_, two, _, _) = rows(store)
    assert json.loads(one)["what"]["note"] == "\ud800é" * (LONGEST // 2) + f"… ({LONGEST * 2} characters)"
    assert json.loads(two)["what"]["by"]["…"] == f"{500 - MOST} more"
    assert one.isascii()
    assert max(len(one), len(two)) < 20_000


def test_a_long_list_is_cut(store):

    add(store, TakenBack("tx_1", True, "", tuple(map(str, range(30))), (), ()))
    assert json.loads(rows(store)[0][1])["what"]["copies"] == [*map(str, range(20)), "… (10 more)"]


def test_the_head_follows_each_unit_of_work_that_is_on_disk_and_no_other(store):
    assert found(store).state == "whole"
    add(store, LINE, LINE)
    assert (found(store).state, found(store).lines) == ("whole", 2)
    with pytest.raises(ZeroDivisionError), store.write() as db:
        divide(store.record(db, LINE, WHO, 1.0))
    assert (found(store).state, found(store).lines) == ("whole", 2)
    with store.write() as db:
        store.record(db, LINE, WHO, 1.0)
        assert store.head.read().lines == 2
    assert (found(store).state, found(store).lines) == ("whole", 3)


def test_a_head_that_was_not_written_any_more_is_behind(store, tmp_path):
    add(store)
    kept = (tmp_path / "head").read_bytes()
    add(store)
    (tmp_path / "head").write_bytes(kept)
    assert (found(store).state, found(store).lines) == ("behind", 1)
    assert found(store).good


def test_each_way_to_be_at_the_head_has_its_name(store, tmp_path, head):
    add(store, LINE, LINE)
    file = tmp_path / "head"
    whole = file.read_bytes()
    number, _, line_hash, seal = rows(store)[0]
    body = json.loads(whole)
    for text, state in (
        (b"", "missing"),
        (b"[]", "invalid"),
        (b'{"lines":"x"}', "invalid"),
        (json.dumps({**body, "lines": 1}).encode(), "invalid"),
        (json.dumps({**body, "lines": number, "hash": line_hash, "mac": seal}).encode(), "invalid"),  # a line's seal
        (whole.replace(b'"mac":"', b'"mac":"\xff'), "invalid"),
    ):
        file.write_bytes(text)
        assert found(store).state == state, text
    file.unlink()
    assert found(store).state == "missing"
    Head(b"key", "another", file).advance(2, body["hash"])
    assert found(store).state == "invalid"
    other = Head(b"key", "store", tmp_path / "other")
    for lines, line_hash, state in ((3, "0", "ahead"), (2, "0", "other"), (0, GENESIS, "behind")):
        other.advance(lines, line_hash)
        with store.read() as db:
            assert head.compare(db, other.read()).state == state
    other.close()


def test_a_head_that_cannot_be_written_stops_nobody(store, tmp_path, caplog):
    (tmp_path / "head").mkdir()
    add(store)
    add(store)
    store.head.sync()
    assert [record.message.split(": ")[0][-13:] for record in caplog.records] == ["'t be written", "t to the disk"]
    assert len(rows(store)) == 2
    os.rmdir(tmp_path / "head")
    add(store)
    assert (found(store).state, found(store).lines) == ("whole", 3)


def test_a_store_without_a_head_chains_without_seals(tmp_path):
    store = Store(tmp_path / "other")
    add(store)
    with store.write() as db:
        assert append(db, None, LINE, WHO, 1.0)[0] == 2
    assert [row[3] for row in rows(store)] == ["", ""]
    store.close()


def test_the_head_is_one_sector(store, tmp_path):
    add(store)
    assert (tmp_path / "head").stat().st_size == 512
    store.close()
    assert (tmp_path / "head").stat().st_mode & 0o777 == 0o600


def test_a_head_whose_bytes_never_reached_the_disk_is_none(tmp_path):
    """A power cut in the first opening leaves a file as long as it was meant to be, and empty."""
    file = tmp_path / "head"
    file.write_bytes(bytes(512))
    assert Head(b"k" * 32, "store", file).read().state == "missing"
    file.write_bytes(b"{}")
    assert Head(b"k" * 32, "store", file).read().state == "invalid"
