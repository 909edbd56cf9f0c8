"""The agent's record of its episode: the timeline built from its run log alone, never from the true state.

An episode ends at the first end screen after play began; a game that restarts begins another episode, which
is not asked about. The outcome of the last step was not seen, so n steps have n - 1 moments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pitwall.core.errors import ExamError
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Route, Thresholds
from pitwall.core.steps import StepRecord
from pitwall_exam.episode.grid_reading import GridReader
from pitwall_exam.episode.states import FieldState, GridState, TextState
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.plugin_table.schema import GridTable, TextTable

S = TypeVar("S")


def grid_record(steps: Sequence[StepRecord], grid: GridTable) -> Trace[GridState]:
    """Build the trace of a grid world from the readings. Positions count from the first known one.

    Raises:
        ExamError: steps are missing or out of order.
    """
    episode = episode_of(steps)
    reading = GridReader(grid)
    states = [reading.state(step.fields, over=_is_over(step)) for step in episode]
    moments = moments_of(episode, states)
    if not moments or not _is_over(episode[-1]):
        return Trace(moments)
    return Trace(moments, ended="death" if states[-1].dead else "length")


def text_record(steps: Sequence[StepRecord], text: TextTable) -> Trace[TextState]:
    """Build the trace of a text game from the state reader's readings; actions are the typed commands.

    Raises:
        ExamError: as `grid_record`.
    """
    episode = episode_of(steps)
    states = [_text_state(step.fields, text) for step in episode]
    moments = moments_of(episode, states, lambda step: command_of(step, text))
    ended = "over" if moments and _is_over(episode[-1]) else ""
    return Trace(moments, ended=ended)


def field_record(steps: Sequence[StepRecord], scene_change: float | None = None) -> Trace[FieldState]:
    """Build the trace of any run from its fields and routes, over all its steps.

    Args:
        scene_change: d of the run's thresholds; None: the trigger's default. Changes of the picture that add
            up to it begin a new place.

    Raises:
        ExamError: as `grid_record`.
    """
    _in_order(steps)
    places = _places(steps, Thresholds().scene_change if scene_change is None else scene_change)
    states = [
        FieldState(
            fields=step.fields,
            status=step.status.value,
            route=step.route.value,
            escalations=tuple(reason.value for reason in step.reasons),
            place=place,
        )
        for step, place in zip(steps, places, strict=True)
    ]
    return Trace(moments_of(steps, states))


def _places(steps: Sequence[StepRecord], scene_change: float) -> list[int]:
    """Number the place of each step: a new one begins once the picture's changes add up to a scene change."""
    places: list[int] = []
    place, changed = 1, 0.0
    for step in steps:
        changed += step.signals.change
        if places and changed >= scene_change:
            place, changed = place + 1, 0.0
        places.append(place)
    return places


def episode_of(steps: Sequence[StepRecord]) -> Sequence[StepRecord]:
    """Return the steps of the run's first episode, and the step that was decided on its end screen.

    Raises:
        ExamError: steps are missing or out of order.
    """
    _in_order(steps)
    played = False
    for index, step in enumerate(steps):
        if played and _is_over(step):
            return steps[: index + 1]
        played = played or step.status is GameStatus.PLAYING
    return steps


def moments_of(
    steps: Sequence[StepRecord], states: Sequence[S], action_of: Callable[[StepRecord], str] | None = None
) -> list[Moment[S]]:
    """Build the moments of steps from the state in which each was decided.

    Args:
        states: one per step; the next step's state is the outcome of this step.
        action_of: words the action; None: as in the log.
    """
    return [
        Moment(
            step=step.step,
            action=action_of(step) if action_of is not None else str(step.action),
            reason=reason_of(step),
            before=states[index],
            after=states[index + 1],
        )
        for index, step in enumerate(steps[:-1])
    ]


def reason_of(step: StepRecord) -> str:
    """Return the agent's reason for a step; "" if it gave none, as persons do."""
    plan = step.proposal
    if plan is None or step.route is Route.PERSON:
        return ""
    words = [part.strip().rstrip(".") for part in (plan.situation, plan.subgoal) if part.strip()]
    return f"{': '.join(words)}." if words else ""


def command_of(step: StepRecord, text: TextTable) -> str:
    """Return the typed command of an action; the action as logged if it types nothing."""
    typed = step.action.arguments.get(text.command)
    return str(typed) if typed is not None else str(step.action)


def _text_state(fields: Mapping[str, Value], text: TextTable) -> TextState:
    score, valid = fields.get(text.score), fields.get(text.valid)
    return TextState(
        location=_words(fields.get(text.location)),
        observation=_words(fields.get(text.observation)),
        inventory=listed(fields.get(text.inventory)),
        score=float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None,
        valid=listed(valid) if valid is not None else None,
    )


def listed(value: object) -> frozenset[str]:
    """Split a text at its semicolons, or take the members of a list."""
    parts = value.split(";") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    return frozenset(text for part in parts if (text := str(part).strip()))


def _words(value: Value) -> str:
    return "" if value is None else str(value)


def _is_over(step: StepRecord) -> bool:
    return step.status is GameStatus.TERMINAL


def _in_order(steps: Sequence[StepRecord]) -> None:
    for expected, step in enumerate(steps, start=1):
        if step.step != expected:
            raise ExamError(
                f"the run cannot be asked about: after step {expected - 1} comes step {step.step}.",
                "Export the run, or play another one: a log's steps run 1, 2, 3 … without gaps.",
            )
