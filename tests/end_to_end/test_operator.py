"""The operator's hands: takeover, stop key, pause key; the agent goes on only when told to."""

from __future__ import annotations

import pytest
from tests.end_to_end.driver import Pit, assert_whole, until_up
from tests.end_to_end.game import xdotool

from pitwall.core import commands, telemetry
from pitwall.core.telemetry import EngineState
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen


def _stays(pit: Pit, state: EngineState) -> None:
    """Nothing is decided and nothing is played for a second."""
    steps = len(pit.steps)
    for _ in range(10):
        pit.pump(0.1)
    assert pit.state is state
    assert len(pit.steps) <= steps + 1, "the open step may still be committed, no other"


def test_a_person_at_the_keyboard_takes_over(holding_again: tuple[Pit, int], hands: SimulatedPerson) -> None:
    pit, run_id = holding_again
    xdotool("key", "d")
    paused = pit.expect_state(EngineState.PAUSED, "takeover")
    until_up(hands)
    assert "took over" in paused.text
    assert "Resume" in paused.fix
    _stays(pit, EngineState.PAUSED)
    pit.resume()
    pit.send(commands.Stop())
    ended = pit.expect(telemetry.RunEnded)
    assert (ended.summary.takeovers, ended.keys_down) == (1, 0)
    assert_whole(pit.data, run_id, pit.steps, "stopped")


def test_the_stop_key_latches(holding_again: tuple[Pit, int], hands: SimulatedPerson) -> None:
    pit, run_id = holding_again
    hands.key("ScrollLock", down=True)
    hands.key("ScrollLock", down=False)
    latched = pit.expect_state(EngineState.LATCHED, "hotkey")
    until_up(hands)
    assert "ScrollLock was pressed" in latched.text
    assert "Resume" in latched.fix
    _stays(pit, EngineState.LATCHED)
    pit.resume()
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    assert_whole(pit.data, run_id, pit.steps, "stopped")


def test_a_run_ended_while_latched_was_an_emergency(
    holding_again: tuple[Pit, int], hands: SimulatedPerson
) -> None:
    pit, run_id = holding_again
    hands.key("ScrollLock", down=True)
    hands.key("ScrollLock", down=False)
    pit.expect_state(EngineState.LATCHED, "hotkey")
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    until_up(hands)
    assert_whole(pit.data, run_id, pit.steps, "emergency")


def test_the_pause_key_pauses_and_resumes(holding_again: tuple[Pit, int], hands: SimulatedPerson) -> None:
    pit, _ = holding_again
    hands.key("Pause", down=True)
    hands.key("Pause", down=False)
    paused = pit.expect_state(EngineState.PAUSED, "operator")
    until_up(hands)
    assert "Paused" in paused.text
    _stays(pit, EngineState.PAUSED)
    hands.key("Pause", down=True)
    hands.key("Pause", down=False)
    pit.expect_state(EngineState.PLAYING)
    pit.expect(telemetry.StepNote)


def test_pause_and_resume_by_command(holding: tuple[Pit, int], hands: SimulatedPerson) -> None:
    pit, run_id = holding
    pit.send(commands.Pause())
    pit.expect_state(EngineState.PAUSED, "operator")
    until_up(hands)
    _stays(pit, EngineState.PAUSED)
    pit.resume()
    pit.send(commands.Quit())
    ended = pit.expect(telemetry.RunEnded)
    assert ended.keys_down == 0
    until_up(hands)
    assert_whole(pit.data, run_id, pit.steps, "stopped")
