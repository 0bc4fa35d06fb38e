"""Search in files, by the real ripgrep."""

from __future__ import annotations

import os
import time

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.search.ripgrep import Skipped
from workroom.core.search.text import Query, search, search_confinement
from workroom.system.landlock import has_landlock
from workroom.system.root import Root


def found(root, text="needle", path=".", limit=100, after=None, **options):
    """The answer, which is the same on one core and on all."""
    query = Query(text, **options)
    answer = search(root, path, query, limit, after=after)
    assert search(root, path, query, limit, after=after, patience=-1) == answer or answer.files_searched is None
    return answer


def places(answer):
    return [(match.path, match.line) for match in answer.matches]


def refused(code, do, *arguments, **options):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **options)
    assert caught.value.code is code
    return str(caught.value)


EVERYWHERE = [(".hidden", 1), ("a.txt", 2), ("a.txt", 4), ("b/c.py", 1), ("b/c.py", 2)]


def test_lines_in_order_without_what_is_apart(root):
    answer = found(root)
    assert places(answer) == EVERYWHERE
    assert (answer.truncated, answer.timed_out) == (False, False)
    assert answer.apart == (".git", ".agentic")
    assert answer.files_searched == 4
    assert answer.skipped == Skipped()
    match = answer.matches[1]
    assert (match.column, match.text, match.cut, match.before, match.after) == (5, "two needle", False, [], [])


@pytest.mark.parametrize(("path", "line"), [(".git", ".git/config"), (".agentic", ".agentic/notes/n.md")])
def test_what_is_apart_is_searched_when_it_is_named(root, path, line):
    answer = found(root, path=path)
    assert places(answer) == [(line, 1)]
    assert answer.apart == ()


def test_a_file_by_its_path(root, ws):
    assert places(found(root, path="a.txt")) == [("a.txt", 2), ("a.txt", 4)]
    (ws / ".gitignore").write_text("a.txt\n")
    assert places(found(root, path="a.txt")) == [("a.txt", 2), ("a.txt", 4)]


def test_case(root):
    assert places(found(root, "Needle")) == [("b/c.py", 1)]
    assert places(found(root, "Needle", case_sensitive=False)) == EVERYWHERE
    assert len(found(root, "needle", case_sensitive=True).matches) == 4


def test_words_and_expressions(root):
    assert ("b/c.py", 2) not in places(found(root, whole_word=True))
    assert places(found(root, "^t(wo|hree)", regex=True)) == [("a.txt", 2), ("a.txt", 3)]
    assert places(found(root, "t(wo")) == []


def test_globs(root):
    assert places(found(root, include=("*.py",))) == EVERYWHERE[3:]
    assert places(found(root, include=("*.py", "a.*"), exclude=("b/**",))) == EVERYWHERE[1:3]
    assert places(found(root, include=("*",)))[0] == (".hidden", 1)
    assert places(found(root, hidden=False)) == EVERYWHERE[1:]


def test_what_looks_like_a_flag_is_text(root, ws):
    (ws / "--files").write_text("--version -e\n-e x\n")
    assert places(found(root, "--version")) == [("--files", 1)]
    assert places(found(root, "-e", path="--files")) == [("--files", 1), ("--files", 2)]
    assert places(found(root, "-e", include=("--files",))) == [("--files", 1), ("--files", 2)]


def test_ignored(root, ws):
    (ws / ".gitignore").write_text("a.txt\n/b/*.py\n")
    (ws / "b/.gitignore").write_text("!x.py\n")
    (ws / "b/x.py").write_text("needle\n")
    (ws / "b/.ignore").write_text("x.py\n")
    assert places(found(root)) == [(".hidden", 1), ("b/x.py", 1)]
    assert places(found(root, path="b")) == [("b/x.py", 1)]
    assert len(found(root, ignored=True).matches) == 6
    assert len(found(root, ignored=True, path="b").matches) == 3


def test_ignore_files_above_the_root_dont_count(root, tmp_path):
    (tmp_path / ".gitignore").write_text("*\n")
    assert places(found(root)) == EVERYWHERE
    assert places(found(root, path="b")) == EVERYWHERE[3:]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_it_ends_at_the_limit_and_goes_on_from_there(root, limit):
    after, seen = None, []
    while True:
        answer = found(root, limit=limit, after=after)
        seen += places(answer)
        if not answer.truncated:
            break
        assert len(answer.matches) == limit
        after = seen[-1]
    assert seen == EVERYWHERE


def test_ended_early_nobody_knows_how_many_were_searched(root):
    answer = found(root, limit=1)
    assert answer.files_searched is None
    assert not answer.skipped.exact


def test_context(root):
    first, second = found(root, path="a.txt", context=1).matches
    assert (first.before, first.after) == (["one"], ["three"])
    assert (second.before, second.after) == (["three"], ["five"])
    first, second = found(root, path="a.txt", context=2).matches
    assert (first.before, first.after) == (["one"], ["three", "needle four"])
    assert (second.before, second.after) == (["two needle", "three"], ["five"])
    (only,) = found(root, path="a.txt", context=3, limit=1).matches
    assert only.after == ["three", "needle four", "five"]
    (only,) = found(root, path=".", context=1, limit=1, after=(".hidden", 1)).matches
    assert (only.line, only.after) == (2, ["three"])


