"""Retrieval and writing of the memory, at the sizes it may reach, each against its peer in the same run.

SA-MB: the best item for a state, against SPEC §3 implemented directly (`memory.direct`, with texts counted
beforehand) on the same items; both must rank alike. SA-KG: the nearest states with their best actions,
without embedding, against ChromaDB's nearest five on the same vectors, in its own process, asked in turns.
Writes: one item into the file, committed, and the index that follows it.
"""

from __future__ import annotations

import gc
import heapq
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Candidate, MemoryWeights
from pitwall.memory.database.agent_writes import AgentWrite
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.action_bank import ActionBank
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.memory.retrieval.knowledge_graph import KnowledgeGraph
from pitwall.memory.store import MemoryStore
from workshop.benchmarks.memory import corpus as corpus
from workshop.benchmarks.peers.chroma import Chroma
from workshop.benchmarks.report import check, figure, report, spread

_Answer = TypeVar("_Answer")
_WEIGHTS = MemoryWeights()
_RANKED = 24
"""Number of best items that must be the same in both rankings."""
_DIRECT_ASKED = {1_000: 20, 10_000: 10, 100_000: 4, 1_000_000: 2}
_AIMS = {1_000: (0.5, 0.0), 10_000: (0.5, 100.0), 100_000: (5.0, 100.0), 1_000_000: (5.0, 100.0)}
_NODES = (1_000, 10_000)
_IN_A_ROW = 25
_LEAST_GRAPH_RATIO, _MOST_WRITE_MS = 5.0, 1.0


def run(*, quick: bool) -> dict[str, Any]:
    """Measure all sizes; 1 M items only in a full run."""
    asked = 150 if quick else 600
    sizes = [size for size in _DIRECT_ASKED if not quick or size <= 100_000]
    whole = corpus.items(sizes[-1])
    banks = {size: bank(whole[-size:], asked, _DIRECT_ASKED[size]) for size in sizes}
    del whole
    graphs, chroma = _graphs(asked)
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        writes = written_ms(DataFolder(Path(scratch)), held=2_000 if quick else 20_000, count=asked)
    return report(
        "memory",
        [
            *(_bank_check(size, bank) for size, bank in banks.items()),
            _same_check(banks, graphs),
            *(_graph_check(size, graph) for size, graph in graphs.items()),
            _write_check(writes),
        ],
        items="states of a made-up open world, several actions of each, one executed a second",
        words=median(len(text.split()) for text in islice(corpus.states(1), 500)),
        direct="memory.direct, the items' words counted beforehand",
        processor_ms={size: spread(bank.processor_ms) for size, bank in banks.items()},
        put_ms={size: bank.put_ms for size, bank in banks.items()},
        update_ms={size: bank.update_ms for size, bank in banks.items()},
        vectors="384-d, of states, by hashing",
        chromadb=chroma,
        chromadb_found={size: graph.peer_found for size, graph in graphs.items()},
        load_average=os.getloadavg()[0],
    )


# ---- SA-MB


@dataclass(kw_only=True)
class BankFigures:
    """The times of one size. otherwise: questions that the two ways ranked differently."""

    ours_ms: list[float] = field(default_factory=list)
    processor_ms: list[float] = field(default_factory=list)
    direct_ms: list[float] = field(default_factory=list)
    otherwise: int = 0
    put_ms: float = 0.0
    update_ms: float = 0.0


