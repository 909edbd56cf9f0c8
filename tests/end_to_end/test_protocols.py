"""The paused protocol on a real window whose time can be held still, and what is said where it cannot be."""

from __future__ import annotations

from itertools import pairwise

from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import kill
from tests.end_to_end.game import SmallGame, xdotool
from tests.patience import LIGHT

from pitwall.core import commands, telemetry
from pitwall.core.settings import ControlSettings
from pitwall.core.signals import Route
from pitwall.core.telemetry import EngineState
from workshop.fixtures.simulated_person import SimulatedPerson

TAP_MS = 120.0
PAUSED = LIGHT.model_copy(
    update={"control": ControlSettings(protocol="paused", planner="random", effect_wait_ms=50)}
)


def _releases(game: SmallGame) -> list[float | None]:
    return [line["ms"] for line in game.inputs("resume")]


def _taps(game: SmallGame) -> int:
    """The agent's presses, without the harmless key that is tried before the first run."""
    return sum(line["key"] == "space" for line in game.inputs("key_down"))


def test_the_game_runs_for_each_action_and_is_held_by_a_pause_and_let_go_at_the_end(
    make_game: MakeGame, make_pit: MakePit
) -> None:
    game = make_game("tap", window=False, steered=True)
    settings = PAUSED.with_value("control", "planner", "skills")
    pit = make_pit(game, launch=True, trusted=True, settings=settings)
    pit.play(steps=4)
    ended = pit.expect(telemetry.RunEnded)
    assert ended.summary.steps == 4
    releases = _releases(game)
    assert releases == [TAP_MS] * 4 + [None]  # for each action's length; at the end it is let go
    holds = [line["game_ms"] for line in game.inputs("pause")]
    passed = [later - earlier for earlier, later in pairwise(holds)]
    assert all(0 < ms <= TAP_MS + 0.001 for ms in passed)
    assert _taps(game) == 4
    playing = [item for item in pit.all_heard(telemetry.StateChanged) if item.state is EngineState.PLAYING]
    assert "stands still" in playing[0].text

    pit.play_again()
    pit.until(lambda: len(pit.steps) >= 2, "steps")
    pit.send(commands.Pause())
    pit.expect_state(EngineState.PAUSED)
    assert "stands still" in pit.all_heard(telemetry.StateChanged)[-1].text
    released = len(_releases(game))
    pit.resume()
    pit.until(lambda: len(_releases(game)) > released, "the game to run for the next action")
    assert _releases(game)[released - 1 :] == [TAP_MS] * (len(_releases(game)) - released + 1)
    pit.send(commands.Stop())
    pit.expect(telemetry.RunEnded)
    pit.until(lambda: _releases(game)[-1] is None, "the game to be let go at the end")


def test_a_game_that_is_opened_again_in_mid_run_is_held_between_actions_as_before(
    make_game: MakeGame, make_pit: MakePit
) -> None:
    game = make_game("tap", window=False, steered=True)
    pit = make_pit(game, launch=True, trusted=True, settings=PAUSED)
    pit.play()
    pit.until(lambda: len(pit.steps) >= 2, "steps")
    window = pit.all_heard(telemetry.WindowSeen)[-1].window
    assert window is not None
    kill(window.pid)
    pit.expect_state(EngineState.PAUSED, "window_gone")
    pit.send(commands.Resume())
    pit.expect_state(EngineState.PAUSED, "window_back")
    released = len(_releases(game))
    pit.resume()
    pit.until(lambda: len(_releases(game)) > released, "the new game to run for an action", 20.0)


def test_the_first_steps_are_done_again_before_the_agent_decides(
    make_game: MakeGame, make_pit: MakePit
) -> None:
    game = make_game("tap", window=False, steered=True)
    settings = PAUSED.with_value("control", "planner", "idle")
    pit = make_pit(game, launch=True, trusted=True, settings=settings)
    pit.play(steps=4, repeat=("tap", "", "tap"))
    pit.expect(telemetry.RunEnded)
    assert [str(step.action) for step in pit.steps] == ["tap", "no_op", "tap", "no_op"]
    assert _taps(game) == 2
    assert "repeated" in pit.steps[2].why
    assert "idle" in pit.steps[3].why.lower()


def test_a_person_plays_until_the_cap_and_nothing_is_sent(
    make_game: MakeGame, make_pit: MakePit, hands: SimulatedPerson
) -> None:
    game = make_game("tap", window=False)
    settings = LIGHT.with_value("control", "player", "person")
    pit = make_pit(game, launch=True, trusted=True, settings=settings)
    pit.play(steps=2)
    xdotool("key", "Left")
    pit.expect(telemetry.StepNote)
    hands.key("Space", down=True)
    hands.key("Space", down=False)
    summary = pit.expect(telemetry.RunEnded).summary
    assert [(str(step.action), step.route) for step in pit.steps] == [
        ("press_key(key=ArrowLeft)", Route.PERSON),
        ("press_key(key=Space)", Route.PERSON),
    ]
    assert (summary.routes, summary.events_sent, summary.takeovers) == ({"person": 2}, 0, 0)
    assert pit.all_heard(telemetry.RunBegan)[0].manifest.planner == "person"
    assert [line["key"] for line in game.inputs("key_down")] == ["left", "space"]


def test_what_cannot_be_played_is_said_and_no_run_begins(make_game: MakeGame, make_pit: MakePit) -> None:
    cases = [
        ({"protocol": "paused"}, "cannot be paused"),
        ({"interface": "computer-use"}, "named actions"),
        ({"player": "person", "protocol": "paused"}, "real time"),
    ]
    pit = make_pit(make_game("tap", window=False), launch=True, trusted=True, settings=LIGHT)
    for changed, words in cases:
        pit.expect_state(EngineState.READY)
        control = ControlSettings.model_validate(changed)
        pit.session.send(commands.SetSettings(settings=LIGHT.model_copy(update={"control": control})))
        pit.session.send(commands.Start(steps=2))
        assert words in pit.expect_state(EngineState.FAILED).text
        pit.session.send(commands.Start())  # after a failure: look for the game again
    assert not pit.all_heard(telemetry.RunBegan)
