"""Conflicts as they are read."""

from __future__ import annotations

from workroom.text.overlap import render_conflict, render_conflicts


def side(start, lines, text, **more):
    return {"startLine": start, "lines": lines, "text": text, **more}


def row(*regions, total=None):
    total = len(regions) if total is None else total
    return {
        "path": "f", "why": "both changed the same lines", "regions": list(regions), "regionsTotal": total,
        "regionsTruncated": total > len(regions), "patch": "unused",
    }  # fmt: skip


def test_regions_are_marked_as_git_marks_them():
    region = {"base": side(3, 1, "x\n"), "now": side(2, 0, ""), "wanted": side(3, 2, "y\nz")}
    assert render_conflict(row(region)) == (
        "f: both changed the same lines\n"
        "<<<<<<< now, after line 2\n"
        "||||||| before both changes, line 3\n"
        "x\n"
        "=======\n"
        "y\n"
        "z\n"
        ">>>>>>> wanted, lines 3 to 4\n"
    )


def test_what_was_cut_is_told():
    region = {"base": side(1, 1, "x\n"), "now": side(1, 1, "yyy", truncated=True), "wanted": side(1, 1, "z\n")}
    text = render_conflict(row(region, total=4))
    assert "yyy\n…\n" in text
    assert text.endswith("and 3 more regions\n")
    assert render_conflicts([row(region)] * 2, 50).endswith(" characters more\n")


def test_without_regions_there_is_the_patch():
    assert render_conflicts([{"path": "f", "patch": "--- a/f\n"}, {"path": "g"}], 100) == "--- a/f\n"
