"""What may happen to a game's window while it is played, and the agent goes on, waits or ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.end_to_end.conftest import MakeGame, MakePit, until_held
from tests.end_to_end.driver import LONG_HOLDS, Pit, assert_whole, kill, until, until_up
from tests.end_to_end.game import SmallGame, xdotool

from pitwall.core import commands, telemetry
from pitwall.core.actions import Refusal
from pitwall.core.geometry import WindowHealth
from pitwall.core.telemetry import EngineState
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen


def test_a_window_closed_in_mid_run_ends_it_after_a_while(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson
) -> None:
    pit = make_pit(make_game("tap", "tap", "hold", window=False), launch=True, trusted=True)
    run_id = pit.play()
    pit.until(lambda: len(pit.steps) >= 2 and "ArrowLeft" in hands.keys_down(), "a key to be held")
    window = pit.all_heard(telemetry.WindowSeen)[-1].window
    assert window is not None
    kill(window.pid)
    until_up(hands)
    paused = pit.expect_state(EngineState.PAUSED, "window_gone")
    assert "window was closed" in paused.text
    failed = pit.expect_state(EngineState.FAILED)
    assert "Small Game" in failed.text
    assert "closed, as its program ended" in failed.text
    assert "Open it again" in failed.fix
    ended = pit.expect(telemetry.RunEnded)
    assert (ended.summary.outcome, ended.keys_down) == ("lost_window", 0)
    assert_whole(pit.data, run_id, pit.steps, "lost_window")
    until_up(hands)
    pit.send(commands.Start())
    pit.expect_state(EngineState.READY)


def test_a_game_started_again_is_captured_again_and_played_on(make_game: MakeGame, make_pit: MakePit) -> None:
    game = make_game("tap")
    pit = make_pit(game)
    run_id = pit.play()
    pit.until(lambda: pit.steps, "a step")
    first = pit.all_heard(telemetry.WindowSeen)[-1].window
    game.close()
    pit.expect_state(EngineState.PAUSED, "window_gone")
    game.open()
    back = pit.expect_state(EngineState.PAUSED, "window_back")
    assert "back" in back.text
    assert "Resume" in back.fix
    second = pit.all_heard(telemetry.WindowSeen)[-1].window
    assert first is not None
    assert second is not None
    assert second.pid != first.pid
    reached = len(game.inputs("key_down"))
    pit.resume()
    pit.until(lambda: len(game.inputs("key_down")) > reached, "a key in the new window")
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    assert_whole(pit.data, run_id, pit.steps, "stopped")


def test_a_launched_game_that_ends_and_is_started_by_hand_is_captured_again(
    make_game: MakeGame, make_pit: MakePit
) -> None:
    game = make_game("tap", window=False)
    pit = make_pit(game, launch=True, trusted=True)
    pit.play()
    window = pit.all_heard(telemetry.WindowSeen)[-1].window
    assert window is not None
    kill(window.pid)
    pit.expect_state(EngineState.PAUSED, "window_gone")
    game.open()
    pit.expect_state(EngineState.PAUSED, "window_back")
    pit.resume()


def test_a_game_whose_window_was_closed_is_opened_again_in_mid_run(
    make_game: MakeGame, make_pit: MakePit
) -> None:
    game = make_game("tap", window=False)
    pit = make_pit(game, launch=True, trusted=True)
    pit.play()
    assert pit.all_heard(telemetry.GameOpened)[-1].starts
    window = pit.all_heard(telemetry.WindowSeen)[-1].window
    assert window is not None
    kill(window.pid)
    assert "Open it again" in pit.expect_state(EngineState.PAUSED, "window_gone").fix
    pit.send(commands.Resume())
    pit.until(
        lambda: [item for item in pit.all_heard(telemetry.StateChanged) if "Opening" in item.text],
        "the game to be opened again",
    )
    pit.expect_state(EngineState.PAUSED, "window_back")
    reached = len(game.inputs("key_down"))
    pit.resume()
    pit.until(lambda: len(game.inputs("key_down")) > reached, "a key in the new window")


def test_a_first_window_that_the_game_replaces_costs_the_run_nothing(
    make_game: MakeGame, make_pit: MakePit
) -> None:
    game = make_game("tap", window=False, replaces=True)
    pit = make_pit(game, launch=True, trusted=True)
    pit.play()
    pit.until(lambda: game.inputs("key_down"), "a key in the second window")
    assert not [item for item in pit.all_heard(telemetry.StateChanged) if item.cause == "window_gone"]


def test_a_minimised_window_is_waited_for(
    holding_again: tuple[Pit, int], shared_game: SmallGame, hands: SimulatedPerson
) -> None:
    (pit, _), game = holding_again, shared_game
    xdotool("windowminimize", game.window_id())
    until_up(hands)
    waiting = pit.expect_state(EngineState.WAITING, "minimised")
    assert "minimised" in waiting.text
    assert pit.all_heard(telemetry.WindowSeen)[-1].health is WindowHealth.MINIMISED
    xdotool("windowactivate", game.window_id())
    pit.expect_state(EngineState.PLAYING)
    pit.expect(telemetry.StepNote)


@pytest.fixture
def other_window() -> Iterator[list[KeyWindow]]:
    """Further windows of a test; they take the focus when they come."""
    windows: list[KeyWindow] = []
    yield windows
    for window in windows:
        window.close()


def test_a_stolen_focus_is_waited_for_on_a_shared_keyboard(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson, other_window: list[KeyWindow]
) -> None:
    game = make_game("tap", "tap", "hold")
    pit = make_pit(game, settings=LONG_HOLDS.with_value("broker", "own_seat", False))
    run_id = pit.play()
    until_held(pit, hands)
    other_window.append(KeyWindow("another window"))
    waiting = pit.expect_state(EngineState.WAITING, "other")
    assert "focus" in waiting.text
    until_up(hands)
    reached = len(game.inputs("key_down"))
    until(lambda: other_window[0].events(0.5) is not None, "the other window")
    assert len(game.inputs("key_down")) == reached
    assert not [event for event in other_window[0].events() if event.kind == "key_down"]
    other_window[0].close()
    xdotool("windowactivate", game.window_id())
    pit.expect_state(EngineState.PLAYING)
    pit.expect(telemetry.StepNote)
    pit.send(commands.Stop())
    ended = pit.expect(telemetry.RunEnded)
    assert set(ended.summary.refusals) <= {Refusal.FOCUS.value}
    assert_whole(pit.data, run_id, pit.steps, "stopped")


def test_a_stolen_focus_costs_nothing_with_a_keyboard_of_its_own(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson, other_window: list[KeyWindow]
) -> None:
    game = make_game("tap", "tap", "hold")
    pit = make_pit(game, settings=LONG_HOLDS.with_value("broker", "own_seat", True))
    pit.play()
    until_held(pit, hands)
    other_window.append(KeyWindow("another window"))
    until(lambda: hands.focus() == other_window[0].window_id, "the other window's focus")
    for _ in range(20):
        pit.pump()
    assert pit.all_heard(telemetry.StateChanged)[-1].state is EngineState.PLAYING
    assert "ArrowLeft" in hands.keys_down()
    assert not [event for event in other_window[0].events() if event.kind == "key_down"]


def test_a_moved_and_resized_window_is_followed(make_game: MakeGame, make_pit: MakePit) -> None:
    game = make_game("hit")
    pit = make_pit(game)
    pit.play()
    pit.until(lambda: game.inputs("mouse_down"), "a click")
    window = game.window_id()
    xdotool("windowmove", window, "700", "400")
    xdotool("windowsize", window, "640", "480")
    seen = pit.expect(
        telemetry.WindowSeen,
        lambda r: r.window is not None and (r.window.rect.width, r.window.rect.height) == (640, 480),
    )
    assert seen.window is not None
    assert seen.window.rect.x >= 600
    frame = pit.until(
        lambda: next((f for f in [pit.session.frame()] if f and f.pixels.shape == (480, 640, 4)), None),
        "a frame of the new size",
    )
    assert frame.pixels.any()
    clicks = pit.until(
        lambda: [line for line in game.inputs("mouse_down") if line["size"] == [640, 480]][1:],
        "a click in the larger window",
    )
    assert clicks[-1]["pos"] == [480, 120], "the place of 240, 60 in a window of twice the size"
