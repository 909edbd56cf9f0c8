"""Continues a recorded run from one of its steps in the game, by its seed and its repeated actions.

That needs a game whose time passes only with actions: by turns, or paused in between by its clock or its
control socket (the paused protocol). Then equal actions lead to equal states, and each step's readings are
compared with the recorded ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pitwall.cli.play.headless import play
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands
from pitwall.core.actions import NO_OP
from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.steps import StepRecord
from pitwall.engine.replaying.deciding_again import module_drove
from pitwall.engine.replaying.replay import Replay
from pitwall.store.run_reader import RunReader, RunRow

_SAME_SHARE, _SAME_LEAST = 0.02, 1.0
"""Numbers as near as this to each other, by share or by amount, are the same reading."""
_MOST_STEPS = 2_000


class OtherState(PitwallError):
    """The game cannot be brought into the state of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """The outcome of one run. score: at its end, reported by the game or read; None if neither is known."""

    run_id: int
    score: float | None
    best: float | None
    unit: str
    steps: int
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedOnInGame:
    """Two runs that are the same up to a step.

    Attributes:
        step: the first that the agent decided. compared: fields that were equal there.
    """

    step: int
    compared: int
    recorded: RunOutcome
    other: RunOutcome


def played_on_in_game(
    data: DataFolder, again: Replay, settings: Settings, *, scenario: str, most: int | None
) -> PlayedOnInGame:
    """Restart the run's game, repeat its actions up to a step, and let the agent continue.

    Args:
        settings: select the agent that decides.
        most: steps of the agent; None: as many as the run had left.

    Raises:
        PitwallError: the run cannot be repeated; says why.
        OtherState: the game was in another state at that step; names the first field that differs.
    """
    with contextlib.closing(RunReader.open(data)) as reader:
        run = reader.run(again.run_id)
        steps = reader.steps(again.run_id, 1, _MOST_STEPS)
    before = [step for step in steps if step.step < again.start]
    by_turns = again.game.profile.game.by_turns
    _check(again, run, before, by_turns=by_turns)
    agent = again.agent
    opening = commands.Open(
        game=again.game.reference,
        settings=settings if by_turns else settings.with_value("control", "protocol", "paused"),
        seed=run.manifest.seed,
        role=run.manifest.role,
        scenario=scenario,
        modules={agent.module: agent.version} if agent.version else {},
    )
    left = most if most is not None else max(1, len(steps) - len(before))
    start = commands.Start(
        steps=len(before) + left,
        repeat=tuple("" if step.action == NO_OP else str(step.action) for step in before),
    )
    with screen_or_virtual():
        result = play(data, opening, start)
    assert result.run_id is not None
    with contextlib.closing(RunReader.open(data)) as reader:
        other = reader.run(result.run_id)
        theirs = reader.steps(result.run_id, 1, _MOST_STEPS)
    compared = _compared(steps[: again.start], theirs[: again.start], result.run_id)
    return PlayedOnInGame(
        step=again.start, compared=compared, recorded=_outcome(run, steps), other=_outcome(other, theirs)
    )


def _check(again: Replay, run: RunRow, before: Sequence[StepRecord], *, by_turns: bool) -> None:
    """Refuse a run that cannot lead to the same state, before anything is started."""
    if run.manifest.seed is None:
        raise PitwallError(
            f"run {run.run_id} has no seed: its game cannot be begun as it was.",
            "Play with one: pitwall run --game GAME --seed 1",
        )
    control: dict[str, Any] = run.manifest.settings.get("control", {})
    if not by_turns and control.get("protocol") != "paused":
        raise PitwallError(
            f"run {run.run_id} was played in real time: when each of its actions took effect is not known.",
            "Only runs of a game by turns, or under the paused protocol, can be gone on from: pitwall run "
            f"--game {again.game.game_id} --protocol paused",
        )
    driven = next((step for step in before if module_drove(step)), None)
    if driven is not None:
        raise PitwallError(
            f"step {driven.step} of run {run.run_id} was driven by a module, frame by frame: it cannot be "
            "done again as one action.",
            f"Name step {driven.step} or an earlier one.",
        )


def _compared(recorded: Sequence[StepRecord], again: Sequence[StepRecord], run_id: int) -> int:
    """Compare the fields of each step with the recorded ones; return how many were equal at the last.

    Raises:
        OtherState: the last step is missing, or a field of it differs; names the first step that did.
    """
    first = ""
    fault = ""
    for before, after in zip(recorded, again, strict=False):
        apart = [name for name, value in before.fields.items() if not _same(value, after.fields.get(name))]
        if before.status is not after.status:
            fault = f"the game is {after.status}, and was {before.status}"
        elif apart:
            name = apart[0]
            fault = f"{name} is {after.fields.get(name)}, and {before.fields[name]} was read"
        else:
            fault = ""
            continue
        first = first or f" From step {before.step} on something differs."
    if fault or len(again) < len(recorded):
        fault = fault or f"the game ended at step {len(again)}"
        raise OtherState(
            f"run {run_id} is not in the same state at step {recorded[-1].step}: {fault}.{first}",
            "Name an earlier step.",
        )
    return len(recorded[-1].fields)


def _same(ours: Value, other: Value) -> bool:
    if isinstance(ours, bool) or not isinstance(ours, int | float) or not isinstance(other, int | float):
        return ours == other
    return abs(ours - other) <= max(_SAME_LEAST * (isinstance(ours, float)), _SAME_SHARE * abs(ours))


def _outcome(run: RunRow, steps: Sequence[StepRecord]) -> RunOutcome:
    score = run.score
    return RunOutcome(
        run_id=run.run_id,
        score=score.last if score is not None else None,
        best=score.best if score is not None else None,
        unit=score.unit if score is not None else "",
        steps=len(steps),
        end=str(steps[-1].status) if steps else "",
    )
