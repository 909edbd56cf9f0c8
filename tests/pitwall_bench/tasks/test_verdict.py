"""Why a run ended: one word and one sentence for everything that can happen to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pitwall.core.paths import DataFolder
from pitwall.core.runs import Difficulty, RunSummary, TierFigures
from pitwall.core.settings import Settings
from pitwall.core.telemetry import EngineState, StateChanged
from pitwall.games.schema.profile import Game, Profile, Task
from pitwall_bench.suites.bounds import Bounds, bounds_of
from pitwall_bench.suites.results import Cell
from pitwall_bench.suites.spec import AgentSpec, Limits
from pitwall_bench.suites.statistics import row_of
from pitwall_bench.tasks.command import command_of, seconds_of, settings_of
from pitwall_bench.tasks.messages import PlayTask
from pitwall_bench.tasks.runner import SleepWatch
from pitwall_bench.tasks.verdict import RunCircumstances, task_run, verdict
from pitwall_bench.tasks.watch import TaskWatch
from pitwall_evaluation.agent_process import AgentReports
from pitwall_evaluation.truth.state import TrueState

TASK = Task(
    id="t", instruction="Do it.", score="metrics.a", target=10, steps=40, role="left", scenario="hard"
)


def order(kind: str = "skills", **agent: Any) -> PlayTask:
    return PlayTask(
        cell=Cell(game="g", task="t", agent="a", seed=7),
        game="g",
        agent=AgentSpec.model_validate({"name": "a", "kind": kind, **agent}),
        protocol="paused",
        limits=Limits(),
        data=Path("/operator"),
        session=Path("/session"),
        screen="here" if kind == "person" else "own",
    )


def failed(cause: str, text: str = "It failed.") -> StateChanged:
    return StateChanged(state=EngineState.FAILED, cause=cause, text=text, fix="Mend it.")


def held(cause: str, state: EngineState = EngineState.LATCHED) -> StateChanged:
    return StateChanged(state=state, cause=cause, text="It was held.", fix="")


def begun(outcome: str = "stopped", **more: Any) -> dict[str, Any]:
    figures = {name: more.pop(name) for name in ("takeovers", "ended_by") if name in more}
    summary = RunSummary(outcome=outcome, **figures)  # type: ignore[arg-type]
    return {"run_id": 1, "began_s": 3.0, "summary": summary, **more}


PLAYED = {"opened_s": 5.0, "ended_s": 25.0}


@pytest.mark.parametrize(
    ("heard", "around", "ended", "told"),
    [
        ({"failed": failed("LaunchFailed", "x needs y.")}, {}, "launch", "x needs y. Mend it."),
        ({"failed": failed("UntrustedPlugin")}, {}, "launch", "It failed."),
        ({"failed": failed("NeverShown")}, {}, "not_ready", "It failed."),
        ({"error": "UnknownModel", "complaint": "no model."}, {}, "launch", "no model."),
        ({"error": "ChildDied", "complaint": "the engine died."}, {}, "crashed", "the engine died."),
        ({"complaint": "Traceback"}, {}, "launch", "Traceback"),
        ({"state": held("window", EngineState.OPENING)}, {"ended_s": 95.0}, "not_ready", "within 90 s"),
        (begun(), {"ended_s": 95.0, "loading": True}, "not_ready", "still said that it loads"),
        (begun(), {"ended_s": 95.0, "complaint": "nothing was written."}, "truth", "nothing was written."),
        (begun(), {**PLAYED, "lost": True, "complaint": "it is gone."}, "truth", "it is gone."),
        (begun("finished"), {**PLAYED, "complaint": "never read score."}, "truth", "never read score."),
        (begun("finished", steps=40), PLAYED, "steps", "40 of 40"),
        (begun("finished", steps=4), {"opened_s": 5.0, "ended_s": 905.0}, "time", "900 s"),
        (begun(steps=4), {"opened_s": 5.0, "ended_s": 905.0}, "time", "900 s"),
        (begun("finished", steps=4, ended_by="calls"), PLAYED, "calls", "budget of calls"),
        (begun("finished", steps=4, ended_by="tokens"), PLAYED, "tokens", "budget of tokens"),
        (begun("finished", steps=4), PLAYED, "time", "its time was over"),
        (begun("finished"), PLAYED, "time", "before the agent made a step: nothing was decided"),
        (begun("lost_window", held=held("window_gone", EngineState.PAUSED)), PLAYED, "crashed", "held"),
        (begun("crashed", fault="Boom."), PLAYED, "crashed", "Boom."),
        ({"run_id": 1, "began_s": 3.0}, {**PLAYED, "words": "segfault"}, "crashed", "segfault"),
        (begun("emergency", held=held("broker", EngineState.PAUSED)), PLAYED, "crashed", "held"),
        (begun("hung", held=held("engine_hung")), PLAYED, "outside", "too busy"),
        (begun("lost_window", held=held("display")), PLAYED, "outside", "held"),
        (begun("emergency", held=held("hotkey")), PLAYED, "outside", "held"),
        (begun(held=held("takeover", EngineState.PAUSED)), PLAYED, "outside", "somebody touched"),
        (begun("finished", takeovers=1), PLAYED, "outside", "somebody touched"),
        (begun(), {**PLAYED, "asked": True}, "stopped", "asked"),
        (begun(), {**PLAYED, "screen_gone": True}, "outside", "screen"),
        (begun(), {**PLAYED, "slept_s": 90.0}, "outside", "slept for 90 s"),
        (begun(), {**PLAYED, "silent_s": 61.0}, "crashed", "said nothing for 61 s"),
    ],
)
def test_why_a_run_ended(heard: dict[str, Any], around: dict[str, Any], ended: str, told: str) -> None:
    watch = TaskWatch(TASK, seconds=900)
    watch.stepped(heard.get("steps", 0))
    word, why = verdict(
        order(), watch, AgentReports(told_s=0.0, **heard), RunCircumstances(started_s=0.0, **around)
    )
    assert word == ended
    assert told in why


def test_what_was_decided_counts_only_where_the_agent_played_until_then() -> None:
    watch = TaskWatch(TASK)
    around = RunCircumstances(started_s=0.0, opened_s=5.0, ended_s=25.0)
    watch.ended, watch.why = "terminal", "it was lost"
    assert verdict(order(), watch, AgentReports(0.0, **begun()), around)[0] == "terminal"
    assert verdict(order(), watch, AgentReports(0.0, **begun("crashed")), around)[0] == "crashed"
    assert verdict(order(), watch, AgentReports(0.0, run_id=1), around)[0] == "crashed"
    assert verdict(order(), watch, AgentReports(0.0, **begun(takeovers=1)), around)[0] == "outside"
    assert verdict(order("person"), watch, AgentReports(0.0, **begun(takeovers=1)), around)[0] == "terminal"
    watch.ended = "target"
    assert verdict(order(), watch, AgentReports(0.0, **begun("crashed")), around)[0] == "target", (
        "it was reached"
    )


def test_the_command_is_the_one_that_a_person_could_type() -> None:
    agent = {
        "model": "mine",
        "workflow": "gamesense",
        "memory": "rounds",
        "rounds": 4,
        "ablate": ["no-override"],
        "layer": ["L4=freeze"],
        "settings": {"models.seed": 3, "memory.write": False},
        "modules": {"fly": "v2"},
    }
    session, bounds = DataFolder(Path("/session")), Bounds(40, 120, None)
    words = command_of(order("model", **agent), TASK, session, bounds=bounds, seconds=None)
    text = " ".join(words)
    for part in (
        f"run --game g --data {Path('/session').resolve()} --seed 7 --steps 40 --calls 120",
        "--calls 120 --instruction Do it.",
        "--role left --scenario hard --workflow gamesense --model mine --ablate no-override",
        "--layer L4=freeze --module fly=v2",
        "--setting models.seed=3 --setting memory.write=false",
        "--setting control.planner=model",
        "--setting control.protocol=paused",
        "--setting memory.form=rounds --setting memory.rounds=4",
    ):
        assert part in text
    assert "--seconds" not in words, "a model may think for long"
    assert "--fast-model" not in words


def test_skills_play_without_the_model_that_the_operator_chose() -> None:
    assert settings_of(order("skills"))["models.fast"] == ""
    asked = settings_of(order("skills", settings={"models.fast": "mine"}))
    assert asked["models.fast"] == "mine"
    assert "models.fast" not in settings_of(order("model", model="mine"))


def test_a_score_that_stands_at_its_target_when_the_time_ends_a_run_is_a_success() -> None:
    task = TASK.model_copy(update={"standing": "metrics.standing", "start": 0.0})
    for standing, ended in ((12, "target"), (4, "time")):
        watch = TaskWatch(task, seconds=20)
        watch.stepped(4)
        metrics = {"a": 0, "standing": standing}
        watch.take(TrueState.model_validate({**_STATE, "metrics": metrics}))
        around = RunCircumstances(started_s=0.0, opened_s=5.0, ended_s=25.0)
        assert verdict(order(), watch, AgentReports(0.0, **begun(steps=4)), around)[0] == ended


_STATE = {"gameId": "g", "timestampMs": 1.0, "gameTimeMs": 1.0, "status": "playing"}


@pytest.mark.parametrize(
    ("limits", "difficulty", "bounds"),
    [
        ({}, None, Bounds(40, None, None)),
        ({"steps": 99}, None, Bounds(40, None, None)),
        ({"steps": 9, "tokens": 500}, None, Bounds(9, None, 500)),
        ({"by_difficulty": "steps"}, "easy", Bounds(30, None, None)),
        ({"by_difficulty": "calls"}, None, Bounds(800, 200, None)),
        ({"by_difficulty": "calls", "calls": 50, "steps": 70}, "easy", Bounds(70, 50, None)),
    ],
)
def test_bounds_follow_the_difficulty_of_the_task_else_of_its_game(
    limits: dict[str, Any], difficulty: Difficulty | None, bounds: Bounds
) -> None:
    game = made_game({"id": "g", "name": "G", "difficulty": "medium"})
    task = TASK.model_copy(update={"difficulty": difficulty})
    assert bounds_of(game, task, Limits.model_validate(limits)) == bounds


def made_game(about: dict[str, Any]) -> Game:
    action = {"name": "go", "keys": ["Space"]}
    profile = Profile.model_validate(
        {
            "game": about,
            "screen": {"width": 8, "height": 8},
            "controls": {"keys": ["Space"]},
            "actions": [action],
        }
    )
    return Game(profile=profile, folder=Path(), profile_hash="", trusted=True, source="path")


@pytest.mark.parametrize("kind", ["skills", "model", "random", "idle", "person"])
def test_every_setting_of_the_command_is_one(kind: str) -> None:
    settings = Settings()
    for name, value in settings_of(order(kind)).items():
        section, _, key = name.partition(".")
        settings = settings.with_value(section, key, value)
    assert settings.control.player == ("person" if kind == "person" else "agent")
    assert settings.control.protocol == "paused"
    assert settings.recording.video is False
    assert (settings.models.analysis, settings.models.evolution) == ("", ""), "nobody reviews a task's run"


def test_who_does_not_think_has_a_bound_of_time() -> None:
    assert seconds_of(order("model"), 40) is None
    assert seconds_of(order("idle"), 40) == 260


def test_a_machine_that_is_awake_has_not_slept() -> None:
    assert SleepWatch().slept_s() == 0


def test_a_machine_that_slept_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = iter([100.0, 101.0, 145.0])
    monkeypatch.setattr("pitwall_bench.tasks.runner._behind_s", lambda: next(behind))
    watch = SleepWatch()
    assert watch.slept_s() == 0, "clocks may drift a little"
    assert watch.slept_s() == 45


@pytest.mark.parametrize(("failed_calls", "ended"), [(5, "outside"), (2, "terminal")])
def test_what_was_played_without_its_model_does_not_count(failed_calls: int, ended: str) -> None:
    watch = TaskWatch(TASK)
    watch.ended, watch.why = "terminal", "it was lost"
    tiers = {"strategic": TierFigures(model="far", calls=5, failed=failed_calls)}
    heard = AgentReports(0.0, run_id=1, summary=RunSummary(outcome="finished", tiers=tiers))
    around = RunCircumstances(started_s=0.0, opened_s=5.0, ended_s=25.0)
    assert verdict(order("skills"), watch, heard, around)[0] == "terminal", "skills need no model"
    word, why = verdict(order("model"), watch, heard, around)
    assert word == ended and ("far answered 0 of 5 calls" in why) is (ended == "outside")


@pytest.mark.parametrize(
    ("figures", "proposed"),
    [
        ({"steps": 40, "deciders": {"skills": 40}}, 0),
        ({"steps": 40, "deciders": {"skills": 10, "reflexes": 30}}, 30),
        ({"steps": 40, "proposed_actions": 12, "deciders": {"model": 40}}, 12),
    ],
)
def test_steps_that_no_model_proposed_are_no_proposals(figures: dict[str, Any], proposed: int) -> None:
    heard = AgentReports(0.0, run_id=1, summary=RunSummary(outcome="finished", **figures))
    around = RunCircumstances(started_s=0.0, opened_s=5.0, ended_s=25.0)
    run = task_run(order(), made_game({"id": "g", "name": "G"}), TASK, TaskWatch(TASK), heard, around)
    assert run.proposed == proposed
    assert row_of([run]).iar == (0.0 if proposed else None)
