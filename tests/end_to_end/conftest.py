"""Small games on the tests' screen, engines beside them, and a person who can see what is down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pitwall.bench.hands import Hands
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import trust

from .driver import Pit
from .game import SmallGame

MakeGame = Callable[..., SmallGame]
MakePit = Callable[..., Pit]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A data folder that does not exist yet."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def hands(screen: str) -> Iterator[Hands]:
    """A person at the screen: presses physical keys, and sees what is down."""
    assert screen
    hands = Hands()
    hands.place_pointer(2, 2)
    yield hands
    for key in ("ArrowLeft", "Space", "Pause", "ScrollLock"):
        hands.key(key, down=False)
    hands.close()


@pytest.fixture
def make_game(screen: str, tmp_path: Path) -> Iterator[MakeGame]:
    """Makes a small game and opens its window; every window is closed afterwards."""
    assert screen
    games: list[SmallGame] = []

    def make(*plays: str, window: bool = True, **options: Any) -> SmallGame:
        game = SmallGame(tmp_path, plays or ("tap",), **options)
        games.append(game)
        if window:
            game.open()
            game.window_id()
        return game

    yield make
    for game in games:
        game.close()


@pytest.fixture
def make_pit(data: DataFolder) -> Iterator[MakePit]:
    """Starts engines; every engine is ended afterwards, and must leave no traceback behind."""
    pits: list[Pit] = []

    def make(game: SmallGame | str | Path, **options: Any) -> Pit:
        folder = game.folder if isinstance(game, SmallGame) else game
        place = options.pop("data", data)
        if options.pop("trusted", False):
            trust(place, Registry(place).load(str(folder)))
        pit = Pit(place, folder, **options)
        pits.append(pit)
        return pit

    yield make
    for pit in pits:
        pit.close()


@pytest.fixture
def holding(make_game: MakeGame, make_pit: MakePit, hands: Hands) -> tuple[Pit, int]:
    """An engine that just pressed a key for 20 s, after some short steps; and its run's id."""
    pit = make_pit(make_game("tap", "tap", "hold"))
    run_id = pit.play()
    pit.until(lambda: len(pit.steps) >= 2 and "ArrowLeft" in hands.keys_down(), "a key to be held")
    return pit, run_id
