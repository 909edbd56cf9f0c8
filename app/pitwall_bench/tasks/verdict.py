"""Judges a run of a task: why it ended, as a code and a sentence, and its figures."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from pitwall.core.runs import RunSummary
from pitwall.games.schema.profile import Game, Task
from pitwall_bench.suites.bounds import difficulty_of
from pitwall_bench.suites.results import PLAYED, Cell, EndReason, TaskRun
from pitwall_bench.tasks.messages import PlayTask
from pitwall_bench.tasks.watch import TaskWatch
from pitwall_evaluation.agent_process import AgentReports

_NEVER_READY = ("NeverShown",)
_SCREEN = ("DisplayError", "display")
_BROKEN = ("ChildDied", "broker", "window_gone", "window_back", "recording", "WindowLost")


@dataclass(slots=True)
class RunCircumstances:
    """The circumstances of a run, besides its own reports.

    Attributes:
        started_s, opened_s, ended_s: monotonic; opened_s is None if it never could be played.
        loading: a true state said that the game is still loading.
        asked: the client asked the worker to end it. slept_s: of the machine.
        silent_s: how long the agent was silent, if that ended it; else 0.
        complaint: why there is no true state. lost: there was one, and then no more.
        screen_gone: the screen no longer exists.
        other_fault: why the other side ended too early; empty: it did not.
    """

    started_s: float
    opened_s: float | None = None
    ended_s: float = 0.0
    loading: bool = False
    asked: bool = False
    slept_s: float = 0.0
    silent_s: float = 0.0
    complaint: str = ""
    lost: bool = False
    screen_gone: bool = False
    other_fault: str = ""
    words: str = ""

    @property
    def unopened_s(self) -> float:
        """Return the seconds from the start until it could be played."""
        return (self.ended_s if self.opened_s is None else self.opened_s) - self.started_s

    @property
    def seconds(self) -> float:
        """Return the seconds of play."""
        return 0.0 if self.opened_s is None else max(0.0, self.ended_s - self.opened_s)


def verdict(
    order: PlayTask, watch: TaskWatch, heard: AgentReports, around: RunCircumstances
) -> tuple[EndReason, str]:
    """Return why the run ended. A decision by the true state counts if the agent played until then.

    What ended to its own end, but without its model, does not count: others played in the model's place.
    """
    ended, why = _ended(order, watch, heard, around)
    gone = _model_gone(order, heard.summary) if ended in PLAYED else ""
    return ("outside", gone) if gone else (ended, why)


def _model_gone(order: PlayTask, summary: RunSummary | None) -> str:
    """Return a sentence if a model's agent played mostly without an answer of the model; else nothing."""
    tiers = summary.tiers if summary is not None and order.agent.kind == "model" else {}
    calls = sum(tier.calls for tier in tiers.values())
    failed = sum(tier.failed for tier in tiers.values())
    if 2 * failed <= calls:
        return ""
    models = ", ".join(dict.fromkeys(tier.model for tier in tiers.values() if tier.failed))
    return f"{models or 'its model'} answered {calls - failed} of {calls} calls: is its endpoint open?"


def _ended(
    order: PlayTask, watch: TaskWatch, heard: AgentReports, around: RunCircumstances
) -> tuple[EndReason, str]:
    if around.slept_s:
        return "outside", f"the machine slept for {around.slept_s:.0f} s in mid-run."
    if order.agent.kind != "person" and heard.summary is not None and heard.summary.takeovers:
        return "outside", "somebody touched keyboard or pointer."
    if around.other_fault and watch.ended is None:
        return "crashed", around.other_fault
    if watch.ended is not None:
        dead = heard.summary is None or heard.summary.outcome == "crashed"
        if watch.ended not in ("target", "truth") and dead:
            return "crashed", _died(heard, around)
        return watch.ended, watch.why
    if around.asked:
        return "stopped", "it was asked to stop."
    if around.screen_gone:
        return "outside", "the screen was lost."
    if heard.run_id is None:
        return _unbegun(order, heard, around)
    if around.silent_s:
        return "crashed", f"the agent said nothing for {around.silent_s:.0f} s."
    if heard.summary is None or heard.summary.outcome != "finished":
        return _broken(order, watch, heard, around)
    return _spent(watch, heard, around)


