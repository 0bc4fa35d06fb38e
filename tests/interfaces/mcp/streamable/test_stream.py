"""A stream holds what is sent, in order and within bounds."""

from __future__ import annotations

import asyncio

from workroom.interfaces.mcp.streamable.stream import _BYTES, _EVENTS, Stream


def in_a_loop(test):
    async def main():
        test()

    asyncio.run(main())


def test_events_are_numbered_and_read_from_anywhere():
    def use():
        stream = Stream(3)
        for line in (b"a", b"b", b"c"):
            stream.put(line)
        assert [event.line for event in stream.behind(1)] == [b"b", b"c"]
        assert [stream.has_been(number) for number in (-1, 0, 3, 4)] == [False, True, True, False]
        stream.put(b"answer", final=True, error=-1)
        stream.put(b"too late")
        assert (stream.behind(3)[0].line, stream.is_over, stream.error) == (b"answer", True, -1)
        assert len(stream.behind(0)) == 4

    in_a_loop(use)


def test_nobody_who_does_not_read_makes_it_grow():
    def use():
        many = Stream(1)
        for number in range(3 * _EVENTS):
            many.put(b"%d" % number)
        assert [event.number for event in many.behind(0)] == list(range(2 * _EVENTS + 1, 3 * _EVENTS + 1))
        large = Stream(1)
        for _ in range(5):
            large.put(b"x" * (_BYTES // 2))
        assert large.bytes <= _BYTES
        large.put(b"y" * 3 * _BYTES, final=True)
        assert [len(event.line) for event in large.behind(0)] == [3 * _BYTES], "the answer itself is never dropped"

    in_a_loop(use)


def test_one_reads_at_a_time():
    def use():
        stream = Stream(1)
        first = stream.attach()
        second = stream.attach(4)
        assert (first.is_released, second.is_released, second.behind) == (True, False, 4)
        stream.detach(first)
        assert stream.is_read
        stream.detach(second)
        assert not stream.is_read
        stream.release()

    in_a_loop(use)
