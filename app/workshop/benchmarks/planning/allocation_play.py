"""Plays the long task once under one allocation rule: `pitwall run`, and beside it the evaluator."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from pydantic import TypeAdapter

from pitwall.core.errors import PitwallError
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.core.runs import RunSummary
from pitwall.games.schema.profile import Task
from pitwall_evaluation.truth.state import TrueState, TruthReader, score
from workshop.benchmarks.child_command import PITWALL, last_object

_LOOK_EVERY_S = 0.05
_OPENING_S = 120.0
"""What opening and closing may take beside the play itself."""
_SUMMARY: TypeAdapter[RunSummary] = TypeAdapter(RunSummary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Holds the figures of one run.

    Attributes:
        progress: best share of the task reached, 0 … 1. success: its target was reached, alive.
        turns: turns of the game until then; None where it was not.
        replayed: a first run did not come to its end.
    """

    seed: int
    summary: RunSummary
    progress: float
    success: bool
    turns: int | None
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Sets the rules of a play.

    Attributes:
        steps: step cap. step_s: longest that a step may take on average before it counts as hung.
        options: further ones of `pitwall run`: planner, model, ablation.
    """

    game: str
    task: Task
    steps: int
    step_s: float
    options: Sequence[str] = ()

    def with_options(self, more: Sequence[str]) -> Rules:
        """Return these rules with further options."""
        return replace(self, options=(*self.options, *more))


def play_once(data: DataFolder, rules: Rules, seed: int) -> Play:
    """Play one fresh world to the step limit, and measure how far it gets."""
    truth = data.root / "truth.json"
    command = [*PITWALL, "run", "--game", rules.game, "--seed", str(seed)]
    command += ["--steps", str(rules.steps), "--instruction", rules.task.instruction, *rules.options]
    command += ["--data", str(data.root), "--json"]
    longest_s = _OPENING_S + rules.steps * rules.step_s
    environment = {**os.environ, TRUTH_VARIABLE: str(truth)}
    for again in (False, True):
        truth.unlink(missing_ok=True)
        with Evaluator(truth, rules.task) as evaluator:
            answer = last_object(command, longest_s=longest_s, environment=environment)
        summary = _SUMMARY.validate_python(answer["summary"])
        if summary.outcome == "finished":
            break
        if again:
            raise PitwallError(
                f"two runs of {rules.game} were not played to their end: {summary.outcome}.",
                " ".join(answer["faults"][-1:]),
            )
    if not evaluator.looks:
        raise PitwallError(f"{rules.game} wrote no true state: it cannot be scored.")
    return Play(
        seed=seed,
        summary=summary,
        progress=evaluator.progress,
        success=evaluator.turns is not None,
        turns=evaluator.turns,
        replayed=again,
    )


@dataclass(slots=True)
class Evaluator:
    """Watches a task's score in the true state, for the time of a block.

    Attributes:
        progress: best share between start and target (SPEC §6), 0 … 1.
        turns: the game's own count of turns as the target was reached alive; None until then.
        looks: states seen.
    """

    file: Path
    task: Task
    progress: float = 0.0
    turns: int | None = None
    looks: int = 0
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def take(self, state: TrueState) -> None:
        """Score one state."""
        now = sum(score(state, path) for path in self.task.scores)
        self.looks += 1
        start = self.task.start if isinstance(self.task.start, float) else 0.0
        reached = (now - start) / (self.task.target - start)
        self.progress = max(self.progress, min(1.0, reached))
        if now >= self.task.target and self.turns is None and state.metrics.get("alive", 1):
            self.turns = int(state.metrics.get("steps", 0))

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._watch, name="evaluator", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        reader, last = TruthReader(self.file), None
        while True:
            ended = self._over.is_set()
            state = reader.read()
            if state is not None and state != last:
                self.take(state)
                last = state
            if ended:
                return
            self._over.wait(_LOOK_EVERY_S)