def _unbegun(order: PlayTask, heard: AgentReports, around: RunCircumstances) -> tuple[EndReason, str]:
    """Return why no run was begun."""
    failed = heard.failed
    if failed is not None or heard.error:
        cause = failed.cause if failed is not None else heard.error
        message = f"{failed.text} {failed.fix}".strip() if failed is not None else heard.complaint
        if cause in _NEVER_READY:
            return "not_ready", message
        return ("crashed" if cause == "ChildDied" else "launch"), message
    if around.unopened_s >= order.limits.opening_s:
        state = heard.state.text if heard.state is not None else "the agent did not open it."
        return "not_ready", f"it was not ready within {order.limits.opening_s:g} s: {state}"
    return "launch", _died(heard, around)


def _broken(
    order: PlayTask, watch: TaskWatch, heard: AgentReports, around: RunCircumstances
) -> tuple[EndReason, str]:
    """Judge a run that began, but that neither the true state nor its budget ended."""
    if around.lost:
        return "truth", around.complaint
    if around.opened_s is None and around.unopened_s >= order.limits.opening_s:
        waited = f"within {order.limits.opening_s:g} s"
        if around.loading:
            return "not_ready", f"the game still said that it loads: it was not ready {waited}."
        return "truth", f"no true state came {waited}: {around.complaint}"
    if watch.late(around.seconds):
        watch.close(seconds=around.seconds)
        return ("target" if watch.success else "time"), watch.why
    held = heard.held or heard.failed
    message = f"{held.text} {held.fix}".strip() if held is not None else ""
    cause = held.cause if held is not None else ""
    if cause in _SCREEN:
        return "outside", message or "the screen was lost."
    if cause == "takeover":
        return "outside", "somebody touched keyboard or pointer."
    if cause == "engine_hung":
        return "outside", f"the machine was too busy (load {load():.1f}): {message}"
    lost = heard.summary is not None and heard.summary.outcome in ("lost_window", "crashed")
    if heard.summary is None or lost or cause in _BROKEN:
        return "crashed", _died(heard, around)
    return "outside", message or "the run was stopped from outside."


def _spent(watch: TaskWatch, heard: AgentReports, around: RunCircumstances) -> tuple[EndReason, str]:
    """Judge a run that used up its budget."""
    if around.opened_s is None and around.loading:
        return "not_ready", "the game said that it loads until the run's end."
    if watch.best is None and around.complaint:
        return "truth", around.complaint
    watch.close(seconds=around.seconds, ended_by=heard.summary.ended_by if heard.summary is not None else "")
    if watch.ended is not None:
        return watch.ended, watch.why
    if heard.steps:
        return "time", "its time was over"
    idle = heard.held.text if heard.held is not None else "nothing was decided by then."
    return "time", f"its time was over before the agent made a step: {idle}"


def _died(heard: AgentReports, around: RunCircumstances) -> str:
    state = heard.failed or heard.held
    message = state.text if state is not None else ""
    problem = " ".join(dict.fromkeys(part for part in (message, heard.fault, heard.complaint) if part))
    words = f" The game said: {around.words}" if around.words else ""
    return (problem or "the agent ended without a word.") + words


def task_run(
    order: PlayTask, game: Game, task: Task, watch: TaskWatch, heard: AgentReports, around: RunCircumstances
) -> TaskRun:
    """Build the result of a run."""
    ended, why = verdict(order, watch, heard, around)
    played = around.opened_s is not None
    summary = heard.summary
    figures = summary or RunSummary()
    truth = game.profile.truth
    return TaskRun(
        **_place(order.cell, game),
        ended=ended,
        why=why,
        success=ended == "target",
        progress=watch.progress if played else None,
        score=watch.best,
        start=watch.start,
        target=task.target,
        unit=truth.unit if truth is not None else "",
        verified=truth is None or truth.verified,
        steps=max(heard.steps, figures.steps),
        resets=watch.resets,
        unopened_s=around.unopened_s,
        seconds=around.seconds,
        proposed=figures.proposed_actions or figures.deciders.get("reflexes", 0),
        invalid=figures.illegal_actions if figures.proposed_actions else figures.invalid,
        refusals=figures.refusals,
        difficulty=difficulty_of(game, task),
        summary=summary,
        run_id=heard.run_id,
        load=load(),
        at=time.time(),
    )


def unplayed_run(order: PlayTask, game: Game, task: Task, ended: EndReason, why: str) -> TaskRun:
    """Build the result of a run that could not even begin."""
    return TaskRun(
        **_place(order.cell, game), ended=ended, why=why, target=task.target, load=load(), at=time.time()
    )


def load() -> float:
    """Return the machine's load average over one minute."""
    return os.getloadavg()[0] if sys.platform != "win32" else 0.0


def _place(cell: Cell, game: Game) -> dict[str, object]:
    return {"cell": cell, "genre": game.profile.game.genre, "level": game.profile.game.level}
