"""An unattended play sends the right command after each thing it hears."""

from __future__ import annotations

from typing import Any

import pytest
from tests.plain_records import run_manifest, step_record

from pitwall.core import commands, telemetry
from pitwall.core.actions import SemanticAction
from pitwall.core.observations import GameStatus
from pitwall.core.runs import RunOutcome, RunSummary, Spread
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import EngineState, StateChanged
from pitwall.link.autoplay import AutoPlay

HUNG = StateChanged(state=EngineState.LATCHED, cause="engine_hung", text="The loop stood still too long.")
MANIFEST = run_manifest(game_version="1.0.0", profile_hash="", role="bird", seed=None)


def _step(at_s: int, status: GameStatus) -> StepRecord:
    return step_record(
        at_s,
        at_ns=at_s * 10**9,
        status=status,
        action=SemanticAction(name="rest"),
    )


def test_probe_then_start_then_done() -> None:
    start = commands.Start(seconds=3)
    play = AutoPlay(start, probe_leak=True)
    assert play.react(StateChanged(state=EngineState.OPENING)) == []
    assert play.react(StateChanged(state=EngineState.READY)) == [commands.Probe(name="leak")]
    result = telemetry.ProbeResult(name="leak", passed=True, text="", figures={"leak_pixels": 0})
    assert play.react(result) == [start]
    assert play.react(StateChanged(state=EngineState.OPENING)) == []
    assert play.react(StateChanged(state=EngineState.READY)) == [start], "the window came anew before the run"
    play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
    assert play.react(StateChanged(state=EngineState.READY)) == []
    play.react(telemetry.RunEnded(run_id=4, summary=RunSummary(steps=9), keys_down=0))
    assert play.done
    assert play.result.leak_pixels == 0
    assert play.result.summary == RunSummary(steps=9)


def test_a_probe_that_could_not_run_is_tried_again_and_its_cause_is_told() -> None:
    start = commands.Start(seconds=3)
    play = AutoPlay(start, probe_leak=True)
    probe, gone = commands.Probe(name="leak"), telemetry.ProbeResult(name="leak", passed=False, text="gone")
    assert play.react(StateChanged(state=EngineState.READY)) == [probe]
    assert play.react(gone) == [probe]
    assert play.react(StateChanged(state=EngineState.OPENING)) == []
    assert play.react(gone) == []
    assert play.react(StateChanged(state=EngineState.READY)) == [probe]
    assert play.react(gone) == [start], "a probe that never runs holds no play back"
    assert (play.result.leak_pixels, play.result.leak_cause) == (None, "gone")


def test_a_run_that_models_review_is_over_with_its_review() -> None:
    play = AutoPlay(commands.Start())
    play.react(StateChanged(state=EngineState.READY))
    play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
    play.react(StateChanged(state=EngineState.PLAYING))
    play.react(StateChanged(state=EngineState.READY, cause=telemetry.REVIEWING, text="It is summed up."))
    play.react(telemetry.RunEnded(run_id=4, summary=RunSummary(steps=9), keys_down=0))
    assert not play.done
    play.react(StateChanged(state=EngineState.OPENING))
    assert play.done, "the game's window went away meanwhile: nobody waits for it"


def test_a_game_that_cannot_be_opened_is_the_end() -> None:
    play = AutoPlay(commands.Start())
    play.react(StateChanged(state=EngineState.FAILED, text="no window"))
    assert play.done
    assert play.result.summary is None


def test_a_takeover_ends_an_unattended_run() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True)
    play.react(StateChanged(state=EngineState.READY))
    assert play.react(StateChanged(state=EngineState.PAUSED)) == [commands.Stop()]


def test_a_run_whose_game_stays_in_its_menu_is_ended_where_that_is_asked_for() -> None:
    def told(menu_s: float) -> list[list[Any]]:
        play = AutoPlay(commands.Start(), menu_s=menu_s)
        play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
        course = (
            (1, "playing"),
            (30, "menu"),
            (50, "menu"),
            (55, "playing"),
            (110, "terminal"),
            (116, "menu"),
        )
        steps = [_step(at, GameStatus(status)) for at, status in (*course, (117, "menu"))]
        return [play.react(telemetry.StepNote(run_id=4, step=step)) for step in steps]

    assert told(60.0) == [[], [], [], [], [], [commands.Stop()], []]
    assert not any(told(0.0))


def test_a_hiccup_ends_no_unattended_play() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True)
    play.react(StateChanged(state=EngineState.READY))
    assert play.react(StateChanged(state=EngineState.PAUSED, cause=telemetry.HICCUP)) == []
    assert play.react(StateChanged(state=EngineState.PAUSED, cause="takeover")) == [commands.Stop()]


def test_a_window_that_went_away_is_waited_for_and_the_run_goes_on() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True)
    play.react(StateChanged(state=EngineState.READY))
    assert play.react(StateChanged(state=EngineState.PAUSED, cause="window_gone")) == []
    assert play.react(StateChanged(state=EngineState.PAUSED, cause="window_back")) == [commands.Resume()]


def test_a_run_that_breaks_off_says_why() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True)
    play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
    summary = RunSummary(outcome="lost_window", seconds=2.5, steps=9)
    play.react(telemetry.RunEnded(run_id=4, summary=summary, keys_down=0))
    assert not _is_done(play), "the reason comes next"
    play.react(StateChanged(state=EngineState.FAILED, text="The window was closed.", fix="Start it."))
    assert play.result.breakdown == (
        "run 4 broke off after 2 s and 9 steps: The window was closed.",
        "Start it.",
    )
    assert _is_done(play)


