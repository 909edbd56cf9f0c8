"""What Night Post's window shows is what the rules hold: the eyes read every screen back, pixel by pixel."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from nightpost_headless import make_world
from nightpost_rules import layout as at
from nightpost_rules.characters import CharacterReader
from nightpost_rules.eyes import Eyes, action_of
from nightpost_rules.page import write_page
from nightpost_rules.reading import read_sight
from nightpost_rules.rules_player import RulesPlayer
from nightpost_rules.run import Run
from nightpost_rules.search_player import SearchPlayer
from nightpost_rules.session import Session
from nightpost_rules.sight import book_sights, sight_of

from pitwall.core.paths import DataFolder
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.manifest import load_profile
from pitwall.games.plugin_loader import load_world
from pitwall.games.registry import Registry

NIGHTPOST = Path(__file__).resolve().parents[3] / "plugins" / "nightpost"


def test_each_page_is_read_back_as_it_was_written() -> None:
    for seed in range(2):
        run, dice = Run(seed, ("pip", "luna")[seed % 2], seed), random.Random(seed)
        run.being.health = run.being.most = 400
        while not run.over:
            sight = sight_of(run)
            assert read_sight(write_page(sight).lines()) == sight
            run.do(dice.choice(run.moves()))
        for sight in (sight_of(run), *book_sights(run)):
            assert read_sight(write_page(sight).lines()) == sight


def test_pictures_of_each_screen_are_read_to_the_letter() -> None:
    world, reader, player = make_world(seed=3, scenario="pip"), CharacterReader(), SearchPlayer(4, 3)
    assert read_sight(reader.read(world.pixels)) == world.session.sight
    world.down("Enter")
    run = world.session.run
    assert run is not None
    seen: set[tuple[str, str]] = set()
    while not run.over:
        sight = world.session.sight
        if (sight.screen, sight.rank) not in seen:
            seen.add((sight.screen, sight.rank))
            assert read_sight(reader.read(world.pixels)) == sight
        run.do(player.move(run))
    assert read_sight(reader.read(world.pixels)) == world.session.sight
    assert {"map", "fight", "card", "event", "shop", "rest", "treasure"} <= {screen for screen, _ in seen}


def test_the_twin_loads_by_its_game_and_tells_the_fields_that_the_eyes_read(tmp_path: Path) -> None:
    game = Registry(DataFolder(tmp_path)).load("nightpost")
    world, eyes = load_world(game)(seed=3, scenario="luna_5"), Eyes()
    for key in ("Enter", *"1112e1e1e"):
        assert world.fields == eyes.read(world.pixels)  # type: ignore[attr-defined]
        world.down(key)


def test_keys_by_the_eyes_advice_play_the_run_that_the_rules_play() -> None:
    world, eyes, player = make_world(seed=5, scenario="luna"), Eyes(), RulesPlayer()
    twin = Run(5, "luna")
    world.down("Enter")
    for _ in range(20):
        fields = eyes.read(world.pixels)
        if twin.over:
            break
        assert fields["next_move"] == action_of(player.move(sight_of(twin)), sight_of(twin))
        for key in keys_of(str(fields["next_move"])):
            world.down(key)
        twin.do(player.move(sight_of(twin)))
        assert world.session.sight == sight_of(twin)


def keys_of(action: str) -> list[str]:
    """The keys of an action text, as the manifest binds them."""
    plain = {"end_turn": ["e"], "leave": ["Space"]}
    return plain.get(action) or [word.split("=")[1] for word in action[:-1].split("(")[1].split(", ")]


def test_every_advice_is_an_action_of_the_manifest() -> None:
    space = Vocabulary(load_profile(NIGHTPOST))
    run, player = Run(2), RulesPlayer()
    while not run.over:
        sight = sight_of(run)
        assert space.parse(action_of(player.move(sight), sight))
        run.do(player.move(sight))


def test_a_click_is_the_key_of_what_it_hits() -> None:
    session = Session(4)
    session.press("Enter")
    for screen in ("map", "fight"):
        sight = session.sight
        assert sight.screen == screen
        page = write_page(sight)
        keys = {key for _, key in page.spots}
        assert "1" in keys
        assert all(
            box.row + box.height <= at.ROWS and box.column + box.width <= at.COLUMNS for box, _ in page.spots
        )
        session.press("1")


@pytest.mark.parametrize("key", ["s", "q", "0", "Space", "Left"])
def test_a_key_without_a_meaning_changes_nothing(key: str) -> None:
    session = Session(4)
    session.press("Enter")
    before = session.sight
    assert not session.press(key)
    assert session.sight == before
