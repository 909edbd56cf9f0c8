"""Tries a model for some minutes: plays a bundled task with it and without it, on the same seeds.

The trial is a suite of two agents under its own id, so an interrupted trial continues where it ended.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from pitwall.core.errors import PitwallError, SettingsError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.models.entry import ModelEntry, ModelTrial
from pitwall.models.registry import ModelRegistry
from pitwall_bench.playing.play import play_suite
from pitwall_bench.suites.comparison import compared
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.spec import AgentSpec, GameTasks, Limits, Seeds, SuiteSpec
from pitwall_bench.suites.surroundings import surroundings
from pitwall_bench.tasks.lookup import task_named

TASK, SECONDS = "mines/open_40", 120.0
"""A short task without a clock, in which the skills sometimes fail: a model can be better."""
LEAST_PAIRS = 3
"""Worlds that both must have played before a result is given (choice)."""
_RUNS_FIT = 4
"""Share of the time that one run may take: a slow model suffers, but still plays enough worlds."""
_AT_MOST = 3
"""Multiple of its time that a trial may take until enough worlds are played (choice)."""
_MOST_SEEDS = 60
_SIDES = _SKILLS, _MODEL = "skills", "model"
Told = Callable[[float, str], None]


class TooFewPairs(PitwallError):
    """The trial ended before it has a result."""


def try_model(
    data: DataFolder,
    entry: ModelEntry,
    *,
    task: str = TASK,
    seconds: float = SECONDS,
    tell: Told = lambda _s, _text: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> ModelTrial | None:
    """Play a task with a model and without it until the time is over, and save the result on its card.

    A stopped trial continues where it ended; a finished one starts over.

    Args:
        tell: called twice a second with the seconds played so far, and a summary of the runs.

    Returns:
        None if it was stopped.

    Raises:
        SettingsError: it writes no text. TooFewPairs: too few worlds were played in the time.
        PitwallError: the task cannot be played.
    """
    if not entry.writes_text:
        raise SettingsError(f"{entry.name} writes no text: it cannot play.", "Choose a GGUF or an endpoint.")
    plan = _plan(data, entry.name, task, seconds)
    folder = SuiteFolder(data, plan.spec.name)
    before = _runs_to_go_on_with(folder, entry, plan, surroundings(plan.spec.agents, data))
    spent_s, began_s = sum(run.unopened_s + run.seconds for run in before), time.monotonic()
    told_s, summary, runs = 0.0, "", list(before)

    def over() -> bool:
        nonlocal told_s
        now_s = time.monotonic()
        took_s = spent_s + now_s - began_s
        if now_s - told_s >= 0.5:
            told_s = now_s
            tell(min(seconds, took_s), summary)
        enough = took_s >= seconds and len(_seeds_of_both(runs)) >= LEAST_PAIRS
        return should_stop() or enough or took_s >= _AT_MOST * seconds

    def finished(run: TaskRun, _board: object) -> None:
        nonlocal summary
        runs.append(run)
        how = "succeeded" if run.success else "did not succeed" if run.played else run.why
        summary = f"seed {run.cell.seed}, {run.cell.agent}: {how}"

    played = play_suite(plan, data, on_run=finished, should_stop=over)
    if should_stop():
        return None
    trial = result_of(list(played.runs.values()), task=task)
    done = len(played.runs)
    folder.show(played.board.model_copy(update={"state": "done", "why": "", "done": done, "of": done}))
    ModelRegistry(data).tried(entry.name, trial)
    return trial


def result_of(runs: Sequence[TaskRun], *, task: str) -> ModelTrial:
    """Compare both sides on the seeds that both played to an end.

    Raises:
        TooFewPairs: they are fewer than `LEAST_PAIRS`; says why runs could not be played.
    """
    both = _seeds_of_both(runs)
    if len(both) < LEAST_PAIRS:
        failed = next((f" One run could not be: {run.why}." for run in runs if not run.played), "")
        raise TooFewPairs(
            f"only {len(both)} of at least {LEAST_PAIRS} worlds were played with the model and without it."
            f"{failed}",
            "Give it longer: pitwall models trial NAME --seconds 600",
        )
    sides = {
        agent: [run for run in runs if run.cell.agent == agent and run.cell.seed in both] for agent in _SIDES
    }
    [comparison] = compared([(_MODEL, sides[_MODEL], _SKILLS, sides[_SKILLS])])
    low, high = comparison.success_low, comparison.success_high
    return ModelTrial(
        task=task,
        pairs=len(both),
        wins=comparison.wins_a,
        skills_wins=comparison.wins_b,
        low=low,
        high=high,
        verdict="better" if low > 0 else "worse" if high < 0 else "no better",
        step_s=_step_s(sides[_MODEL]),
        skills_step_s=_step_s(sides[_SKILLS]),
        tried_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def forget_trial(data: DataFolder, name: str) -> bool:
    """Delete the runs of a model's trial, but not the result on its card; return whether there were any."""
    folder = SuiteFolder(data, _suite_of(name))
    with folder.lock():
        there = folder.exists
    shutil.rmtree(folder.root, ignore_errors=True)
    return there


def _plan(data: DataFolder, name: str, task: str, seconds: float) -> Plan:
    game_id, _, task_id = task.rpartition("/")
    if not game_id:
        raise PitwallError(f"{task!r} names no task.", "Write GAME/TASK; see: pitwall task list")
    game = Registry(data).load(game_id)
    task_named(game, task_id)
    spec = SuiteSpec(
        schema=1,
        name=_suite_of(name),
        description=f"{name} beside the skills it would replace.",
        games=[GameTasks(game=game.game_id, tasks=[task_id])],
        agents=[
            AgentSpec(name=_SKILLS, kind="skills"),
            AgentSpec(name=_MODEL, kind="model", model=name, fast_model=name, ablate=["no-earned-control"]),
        ],
        seeds=Seeds(count=_MOST_SEEDS),
        limits=Limits(seconds=seconds / _RUNS_FIT),
    )
    return Plan(spec, {game.game_id: game}, {game.game_id: game_id})


def _runs_to_go_on_with(
    folder: SuiteFolder, entry: ModelEntry, plan: Plan, around: Mapping[str, str]
) -> list[TaskRun]:
    """Return the runs of an interrupted trial; a finished one, or one of something else, is cleared away."""
    if not folder.exists:
        return []
    begun = folder.begun()
    ended = entry.trial is not None and datetime.fromisoformat(entry.trial.tried_at).timestamp() >= begun.at
    if not ended and not begun.changed(plan.hashes(), around):
        return [run for run in folder.runs().values() if run.ended != "stopped"]
    with folder.lock():
        shutil.rmtree(folder.root, ignore_errors=True)
    return []


def _suite_of(name: str) -> str:
    return f"trial-{re.sub(r'[^A-Za-z0-9._-]', '-', name)}"[:60]


def _seeds_of_both(runs: Sequence[TaskRun]) -> set[int]:
    """Return the worlds that were played to an end both with the model and without it."""
    seeds = {
        agent: {run.cell.seed for run in runs if run.played and run.cell.agent == agent} for agent in _SIDES
    }
    return seeds[_MODEL] & seeds[_SKILLS]


def _step_s(runs: Sequence[TaskRun]) -> float:
    return sum(run.seconds for run in runs) / max(1, sum(run.steps for run in runs))
