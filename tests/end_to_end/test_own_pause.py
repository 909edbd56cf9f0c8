"""The player paused the game by its own key: the agent lifts that, or says which key does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.end_to_end.conftest import MakePit
from tests.end_to_end.driver import LONG_HOLDS, Pit
from tests.patience import needs_hands

from pitwall.core import commands, telemetry
from pitwall.core.observations import GameStatus
from pitwall.core.telemetry import EngineState
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen
PLUGINS = Path(__file__).parents[2] / "plugins"
SHARED = LONG_HOLDS.with_value("broker", "own_seat", False)
"""Chromium takes no key of a person beside an own seat, and Maze is played in it."""
READ_IN_PLAY = {"flappy": "gap_right", "maze": "goal"}


def _press(hands: SimulatedPerson, key: str) -> None:
    hands.key(key, down=True)
    hands.key(key, down=False)


def _status(pit: Pit) -> GameStatus:
    return pit.all_heard(telemetry.FrameNote)[-1].status


def _in_play(pit: Pit, field: str) -> bool:
    note = pit.all_heard(telemetry.FrameNote)[-1]
    return any(reading.name == field and reading.value is not None for reading in note.readings)


def _play_for_a_while(pit: Pit, game: str) -> None:
    """Play until the game is read as in play."""
    pit.play()
    pit.until(lambda: sum(step.status is GameStatus.PLAYING for step in pit.steps) >= 3, "steps of play")
    pit.until(lambda: _in_play(pit, READ_IN_PLAY[game]) and _status(pit) is GameStatus.PLAYING, "play")


def _paused_by_hand(pit: Pit, hands: SimulatedPerson, game: str) -> None:
    """Play, take over with the game's pause key, and see the game paused."""
    _play_for_a_while(pit, game)
    _press(hands, "p")
    pit.expect_state(EngineState.PAUSED, "takeover")
    pit.until(lambda: _status(pit) is GameStatus.PAUSED, "the game's own pause")


def test_resume_lifts_a_pause_that_the_player_made(make_pit: MakePit, hands: SimulatedPerson) -> None:
    needs_hands()
    pit = make_pit(PLUGINS / "flappy", launch=True, settings=SHARED)
    _paused_by_hand(pit, hands, "flappy")
    pit.resume()
    pit.until(lambda: _status(pit) is not GameStatus.PAUSED, "the game to go on")


def test_resume_lifts_a_pause_that_the_player_made_while_the_agent_was_paused(
    make_pit: MakePit, hands: SimulatedPerson
) -> None:
    """The page's clock stands meanwhile, so the pause shows only once the agent plays on."""
    needs_hands()
    pit = make_pit(PLUGINS / "maze", launch=True, settings=SHARED)
    _play_for_a_while(pit, "maze")
    pit.send(commands.Pause())
    pit.expect_state(EngineState.PAUSED, "operator")
    _press(hands, "p")
    notes = len(pit.all_heard(telemetry.FrameNote))
    pit.resume()

    def since() -> list[GameStatus]:
        return [note.status for note in pit.all_heard(telemetry.FrameNote)[notes:]]

    pit.until(lambda: GameStatus.PAUSED in since(), "the game's own pause")
    pit.until(lambda: _status(pit) is GameStatus.PLAYING, "the game to go on")


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
    assert len([note for note in pit.all_heard(telemetry.EventNote) if note.event.kind == "takeover"]) == 1
