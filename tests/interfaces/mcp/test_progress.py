"""Progress as a client is told it: seldom, upwards, over all parts of a call."""

from workroom.interfaces.mcp.progress import Progress


def test_parts_are_counted_together_and_what_comes_too_soon_is_left_out():
    told, now = [], [0.0]
    progress = Progress(told.append, lambda: now[0])
    for moment, done, total in [
        (0.0, 10, 25),
        (0.01, 20, 25),
        (0.2, 25, 25),
        (0.4, 25, 25),
        (0.6, 5, 8),
        (0.8, 8, None),
    ]:
        now[0] = moment
        progress(done, total)
    assert told == [
        {"progress": 10, "total": 25},
        {"progress": 25, "total": 25},
        {"progress": 30, "total": 33},
        {"progress": 33},
    ]
