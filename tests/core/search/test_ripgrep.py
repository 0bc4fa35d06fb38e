"""The ways in which ripgrep is run for one search: they all answer the same."""

from __future__ import annotations

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.search.index.service import Narrowed
from workroom.core.search.ripgrep import Skipped, batches, count_skipped
from workroom.core.search.text import Query, search


def test_the_log_is_read():
    log = (
        b"rg: DEBUG|grep_printer::json|json.rs:792: ignoring ./c.bin: found binary data at offset 0\n"
        b"rg: DEBUG|ignore::walk|crates/ignore/src/walk.rs:1998: ignoring ./big: 3221225472 bytes\n"
        b"rg: ./secret: Permission denied (os error 13)\n"
    )
    assert count_skipped(log, 2, exact=True) == Skipped(1, 1, 1, 2, True)
    assert not count_skipped(b"x" * 65_536, 0, exact=True).exact


@pytest.mark.parametrize("limit", [1, 3, 4, 100])
def test_on_all_cores_it_ends_at_the_same_place(root, limit):
    one, all_cores = (search(root, ".", Query("needle"), limit, patience=each) for each in (60, -1))
    assert (all_cores.matches, all_cores.truncated) == (one.matches, one.truncated)
    assert all_cores.files_searched == one.files_searched
    one, all_cores = (search(root, ".", Query("needle"), limit, patience=each, by_file=True) for each in (60, -1))
    assert (all_cores.files, all_cores.truncated) == (one.files, one.truncated)


def test_on_all_cores_a_wrong_expression_is_refused_too(root):
    with pytest.raises(WorkroomError, match="look-around") as refused:
        search(root, ".", Query("(?!a)", regex=True), 10, patience=-1)
    assert refused.value.code is ErrorCode.INVALID_INPUT


def test_more_than_can_be_put_into_order_is_searched_in_order(root, ws):
    for number in range(8):
        (ws / f"many{number}.txt").write_text(f"abundant {'x' * 100}\n" * 20_000)
    answer = search(root, ".", Query("abundant"), 200_000, patience=-1)
    assert len(answer.matches) == 160_000
    assert answer.files_searched == 12


def test_on_all_cores_it_gives_up_and_tells(root, ws):
    for number in range(8):
        (ws / f"many{number}.txt").write_bytes(b"nothing here \n" * 2_000_000)
    answer = search(root, ".", Query("needle|abundant[a-z]+zz", regex=True), 100, timeout=0.03, patience=-1)
    assert (answer.truncated, answer.timed_out, answer.files_searched) == (True, True, None)


class Says:
    """An index that says what a test has it say."""

    def __init__(self, *texts, walked=()):
        self._said = Narrowed(list(texts), list(walked), None, 0, 0, 0)

    def narrow(self, path, query):
        return self._said


@pytest.mark.parametrize("says", [Says("bin"), Says("a.txt", "gone"), Says("no/such"), Says("a.txt", walked=["big"])])
def test_where_an_index_was_wrong_everything_is_searched(root, ws, says):
    (ws / "bin").write_bytes(b"needle\n" * 10_000 + b"\0needle\n")
    (ws / "big").write_text(f"needle {'x' * 200}\n" * 130_000)
    query = Query("needle")
    assert search(root, ".", query, 10**6, index=says) == search(root, ".", query, 10**6)


def test_a_narrowed_search_gives_up_and_tells_too(root):
    answer = search(root, ".", Query("needle"), 100, timeout=0.000_1, index=Says("a.txt"))
    assert (answer.truncated, answer.timed_out, answer.files_searched, answer.matches) == (True, True, None, ())
    pulse = Pulse()
    pulse.cancel()
    with pytest.raises(WorkroomError) as cancelled:
        search(root, ".", Query("needle"), 10, pulse=pulse, index=Says("a.txt"))
    assert cancelled.value.code is ErrorCode.CANCELLED


def test_what_is_worth_waiting_for_goes_on_in_order(root, ws):
    for number in range(40):
        (ws / f"many{number:02}.txt").write_text(f"abundant {'x' * 100}\n" * 20_000)
    answer = search(root, ".", Query("abundant"), 300_000, patience=0.01)
    assert len(answer.matches) == 300_000
    assert answer.matches[-1].path == "many14.txt"


def test_batches_are_as_long_as_arguments_may_be():
    assert [len(batch) for batch in batches([f"f{n}" for n in range(5_000)])] == [400, 4_000, 600]
    assert [len(batch) for batch in batches(["x" * 4_000] * 120)] == [50, 50, 20]


