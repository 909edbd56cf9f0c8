"""A run's facts, gathered step by step for the summary that later runs read."""

from __future__ import annotations

from collections import Counter

from pitwall.core.actions import Effect
from pitwall.core.observations import GameStatus, Value
from pitwall.core.steps import StepRecord
from pitwall.games.schema.profile import Profile
from pitwall.memory.episodes import EpisodeFacts


class RunFactsCollector:
    """Facts of one run for layer L4.

    Args:
        profile: names the fields that show what was reached.
        instruction: the goal in words.
    """

    def __init__(self, profile: Profile, instruction: str) -> None:
        rules = profile.progress
        self._names = (*rules.inventory, *rules.position, *rules.selection)
        self._units = {field.name: field.unit for field in profile.fields}
        self._instruction = instruction
        self._reached: dict[str, Value] = {}
        self._progress = 0
        self._terminal = 0
        self._status: GameStatus | None = None
        self._subgoal = ""
        self._troubles: Counter[str] = Counter()

    def add(self, step: StepRecord) -> None:
        for name in self._names:
            self._reach(name, step.fields.get(name))
        self._progress = step.signals.progress
        self._terminal += step.status is GameStatus.TERMINAL and self._status is not GameStatus.TERMINAL
        self._status = step.status
        if step.proposal is not None:
            self._subgoal = step.proposal.subgoal
        if step.invalid is not None:
            self._troubles[f"{step.action}: {step.invalid.value}"] += 1
        elif step.decided_effect is Effect.UNVERIFIED:
            self._troubles[f"{step.action}: no effect seen"] += 1

    def facts(self) -> EpisodeFacts:
        trouble, times = self._troubles.most_common(1)[0] if self._troubles else ("", 0)
        return EpisodeFacts(
            instruction=self._instruction,
            progress=self._progress,
            reached=self._reached,
            units=self._units,
            terminal=self._terminal,
            subgoal=self._subgoal,
            trouble=trouble,
            times=times,
        )

    def _reach(self, name: str, value: Value) -> None:
        """Keep the best value of a number, and the last value of any other field."""
        before = self._reached.get(name)
        if value is None:
            return
        numbers = isinstance(value, int | float) and isinstance(before, int | float)
        if numbers and not isinstance(value, bool) and before > value:  # type: ignore[operator]
            return
        self._reached[name] = value
