"""Questions in words: how often the right file is among the first five that are answered, beside other ways to ask.

The tree is Python's own standard library, without tests and installed packages. The questions (`meaning.tsv`) were
written from what its documentation says of each part, without names of modules and functions, and before anything
answered them; those marked `held` were drawn at random then, and have changed nothing since. Ours is asked as a client
asks it, and alone by words (BM25) and alone by meaning (vectors), in the same table.

Peers: a plain search for any of a question's words (`rg`, the common words left out), files ranked by how many of the
words they have, then by how often; and `semble` from PyPI, in an environment of its own, offline. Its own model has to
be downloaded. Where that isn't there it is given the vectors that ours has, and it is said so: its own may be better.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.client import Client
from benchmarks.measure import Figure, Row, medians, percentile, tell
from benchmarks.ours import Ours

from workroom.core.search.semantic.rank import load, rank
from workroom.core.search.semantic.table import Table
from workroom.core.search.semantic.vectors import Meanings
from workroom.core.search.semantic.words import COMMON, words
from workroom.system.process import ripgrep

__all__ = ["measure"]

_QUESTIONS = Path(__file__).with_name("meaning.tsv")
_LEFT_OUT = ("site-packages", "test", "tests", "__pycache__", "lib-dynload", "config-*", "*.so", "*.a", "*.pyc")
_SEMBLE = "semble==0.7.0"
_PLACES = 40
_FIRST = 5
_WAIT_SECONDS = 600
_SETTLED_SECONDS = 3
"""What was written less than that before it was read is read again the next time, where times are whole seconds."""

Answerer = Callable[[str], list[str]]
"""Files for a question, the best first; a file may come again."""


@dataclass(frozen=True)
class _Question:
    part: str
    text: str
    files: frozenset[str]


@dataclass(frozen=True)
class _Score:
    """In percent: of the questions whose file is the first, among the first five; and the mean reciprocal rank."""

    first: float
    recall: float
    reciprocal: float


def measure(scratch: Path, parts: Sequence[str] = ("tuned", "held")) -> Iterator[Row | Figure]:
    """Both parts of the questions; what the table costs."""
    tree, state = scratch / "tree", scratch / "state"
    shutil.copytree(sysconfig.get_path("stdlib"), tree, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    time.sleep(_SETTLED_SECONDS)
    asked = [each for each in _questions() if each.part in parts]
    house = Ours(tree, state)
    try:
        with Client(house.command, house.environ) as client:
            seconds = _built(client)
            took: list[float] = []
            by_client = [_asked(client, each.text, took) for each in asked]
            yield Figure("library: until all of it is in the table", seconds, None, None, "s")
            yield Figure("library: a question, median", percentile(took, 50), None, None, "ms")
            yield from _costs(tree, state)
            alone = [_alone(state, asked, shares) for shares in ((1.0, 0.0), (0.0, 1.0))]
            plain = [_plain(tree, each.text) for each in asked]
            yield from _rows(
                parts, asked, {"both": by_client, "words alone": alone[0], "meaning alone": alone[1]}, plain
            )
            mine, theirs = medians(*_in_turn(client, tree, asked[0].text), repeats=5, warm=1)
            yield Row("library: the first question again; peer: plain search", mine, theirs, None)
            yield Figure("library: a changed file is found", _changed(client, tree), None, None, "ms")
        yield from _beside_semble(scratch, tree, parts, asked, by_client)
    finally:
        house.stop()


def _questions() -> list[_Question]:
    rows = [line.split("\t") for line in _QUESTIONS.read_text().splitlines() if not line.startswith("#")]
    return [_Question(part, text, frozenset(files.split("|"))) for part, text, files, _ in rows[1:]]


def _rows(
    parts: Sequence[str], asked: Sequence[_Question], ours: dict[str, list[list[str]]], plain: list[list[str]]
) -> Iterator[Row | Figure]:
    for part in parts:
        theirs = _score(part, asked, plain)
        for name, answers in ours.items():
            score = _score(part, asked, answers)
            what = f"{part}, {name}"
            yield Figure(f"{what}: recall@5; peer: plain search", score.recall, theirs.recall, None, "%")
            yield Figure(f"{what}: the file is the first", score.first, theirs.first, None, "%")
            yield Figure(f"{what}: mean reciprocal rank", score.reciprocal, theirs.reciprocal, None, "%")
        both = _score(part, asked, ours["both"])
        yield Row(
            f"{part}: not among the first five; peer: plain search", 100 - both.recall, 100 - theirs.recall, 1, "%"
        )


def _score(part: str, asked: Sequence[_Question], answers: Sequence[list[str]]) -> _Score:
    ranks = []
    for question, files in zip(asked, answers, strict=True):
        if question.part == part:
            each = list(dict.fromkeys(files))
            ranks.append(next((place for place, file in enumerate(each, 1) if file in question.files), 0))
    share = 100 / len(ranks)
    return _Score(
        share * sum(place == 1 for place in ranks),
        share * sum(0 < place <= _FIRST for place in ranks),
        share * sum(1 / place for place in ranks if place),
    )


def _call(client: Client, question: str, limit: int = _PLACES) -> dict[str, Any]:
    answer = client.call("workspace_inspect", action="semantic_search", query=question, limit=limit)
    data: dict[str, Any] = answer["structuredContent"]["data"]
    return data


def _asked(client: Client, question: str, took: list[float]) -> list[str]:
    began = time.perf_counter()
    data = _call(client, question)
    took.append(time.perf_counter() - began)
    return [row["path"] for row in data["results"]]


def _built(client: Client) -> float:
    """Seconds from the first question until nothing is left to be read."""
    began = time.perf_counter()
    while time.perf_counter() - began < _WAIT_SECONDS:
        if _call(client, "anything", 1)["indexed"]["pending"] == 0:
            return time.perf_counter() - began
    raise RuntimeError("the table is never whole")


def _costs(tree: Path, state: Path) -> Iterator[Figure]:
    (folder,) = state.glob("workspaces/*/meaning")
    text = sum(each.stat().st_size for each in tree.rglob("*") if each.is_file())
    kept = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    yield Figure("library: the table, of the files", 100 * kept / text, None, None, "%")
    before = _resident()
    held = [load(_table(state), remote=False), Meanings()]
    held[1].of({"word": 1})  # type: ignore[attr-defined]
    yield Figure("library: memory to ask it", (_resident() - before) / 1e6, None, None, "MB")


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _table(state: Path) -> Table:
    (file,) = state.glob("workspaces/*/meaning/meaning.db")
    return Table(str(file.parent))


def _alone(state: Path, asked: Sequence[_Question], shares: tuple[float, float]) -> list[list[str]]:
    """Files by one of both; as many pieces are ranked as have as many files, and two of a file count."""
    table, meanings = _table(state), Meanings()
    loaded = load(table, remote=False)
    found = []
    for question in asked:
        vector = meanings.of(Counter(words(question.text)))
        best = rank(table, loaded, question.text, vector, ".", 10 * _PLACES, shares)
        found.append([table.piece(each.chunk)[0] for each in best])
    table.close()
    return found


def _plain(tree: Path, question: str) -> list[str]:
    """Files by how many of the question's words are in them, then by how often they are."""
    sought = [word for word in dict.fromkeys(words(question)) if word not in COMMON]
    different: Counter[str] = Counter()
    often: Counter[str] = Counter()
    for word in sought:
        argv = [ripgrep(), "--count-matches", "--ignore-case", "--null", "-F", "-e", word, "."]
        out = subprocess.run(argv, cwd=tree, capture_output=True, text=True, check=False).stdout
        for line in out.splitlines():
            path, _, count = line.partition("\0")
            different[path.removeprefix("./")] += 1
            often[path.removeprefix("./")] += int(count)
    return sorted(different, key=lambda path: (-different[path], -often[path], path))