def test_a_game_that_failed_before_the_runs_last_commit_is_the_end_once_that_came() -> None:
    play = AutoPlay(commands.Start())
    play.react(StateChanged(state=EngineState.READY))
    play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
    play.react(StateChanged(state=EngineState.FAILED, text="its program ended with status 7."))
    assert not _is_done(play), "the summary comes later"
    summary = RunSummary(outcome="lost_window", seconds=2.5, steps=9)
    play.react(telemetry.RunEnded(run_id=4, summary=summary, keys_down=0))
    assert _is_done(play)
    assert "with status 7" in play.result.breakdown[0]


def test_a_run_whose_end_the_disk_refused_is_over() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True)
    play.react(StateChanged(state=EngineState.READY))
    play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
    full = StateChanged(state=EngineState.PAUSED, cause="recording", text="The disk is full.")
    assert play.react(full) == [commands.Stop()]
    play.react(StateChanged(state=EngineState.FAILED, cause="recording", text="The disk is full."))
    assert _is_done(play), "its summary comes only once there is room"


def test_a_run_that_a_busy_machine_stopped_is_resumed_after_a_rest_where_that_is_asked_for() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True, hang_rest_s=3)
    play.react(StateChanged(state=EngineState.READY))
    for _ in range(10):
        assert play.react(HUNG) == []
        assert _seconds(play, 3) == [[], [], [commands.Resume()]]
        play.react(StateChanged(state=EngineState.PLAYING))
        assert not any(_seconds(play, 4))
    assert play.react(HUNG) == [commands.Stop()], "the machine does not get well"


def test_a_resume_that_is_refused_is_tried_again_and_a_persons_stop_holds() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True, hang_rest_s=2)
    play.react(StateChanged(state=EngineState.READY))
    play.react(HUNG)
    assert _seconds(play, 22) == [[], [commands.Resume()]] * 10 + [[], [commands.Stop()]]
    play = AutoPlay(commands.Start(), stop_on_takeover=True, hang_rest_s=2)
    play.react(StateChanged(state=EngineState.READY))
    play.react(HUNG)
    assert play.react(StateChanged(state=EngineState.LATCHED, cause="hotkey")) == [commands.Stop()]
    assert not any(_seconds(play, 5))


def test_a_run_that_a_busy_machine_stopped_is_over_where_nothing_else_is_asked_for() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True)
    play.react(StateChanged(state=EngineState.READY))
    assert play.react(HUNG) == [commands.Stop()]
    assert not any(_seconds(play, 5))


def test_a_run_that_was_stopped_for_a_frozen_game_is_over_and_says_why() -> None:
    play = AutoPlay(commands.Start(), stop_on_takeover=True)
    play.react(StateChanged(state=EngineState.READY))
    play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
    frozen = StateChanged(state=EngineState.PAUSED, cause="frozen", text="It is frozen.", fix="End it.")
    assert play.react(frozen) == [commands.Stop()]
    play.react(StateChanged(state=EngineState.READY, text="It is in view."))
    summary = RunSummary(outcome="lost_window", seconds=2.5, steps=9)
    play.react(telemetry.RunEnded(run_id=4, summary=summary, keys_down=0))
    assert _is_done(play), "no other reason will come"
    assert play.result.breakdown == ("run 4 broke off after 2 s and 9 steps: It is frozen.", "End it.")


def test_why_nothing_was_played() -> None:
    def told(*states: StateChanged, steps: int = 0, outcome: RunOutcome = "finished") -> str:
        play = AutoPlay(commands.Start())
        play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
        for state in states:
            play.react(state)
        summary = RunSummary(outcome=outcome, seconds=2.5, steps=steps)
        play.react(telemetry.RunEnded(run_id=4, summary=summary, keys_down=0))
        return " ".join(play.result.shortfall)

    waiting = StateChanged(state=EngineState.WAITING, text="It lacks the focus.", fix="Click it.")
    playing = StateChanged(state=EngineState.PLAYING)
    assert told(waiting) == "run 4 ended after 2 s without a step: It lacks the focus. Click it."
    assert "nothing was decided" in told(waiting, playing)
    assert told(waiting, steps=1) == " "
    hung = StateChanged(state=EngineState.LATCHED, cause="engine_hung", text="The engine was silent.")
    by_key = StateChanged(state=EngineState.LATCHED, cause="hotkey", text="Stopped by its key.")
    assert told(hung, steps=3, outcome="hung").startswith("run 4 was stopped after 2 s and 3 steps")
    assert told(by_key, steps=3, outcome="emergency") == " "


@pytest.mark.parametrize("cause", ["broker", "recording", "steering", telemetry.UNSAFE])
def test_a_pause_that_nobody_asked_for_is_a_fault(cause: str) -> None:
    def told(state: EngineState) -> str:
        play = AutoPlay(commands.Start())
        play.react(telemetry.RunBegan(run_id=4, manifest=MANIFEST, at_ns=1))
        play.react(StateChanged(state=state, cause=cause, text="It failed."))
        summary = RunSummary(outcome="stopped", seconds=2.5, steps=3)
        play.react(telemetry.RunEnded(run_id=4, summary=summary, keys_down=0))
        return play.result.shortfall[0]

    assert told(EngineState.PAUSED) == "run 4 was stopped after 2 s and 3 steps: It failed."
    assert told(EngineState.WAITING) == "", "it plays on by itself"


def _seconds(play: AutoPlay, count: int) -> list[list[Any]]:
    """Let seconds pass; return what is sent after each."""
    none = Spread()
    figures = telemetry.Stats(
        capture_hz=30.0, frames=1, dropped_frames=0, loop_ms=none, reaction_ms=none, frame_age_ms=none
    )
    return [play.react(figures) for _ in range(count)]


def _is_done(play: AutoPlay) -> bool:
    return play.done
