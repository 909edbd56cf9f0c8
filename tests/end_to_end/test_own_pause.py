"""The player paused the game by its own key: the agent lifts that, or says which key does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.end_to_end.conftest import MakePit
from tests.end_to_end.driver import Pit
from tests.patience import needs_hands

from pitwall.core import commands, telemetry
from pitwall.core.observations import GameStatus
from pitwall.core.telemetry import EngineState
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen
PLUGINS = Path(__file__).parents[2] / "plugins"
READ_IN_PLAY = {"flappy": "gap_right"}


def _press(hands: SimulatedPerson, key: str) -> None:
    hands.key(key, down=True)
    hands.key(key, down=False)


def _status(pit: Pit) -> GameStatus:
    return pit.all_heard(telemetry.FrameNote)[-1].status


def _in_play(pit: Pit, field: str) -> bool:
    note = pit.all_heard(telemetry.FrameNote)[-1]
    return any(reading.name == field and reading.value is not None for reading in note.readings)


def _paused_by_hand(pit: Pit, hands: SimulatedPerson, game: str) -> None:
    """Play, take over with the game's pause key, and see the game paused."""
    pit.play()
    pit.until(lambda: sum(step.status is GameStatus.PLAYING for step in pit.steps) >= 3, "steps of play")
    pit.until(lambda: _in_play(pit, READ_IN_PLAY[game]) and _status(pit) is GameStatus.PLAYING, "play")
    _press(hands, "p")
    pit.expect_state(EngineState.PAUSED, "takeover")
    pit.until(lambda: _status(pit) is GameStatus.PAUSED, "the game's own pause")


@pytest.mark.parametrize("game", READ_IN_PLAY)
def test_resume_lifts_a_pause_that_the_player_made(
    make_pit: MakePit, hands: SimulatedPerson, game: str
) -> None:
    needs_hands()
    pit = make_pit(PLUGINS / game, launch=True)
    _paused_by_hand(pit, hands, game)
    pit.resume()
    pit.until(lambda: _status(pit) is not GameStatus.PAUSED, "the game to go on")


def test_a_pause_that_nothing_lifts_is_named_and_a_persons_key_lifts_it(
    make_pit: MakePit, hands: SimulatedPerson, tmp_path: Path
) -> None:
    """The profile names no key here."""
    needs_hands()
    folder = tmp_path / "flappy"
    shutil.copytree(PLUGINS / "flappy", folder)
    manifest = folder / "plugin.toml"
    text = re.sub(r"\n\[pause\]\nkeys = .*\n", "\n", manifest.read_text(encoding="utf-8"))
    manifest.write_text(text, encoding="utf-8")
    pit = make_pit(folder, launch=True, trusted=True)
    _paused_by_hand(pit, hands, "flappy")
    pit.send(commands.Resume())
    waiting = pit.expect_state(EngineState.WAITING, "game_paused")
    assert "Flappy is paused." in waiting.text
    assert "in its window" in waiting.fix
    _press(hands, "p")
    pit.expect_state(EngineState.PLAYING)
    pit.expect(telemetry.StepNote)
    assert [note.text for note in pit.all_heard(telemetry.EventNote) if note.kind == "takeover"][1:] == []
