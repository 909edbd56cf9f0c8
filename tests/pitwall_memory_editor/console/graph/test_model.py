"""The graph as arrays: what is joined, what is left out, what is found, what a change makes of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pitwall_memory_editor.console.graph.graphs import (
    edge,
    entry,
    generated,
    graph_of,
    like,
    node,
    star,
)

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionEdge, StateNode
from pitwall_memory_editor.console.graph.layout.neighbourhood import MOST, around, left_out, more
from pitwall_memory_editor.console.graph.model import UNKNOWN, Graph, one_line


def ids(graph: Graph, rows: object) -> list[int]:
    return list(graph.ids[np.asarray(rows, np.int64)].tolist())


def test_states_actions_and_likenesses_are_told_apart() -> None:
    graph = graph_of([node(5, "b"), node(3, "a"), edge(10, 3, 5, tried=(1, 4)), like(11, 3, 5)])
    assert graph.ids.tolist() == [3, 5]
    assert graph.texts == ("a", "b")
    assert graph.rates.tolist() == [0.25]
    assert (graph.sources[0], graph.targets[0]) == (0, 1)
    assert graph.cosines.tolist() == [0.9]


def test_an_action_without_attempts_has_no_rate() -> None:
    untried = entry(10, ActionEdge(source=1, target=2, action="use"))
    assert math.isnan(graph_of([node(1), node(2), untried]).rates[0])


def test_edges_that_dangle_are_counted_and_lead_nowhere() -> None:
    graph = graph_of([node(1), edge(10, 1, 99), edge(11, 98, 1), edge(12, 1, None), like(13, 1, 97)])
    assert graph.dangling == 2  # one without a source, one likeness without its other half
    assert graph.edge_ids.tolist() == [10, 12]
    assert graph.targets.tolist() == [UNKNOWN, UNKNOWN]
    assert graph.neighbours(0).tolist() == []


def test_cycles_and_loops_do_no_harm() -> None:
    graph = graph_of([node(1), node(2), edge(10, 1, 2), edge(11, 2, 1), edge(12, 1, 1), like(13, 2, 2)])
    assert [pair.tolist() for pair in graph.pairs[:2]] == [[0], [1]]
    assert graph.neighbours(0).tolist() == [1]
    assert [len(part) for part in graph.parts()] == [2]


def test_forgotten_entries_are_not_there() -> None:
    gone = replace(node(2), forgotten=True)
    graph = graph_of([node(1), gone, edge(10, 1, 2)])
    assert graph.ids.tolist() == [1]
    assert graph.targets.tolist() == [UNKNOWN]


def test_the_same_id_twice_is_one_state() -> None:
    graph = graph_of([node(1, "old"), node(1, "new")])
    assert graph.texts == ("new",)


def test_neighbours_come_by_how_often_one_went_there() -> None:
    rare, often = edge(10, 1, 2, tried=(1, 1)), edge(11, 3, 1, tried=(1, 9))
    graph = graph_of([node(n) for n in (1, 2, 3, 4)] + [rare, often, like(12, 1, 4, 0.99)])
    assert ids(graph, graph.neighbours(0)) == [3, 2, 4]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\nlines\tand  more", "two lines and more"),
        ("<b>bold</b> & 'quoted'; DROP TABLE", "<b>bold</b> & 'quoted'; DROP TABLE"),
        ("bell\x07 and \u202eturned", "bell and turned"),
        ("日本語 العربية", "日本語 العربية"),
        ("x" * 5_000, "x" * 239 + "…"),
    ],
)
def test_text_is_one_plain_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_every_word_must_be_found_in_a_state_or_its_actions() -> None:
    graph = graph_of(
        [node(1, "Hall shooter_left"), node(2, "hall clear"), node(3, "pit"), edge(10, 3, 1, "back to HALL")]
    )
    assert set(ids(graph, graph.find("hall"))) == {1, 2, 3}
    assert ids(graph, graph.find("hall"))[-1] == 3  # its own text before an action's
    assert ids(graph, graph.find("SHOOTER hall")) == [1]
    assert ids(graph, graph.find("hall pit")) == [3]
    assert graph.find("  ").tolist() == []
    assert graph.find("(").tolist() == []


def test_a_change_makes_the_graph_that_would_have_been_read() -> None:
    before = [node(1), node(2), edge(10, 1, 2)]
    changed = [node(3), edge(11, 2, 3), edge(10, 1, 2, tried=(0, 9))]
    patched = graph_of(before).patched(changed, gone=[1])
    fresh = graph_of([node(2), node(3), edge(11, 2, 3), changed[2]])
    assert patched.ids.tolist() == fresh.ids.tolist()
    assert patched.edge_ids.tolist() == fresh.edge_ids.tolist() == [11]
    assert patched.dangling == fresh.dangling == 1


# ---- neighbourhoods


def test_a_neighbourhood_ends_at_its_hops() -> None:
    chain = graph_of([*(node(n) for n in range(1, 8)), *(edge(100 + n, n, n + 1) for n in range(1, 7))])
    assert ids(chain, around(chain, [2], 1)) == [3, 2, 4]
    assert len(around(chain, [0], 3)) == 4


def test_a_busy_state_shows_some_and_counts_the_rest() -> None:
    graph = graph_of(star(100))
    rows = around(graph, [0], 2)
    shown = np.zeros(len(graph), bool)
    shown[rows] = True
    assert len(rows) == 13
    hidden = left_out(graph, shown, rows)
    assert hidden[0] == 100 - 12
    assert not hidden[1:].any()
    fresh = more(graph, shown, 0)
    assert len(fresh) == 12
    assert not set(fresh.tolist()) & set(rows.tolist())


_links = st.lists(st.tuples(st.integers(1, 14), st.integers(1, 14)), max_size=40)


@settings(max_examples=60, deadline=None)
@given(_links, st.integers(1, 14))
def test_expanding_until_nothing_is_left_shows_the_connected_part(
    links: list[tuple[int, int]], begin: int
) -> None:
    entries: list[MemoryEntry] = [node(n) for n in range(1, 15)]
    entries += [edge(100 + number, a, b) for number, (a, b) in enumerate(links)]
    graph = graph_of(entries)
    row = graph.row_of(begin)
    shown = np.zeros(len(graph), bool)
    shown[around(graph, [row], 1)] = True
    while True:
        rows = np.flatnonzero(shown)
        hidden = left_out(graph, shown, rows)
        if not hidden.any():
            break
        busy = int(rows[int(np.argmax(hidden))])
        fresh = more(graph, shown, busy, each=3)
        assert 0 < len(fresh) <= 3
        shown[fresh] = True
    part = next(part for part in graph.parts() if row in part)
    assert set(np.flatnonzero(shown).tolist()) == set(part.tolist()) == _reached(links, begin, graph)


def _reached(links: list[tuple[int, int]], begin: int, graph: Graph) -> set[int]:
    result, waiting = {begin}, [begin]
    while waiting:
        at = waiting.pop()
        for a, b in links:
            for item, other in ((a, b), (b, a)):
                if item == at and other not in result:
                    result.add(other)
                    waiting.append(other)
    return {graph.row_of(entry_id) for entry_id in result}


def test_ten_thousand_states_are_gone_through() -> None:
    graph = Graph.of(generated(10_000, 50_000, 5_000)).prepared()
    assert len(graph) == 10_000
    assert len(graph.edge_ids) == 50_000
    assert graph.dangling == 0
    assert sum(len(part) for part in graph.parts()) == 10_000
    assert len(around(graph, [int(np.argmax(graph.visits))], 3)) == MOST
    assert int(graph.degrees.sum()) == 2 * len(graph.pairs[0])


def test_generated_graphs_repeat() -> None:
    assert generated(50, 80, 10) == generated(50, 80, 10)
    assert isinstance(generated(5, 0).nodes[0].content, StateNode)
