"""Makes an exam over a run of the data folder; truths come from the game's true states if there are any."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.core.errors import ExamError, ManifestError, UnknownGame
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Profile
from pitwall.store.run_reader import RunReader, RunRow
from pitwall_exam.compat.episode import Episode
from pitwall_exam.compat.making import compat_exam
from pitwall_exam.episode.record import episode_of, field_record
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.grid.inventory import grid_inventory
from pitwall_exam.grid.vocabulary import grid_vocabulary
from pitwall_exam.making.published_episode import published_episode
from pitwall_exam.making.timeline import TrueStates, grid_truth, text_truth, true_states
from pitwall_exam.plugin_table.schema import ExamTable
from pitwall_exam.questions.making import QuestionSource, make_exam
from pitwall_exam.questions.paper import Exam, RuleSet
from pitwall_exam.text.inventory import TEXT_GAME

_GENERAL = "The general set is asked."

Inventories = Literal["own", "general", "both"]
"""The inventory of the game's kind (the general set if it has none), the general one, or both."""


@dataclass(frozen=True)
class MadeExam:
    """An exam, with notes for the operator.

    Attributes:
        notes: sentences: why an inventory is missing, that the truth's log was cut off, and the like.
    """

    exam: Exam
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Own:
    """The inventory of the game's own kind; None if it is not asked, with notes saying why."""

    source: QuestionSource[Any] | None
    notes: tuple[str, ...] = ()


def exam_of_run(
    data: DataFolder,
    run_id: int,
    *,
    rule_set: RuleSet = "paper",
    wanted: Inventories = "own",
    seed: int = 42,
    horizon: int = 0,
    per_template: int = 2,
    persons: bool = False,
) -> MadeExam:
    """Make an exam without writing it.

    Args:
        persons: leave out questions about reasons.

    Raises:
        UnknownRun: no run has this id.
        ExamError: nothing can be asked about it, or not under this rule set; says why.
    """
    row, steps = _recorded(data, run_id)
    asked: dict[str, Any] = {
        "game_id": row.manifest.game_id,
        "run_id": run_id,
        "seed": seed,
        "horizon": horizon,
        "per_template": per_template,
        "persons": persons,
    }
    if rule_set == "compat":
        if wanted != "own":
            raise ExamError("The rule set compat has one inventory, its own.", "Use --inventory own.")
        episode, notes = _published(data, row, steps)
        return MadeExam(compat_exam(episode, **asked), notes)
    sources, notes = _sources(data, row, steps, wanted)
    exam = make_exam(sources, rule_set=rule_set, **asked)
    if not exam.questions:
        raise ExamError(
            f"run {run_id} says nothing that can be asked about.", "Play longer, or ask about another run."
        )
    return MadeExam(exam, notes)


def _published(data: DataFolder, row: RunRow, steps: Sequence[StepRecord]) -> tuple[Episode, tuple[str, ...]]:
    """Return the run as a published log has it, with notes for the operator."""
    profile, why = _profile(data, row)
    table = profile.table(ExamTable) if profile is not None else None
    if profile is None or table is None or table.grid is None:
        raise ExamError(
            f"the rule set compat asks about Crafter's world alone, and run {row.run_id} is of another game.",
            "Use --rules paper.",
        )
    states = true_states(data, row.run_id)
    if not states.states:
        raise ExamError(
            f"run {row.run_id} has no log of the game's true states, which the rule set compat needs.",
            "Play it once more: a run that Pitwall launches keeps them.",
        )
    episode = published_episode(steps, states, table.grid)
    return episode, (*([why] if why else []), *states.notes)


def _recorded(data: DataFolder, run_id: int) -> tuple[RunRow, list[StepRecord]]:
    with contextlib.closing(RunReader.open(data)) as reader:
        row, steps = reader.run(run_id), reader.steps(run_id)
    if not steps:
        raise ExamError(
            f"run {run_id} has no steps: nothing can be asked about it.", "Ask about another run."
        )
    if len(steps) == 1:
        raise ExamError(
            f"run {run_id} has one step, and what came of it was never seen: nothing can be asked about it.",
            "Ask about a run of two steps or more.",
        )
    episode_of(steps)  # says where steps are missing
    return row, steps


def _sources(
    data: DataFolder, row: RunRow, steps: Sequence[StepRecord], wanted: Inventories
) -> tuple[list[QuestionSource[Any]], tuple[str, ...]]:
    own = _Own(None) if wanted == "general" else _own(data, row, steps)
    sources = [own.source] if own.source else []
    if wanted != "own" or not sources:
        scene_change = row.manifest.thresholds.get("scene_change")
        sources.append(QuestionSource(GENERAL, field_record(steps, scene_change)))
    return sources, own.notes


def _own(data: DataFolder, row: RunRow, steps: Sequence[StepRecord]) -> _Own:
    """Return the game's own inventory, if the game declares one and the run has its true states."""
    profile, why = _profile(data, row)
    table = profile.table(ExamTable) if profile is not None else None
    if profile is None or table is None:
        return _Own(None, (f"{why} {_GENERAL}",))
    states = true_states(data, row.run_id)
    notes = (*([why] if why else []), *states.notes)
    if not states.states:
        return _Own(None, (*notes, f"Run {row.run_id} has no log of the game's true states. {_GENERAL}"))
    try:
        return _Own(_source(profile, table, steps, states), notes)
    except ExamError as error:
        return _Own(None, (*notes, f"Run {row.run_id}: {error.what} {_GENERAL}"))


def _source(
    profile: Profile, table: ExamTable, steps: Sequence[StepRecord], states: TrueStates
) -> QuestionSource[Any]:
    if table.grid is not None:
        words = grid_vocabulary(profile, table.grid)
        return QuestionSource(grid_inventory(words), grid_truth(steps, states, table.grid))
    if table.text is not None:
        return QuestionSource(TEXT_GAME, text_truth(steps, states, table.text))
    raise ExamError(f"{profile.game.name}'s [exam] has no table [exam.{table.inventory}].", "Add it.")


def _profile(data: DataFolder, row: RunRow) -> tuple[Profile | None, str]:
    """Return the run's game, and a sentence for the operator."""
    game_id = row.manifest.game_id
    try:
        game = Registry(data).load(game_id)
    except UnknownGame:
        return None, f"The game {game_id!r} is no longer here."
    except ManifestError as error:
        return None, f"The folder of {game_id!r} cannot be read ({error.faults[0]})."
    name = game.profile.game.name
    if game.profile.table(ExamTable) is None:
        return None, f"{name} declares no structured state ([exam] of its plugin.toml)."
    if game.profile_hash != row.manifest.profile_hash:
        return game.profile, f"{name}'s folder changed since run {row.run_id} was played."
    return game.profile, ""