def _in_turn(client: Client, tree: Path, question: str) -> tuple[Callable[[], float], Callable[[], float]]:
    def ours() -> float:
        began = time.perf_counter()
        _call(client, question, 10)
        return time.perf_counter() - began

    def plain() -> float:
        began = time.perf_counter()
        _plain(tree, question)
        return time.perf_counter() - began

    return ours, plain


def _changed(client: Client, tree: Path) -> float:
    """From a write by another program to the answer that has it, in milliseconds."""
    target = tree / "garden.py"
    began = time.perf_counter()
    target.write_text('def water(tulips):\n    """Water the tulips in the garden behind the house."""\n')
    data = _call(client, "who waters tulips", 5)
    took = time.perf_counter() - began
    if data["results"][0]["path"] != target.name:
        raise RuntimeError("what another program wrote isn't found")
    target.unlink()
    return took * 1000


# semble

_SCRIPT = """
import json, sys, time
tree, model, limit = sys.argv[1], sys.argv[2] or None, int(sys.argv[3])
from semble import SembleIndex
began = time.perf_counter()
index = SembleIndex.from_path(tree, model_path=model)
built = time.perf_counter() - began
took, found = [], []
for question in json.load(sys.stdin):
    began = time.perf_counter()
    results = index.search(question, top_k=limit)
    took.append(time.perf_counter() - began)
    found.append([result.chunk.file_path for result in results])
json.dump({"built": built, "took": took, "found": found}, sys.stdout)
"""
_MODEL = """
import sys
from model2vec import StaticModel
from safetensors.numpy import load_file
from tokenizers import Tokenizer
weights, tokenizer, target = sys.argv[1:]
(vectors,) = load_file(weights).values()
StaticModel(vectors=vectors.astype("float32"), tokenizer=Tokenizer.from_file(tokenizer)).save_pretrained(target)
"""


