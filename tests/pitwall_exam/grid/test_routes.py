"""Ways to the nearest of a terrain: as short as any, over known free tiles, every shortest one right."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.pitwall_exam.grid.small_worlds import ask, seen, state, trace
from tests.pitwall_exam.grid_world import WORDS, World

from pitwall_exam.episode.states import Tile
from pitwall_exam.grid.events import STEPS
from pitwall_exam.grid.places import Discovery, Map
from pitwall_exam.grid.routes import MOST_WAYS, search, way_text, ways


def shortest_by_hand(known: Map, start: Tile, terrain: str) -> tuple[int, list[tuple[str, ...]]] | None:
    """All shortest ways, by spreading layer after layer and walking each of them."""
    layer: dict[Tile, list[tuple[str, ...]]] = {start: [()]}
    length, visited = 0, {start}
    while layer:
        there = [way for tile, some in layer.items() if known.get(tile) == terrain for way in some]
        if there:
            return length, there
        following: dict[Tile, list[tuple[str, ...]]] = {}
        for (x, y), some in layer.items():
            for name, (dx, dy) in STEPS.items():
                tile = (x + dx, y + dy)
                if tile not in visited and known.get(tile) in (*WORDS.walkable, terrain):
                    following.setdefault(tile, []).extend((*way, name) for way in some)
        visited.update(following)
        layer, length = following, length + 1
    return None


def walks(walk_seed: int) -> Iterator[tuple[Map, Tile]]:
    walk = World(walk_seed, deaths=False).trace(120)
    discovery = Discovery([moment.before for moment in walk.moments])
    for step in (5, 60, 120):
        at = walk.moments[step - 1].before.at
        assert at is not None
        yield discovery.until(step), at


@pytest.mark.parametrize("seed", range(5))
def test_every_shortest_way_is_found_and_no_longer_one(seed: int) -> None:
    for known, here in walks(seed):
        for terrain in WORDS.terrains:
            result, wanted = (
                search(known, here, terrain, WORDS.walkable),
                shortest_by_hand(known, here, terrain),
            )
            assert (result is None) == (wanted is None), terrain
            if result is None or wanted is None:
                continue
            got = ways(result)
            assert result.steps == wanted[0]
            assert len(got) == len(set(got)) == min(len(wanted[1]), MOST_WAYS)
            assert set(got) <= set(wanted[1])
            turns = [len(runs(way)) for way in got]
            assert turns == sorted(turns)
            if len(wanted[1]) > MOST_WAYS:
                fewest = sorted(len(runs(way)) for way in wanted[1])[:MOST_WAYS]
                assert turns == fewest


def runs(way: tuple[str, ...]) -> list[str]:
    return re.findall(r"(\d+ steps? \w+)", way_text(way))


def test_a_way_round_is_told_as_it_is_walked() -> None:
    walk = trace([state((0, 0), "....", ".##.", ".@#T", "...."), state()])
    assert ask(walk, "D_nav_to_target", step=1, terrain="tree") == (
        "1 step down, 2 steps right and 1 step up",
    )


def test_equal_targets_and_equal_ways_are_all_right() -> None:
    walk = trace([state((0, 0), "..T", ".@.", "~.."), state()])
    answers = ask(walk, "D_nav_to_target", step=1, terrain="tree")
    assert set(answers) == {"1 step right and 1 step up", "1 step up and 1 step right"}
    two = trace([state((0, 0), "T.@.T"), state()])
    assert set(ask(two, "D_nav_to_target", step=1, terrain="tree")) >= {"2 steps left", "2 steps right"}


def test_where_one_stands_already_the_way_is_nothing() -> None:
    walk = trace([state((0, 0), ".@."), state()])
    assert ask(walk, "D_nav_to_target", step=1, terrain="grass")[0] == "0"


def test_water_and_the_unknown_are_not_walked_over() -> None:
    walk = trace([state((0, 0), "@~T"), state((0, 0), "@ T"), state()])
    assert ask(walk, "D_nav_to_target", step=1, terrain="tree") == ()
    assert ask(walk, "D_nav_to_target", step=1, terrain="water")[0] == "1 step right"
    assert ask(walk, "D_nav_to_target", step=2, terrain="tree") == ()


def test_a_wide_field_names_its_straightest_ways_in_no_time() -> None:
    known = {(x, y): "grass" for x in range(40) for y in range(40)} | {(39, 39): "tree"}
    result = search(known, (0, 0), "tree", WORDS.walkable)
    assert result is not None
    some = ways(result)
    assert result.steps == 78
    assert {way_text(item) for item in some[:2]} == {
        "39 steps right and 39 steps down",
        "39 steps down and 39 steps right",
    }
    assert len(some) == MOST_WAYS


def test_the_later_map_does_not_help_the_earlier_step() -> None:
    walk = trace([state((0, 0), "@#T"), state((0, 0), "@.T"), state()])
    assert ask(walk, "D_nav_to_target", step=1, terrain="tree") == ()
    assert ask(walk, "D_nav_to_target", step=2, terrain="tree")[0] == "2 steps right"
    assert seen("@#T")[1, 0] == "stone"
