"""A game with knowledge, skills and fields, and a book made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.runs import Episode
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.checks.folder import check_game
from pitwall.games.manifest import load_profile, manifest_hash
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.layer_entries import PromptLayers

MakeBook = Callable[..., PromptLayers]

_MANIFEST = """
schema = 1
[game]
id = "cave"
name = "Cave"
[window]
title = "Cave"
[screen]
width = 100
height = 100
[controls]
keys = ["a", "Space"]
mouse = true

[[actions]]
name = "walk"
description = "walk ahead"
keys = ["a"]
hold_ms = "$ms"
parameters.ms = { type = "int", minimum = 50, maximum = 500, default = 200 }
[[actions]]
name = "drink"
keys = ["Space"]
[[actions]]
name = "tap"
description = "touch a place"
click = [5, 5]

[[fields]]
name = "health"
kind = "bar"
box = [0, 0, 10, 1]
colour = [255, 0, 0]
unit = "%"
description = "Red bar"
[[fields]]
name = "level"
kind = "text"
box = [0, 10, 10, 10]
[[fields]]
name = "way"
kind = "text"
box = [0, 20, 10, 10]

[[skills]]
name = "explore"
when = "status == 'playing'"
subgoal = "see more"
actions = ["walk"]
[[skills]]
name = "heal"
when = "health < 30"
subgoal = "get well"
actions = ["drink", "tap"]
stop = "health >= 60"
priority = 5
[[skills]]
name = "follow"
when = "way != none"
subgoal = "go there"
actions = ["{way}"]
[[skills]]
name = "dodge"
when = "health < 10"
subgoal = "stay alive"
module = "dodge"
priority = 9

[[modules]]
name = "dodge"
description = "Steps aside"
ends = "health > 50"
[[modules.rules]]
when = "health < 10"
action = "walk"

[[roles]]
name = "hero"
prompt = "hero.md"
[[roles]]
name = "ghost"
actions = ["walk"]
controls = { keys = ["a"] }

[knowledge]
rules = "rules.md"
episode_key = ["role", "level"]
"""
_RULES = """The cave is dark.

## Enemies
Bats bite for 5 %.

## Items

A potion heals 40 %.
"""


@pytest.fixture
def game(tmp_path: Path) -> Game:
    return _game(tmp_path / "cave")


@pytest.fixture(scope="session")
def game_once(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The same game for tests that run many cases; its folder is to be left as it is."""
    return _game(tmp_path_factory.mktemp("games") / "cave")


def _game(folder: Path) -> Game:
    folder.mkdir()
    (folder / "plugin.toml").write_text(_MANIFEST, encoding="utf-8")
    (folder / "rules.md").write_text(_RULES, encoding="utf-8")
    (folder / "hero.md").write_text("You are the hero.\n", encoding="utf-8")
    assert [str(fault) for fault in check_game(folder)] == []
    return Game(
        profile=load_profile(folder),
        folder=folder,
        profile_hash=manifest_hash(folder),
        trusted=True,
        source="path",
    )


@pytest.fixture
def make_book(game: Game) -> MakeBook:
    """Makes a book; its arguments are those of LayerBook, and `layers` and `memory` as dictionaries."""

    def make(
        role: str = "",
        *,
        layers: dict[str, object] | None = None,
        memory: dict[str, object] | None = None,
        episodes: tuple[Episode, ...] = (),
        instruction: str = "",
        seed: int | None = None,
    ) -> PromptLayers:
        return PromptLayers(
            game,
            role,
            forms=Vocabulary(game.profile, role).forms,
            layers=LayerSettings.model_validate(layers or {}),
            memory=MemorySettings.model_validate(memory or {}),
            episodes=episodes,
            instruction=instruction,
            seed=seed,
        )

    return make


@pytest.fixture
def episode() -> Callable[..., Episode]:
    """Makes an episode summary."""

    def make(number: int, text: str, *, key: str = "", game_id: str = "cave") -> Episode:
        return Episode(
            episode_id=number,
            run_id=number,
            game_id=game_id,
            key=key,
            text=text,
            author="rules",
            created_at=f"2025-01-01T00:00:{number:02d}.000000Z",
        )

    return make
