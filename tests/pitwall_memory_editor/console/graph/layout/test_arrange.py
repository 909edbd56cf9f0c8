"""Places: sfdp and what happens when it fails, our own forces, neighbourhoods, what is kept and held."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.pitwall_memory_editor.console.graph.graphs import (
    edge,
    generated,
    graph_of,
    like,
    node,
    scratch,
    star,
)

from pitwall.core.memories import MemoryEntry
from pitwall_memory_editor.console.graph.layout.arrange import (
    SPACING,
    Stopped,
    arrange,
    first_look,
    place_new,
    turned,
)
from pitwall_memory_editor.console.graph.layout.forces import BOX, hops_apart, near, push_apart
from pitwall_memory_editor.console.graph.layout.neighbourhood import around
from pitwall_memory_editor.console.graph.layout.positions import (
    StatePositions,
    load_positions,
    save_positions,
)
from pitwall_memory_editor.console.graph.model import Graph
from pitwall_memory_editor.console.graph.visible_part import WHOLE, VisibleGraph

ROOMS = Graph.of(generated(300, 900, 60))
NEVER = None
"""No such program."""


def apart(places: np.ndarray, item: np.ndarray, other: np.ndarray) -> float:
    return float(np.median(np.hypot(*(places[item] - places[other]).T)))


def looks_like_its_graph(graph: Graph, places: np.ndarray) -> None:
    """Joined states stand nearer than any two, no two on one spot, and nothing is without a place."""
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(3), axis=0)) == len(graph)
    low, high, _ = graph.pairs
    any_two = np.random.default_rng(1).integers(0, len(graph), (2, 2_000))
    assert apart(places, low, high) < 0.7 * apart(places, any_two[0], any_two[1])


def test_sfdp_arranges() -> None:
    if sys.platform == "win32" and shutil.which("sfdp") is None:
        pytest.skip("needs Graphviz, which the Windows bench has not")
    result = arrange(ROOMS)
    assert (result.means, result.note) == ("sfdp", "")
    looks_like_its_graph(ROOMS, result.places)


def test_without_graphviz_our_own_forces_arrange() -> None:
    shares: list[float | None] = []
    result = arrange(ROOMS, program=NEVER, on_progress=lambda _, share: shares.append(share))
    assert result.means == "own"
    assert "graphviz" in result.note
    assert shares[-1] == pytest.approx(1.0)
    looks_like_its_graph(ROOMS, result.places)


def test_the_first_look_is_rough_but_right_in_the_large() -> None:
    result = first_look(ROOMS)
    assert result.means == "rough"
    looks_like_its_graph(ROOMS, result.places)


@pytest.mark.parametrize("program", ["sfdp", NEVER])
def test_parts_that_nothing_joins_do_not_lie_on_one_another(program: str | None) -> None:
    triples = [node(n) for n in range(1, 91)]
    triples += [edge(1000 + n, n, n + 1) for n in range(1, 90) if n % 3]
    graph = graph_of(triples)
    places = arrange(graph, program=program).places
    boxes = [(places[part].min(axis=0), places[part].max(axis=0)) for part in graph.parts()]
    assert len(boxes) == 30
    for number, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:number]:
            assert (low > other_high + 1).any() or (other_low > high + 1).any()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 3", "status 3"),
        ("echo nonsense", "without a place"),
        ("echo 'node 0 here there 1 1'", "could not convert"),
        ("sleep 60", "longer than"),
    ],
)
def test_what_goes_wrong_with_sfdp_is_said_and_the_graph_is_arranged(
    tmp_path: Path, script: str, expected: str
) -> None:
    program = scratch(tmp_path, "sfdp", f"#!/bin/sh\n{script}\n")
    result = arrange(ROOMS, program=program, limit_s=0.5)
    assert result.means == "own"
    assert expected in result.note
    assert np.isfinite(result.places).all()


def test_a_layout_that_is_stopped_leaves_no_process(tmp_path: Path) -> None:
    text = tmp_path / "pid"
    program = scratch(tmp_path, "sfdp", f"#!/bin/sh\necho $$ > {text}\nexec sleep 60\n")
    with pytest.raises(Stopped):
        arrange(ROOMS, program=program, stop=lambda: text.is_file() and text.read_text() != "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(text.read_text()), 0)


def test_our_own_forces_stop_as_well() -> None:
    began = time.monotonic()
    with pytest.raises(Stopped):
        arrange(ROOMS, program=NEVER, stop=lambda: time.monotonic() > began)


def test_a_new_arrangement_is_turned_to_be_like_the_old_one() -> None:
    before = first_look(ROOMS).places
    mirrored = before[:, ::-1] * (1, -1) + 500
    assert turned(mirrored, before) == pytest.approx(before - before.mean(axis=0), abs=1e-6)


def test_new_states_come_beside_their_neighbours_and_nobody_moves() -> None:
    places = arrange(ROOMS).places
    grown = ROOMS.patched([node(9001), node(9002), node(9003), edge(9100, 5, 9001), edge(9101, 9001, 9002)])
    start = np.zeros((len(grown), 2))
    known = np.isin(grown.ids, ROOMS.ids)
    start[known] = places
    result = place_new(grown, start, known)
    assert result[known] == pytest.approx(places)
    rows = [grown.row_of(entry_id) for entry_id in (5, 9001, 9002, 9003)]
    assert np.hypot(*(result[rows[0]] - result[rows[1]])) == pytest.approx(0.8 * SPACING)
    assert np.hypot(*(result[rows[1]] - result[rows[2]])) == pytest.approx(0.8 * SPACING)
    assert result[rows[3], 1] > places[:, 1].max()  # it knows nobody


# ---- neighbourhoods


def overlapping(places: np.ndarray, slack: float = 1.0) -> int:
    way = np.abs(places[:, None] - places[None])
    lies = (way[..., 0] < BOX[0] - slack) & (way[..., 1] < BOX[1] - slack)
    return int(lies.sum() - len(places)) // 2


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_no_words_of_a_neighbourhood_lie_on_one_another(hops: int) -> None:
    for centre in (0, 40, 150):
        rows = around(ROOMS, [centre], hops)
        places = near(ROOMS, rows, np.zeros(len(rows), bool), np.zeros((len(rows), 2)))
        assert overlapping(places) == 0


def test_hops_become_distance() -> None:
    chain = graph_of([*(node(n) for n in range(1, 8)), *(edge(100 + n, n, n + 1) for n in range(1, 7))])
    rows = np.arange(7)
    assert hops_apart(chain, rows)[0].tolist() == [0, 1, 2, 3, 4, 5, 6]
    places = near(chain, rows, np.zeros(7, bool), np.zeros((7, 2)))
    far = np.hypot(*(places - places[0]).T)
    assert (np.diff(far) > 0).all()


def test_what_is_held_stays_and_makes_the_others_give_way() -> None:
    rows = around(ROOMS, [0], 2)
    held = np.zeros(len(rows), bool)
    held[[0, 3]] = True
    start = np.zeros((len(rows), 2))
    start[3] = (400.0, -90.0)
    places = near(ROOMS, rows, held, start)
    assert places[0].tolist() == [0.0, 0.0]
    assert places[3].tolist() == [400.0, -90.0]
    assert overlapping(places) == 0


def test_states_on_the_very_same_spot_part() -> None:
    places = push_apart(np.zeros((6, 2)), np.zeros(6, bool), BOX)
    assert overlapping(places) == 0


# ---- what is in view


def looking_at(entries: list[MemoryEntry], centre: int) -> VisibleGraph:
    looking = VisibleGraph(graph_of(entries), StatePositions())
    looking.look_around([centre])
    return looking


def places_of(looking: VisibleGraph) -> dict[int, tuple[float, ...]]:
    scene = looking.scene()
    return {scene.entry_id(n): tuple(scene.places[n].tolist()) for n in range(len(scene))}


def test_expanding_moves_nobody() -> None:
    looking = looking_at(star(60), 1)
    before = places_of(looking)
    assert looking.expand(1) == 12
    after = places_of(looking)
    assert len(after) == len(before) + 12
    assert {entry_id: after[entry_id] for entry_id in before} == before
    assert looking.scene().more[looking.scene().number_of(1)] == 60 - 24


def test_the_graph_grows_in_view_and_moves_nobody() -> None:
    entries = star(5)
    looking = looking_at(entries, 1)
    before = places_of(looking)
    looking.use_graph(looking.graph.patched([node(50), edge(2000, 2, 50), edge(1003, 1, 3, tried=(0, 9))]))
    after = places_of(looking)
    assert set(after) == {*before, 50}
    assert {entry_id: after[entry_id] for entry_id in before} == before


def test_what_is_forgotten_leaves_the_view() -> None:
    looking = looking_at(star(5), 1)
    looking.use_graph(looking.graph.patched([], gone=[3]))
    assert 3 not in places_of(looking)
    looking.use_graph(looking.graph.patched([], gone=[1]))
    assert 1 not in places_of(looking)


def test_a_held_place_outlives_another_neighbourhood() -> None:
    looking = looking_at(star(5), 1)
    looking.hold(3, (321.0, -45.0))
    looking.look_around([2])
    looking.look_around([1])
    assert places_of(looking)[3] == (321.0, -45.0)
    looking.let_go(3)
    looking.look_around([1])
    assert places_of(looking)[3] != (321.0, -45.0)


def test_a_held_place_outlives_arranging_the_whole_graph() -> None:
    looking = VisibleGraph(ROOMS, StatePositions())
    looking.use_hops(WHOLE)
    looking.use_whole(arrange(ROOMS).places)
    looking.hold(7, (9000.0, 10.0))
    looking.use_whole(first_look(ROOMS).places)
    assert places_of(looking)[7] == (9000.0, 10.0)
    grown = ROOMS.patched([node(9001), edge(9100, 7, 9001)])
    before = places_of(looking)
    looking.use_graph(grown)
    after = places_of(looking)
    assert {entry_id: after[entry_id] for entry_id in before} == before
    assert np.hypot(after[9001][0] - 9000.0, after[9001][1] - 10.0) == pytest.approx(0.8 * SPACING)


def test_a_whole_graph_that_was_arranged_once_needs_it_no_more() -> None:
    looking = VisibleGraph(ROOMS, StatePositions())
    assert not looking.arranged
    looking.use_whole(arrange(ROOMS).places)
    again = VisibleGraph(ROOMS.patched([node(9001), like(9100, 9001, 4)]), looking.places)
    assert again.arranged
    other = VisibleGraph(graph_of(star(300)), StatePositions(arranged={1: (0.0, 0.0)}))
    assert not other.arranged


# ---- kept


def test_places_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "graph" / "doom.json"
    places = StatePositions(arranged={1: (1.25, 2.0), 2: (3.0, 4.0)})
    places.held["near"][2] = (-5.0, 6.0)
    save_positions(file, places)
    read = load_positions(file)
    assert read.arranged == {1: (1.2, 2.0), 2: (3.0, 4.0)}
    assert read.held == {"near": {2: (-5.0, 6.0)}, "whole": {}}
    assert [path.name for path in file.parent.iterdir()] == ["doom.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"found": {"a": [1, 2]}, "held": {}}', '{"found": {"1": [1]}, "held": {}}']
)
def test_a_damaged_file_of_places_is_as_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "doom.json"
    file.write_text(text, encoding="utf-8")
    assert load_positions(file) == StatePositions()


def test_places_must_be_numbers(tmp_path: Path) -> None:
    file = tmp_path / "doom.json"
    held: dict[str, object] = {"near": {}, "whole": {}}
    file.write_text(json.dumps({"found": {"1": [float("inf"), 0]}, "held": held}), encoding="utf-8")
    assert load_positions(file) == StatePositions()


def test_a_folder_that_cannot_be_written_costs_the_places_only(tmp_path: Path) -> None:
    (tmp_path / "graph").write_text("in the way", encoding="utf-8")
    save_positions(tmp_path / "graph" / "doom.json", StatePositions())
    assert load_positions(tmp_path / "graph" / "doom.json") == StatePositions()
