"""States, actions, likenesses: what is near, what it speaks for, and how the graph follows writes."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, Likeness, MemoryContent, StateNode
from pitwall.core.retrieval import GraphSupport, MemoryWeights
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.knowledge_graph import KnowledgeGraph
from pitwall.memory.retrieval.vector_index import VectorIndex

Vector = NDArray[np.float32]
_BY = Provenance(author="agent")


def entry(
    entry_id: int,
    content: MemoryContent,
    *,
    pinned: bool = False,
    forgotten: bool = False,
    changed_at: str = "",
) -> MemoryEntry:
    return MemoryEntry(
        entry_id=entry_id,
        game_id="cave",
        content=content,
        provenance=_BY,
        changed_by=_BY,
        pinned=pinned,
        forgotten=forgotten,
        changed_at=changed_at,
    )


def node(
    entry_id: int, *, pinned: bool = False, forgotten: bool = False, changed_at: str = ""
) -> MemoryEntry:
    text = StateNode(text=f"state {entry_id}")
    return entry(entry_id, text, pinned=pinned, forgotten=forgotten, changed_at=changed_at)


def edge(entry_id: int, source: int, target: int | None, action: str = "walk", count: int = 1) -> MemoryEntry:
    return entry(
        entry_id, ActionEdge(source=source, target=target, action=action, count=count, attempts=count)
    )


def vectors_near(rng: np.random.Generator, centre: Vector, count: int, spread: float) -> Vector:
    return (centre + spread * rng.normal(size=(count, len(centre)))).astype(np.float32)


# ---- the nearest


@pytest.mark.parametrize("kind", ["clustered", "strangers", "twins"])
def test_the_nearest_are_those_of_the_direct_way(kind: str) -> None:
    """Enough vectors for sketches; strangers have no common structure and go without."""
    rng = np.random.default_rng(3)
    count, dims = 5000, 64
    if kind == "strangers":
        vectors = rng.normal(size=(count, dims)).astype(np.float32)
    else:
        centres = rng.normal(size=(12, dims)).astype(np.float32)
        vectors = np.concatenate([vectors_near(rng, centre, count // 12 + 1, 0.2) for centre in centres])[
            :count
        ]
    if kind == "twins":
        vectors[1::2] = vectors[::2]
    index = VectorIndex()
    for key, vector in enumerate(vectors):
        index.put(key, vector)
    gone = rng.permutation(count)[: count // 5]
    for key in gone:
        index.remove(int(key))
    kept = sorted(set(range(count)) - {int(key) for key in gone})
    wide = vectors[kept].astype(np.float64)
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    for query in [*vectors_near(rng, vectors[3], 10, 0.1), *vectors[:10], *rng.normal(size=(5, dims))]:
        asked = np.asarray(query, np.float64)
        cosines = wide @ (asked / np.linalg.norm(asked))
        for k, least in ((1, -1.0), (5, 0.85), (40, 0.2)):
            result = index.nearest(np.asarray(query, np.float32), k, least)
            best = sorted(zip(-cosines, kept, strict=True))[:k]
            true = [-value for value, _ in best if -value >= least]
            assert [value for _, value in result] == pytest.approx(true, abs=1e-6)
            by_key = dict(zip(kept, cosines, strict=True))
            assert [by_key[key] for key, _ in result] == pytest.approx(true, abs=1e-6)
            assert result == sorted(result, key=lambda node: (-node[1], node[0]))
            if kind == "twins" and k == 5 and len(result) > 1:
                assert all(
                    node[0] < other[0] for node, other in itertools.pairwise(result) if node[1] == other[1]
                )


def test_odd_vectors_are_near_nothing() -> None:
    index = VectorIndex()
    index.put(1, np.array([1, 0, 0], np.float32))
    index.put(2, np.zeros(3, np.float32))
    index.put(3, np.array([np.nan, 1, 0], np.float32))
    assert index.nearest(np.array([2, 0, 0], np.float32), 5, 0.5) == [(1, 1.0)]
    assert index.nearest(np.zeros(3, np.float32), 5, 0.5) == []
    with pytest.raises(ValueError, match="of 4 has 2 numbers, the others 3"):
        index.put(4, np.array([1, 0], np.float32))
    with pytest.raises(ValueError, match="question"):
        index.nearest(np.array([1, 0], np.float32), 1)
    index.put(2, np.array([0, 3, 0], np.float32))
    assert index.nearest(np.array([0, 1, 0], np.float32), 1) == [(2, 1.0)]
    for key in (1, 2, 3):
        index.remove(key)
    index.put(4, np.array([0, 1], np.float32))
    assert index.nearest(np.array([0, 1], np.float32), 1) == [(4, 1.0)]


# ---- the graph


def test_the_graph_answers_as_the_direct_rendering(campaign_size: Callable[[int], int]) -> None:
    for case in range(campaign_size(60)):
        rng, numbers = random.Random(case), np.random.default_rng(case)
        weights = MemoryWeights(
            graph_least=rng.choice((0.85, 0.3, -1.0)), graph_neighbours=rng.choice((1, 5, 50))
        )
        graph = KnowledgeGraph(weights)
        count, dims = rng.randint(1, 40), 8
        vectors = {key: numbers.normal(size=dims).astype(np.float32) for key in range(1, count + 1)}
        for key in list(vectors)[::3]:
            vectors[key] = vectors[1]
        entries = [node(key) for key in vectors]
        for number in range(rng.randint(0, 80)):
            attempts = rng.randint(0, 3)
            link = ActionEdge(
                source=rng.randint(1, count),
                target=rng.choice((None, rng.randint(1, count))),
                action=rng.choice("abc"),
                count=rng.randint(0, 4),
                successes=rng.randint(0, attempts),
                attempts=attempts,
            )
            entries.append(entry(1000 + number, link))
        rng.shuffle(entries)
        for item in entries:
            graph.put(item)
        for key, vector in vectors.items():
            graph.set_vector(key, vector)
        edges = {entry.entry_id: entry.content for entry in entries if isinstance(entry.content, ActionEdge)}
        asked = numbers.normal(size=dims).astype(np.float32) + vectors[rng.randint(1, count)]
        true = support(
            asked.astype(float).tolist(),
            {key: vector.astype(float).tolist() for key, vector in vectors.items()},
            edges,
            weights,
        )
        result = graph.query(asked)
        assert [node.node_id for node in result] == [node.node_id for node in true]
        for fast, plain in zip(result, true, strict=True):
            assert (fast.edge_id, fast.action, fast.rho) == (plain.edge_id, plain.action, plain.rho)
            assert fast.v == pytest.approx(plain.v, abs=1e-6)
            assert fast.score == pytest.approx(plain.score, abs=1e-6)


def test_it_follows_each_write() -> None:
    graph = KnowledgeGraph(MemoryWeights())
    up, right = np.array([0, 1], np.float32), np.array([1, 0], np.float32)
    graph.put(edge(10, 1, 2))  # before its ends are known
    graph.put(node(1))
    assert graph.drawn().number_of_edges() == 0
    graph.put(node(2))
    assert graph.drawn().edges[1, 2, 10]["action"] == "walk" and len(graph) == 2
    assert graph.without_vector() == [1, 2] and graph.query(up) == []
    graph.set_vector(1, up)
    graph.set_vector(2, right)
    assert [(node.node_id, node.action, node.rho) for node in graph.query(up)] == [(1, "walk", 0.0)]
    done = ActionEdge(source=1, target=2, action="walk", count=2, successes=1, attempts=2)
    graph.put(entry(10, done))
    assert graph.query(up)[0].rho == 0.5 and graph.drawn().edges[1, 2, 10]["rate"] == 0.5
    graph.put(entry(11, Likeness(first=1, second=2, cosine=0.9)))
    assert {kind for _, _, kind in graph.drawn().edges(data="kind")} == {"action", "likeness"}
    graph.put(node(2, forgotten=True))
    assert list(graph.drawn()) == [1] and graph.query(right) == [] and graph.query(up)[0].action == "walk"
    graph.put(node(2))
    graph.set_vector(2, right)
    assert set(graph.drawn().edges(keys=True)) == {(1, 2, 10), (1, 2, 11)}, "restored with its edges"
    graph.remove(10)
    graph.remove(11)
    assert graph.drawn().number_of_edges() == 0 and graph.query(up)[0].edge_id is None
    graph.remove(99)
    assert 1 in graph and 10 not in graph


def test_an_edge_to_itself_is_drawn_and_taken_away() -> None:
    graph = KnowledgeGraph(MemoryWeights())
    for added in (node(1), edge(5, 1, 1), edge(6, 1, None), edge(7, 1, 404)):
        graph.put(added)
    assert list(graph.drawn().edges(keys=True)) == [(1, 1, 5)]
    for edge_id in (5, 6, 7):
        graph.remove(edge_id)
    assert graph.drawn().number_of_edges() == 0 and 7 not in graph


def test_another_embedder_begins_anew() -> None:
    graph = KnowledgeGraph(MemoryWeights())
    graph.put(node(1))
    graph.put(node(2))
    graph.set_vector(1, np.array([0, 1], np.float32))
    graph.set_vector(3, np.array([0, 1], np.float32))
    assert graph.query(np.array([0, 1, 0], np.float32)) == [], "a vector of another embedder finds nothing"
    graph.set_vector(2, np.array([0, 1, 0], np.float32))
    assert graph.without_vector() == [1]
    assert [node.node_id for node in graph.query(np.array([0, 1, 0], np.float32))] == [2]


def test_likenesses_are_proposed_once() -> None:
    graph = KnowledgeGraph(MemoryWeights())
    rng = np.random.default_rng(1)
    base = rng.normal(size=16).astype(np.float32)
    for key in range(1, 10):
        graph.put(node(key))
        graph.set_vector(key, vectors_near(rng, base, 1, 0.05)[0] if key < 9 else -base)
    proposed = graph.propose_likenesses(4)
    assert len(proposed) == 5 and all(
        4 in (node.first, node.second) and node.first < node.second for node in proposed
    )
    assert all(node.cosine >= 0.85 for node in proposed) and all(node.second != 9 for node in proposed)
    for number, likeness in enumerate(proposed):
        graph.put(entry(100 + number, likeness))
    again = graph.propose_likenesses(4)
    known = {(node.first, node.second) for node in proposed}
    assert not known & {(node.first, node.second) for node in again}
    assert graph.propose_likenesses(9) == [] == graph.propose_likenesses(404)


def test_what_is_too_much_was_taken_least_often_and_is_never_pinned() -> None:
    graph = KnowledgeGraph(MemoryWeights(), most=4)
    for key in range(1, 7):
        graph.put(node(key, pinned=key == 2, changed_at=f"2026-01-0{9 - key}"))
    graph.put(edge(20, 1, 6, count=3))
    graph.put(edge(21, 3, 4, count=1))
    graph.put(edge(22, 6, 5, count=2))
    assert graph.surplus() == [5, 22, 4, 21, 3]
    graph.put(replace(edge(21, 3, 4, count=1), pinned=True))
    assert graph.surplus() == [5, 22, 6, 20, 1], "a pinned edge holds its states"
    graph.put(edge(21, 3, 4, count=1))
    for gone in graph.surplus():
        graph.remove(gone)
    assert len(graph) <= 4 and graph.surplus() == []


def test_only_parts_of_the_graph_enter() -> None:
    with pytest.raises(TypeError, match="entry 3"):
        KnowledgeGraph(MemoryWeights()).put(entry(3, ActionMemory(state="a", action="b")))


def support(
    vector: Sequence[float],
    nodes: Mapping[int, Sequence[float]],
    edges: Mapping[int, ActionEdge],
    weights: MemoryWeights,
) -> list[GraphSupport]:
    """Return the nearest states with a sufficient cosine, each with its best action; nearest first.

    Args:
        vector: of the query. nodes: vectors by node. edges: by id.
    """
    near = sorted((-cosine_of(vector, other), node_id) for node_id, other in nodes.items())
    return [
        direct.fragment(
            node_id, -v, {key: edge for key, edge in edges.items() if edge.source == node_id}, weights
        )
        for v, node_id in near[: weights.graph_neighbours]
        if -v >= weights.graph_least
    ]


def cosine_of(vector: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors; 0 if either has no length."""
    lengths = math.sqrt(sum(a * a for a in vector)) * math.sqrt(sum(b * b for b in other))
    return sum(a * b for a, b in zip(vector, other, strict=True)) / lengths if lengths else 0.0
