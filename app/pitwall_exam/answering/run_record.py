"""Reads the agent's record of a sheet's run: each inventory with its trace, and the words of the game."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pitwall.core.errors import ExamError, ManifestError, UnknownGame
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Profile
from pitwall.store.run_reader import RunReader, RunRow
from pitwall_exam.compat.recall import PublishedRecall
from pitwall_exam.episode.keywords import vocabulary
from pitwall_exam.episode.record import field_record, grid_record, reason_of, text_record
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.grid.inventory import grid_inventory, grid_words
from pitwall_exam.grid.vocabulary import grid_vocabulary
from pitwall_exam.plugin_table.schema import ExamTable
from pitwall_exam.questions.sheet import Sheet
from pitwall_exam.reading.recall import Record
from pitwall_exam.text.inventory import TEXT_GAME

_MOST_KEYWORDS = 2000
Words = Mapping[str, Sequence[str]]
"""Slot name → the values it can have in this game, whatever the episode."""


@dataclass(frozen=True)
class RunRecord:
    """A run as its agent knows it.

    Attributes:
        steps: of the run log. records: one for each inventory of the sheet.
        words: the game's values by slot name.
        published: answers questions in the published generator's words; None if the sheet has none.
    """

    row: RunRow
    steps: Sequence[StepRecord]
    records: tuple[Record, ...]
    words: Words = field(default_factory=dict)
    published: PublishedRecall | None = None


def recorded(data: DataFolder, sheet: Sheet) -> RunRecord:
    """Read the record of a sheet's run from the run log alone.

    Raises:
        UnknownRun: the run no longer exists. ExamError: it cannot be read as the sheet's inventories need it.
    """
    with contextlib.closing(RunReader.open(data)) as reader:
        row, steps = reader.run(sheet.run_id), reader.steps(sheet.run_id)
    if not steps:
        raise ExamError(f"run {sheet.run_id} has no steps: nothing can be recalled of it.")
    wanted = sheet.inventory.split("+")
    records: list[Record] = []
    words: dict[str, Sequence[str]] = {}
    if "grid" in wanted or "text" in wanted:
        record, words = _own(_profile(data, row), steps, row)
        records.append(record)
    if "general" in wanted or not records:
        records.append(Record(GENERAL, field_record(steps, row.manifest.thresholds.get("scene_change"))))
    words = {**_names_in_run(steps), **words}
    published = _published(data, row, steps) if sheet.rule_set == "compat" else None
    return RunRecord(row, steps, tuple(records), words, published)


def _published(data: DataFolder, row: RunRow, steps: Sequence[StepRecord]) -> PublishedRecall | None:
    table = _profile(data, row).table(ExamTable)
    if table is None or table.grid is None:
        return None
    return PublishedRecall(grid_record(steps, table.grid), table.grid)


def _names_in_run(steps: Sequence[StepRecord]) -> dict[str, Sequence[str]]:
    """Collect the names that the run itself used: fields, actions, words in reasons."""
    return {
        "field": sorted({name for step in steps for name in step.fields}),
        "action": sorted({str(step.action) for step in steps}),
        "keyword": vocabulary(reason_of(step) for step in steps)[:_MOST_KEYWORDS],
    }


def _own(
    profile: Profile, steps: Sequence[StepRecord], row: RunRow
) -> tuple[Record, dict[str, Sequence[str]]]:
    table = profile.table(ExamTable)
    if table is not None and table.grid is not None:
        game = grid_vocabulary(profile, table.grid)
        return Record(grid_inventory(game), grid_record(steps, table.grid)), dict(grid_words(game))
    if table is not None and table.text is not None:
        return Record(TEXT_GAME, text_record(steps, table.text)), {}
    raise ExamError(
        f"{profile.game.name} no longer says what an exam reads of it ([exam] of its plugin.toml).",
        f"Give it the manifest that run {row.run_id} was played with.",
    )


def _profile(data: DataFolder, row: RunRow) -> Profile:
    game_id = row.manifest.game_id
    try:
        return Registry(data).load(game_id).profile
    except UnknownGame:
        raise ExamError(
            f"the game {game_id!r} of run {row.run_id} is no longer here.", "Put its folder back."
        ) from None
    except ManifestError as error:
        raise ExamError(f"the folder of {game_id!r} cannot be read: {error.faults[0]}.") from None


def horizon_of(sheet: Sheet, recorded: RunRecord) -> int:
    """Return the last step that may be used."""
    longest = max((len(record.trace) for record in recorded.records), default=0)
    return min(sheet.last_step, longest) if sheet.last_step else longest