def test_by_file(root):
    answer = search(root, ".", Query("needle"), 10, by_file=True)
    assert [(f.path, f.lines) for f in answer.files] == [(".hidden", 1), ("a.txt", 2), ("b/c.py", 2)]
    assert answer.matches == ()
    cut = search(root, ".", Query("needle"), 1, after=(".hidden", 0), by_file=True)
    assert [f.path for f in cut.files] == ["a.txt"]
    assert cut.truncated
    exact = search(root, ".", Query("needle"), 3, by_file=True)
    assert (len(exact.files), exact.truncated) == (3, False)


def test_text_that_is_no_utf8(root, ws):
    (ws / "latin").write_bytes(b"caf\xe9 needle\n")
    (ws / "wide").write_bytes("ünï needle\n".encode("utf-16"))
    (ws / os.fsdecode(b"n\xe9")).write_bytes(b"needle")
    by_path = {match.path: match for match in found(root).matches}
    assert (by_path["latin"].text, by_path["latin"].column) == ("caf\ufffd needle", 6)
    assert (by_path["wide"].text, by_path["wide"].column, by_path["wide"].length) == ("ünï needle", 5, 6)
    assert os.fsdecode(b"n\xe9") in by_path


def test_a_long_line_is_shown_around_its_match(root, ws):
    (ws / "long").write_text("é" * 5000 + "needle" + "y" * 5000 + "\nshort needle\n")
    match = found(root, path="long").matches[0]
    assert match.cut
    assert "needle" in match.text
    assert len(match.text) <= 400
    assert match.column == 5001


def test_what_is_skipped_is_counted(root, ws):
    (ws / "bin").write_bytes(b"needle\n\0")
    (ws / "bin2").write_bytes(b"\0needle\n")
    with (ws / "huge").open("wb") as huge:
        huge.truncate(70_000_000)
    answer = found(root)
    assert places(answer) == EVERYWHERE
    assert answer.skipped == Skipped(binary=2, too_large=1)
    assert answer.files_searched == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text": "(?=a)", "regex": True}, "look-around"),
        ({"text": "(", "regex": True}, "unclosed group"),
        ({"text": "a\nb"}, "`query` has a line break"),
        ({"text": "a\nb", "regex": True}, "not allowed in a regex"),
        ({"include": ("[",)}, "unclosed character class"),
        ({"include": ("!*.py",)}, "`include` holds '!*.py', which is no glob."),
        ({"exclude": ("",)}, "`exclude` holds '', which is no glob."),
    ],
)
def test_what_cant_be_searched_for(root, options, said):
    message = refused(ErrorCode.INVALID_INPUT, found, root, **options)
    assert said in message
    assert "pcre2" not in message.lower()


def test_what_cant_be_searched_in(root, ws):
    os.mkfifo(ws / "pipe")
    refused(ErrorCode.INVALID_INPUT, found, root, path="pipe")
    refused(ErrorCode.NOT_FOUND, found, root, path="nothing")
    refused(ErrorCode.INVALID_INPUT, search, root, ".", Query("a\0b"), 1)


def test_links_arent_followed(root, ws, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/f").write_text("needle\n")
    (ws / "link").symlink_to(tmp_path / "outside")
    (ws / "filelink").symlink_to(tmp_path / "outside/f")
    os.mkfifo(ws / "pipe")
    assert places(found(root)) == EVERYWHERE


@pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")
def test_ignore_files_that_are_links_arent_followed(root, ws, tmp_path):
    (tmp_path / "rules").write_text("a.txt\n")
    (ws / ".gitignore").symlink_to(tmp_path / "rules")
    assert places(found(root)) == EVERYWHERE


@pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")
def test_the_kernel_keeps_a_search_below_the_root():
    assert search_confinement() == "landlock"


def test_it_gives_up_and_tells(root, ws):
    with (ws / "endless").open("wb") as endless:
        endless.write(b"needle\n" * 10)
        endless.write((b"x" * 200 + b"\n") * 5)
    started = time.monotonic()
    answer = search(root, ".", Query("needle"), 100, timeout=0.000_1)
    assert (answer.truncated, answer.timed_out, answer.files_searched) == (True, True, None)
    assert time.monotonic() - started < 60


def test_no_matches(root):
    answer = found(root, "nothing of the kind")
    assert (answer.matches, answer.files_searched, answer.truncated) == ((), 4, False)


def test_a_hostile_expression_ends(root, ws):
    (ws / "evil").write_text("a" * 30 + "b\n")
    assert found(root, "(a+)+$", regex=True, path="evil").matches == ()


def test_errors_of_the_program_itself_pass(root, ws):
    (ws / "gone").mkdir()
    opened = Root.open(ws / "gone")
    (ws / "gone").rmdir()
    refused(ErrorCode.NOT_FOUND, search, opened, ".", Query("x"), 1)
    opened.close()


def test_a_search_tells_how_many_files_match_and_ends_when_nobody_waits(root, ws):
    for number in range(45):
        (ws / f"many{number}.txt").write_text("abundant\n")
    heard = []
    pulse = Pulse(lambda done, total: heard.append((done, total)))
    search(root, ".", Query("abundant"), 100, pulse=pulse)
    assert heard == [(20, None), (40, None)]
    pulse = Pulse(lambda *_: pulse.cancel())
    with pytest.raises(WorkroomError) as cancelled:
        search(root, ".", Query("abundant"), 100, pulse=pulse)
    assert cancelled.value.code is ErrorCode.CANCELLED


def test_a_search_that_finds_nothing_yet_ends_when_nobody_waits(root):
    pulse = Pulse()
    pulse.cancel()
    with pytest.raises(WorkroomError) as cancelled:
        search(root, ".", Query("nowhere to be found"), 10, pulse=pulse)
    assert cancelled.value.code is ErrorCode.CANCELLED