def bank(entries: list[MemoryEntry], asked: int, direct_asked: int) -> BankFigures:
    """Ask both; ask the direct way only some of the questions."""
    figures = BankFigures()
    indexed = ActionBank(_WEIGHTS)
    figures.put_ms = _put_ms(indexed, entries)
    items = _items(entries)
    gc.collect()
    gc.freeze()  # nobody's time goes into looking through the items for garbage
    for number, text in enumerate(corpus.questions(entries, asked)):
        ask = partial(indexed.query, text, now_s=corpus.NOW_S)
        if number < direct_asked:
            plainly = partial(_top, text, items, _RANKED, now_s=corpus.NOW_S, weights=_WEIGHTS)
            best, took_ms = _timed(plainly)
            figures.direct_ms.append(took_ms)
            figures.otherwise += ask(k=_RANKED) != best
        began = time.thread_time()
        figures.ours_ms.append(_timed(ask)[1])
        figures.processor_ms.append((time.thread_time() - began) * 1e3)
    figures.update_ms = _put_ms(indexed, [_again(entry) for entry in entries[:: max(1, len(entries) // 200)]])
    gc.unfreeze()
    return figures


def _put_ms(indexed: ActionBank, entries: list[MemoryEntry]) -> float:
    """Return the milliseconds per item, on average."""
    began = time.perf_counter()
    for entry in entries:
        indexed.put(entry)
    return (time.perf_counter() - began) * 1e3 / len(entries)


def _items(entries: list[MemoryEntry]) -> list[direct.BankItem]:
    """Return the items for the direct way; those of one state share its counts."""
    known: dict[str, direct.Counts] = {}
    items = []
    for entry in entries:
        assert isinstance(entry.content, ActionMemory)
        state = entry.content.state
        counts = known.get(state) or known.setdefault(state, direct.counts_of(state))
        items.append(direct.BankItem(entry.entry_id, entry.content, counts))
    return items


def _again(item: MemoryEntry) -> MemoryEntry:
    """Return the item with one more execution."""
    old = item.content
    assert isinstance(old, ActionMemory)
    new = ActionMemory(
        state=old.state,
        action=old.action,
        reward=0.7 * old.reward + 0.3,
        successes=old.successes + 1,
        attempts=old.attempts + 1,
        at_s=corpus.NOW_S,
    )
    return corpus.entry(item.entry_id, new)


def _bank_check(size: int, figures: BankFigures) -> dict[str, Any]:
    most_ms, least_ratio = _AIMS[size]
    ours, peer = spread(figures.ours_ms), median(figures.direct_ms)
    ratio = peer / ours["p50"]
    return check(
        f"SA-MB top-1, {_size(size)}",
        "ms",
        ours,
        aim=f"≤ {most_ms:g} ms" + (f", ≥ {least_ratio:g}×" if least_ratio else ""),
        met=ours["p50"] <= most_ms and ratio >= least_ratio,
        peer=("direct", peer),
        ratio=ratio,
    )


# ---- SA-KG


@dataclass(kw_only=True)
class GraphFigures:
    """The times of one size. peer_found: share of the near states that ChromaDB finds as well."""

    ours_ms: list[float] = field(default_factory=list)
    peer_ms: list[float] = field(default_factory=list)
    otherwise: int = 0
    peer_found: float | None = None


def _graphs(asked: int) -> tuple[dict[int, GraphFigures], str]:
    """Measure both sizes with ChromaDB, or without it and the reason if it is unavailable."""
    try:
        with Chroma() as chroma:
            return {size: graph(size, asked, chroma) for size in _NODES}, chroma.version
    except PitwallError as error:
        return {size: graph(size, asked, None) for size in _NODES}, f"not measured: {error}"


def graph(size: int, asked: int, chroma: Chroma | None) -> GraphFigures:
    """Ask both in turns, several questions in a row.

    Ours is compared with a product over all vectors in double precision.
    """
    figures = GraphFigures()
    texts = list(islice(corpus.states(5), size))
    vectors = HashingEmbedder().embed(texts)
    queries = HashingEmbedder().embed(_near(texts, asked))
    indexed = KnowledgeGraph(_WEIGHTS)
    for item in corpus.graph(texts):
        indexed.put(item)
    for node_id, vector in enumerate(vectors, 1):
        indexed.set_vector(node_id, vector)
    if chroma is not None:
        chroma.fill(vectors, queries)
    asked_ours, asked_peer = list[list[int]](), list[list[int]]()
    for start in range(0, asked, _IN_A_ROW):
        turn = range(start, min(asked, start + _IN_A_ROW))
        for number in turn:
            answer, took_ms = _timed(partial(indexed.query, queries[number]))
            figures.ours_ms.append(took_ms)
            asked_ours.append([node.node_id for node in answer])
        for number in turn:
            if chroma is None:
                break
            ids, took_ms = chroma.ask(number, _WEIGHTS.graph_neighbours)
            figures.peer_ms.append(took_ms)
            asked_peer.append(ids)
    true = [_nearest(vectors, query) for query in queries]
    figures.otherwise = sum(ours != other for ours, other in zip(asked_ours, true, strict=True))
    near = sum(map(len, true))
    shared = sum(len({*ours} & {*other}) for ours, other in zip(asked_peer, true, strict=False))
    figures.peer_found = shared / near if near and chroma is not None else None
    return figures


def _near(texts: list[str], count: int) -> list[str]:
    """Return known states without one of their facts."""
    chosen = (texts[number * 7919 % len(texts)].split() for number in range(count))
    return [
        " ".join(words[: number % len(words)] + words[number % len(words) + 1 :])
        for number, words in enumerate(chosen)
    ]


def _nearest(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> list[int]:
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    best = np.lexsort((np.arange(len(cosines)), -cosines))[: _WEIGHTS.graph_neighbours]
    return [int(place) + 1 for place in best if cosines[place] >= _WEIGHTS.graph_least]


def _graph_check(size: int, figures: GraphFigures) -> dict[str, Any]:
    ours = spread(figures.ours_ms)
    peer = median(figures.peer_ms) if figures.peer_ms else None
    ratio = None if peer is None else peer / ours["p50"]
    return check(
        f"SA-KG query, {_size(size)} nodes",
        "ms",
        ours,
        aim=f"≥ {_LEAST_GRAPH_RATIO:g}×",
        met=ratio is not None and ratio >= _LEAST_GRAPH_RATIO,
        peer=None if peer is None else ("ChromaDB", peer),
        ratio=ratio,
    )


def _same_check(banks: dict[int, BankFigures], graphs: dict[int, GraphFigures]) -> dict[str, Any]:
    otherwise = sum(bank.otherwise for bank in banks.values()) + sum(
        bank.otherwise for bank in graphs.values()
    )
    return check("questions ranked otherwise", "", figure(otherwise), aim="0", met=otherwise == 0)


# ---- writes


def written_ms(data: DataFolder, *, held: int, count: int) -> list[float]:
    """Commit one item at a time, every other one known, into a memory that holds some; the index follows."""
    took = []
    with MemoryStore.open(data, role="bench") as store:
        indexed = ActionBank(_WEIGHTS)
        entries = corpus.items(held + count)
        known: list[MemoryEntry] = []
        for start in range(0, held, 500):
            known += [
                item
                for item in store.write([_write(item) for item in entries[start : min(held, start + 500)]])
                if item
            ]
        for entry_known in known:
            indexed.put(entry_known)

        for number in range(count):
            old = known[number * 7919 % len(known)]
            new = _write(entries[held + number]) if number % 2 else _write(_again(old), old.entry_id)
            took.append(_timed(partial(_commit, store, indexed, new))[1])
    return took


def _commit(store: MemoryStore, indexed: ActionBank, change: AgentWrite) -> None:
    for written in store.write([change]):
        if written is not None:
            indexed.put(written)


def _write(memory: MemoryEntry, entry_id: int | None = None) -> AgentWrite:
    return AgentWrite(game_id=corpus.GAME, content=memory.content, provenance=corpus.BY, entry_id=entry_id)


def _write_check(took_ms: list[float]) -> dict[str, Any]:
    took = spread(took_ms)
    return check(
        "write of one item", "ms", took, aim=f"≤ {_MOST_WRITE_MS:g} ms", met=took["p50"] <= _MOST_WRITE_MS
    )


def _size(count: int) -> str:
    return f"{count // 1_000_000} M" if count >= 1_000_000 else f"{count // 1_000} k"


def _timed(work: Callable[[], _Answer]) -> tuple[_Answer, float]:
    """Return an answer, and its milliseconds."""
    began = time.perf_counter()
    answer = work()
    return answer, (time.perf_counter() - began) * 1e3


def _top(
    text: str, items: Iterable[direct.BankItem], k: int, *, now_s: float, weights: MemoryWeights
) -> list[Candidate]:
    """Return the k best of `direct.rank`, without sorting the others."""
    query = direct.counts_of(text)
    scored = (direct.score(query, item, now_s=now_s, weights=weights) for item in items)
    return heapq.nsmallest(k, scored, key=lambda candidate: (-candidate.bank, candidate.entry_id))
