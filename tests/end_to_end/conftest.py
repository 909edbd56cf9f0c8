"""Small games on the tests' screen, engines beside them, and a person who can see what is down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.driver import Pit
from tests.end_to_end.game import SmallGame
from tests.patience import patient

from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState
from pitwall.games.registry import Registry
from pitwall.games.trust import trust
from workshop.fixtures.simulated_person import SimulatedPerson

MakeGame = Callable[..., SmallGame]
MakePit = Callable[..., Pit]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A data folder in which nothing was played yet."""
    return patient(DataFolder(tmp_path / "data"))


@pytest.fixture
def hands(screen: str) -> Iterator[SimulatedPerson]:
    """A person at the screen: presses physical keys, and sees what is down."""
    assert screen
    hands = SimulatedPerson()
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


@pytest.fixture(scope="module")
def shared_game(screen: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallGame]:
    """The game of the tests that share an engine: some short steps, then a key that is held for 20 s."""
    assert screen
    game = SmallGame(tmp_path_factory.mktemp("shared"), ("tap", "tap", "hold"))
    game.open()
    game.window_id()
    yield game
    game.close()


@pytest.fixture(scope="module")
def shared_pit(shared_game: SmallGame, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """One engine for the tests of a file that leave it alive."""
    pit = Pit(patient(DataFolder(tmp_path_factory.mktemp("shared") / "data")), shared_game.folder)
    pit.expect_state(EngineState.READY)
    yield pit
    pit.close()


@pytest.fixture
def holding_again(shared_pit: Pit, hands: SimulatedPerson) -> Iterator[tuple[Pit, int]]:
    """As `holding`, with a further run of the shared engine; it is ended afterwards."""
    run_id = shared_pit.play_again()
    until_held(shared_pit, hands)
    yield shared_pit, run_id
    shared_pit.end_run()


def until_held(pit: Pit, hands: SimulatedPerson) -> None:
    pit.until(lambda: len(pit.steps) >= 2 and "ArrowLeft" in hands.keys_down(), "a key to be held")


@pytest.fixture
def holding(make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson) -> tuple[Pit, int]:
    """An engine that just pressed a key for 20 s, after some short steps; and its run's id."""
    pit = make_pit(make_game("tap", "tap", "hold"))
    run_id = pit.play()
    until_held(pit, hands)
    return pit, run_id