def _beside_semble(
    scratch: Path, tree: Path, parts: Sequence[str], asked: Sequence[_Question], ours: list[list[str]]
) -> Iterator[Figure]:
    python = scratch / "semble" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", _SEMBLE], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        tell(f"{_SEMBLE} can't be installed: {done.stderr.strip().splitlines()[-1]}")
        return
    whose, run = "its own vectors", _semble(python, scratch, tree, "", asked)
    if isinstance(run, str):
        tell(f"semble can't be run with its own model: {run}")
        whose, run = "our vectors", _semble(python, scratch, tree, _our_model(python, scratch), asked)
    if isinstance(run, str):
        tell(f"nor with our vectors: {run}")
        return
    for part in parts:
        mine, theirs = _score(part, asked, ours), _score(part, asked, run["found"])
        name = f"{part}, both; peer: semble with {whose}"
        yield Figure(f"{name}: recall@5", mine.recall, theirs.recall, None, "%")
        yield Figure(f"{name}: mean reciprocal rank", mine.reciprocal, theirs.reciprocal, None, "%")
    tell(f"semble built its index in {run['built']:.1f} s, and answers in {percentile(run['took'], 50):.0f} ms")


def _semble(python: Path, scratch: Path, tree: Path, model: str, asked: Sequence[_Question]) -> Any:
    """What it found; or the last line of what it said when it failed."""
    environ = {**os.environ, "HOME": str(scratch), "HF_HUB_DISABLE_TELEMETRY": "1"}
    done = subprocess.run(
        [python, "-c", _SCRIPT, str(tree), model, str(_PLACES)],
        input=json.dumps([each.text for each in asked]), env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def _our_model(python: Path, scratch: Path) -> str:
    package = Path(sysconfig.get_path("purelib")) / "wordllama"
    target = scratch / "model"
    weights = package / "weights" / "l2_supercat_256.safetensors"
    tokenizer = package / "tokenizers" / "l2_supercat_tokenizer_config.json"
    subprocess.run([python, "-c", _MODEL, str(weights), str(tokenizer), str(target)], check=True)
    return str(target)
