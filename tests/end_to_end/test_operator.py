"""The operator's hands: takeover, stop key, pause key; the agent goes on only when told to."""

from __future__ import annotations

import signal

import pytest
from tests.end_to_end.conftest import MakeGame, MakePit, until_held
from tests.end_to_end.driver import LONG_HOLDS, Pit, assert_whole, kill, until_up
from tests.end_to_end.game import xdotool

from pitwall.core import commands, telemetry
from pitwall.core.commands import PlayMode
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState
from pitwall.store.lease import FileLock, write_lock_file
from workshop.fixtures.key_window import KeyWindow
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


def test_a_window_that_has_the_focus_for_a_moment_cuts_a_hold_off_and_the_agent_plays_on(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson
) -> None:
    shared = LONG_HOLDS.with_value("broker", "own_seat", False)
    game, other = make_game("tap", "tap", "hold"), KeyWindow("another window")
    pit = make_pit(game, settings=shared)
    pit.play()
    until_held(pit, hands)
    held = pit.steps[-1].step + 1
    kill(pit.session.pid, number=signal.SIGSTOP)  # it hears of the loss and of the return at once
    for window in (str(other.window_id), game.window_id()):
        xdotool("windowfocus", "--sync", window)
        until_up(hands)
    kill(pit.session.pid, number=signal.SIGCONT)
    pit.until(lambda: pit.steps[-1].step >= held, "the step of the hold to end", 12.0)
    assert not any(note.event.kind == "paused" for note in pit.all_heard(telemetry.EventNote))
    other.close()


def test_a_start_key_pressed_while_a_run_ends_begins_no_other_in_the_middle_of_it(
    holding_again: tuple[Pit, int], hands: SimulatedPerson
) -> None:
    pit, run_id = holding_again
    kill(pit.session.pid, number=signal.SIGSTOP)
    hands.key("F5", down=True)
    hands.key("F5", down=False)
    pit.send(commands.Stop())
    kill(pit.session.pid, number=signal.SIGCONT)
    assert pit.expect(telemetry.RunEnded).run_id == run_id
    assert_whole(pit.data, run_id, pit.steps, "stopped")
    pit.until(lambda: pit.state is EngineState.READY, "the engine to be ready again")


def test_a_start_that_fails_leaves_its_mode_behind(
    make_game: MakeGame, make_pit: MakePit, data: DataFolder
) -> None:
    pit = make_pit(make_game())
    pit.expect_state(EngineState.READY)
    with FileLock(write_lock_file(data), role="test", subject="the run log"):
        pit.send(commands.Start(mode=PlayMode.PERSON))
        pit.expect_state(EngineState.FAILED)
    pit.send(commands.Start())  # it opens the game again
    pit.expect_state(EngineState.READY)
    pit.send(commands.Start())
    assert pit.expect(telemetry.RunBegan).manifest.planner != "person"


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
