"""Who works in the soak: writers who edit what they share, readers who look, listeners who only hear."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.soak.ledger import Change, Ledger
from tests.soak.speakers import Refused, Speaker
from tests.soak.wire import Wire

__all__ = ["Crowd", "listen", "read", "write"]

_REFUSALS = frozenset({"EDIT_CONFLICT"})
"""What a writer may be told: somebody else was there first."""
_READER_REFUSALS = frozenset({"NOT_FOUND"})
"""What a reader may be told: the file has gone since it was listed."""


@dataclass
class Crowd:
    """What all of them have in common, and what came of it."""

    shared: tuple[str, ...]
    until: float
    """The end, by the loop's clock."""
    pause: float
    """How long each thinks between two calls, in seconds, on average."""
    ledger: Ledger = field(default_factory=Ledger)
    known: set[str] = field(default_factory=set)
    """Hashes of all contents that were ever written, or about to be."""
    seen: dict[str, str] = field(default_factory=dict)
    """Hashes of all contents that were read, with a path of each; they are among the known, in the end."""
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def is_over(self) -> bool:
        return asyncio.get_running_loop().time() >= self.until

    async def rest(self, chance: random.Random) -> None:
        left = self.until - asyncio.get_running_loop().time()
        await asyncio.sleep(max(0.0, min(left, chance.uniform(0, 2 * self.pause))))

    def fault(self, text: str) -> None:
        self.counts["faults"] += 1
        if len(self.faults) < 50:
            self.faults.append(text)

    async def call(self, speaker: Speaker, tool: str, action: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """One call, timed."""
        began = time.perf_counter()
        envelope = await speaker.call(tool, action, arguments)
        self.took[f"{tool}.{action}, {speaker.name}"].append(time.perf_counter() - began)
        return envelope


async def write(crowd: Crowd, speaker: Speaker, name: str) -> None:
    """Edit shared files again and again, each time from what stands there; and a file of its own, made and removed."""
    chance, numbers = random.Random(name), itertools.count(1)

    async def once() -> None:
        stamp = f"{name} {next(numbers)}"
        kind = chance.choices((_rewrite, _replace, _two, _own), (30, 40, 15, 15))[0]
        await kind(crowd, speaker, chance, stamp)

    await _again_and_again(crowd, speaker, chance, once)


async def read(crowd: Crowd, speaker: Speaker, name: str) -> None:
    """Look at the folder in every way, and never see what nobody has written."""
    chance = random.Random(name)

    async def once() -> None:
        path = chance.choice(crowd.shared)
        action, arguments = chance.choices(
            (
                ("read", {"path": path}),
                ("stat", {"path": path}),
                ("list", {"path": "."}),
                ("find", {"query": path[-6:]}),
                ("changes", {}),
                ("search", {"query": "stamp", "limit": 5}),
            ),
            (50, 20, 10, 10, 5, 5),
        )[0]
        envelope = await crowd.call(speaker, "inspect", action, arguments)
        if not envelope["ok"] and envelope["error"]["code"] not in _READER_REFUSALS:
            crowd.fault(f"{action} {arguments}: {envelope['summary']}")
        if action == "read" and envelope["ok"]:
            crowd.seen.setdefault(envelope["data"]["sha256"], path)
        crowd.counts["reads"] += 1

    await _again_and_again(crowd, speaker, chance, once)


async def listen(crowd: Crowd, port: int, path: str, headers: dict[str, str]) -> None:
    """Hold a stream of events open until the end."""
    wire = Wire(port)
    with contextlib.suppress(TimeoutError, OSError, asyncio.IncompleteReadError):
        async with asyncio.timeout_at(crowd.until):
            chunks = wire.stream(path, headers)
            status = (await anext(chunks)).decode()
            if status != "200":
                crowd.fault(f"{path}: a stream is answered with {status}")
            async for chunk in chunks:
                crowd.counts["bytes of events"] += len(chunk)
            if not crowd.is_over():
                crowd.fault(f"{path}: a stream has ended by itself")
    wire.close()


async def _again_and_again(
    crowd: Crowd, speaker: Speaker, chance: random.Random, once: Callable[[], Awaitable[None]]
) -> None:
    await crowd.rest(chance)  # they don't come all at once
    try:
        await speaker.begin()
        while not crowd.is_over():
            await once()
            await crowd.rest(chance)
    except Refused as refused:
        crowd.counts["5xx" if refused.status >= 500 else "4xx"] += 1
        crowd.fault(f"{speaker.name}: {refused}")
    except (OSError, EOFError) as error:
        crowd.counts["lost connections"] += 1
        crowd.fault(f"{speaker.name}: {error!r}")
    finally:
        speaker.close()


# What a writer does.


async def _rewrite(crowd: Crowd, speaker: Speaker, chance: random.Random, stamp: str) -> None:
    """The whole of a file, from what was read, guarded by its hash."""
    found = await _look(crowd, speaker, chance.choice(crowd.shared))
    lines = found["text"].splitlines()
    lines[chance.randrange(len(lines))] = f"stamp {stamp}"
    operation = _whole(crowd, found["path"], lines, found["sha256"])
    await _commit(crowd, speaker, [operation])


async def _replace(crowd: Crowd, speaker: Speaker, chance: random.Random, stamp: str) -> None:
    """One line by its text, without the file's hash: the line itself must still be there, once."""
    found = await _look(crowd, speaker, chance.choice(crowd.shared))
    lines = found["text"].splitlines()
    chosen = chance.randrange(len(lines))
    operation = {
        "type": "replace",
        "path": found["path"],
        "search": lines[chosen],
        "replacement": f"stamp {stamp}",
    }
    await _commit(crowd, speaker, [operation])


async def _two(crowd: Crowd, speaker: Speaker, chance: random.Random, stamp: str) -> None:
    """Two files in one transaction, both or none."""
    operations = []
    for path in chance.sample(crowd.shared, 2):
        found = await _look(crowd, speaker, path)
        lines = [f"stamp {stamp} both", *found["text"].splitlines()[1:]]
        operations.append(_whole(crowd, path, lines, found["sha256"]))
    await _commit(crowd, speaker, operations)


async def _own(crowd: Crowd, speaker: Speaker, chance: random.Random, stamp: str) -> None:
    """A file that nobody else has: made, moved, removed."""
    who = stamp.split()[0]
    first, second = f"own/{who}.txt", f"own/{who} moved.txt"
    create = {"type": "create", "path": first, "content": f"stamp {stamp}\n", "overwrite": True}
    _know(crowd, create["content"])
    for operation in (create, {"type": "move", "from": first, "to": second}, {"type": "delete", "path": second}):
        if not await _commit(crowd, speaker, [operation]):  # another has just made the folder, for the first time
            return
        await crowd.rest(chance)


async def _look(crowd: Crowd, speaker: Speaker, path: str) -> dict[str, Any]:
    envelope = await crowd.call(speaker, "inspect", "read", {"path": path, "numbered": False})
    data: dict[str, Any] = envelope["data"]
    return data


def _whole(crowd: Crowd, path: str, lines: list[str], before: str) -> dict[str, Any]:
    content = "\n".join(lines) + "\n"
    _know(crowd, content)
    return {"type": "rewrite", "path": path, "content": content, "expected_sha256": before}


def _know(crowd: Crowd, content: str) -> None:
    crowd.known.add(hashlib.sha256(content.encode()).hexdigest())


async def _commit(crowd: Crowd, speaker: Speaker, operations: list[dict[str, Any]]) -> bool:
    """Whether it was done, and not refused."""
    envelope = await crowd.call(speaker, "edit", "apply", {"operations": operations})
    if not envelope["ok"]:
        code = envelope["error"]["code"]
        crowd.counts[code] += 1
        if code not in _REFUSALS:
            crowd.fault(f"{operations}: {envelope['summary'][:300]}")
        return False
    data = envelope["data"]
    if data.get("committed") is not True:
        crowd.fault(f"not committed: {envelope['summary'][:300]}")
        return False
    rows = [row for row in data["files"] if row["beforeSha256"] or row["afterSha256"]]  # folders have no contents
    changes = tuple(Change(row["path"], row["beforeSha256"], row["afterSha256"]) for row in rows)
    crowd.ledger.add(data["transactionId"], changes)
    crowd.known.update(change.after for change in changes if change.after)
    crowd.counts["commits"] += 1
    return True
