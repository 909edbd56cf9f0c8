"""A trial judged from true states, runs kept for resuming, scores, noise: without a screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.pitwall_lab.design.recorded_play import record_play

from pitwall.core.errors import DataFolderError, PitwallError
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus
from pitwall.core.observations import Reading as ObservedReading
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.core.signals import Signals
from pitwall.core.telemetry import FrameNote
from pitwall.games.registry import Registry
from pitwall.games.schema.invention import ProposedModule
from pitwall.games.schema.modules import Rule, Trial
from pitwall.gsm.versions import RULES, ModuleFolder
from pitwall_evaluation.agent_process import AgentReports
from pitwall_evaluation.truth.state import TrueState
from pitwall_lab.game_trials.evaluation import score_of
from pitwall_lab.game_trials.last_picture import decoded, last_picture, row_of_pictures
from pitwall_lab.game_trials.messages import Cause, PlayTrace, PlayTrial, RunSetup, TrialRun
from pitwall_lab.game_trials.noise import Reading, TrueNumbers, noise_of, numbers_of, path_of
from pitwall_lab.game_trials.play_summary import play_of
from pitwall_lab.game_trials.results_log import TrialResultsLog
from pitwall_lab.game_trials.trace import TraceRecorder
from pitwall_lab.game_trials.watch import TrialWatch
from pitwall_lab.game_trials.worker import AgentOutcome, judge_run, trial_sandbox
from pitwall_lab.modules.inventing import invent
from pitwall_lab.trials.default_trial import with_trials
from pitwall_lab.trials.twin_trials import trial_named

PIPES = Trial(name="pipes", score="game_state.score", success=3, cap=5, seconds=10)


def _state(score: float, status: str = "playing", *, over: bool = False, **more: Any) -> TrueState:
    return TrueState.model_validate(
        {
            "gameId": "flappy",
            "timestampMs": 0,
            "gameTimeMs": 0,
            "status": status,
            "terminal": {"isTerminal": over, "outcome": "loss" if over else None, "reason": "pipe"},
            "game_state": {"score": score, **more},
        }
    )


# ---- one run


def test_a_run_ends_with_its_first_game() -> None:
    watch = TrialWatch(PIPES)
    states = [_state(0, "menu"), _state(0), _state(4), _state(4, "terminal", over=True), _state(0)]
    text = [watch.take(state, float(second)) for second, state in enumerate(states)]
    assert text == [None, None, None, "terminal", "terminal"], "what comes after the crash does not count"
    assert (watch.score, watch.reason, watch.began_s) == (4.0, "pipe", 1.0)
    assert watch.succeeded()


def test_a_terminal_state_before_the_game_is_played_says_nothing() -> None:
    watch = TrialWatch(PIPES)
    assert watch.take(_state(7, "terminal", over=True), 1.0) is None
    assert watch.score is None
    assert not watch.succeeded()


def test_a_run_ends_at_its_cap_and_when_its_time_is_up() -> None:
    watch = TrialWatch(PIPES)
    watch.take(_state(1), 1.0)
    assert not watch.late(10.9)
    assert watch.late(11.0)
    assert watch.take(_state(5), 2.0) == "cap"


def test_a_score_counts_as_it_stands_at_the_end() -> None:
    watch = TrialWatch(PIPES)
    for value in (1, 4, 2):
        watch.take(_state(value), 1.0)
    watch.take(_state(2, over=True), 2.0)
    assert watch.score == 2.0
    assert not watch.succeeded()


def test_where_less_is_more() -> None:
    watch = TrialWatch(PIPES.model_copy(update={"higher": False, "cap": 1.0}))
    assert watch.take(_state(4), 1.0) is None
    assert not watch.succeeded()
    assert watch.take(_state(1), 1.0) == "cap"
    assert watch.succeeded()


def test_a_score_that_the_true_state_has_not_is_named() -> None:
    watch = TrialWatch(PIPES.model_copy(update={"score": "game_state.scor"}))
    with pytest.raises(PitwallError, match="Did you mean 'score'"):
        watch.take(_state(1), 1.0)


def test_an_open_window_ends_the_play_that_it_shows_first() -> None:
    watch = TrialWatch(PIPES, midway=True)
    states = [_state(9), _state(9, "terminal", over=True), _state(0), _state(4)]
    for second, state in enumerate(states):
        watch.take(state, float(second))
    assert (watch.began_s, watch.score) == (2.0, 4.0)


def test_a_window_without_an_end_counts_what_was_gained() -> None:
    watch = TrialWatch(PIPES, gained=True)
    for value in (40, 41, 43):
        watch.take(_state(value), 1.0)
    assert watch.score == 3.0
    assert watch.succeeded()


def test_a_score_that_is_read_from_the_screen_may_come_later() -> None:
    trial = PIPES.model_copy(update={"score": "game_state.points"})
    watch = TrialWatch(trial, unread=frozenset({"game_state.points"}))
    scores = []
    for second, state in enumerate((_state(0), _state(0, points=4)), start=1):
        assert watch.take(state, float(second)) is None
        scores.append(watch.score)
    assert scores == [None, 4.0]
    assert watch.began_s == 1.0


def test_a_module_without_a_trial_is_judged_by_the_score_of_its_game(tmp_path: Path) -> None:
    dino = Registry(DataFolder(tmp_path)).load("dino")
    trial = trial_named(with_trials(dino, dino.profile.modules[0]), "")
    assert (trial.score, trial.unit, trial.success) == ("game_state.score", "points", 100)
    snake = Registry(DataFolder(tmp_path)).load("snake")
    assert with_trials(snake, snake.profile.modules[0]) == snake.profile.modules[0]


def _note(at_ms: float, score: float | None, action: str, *, status: str = "playing") -> FrameNote:
    values = (("score", score), ("way", "left"))
    return FrameNote(
        frame_id=0,
        captured_ns=round(at_ms * 1e6),
        status=GameStatus(status),
        readings=tuple(ObservedReading(name=name, value=value) for name, value in values),
        signals=Signals(),
        route=None,
        badge="",
        last_action=action,
        held=(),
        interval_ms=100.0,
        age_ms=1.0,
        loop_ms=1.0,
    )


def test_what_was_seen_and_done_in_watched_runs_is_summed_up(tmp_path: Path) -> None:
    recorder = TraceRecorder()
    for number in range(20):
        recorder.take(_note(100.0 * number, float(number), "turn_up" if number < 10 else ""))
    recorder.take(_note(2_100.0, 99.0, "", status="terminal"))
    run = TrialRun(seed=1, score=19.0, cause="terminal", trace=recorder.trace())
    play = play_of(Registry(DataFolder(tmp_path)).load("snake"), [run])
    assert (play.scores, play.ended, play.place) == ((19.0,), {"over": 1}, "screen")
    assert {use.action: (use.share, use.first, use.last) for use in play.actions} == {
        "turn_up": (0.5, 1.0, 0.0),
        "": (0.5, 0.0, 1.0),
    }
    assert play.before_end["score"] == 14.0
    assert play.seen["way"] == ("left",)
    assert (play.seen["score"][0], play.seen["score"][-1]) == (0.0, 19.0)


def test_the_last_picture_has_what_was_seen_drawn_in(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    assert last_picture(data, [_note(600.0, 5.0, "")]) == b"", "nothing was recorded"
    picture = np.full((200, 320, 4), 90, np.uint8)
    record_play(data, "snake", ("left", "right", "up"), ("x", "y"), picture)
    assert last_picture(data, []) == b""
    reading = ObservedReading(name="foe", value=None, box=Rect(100, 60, 40, 30))
    note = replace(_note(600.0, 5.0, ""), readings=(reading,))
    plain, drawn = (
        decoded(last_picture(data, [note])).astype(int) for note in (replace(note, readings=()), note)
    )
    assert plain.shape[0] == drawn.shape[0] == 300
    changed = np.argwhere(np.abs(plain - drawn).max(axis=2) > 60)
    assert len(changed) > 50
    assert changed.min(axis=0)[1] in range(148, 153), "the box is drawn where it was seen, at the new size"
    row = decoded(row_of_pictures([last_picture(data, [note])] * 3))
    assert row.shape[1] <= 960 and row.shape[1] > 2.5 * row.shape[0]
    assert row_of_pictures([]) == b""
    sent = PlayTrace(picture=last_picture(data, [note]))
    assert PlayTrace.model_validate_json(sent.model_dump_json()) == sent


def _outcome(**summary: Any) -> AgentOutcome:
    body: dict[str, Any] = {"what": "the engine process was killed by signal 9.", "fix": "Restart it."}
    if summary:
        body = {"run_id": 1, "summary": summary, "faults": []}
    reports = AgentReports(told_s=0.0)
    reports.answer(body)
    return AgentOutcome(reports, printed="")


def test_a_game_that_ended_without_its_player_does_not_count(tmp_path: Path) -> None:
    seat = RunSetup(game="flappy", game_id="flappy", seed=7, module="fly", version=RULES, data=tmp_path)
    order, watch = PlayTrial(setup=seat, trial=PIPES), TrialWatch(PIPES)
    watch.take(_state(4), 1.0)
    watch.take(_state(4, over=True), 3.5)
    played = judge_run(order, watch, "terminal", 3.5, _outcome(outcome="emergency", frames=70))
    assert (played.score, played.success, played.cause, played.frames) == (4.0, True, "terminal", 70)
    assert (played.seconds, played.why) == (2.5, "the game was over: pipe")

    died = judge_run(order, watch, "terminal", 3.5, _outcome())
    assert (died.score, died.success, died.cause) == (None, False, "outside")
    assert "killed by signal 9" in died.why
    touched = judge_run(order, watch, "cap", 3.5, _outcome(outcome="stopped", takeovers=1))
    assert (touched.score, touched.cause) == (None, "outside")
    assert "touched" in touched.why


@pytest.mark.parametrize("on", [True, False])
def test_a_seat_has_the_invented_module_that_it_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: bool
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    data, switched = DataFolder(tmp_path / "data"), Settings().with_value("gsm", "invent_modules", True)
    rules = [Rule(when="low > 260", action="flap")]
    hover = ProposedModule(name="hover", description="Hold", ends="status != 'playing'", rules=rules)
    invent(data, Registry(data).load("flappy"), hover, switched, by="operator")
    save_settings(data.settings, switched if on else Settings())
    seat = RunSetup(
        game="flappy", game_id="flappy", seed=7, module="hover", version=RULES, data=data.root, screen="here"
    )
    with trial_sandbox(seat) as room:
        played = Registry(room.data).load("flappy").profile
    assert [module.name for module in played.modules] == (["fly", "hover"] if on else ["fly"])
    assert {skill.module for skill in played.skills if skill.module} == ({"hover"} if on else {"fly"})


# ---- many runs


def _run(seed: int, score: float | None, cause: Cause = "terminal") -> TrialRun:
    won = score is not None and score >= PIPES.success
    return TrialRun(seed=seed, score=score, success=won, cause=cause, reaction_p50_ms=float(seed))


def test_a_score_has_intervals_and_every_value() -> None:
    score = score_of(PIPES, [_run(1, 2.0), _run(2, 4.0), _run(3, 9.0)], first_seed=1)
    assert (score.mean, score.values, score.wins, score.runs) == (5.0, (2.0, 4.0, 9.0), 2, 3)
    assert score.low < score.mean < score.high
    assert 0.2 < score.win_low < 2 / 3 < score.win_high < 1.0
    assert (score.where, score.delay_ms, score.first_seed) == ("screen", 2.0, 1)


@pytest.fixture
def folder(tmp_path: Path) -> ModuleFolder:
    data = DataFolder(tmp_path / "data")
    return ModuleFolder(data, Registry(data).load("flappy"), "fly")


def test_finished_runs_outlive_an_evaluation_that_was_broken_off(folder: ModuleFolder) -> None:
    about = folder.about(RULES)
    book = TrialResultsLog(folder, about, PIPES, screen="own")
    book.keep(_run(1, 2.0))
    book.keep(_run(2, None, "outside"))
    with book.file.open("a", encoding="utf-8") as lines:
        lines.write('{"kind": "run", "seed": 3, "sc')  # cut off by a crash
    with pytest.raises(DataFolderError, match="in use"):
        TrialResultsLog(folder, about, PIPES, screen="own")
    book.close()

    again = TrialResultsLog(folder, about, PIPES, screen="own")
    assert set(again.runs) == {1}, "a run that says nothing is played again"
    again.keep(_run(3, 4.0))
    again.close()
    other = TrialResultsLog(folder, about, PIPES.model_copy(update={"cap": 9.0}), screen="own")
    assert other.runs == {}, "another cap is another evaluation"
    other.close()
    last = TrialResultsLog(folder, about, PIPES, screen="own")
    assert set(last.runs) == {1, 3}
    kept = last.complete()
    last.close()
    assert kept.is_file()
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 3
    new = TrialResultsLog(folder, about, PIPES, screen="own")
    assert new.runs == {}, "a complete evaluation is not gone on with"
    new.close()


def test_trials_are_named(folder: ModuleFolder) -> None:
    module = folder.declared
    assert trial_named(module, None).name == module.trials[0].name
    assert trial_named(module, None, cap=7.0).cap == 7.0
    assert trial_named(module, PIPES) is PIPES
    with pytest.raises(PitwallError, match="Did you mean 'pipes'"):
        trial_named(module, "pipe")


# ---- noise


def test_noise_is_found_with_its_lag_and_its_misreadings() -> None:
    chance = np.random.default_rng(3)
    seen, known = [], []
    for frame in range(600):
        at_ms, y = frame * 33.3, 200.0 + 80.0 * np.sin(frame / 9)
        if frame % 3 == 0:
            known.append(TrueNumbers(at_ms, {"game_state.player.bird_y": y, "metrics.flaps": 1.0}))
        read = y + 2.0 + chance.normal(0.0, 1.5)
        values = {"bird_y": 400.0 if frame % 60 == 0 else read, "coast": y, "menu": False}
        seen.append(Reading(at_ms + 20.0, values if frame % 100 else {**values, "bird_y": None}))
    noise, unmatched = noise_of(seen, known, {"bird_y": "px", "coast": "px", "menu": "", "next": "px"})
    result = noise["bird_y"]
    assert unmatched == ("coast",)
    assert result.truth == "game_state.player.bird_y"
    assert result.lag_ms == pytest.approx(20.0, abs=17.0)
    assert result.bias == pytest.approx(2.0, abs=0.4)
    assert result.spread == pytest.approx(1.5, rel=0.2)
    assert 0.02 < result.wrong < 0.07
    assert result.unread == pytest.approx(0.01)


def test_a_field_is_looked_for_by_its_own_name_alone() -> None:
    numbers = numbers_of(_state(3.0, player={"y": 4.0, "alive": True}, boss={"y": 5.0}, speed=1.5))
    assert numbers == {
        "game_state.score": 3.0,
        "game_state.player.y": 4.0,
        "game_state.boss.y": 5.0,
        "game_state.speed": 1.5,
    }
    known = [TrueNumbers(0.0, {**numbers, "raw.fields.speed": 1.0})]
    assert path_of("speed", known) == "raw.fields.speed"
    assert path_of("y", known) == "", "two things have this name"
    assert path_of("alive", known) == ""
