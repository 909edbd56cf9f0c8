"""SA-MB and SA-KG in one ranking, by figures worked out by hand."""

from __future__ import annotations

import random

import pytest

from pitwall.core.memory_kinds import ActionEdge
from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.fusion import fuse


def candidate(entry_id: int, action: str, bank: float) -> Candidate:
    return Candidate(
        entry_id=entry_id,
        action=action,
        state="a",
        jaccard=0,
        cosine=0,
        reward=0,
        success=0,
        recency=1,
        semantic=0,
        bank=bank,
    )


def speaks(node_id: int, action: str, score: float, edge_id: int | None = 7) -> GraphSupport:
    return GraphSupport(node_id=node_id, edge_id=edge_id, action=action, v=0.9, rho=0.5, score=score)


def test_both_are_normalised_and_weighed() -> None:
    bank = [candidate(1, "chop", 0.2), candidate(2, "wait", 0.6), candidate(3, "jump", 1.2)]
    graph = [
        speaks(11, "chop", 0.9),
        speaks(12, "chop", 0.7),
        speaks(13, "wait", 0.5),
        speaks(14, "fly", 1.0),
    ]
    fused = {candidate.action: candidate for candidate in fuse(bank, graph, MemoryWeights())}
    assert fused["chop"].bank_norm == 0.0 and fused["chop"].graph_norm == pytest.approx(0.8)
    assert fused["chop"].fused == pytest.approx(0.25 * 0.8) and fused["chop"].graph == 0.9
    assert [candidate.node_id for candidate in fused["chop"].support] == [11, 12]
    assert fused["wait"].fused == pytest.approx(0.75 * 0.4 + 0.25 * 0.0)
    assert fused["jump"].fused == pytest.approx(0.75) and fused["jump"].support == ()
    assert set(fused) == {"chop", "wait", "jump"}, "what only the graph knows does not enter"


def test_equal_scores_are_all_one() -> None:
    fused = fuse([candidate(2, "a", 0.4), candidate(1, "b", 0.4)], [speaks(3, "a", 0.6)], MemoryWeights())
    assert [(candidate.entry_id, candidate.fused) for candidate in fused] == [(2, 1.0), (1, 0.75)]


def test_a_part_of_the_set_is_normalised_over_the_whole() -> None:
    whole = [candidate(number, f"a{number % 3}", number / 10) for number in range(1, 30)]
    graph = [speaks(1, "a1", 0.7), speaks(2, "a2", 0.9)]
    by_id = {candidate.entry_id: candidate for candidate in fuse(whole, graph, MemoryWeights())}
    for member in fuse(whole[10:14], graph, MemoryWeights(), bank_range=(0.1, 2.9)):
        assert member == by_id[member.entry_id]


def test_a_state_without_actions_speaks_for_none_but_counts_in_the_range() -> None:
    graph = [speaks(1, "", 0.2, edge_id=None), speaks(2, "chop", 0.6), speaks(3, "wait", 1.0)]
    fused = {
        fused.action: fused
        for fused in fuse([candidate(1, "chop", 1), candidate(2, "", 0)], graph, MemoryWeights())
    }
    assert fused["chop"].graph_norm == pytest.approx(0.5) and fused[""].graph_norm == 0.0


def test_nothing_fuses_to_nothing() -> None:
    assert fuse([], [speaks(1, "a", 1.0)], MemoryWeights()) == []


def test_the_best_edge_is_by_rate_then_count_then_number() -> None:
    edges = {
        5: ActionEdge(source=1, action="a", count=9, successes=1, attempts=2),
        6: ActionEdge(source=1, action="b", count=2, successes=2, attempts=2),
        8: ActionEdge(source=1, action="c", count=4, successes=4, attempts=4),
        9: ActionEdge(source=1, action="d", count=4, successes=4, attempts=4),
    }
    assert direct.best_edge(edges) == 8
    weights = MemoryWeights()
    candidate = direct.fragment(1, 0.9, edges, weights)
    assert (candidate.action, candidate.rho) == ("c", 1.0) and candidate.score == pytest.approx(
        0.6 * 0.9 + 0.4
    )
    bare = direct.fragment(1, 0.9, {}, weights)
    assert (bare.edge_id, bare.action, bare.rho) == (None, "", 0.0) and bare.score == pytest.approx(0.54)


def test_fused_order_within_one_action_is_that_of_the_bank() -> None:
    """On this rests that a few items of each action are enough."""
    rng = random.Random(1)
    for _ in range(200):
        bank = [
            candidate(number, rng.choice("ab"), rng.choice((0.1, rng.random()))) for number in range(1, 20)
        ]
        fused = fuse(bank, [speaks(1, "a", rng.random()), speaks(2, "b", rng.random())], MemoryWeights())
        for action in "ab":
            order = [candidate.entry_id for candidate in fused if candidate.action == action]
            banked = sorted(
                (candidate for candidate in bank if candidate.action == action),
                key=lambda candidate: (-candidate.bank, candidate.entry_id),
            )
            assert order == [candidate.entry_id for candidate in banked]