TEXTS = {
    "cp1252": "déjà vu, a café in été, garçon\n",
    "cp1251": "Привет, как дела? Хорошо, спасибо большое\n",
    "gb18030": "这是一个测试文件。我们在这里写中文。\n",
    "cp932": "これはテストです。日本語の文章を書きます。\n",
    "utf-8": "déjà vu, Привет, 中文, 日本語\n",
    "utf-16": "déjà vu, Привет, 中文, 日本語\n",
}
SAID = {
    "cp1252": "DÉJÀ",
    "cp1251": "привет",
    "gb18030": "中文",
    "cp932": "日本語",
}


@pytest.mark.parametrize("patience", [60, -1])
@pytest.mark.parametrize("codec", SAID)
def test_text_is_found_in_every_encoding_that_read_knows(root, ws, codec, patience):
    for name, text in TEXTS.items():
        (ws / f"in {name}.txt").write_bytes(("plain\n" + text).encode(name))
    query = Query(SAID[codec], case_sensitive=False)
    answer = search(root, ".", query, 10, patience=patience)
    where = sorted([f"in {codec}.txt", "in utf-16.txt", "in utf-8.txt"])
    assert [(match.path, match.line) for match in answer.matches] == [(path, 2) for path in where]
    mine = next(match for match in answer.matches if codec in match.path)
    assert mine.text == TEXTS[codec].rstrip()
    assert mine.text[mine.column - 1 :][: mine.length].casefold() == SAID[codec].casefold()
    assert [each.path for each in search(root, ".", query, 10, by_file=True).files] == where
    assert search(root, f"in {codec}.txt", query, 10).matches == (mine,)
    first = search(root, ".", query, 1, patience=patience)
    rest = search(root, ".", query, 10, after=(first.matches[0].path, 2), patience=patience)
    assert (*first.matches, *rest.matches) == answer.matches


def test_what_looks_so_only_in_bytes_is_not_found(root, ws):
    (ws / "a latin.txt").write_bytes("a résumé of Ã©t\n".encode("cp1252"))  # its bytes hold those of UTF-8's é
    (ws / "damaged.txt").write_bytes("café, été, déjà vu, garçon\n".encode() + b"\x80\n")
    found = search(root, ".", Query("é"), 10)
    assert [(match.path, match.column, match.text[:3]) for match in found.matches] == [
        ("a latin.txt", 4, "a r"), ("damaged.txt", 4, "caf"),
    ]  # fmt: skip


def test_more_in_other_encodings_than_can_be_put_into_order_is_refused(root, ws):
    (ws / "large.txt").write_bytes(("été " + "x" * 100 + "\n").encode("cp1252") * 150_000)
    with pytest.raises(WorkroomError) as refused:
        search(root, ".", Query("été"), 10)
    assert refused.value.code is ErrorCode.LIMIT_EXCEEDED
    assert "include" in refused.value.next_step


def test_in_other_encodings_it_gives_up_and_tells(root, ws):
    (ws / "latin.txt").write_bytes("été\n".encode("cp1252"))
    answer = search(root, ".", Query("été"), 10, timeout=0.000_1)
    assert (answer.truncated, answer.timed_out) == (True, True)


def test_for_files_that_come_too_late_the_others_are_searched_all_the_same(root, ws):
    for number in range(40):
        (ws / f"{number}.txt").write_bytes(TEXTS["cp1251"].encode("cp1251") * 20_000)
    (ws / "plain.txt").write_text("déjà vu\n")
    answer = search(root, ".", Query("déjà"), 10, timeout=4)
    assert [match.path for match in answer.matches] == ["plain.txt"]
    assert (answer.truncated, answer.timed_out) == (True, True)


def test_long_lines_in_other_encodings_are_counted(root, ws):
    (ws / "long.txt").write_bytes(("déjà vu, a café in été, garçon " * 400_000).encode("cp1252"))
    assert search(root, ".", Query("café"), 10).skipped.long_lines == 1


def test_a_file_by_the_name_of_a_dash(root, ws):
    (ws / "-").write_bytes(TEXTS["cp1252"].encode("cp1252") + b"needle\n")
    assert [match.path for match in search(root, ".", Query("déjà"), 10).matches] == ["-"]
    assert [match.path for match in search(root, ".", Query("needle"), 1, index=Says("-", "a.txt")).matches] == ["-"]
