"""The transcript is what the real program prints now."""

from __future__ import annotations

from tools import make_transcript


def test_the_stored_transcripts_are_current(capsys):
    assert make_transcript.main(["--check"]) == 0, capsys.readouterr().out


def test_only_ids_times_and_widths_may_differ():
    one = "tx_7k3m9q2x4b1c  2026-11-30 18:31  +1 -1"
    other = "tx_000000000000  2027-01-01 09:00   +1 -1\n"
    assert make_transcript.masked(one) == make_transcript.masked(other)
    assert make_transcript.masked(one) != make_transcript.masked(other.replace("-1\n", "-2\n"))


def test_a_transcript_is_stored_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{make_transcript.BEGIN}old\n{make_transcript.END}\nafter\n")
    make_transcript.store(page, "new\n")
    assert make_transcript.stored(page) == "new\n"
    assert page.read_text().startswith("before\n")
    assert page.read_text().endswith("\nafter\n")
