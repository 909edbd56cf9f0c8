"""Tests a proposed skill on recorded steps: A/B by resampling (SPEC §4).

Nothing is played again. The test looks at recorded steps at which the skill's trigger would have fired. It
compares those where the agent happened to act as the skill says with the others, by the progress that
followed within the skill's length. This is an observation, not an experiment: the agent had its own reasons
for its actions.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.observations import GameStatus, Value
from pitwall.core.quantities import counted
from pitwall.core.steps import StepRecord
from pitwall.games.schema.profile import field_of
from pitwall.memory.discovery.lost_segments import gains
from pitwall.memory.prompt.skills import UsableSkill

_LEAST_HORIZON = 2
"""Smallest number of following steps that a trial evaluates (choice)."""
_GAP = 2
"""Steps apart from which two firings belong to different parts of the run (choice)."""
_ENDED = -1.0
"""What an end of the game within the horizon counts (choice); a step that made progress counts 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTrial:
    """The result of a skill's trial.

    Attributes:
        trials: number of resamplings; the skill did better in `wins`, worse in `losses`; the rest were equal
            or could not be compared.
        segments: parts of the run in which the trigger would have fired. `with_steps` of their steps were as
            the skill says, `without_steps` were not.
        with_mean, without_mean: share of the following steps that made progress, with −1 for an end of the
            game; None without such steps.
        verdict: accepted (better in two thirds, worse in none), refused, or open: nothing to compare with, or
            better in a single part, of which every resampling is the same.
    """

    trials: int
    wins: int
    losses: int
    segments: int
    with_steps: int
    without_steps: int
    with_mean: float | None
    without_mean: float | None
    verdict: Literal["accepted", "refused", "open"]

    @property
    def sentence(self) -> str:
        """Return the trial as a sentence of evidence, with all its figures."""
        if self.with_mean is None or self.without_mean is None:
            where = f"in {counted(self.segments, 'recorded part')}"
            arm = "acting as it says" if self.with_mean is None else "acting otherwise"
            return f"Not tried: {where} where its trigger held, no step of {arm} was recorded."
        mine = f"{self.with_mean:.2f} of the steps after acting as it says (n = {self.with_steps})"
        theirs = f"{self.without_mean:.2f} after acting otherwise (n = {self.without_steps})"
        shown = f"better in {self.wins} of {self.trials} resamplings, worse in {self.losses}."
        if self.segments == 1:
            shown = "a single part cannot be resampled: this alone proves nothing."
        return (
            f"Tried on the recorded outcomes of the run it was read from; nothing was played anew. Where its "
            f"trigger held ({counted(self.segments, 'part')}), {mine} made progress, {theirs}; {shown}"
        )


@dataclass(frozen=True, slots=True)
class _Firing:
    """A step at which the trigger would have fired: whether the agent did so anyway, and what followed."""

    at: int
    did: bool
    value: float


def tried(
    skill: SkillMemory, usable: UsableSkill, steps: Sequence[StepRecord], *, trials: int, seed: int = 0
) -> SkillTrial:
    """Compare steps that follow a skill with other steps, in resampled parts of a recorded run.

    Args:
        usable: the same skill, checked.
        steps: of one run, in order.
        trials: number of resamplings (B).
        seed: equal seeds give equal trials.
    """
    segments = _parts(_firings(skill, usable, steps))
    every = [firing for part in segments for firing in part]
    drawn = random.Random(zlib.crc32(skill.when.encode()) ^ seed)
    wins = losses = 0
    for _ in range(trials):
        sample = (
            [firing for part in drawn.choices(segments, k=len(segments)) for firing in part] if every else []
        )
        mine, theirs = _mean(sample, True), _mean(sample, False)
        if mine is not None and theirs is not None:
            wins += mine > theirs
            losses += mine < theirs
    with_mean, without_mean = _mean(every, True), _mean(every, False)
    verdict: Literal["accepted", "refused", "open"] = "refused"
    if with_mean is None or without_mean is None:
        verdict = "open"
    elif 3 * wins >= 2 * trials and losses == 0:
        verdict = "accepted" if len(segments) > 1 else "open"
    return SkillTrial(
        trials=trials,
        wins=wins,
        losses=losses,
        segments=len(segments),
        with_steps=sum(firing.did for firing in every),
        without_steps=sum(not firing.did for firing in every),
        with_mean=with_mean,
        without_mean=without_mean,
        verdict=verdict,
    )


def _firings(skill: SkillMemory, usable: UsableSkill, steps: Sequence[StepRecord]) -> list[_Firing]:
    """Return the steps at which the trigger holds, without the last step: its outcome was not recorded."""
    grown = gains(steps)
    horizon = max(_LEAST_HORIZON, len(usable.actions))
    results = []
    for at, step in enumerate(steps[:-1]):
        if usable.applies({**step.fields, "status": step.status.value}):
            results.append(_Firing(at, _as_it_says(skill, usable, step), _worth(steps, grown, at, horizon)))
    return results


def _worth(steps: Sequence[StepRecord], grown: Sequence[int], at: int, horizon: int) -> float:
    """Return the share of the next steps that made progress, less the cost of an end of the game."""
    until = min(at + horizon, len(steps) - 1)
    made = [grown[place] > 0 for place in range(at, until)]
    alive = steps[at].status is not GameStatus.TERMINAL
    ended = alive and any(steps[place].status is GameStatus.TERMINAL for place in range(at + 1, until + 1))
    return fmean(made) + (_ENDED if ended else 0.0)


def _as_it_says(skill: SkillMemory, usable: UsableSkill, step: StepRecord) -> bool:
    """Return whether the agent began as the skill begins: with its module or its first action."""
    if skill.module:
        return step.proposal is not None and step.proposal.module == skill.module
    first = usable.actions[0]
    field = field_of(first)
    if field:
        named: Value = step.fields.get(field)
        first = named.split(";")[0].strip() if isinstance(named, str) else ""
    return str(step.action) == first


def _parts(firings: Sequence[_Firing]) -> list[list[_Firing]]:
    parts: list[list[_Firing]] = []
    for firing in firings:
        if parts and firing.at - parts[-1][-1].at <= _GAP:
            parts[-1].append(firing)
        else:
            parts.append([firing])
    return parts


def _mean(firings: Sequence[_Firing], did: bool) -> float | None:
    values = [firing.value for firing in firings if firing.did is did]
    return fmean(values) if values else None
