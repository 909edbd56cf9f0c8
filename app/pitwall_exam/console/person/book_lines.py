"""The open book's lines: each step as the in-context answerer gets it. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pitwall.core.errors import PitwallError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.games.registry import Registry
from pitwall.store.run_log import RunReader
from pitwall_exam.episode.record import field_record, grid_record, text_record
from pitwall_exam.episode.states import format_state, outcome_of
from pitwall_exam.episode.trace import Trace
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.plugin_table.schema import ExamTable


@dataclass(frozen=True, slots=True)
class BookLine:
    """A step of the open book: the state in words, the action with its reason, and the frame's file.

    is_outcome: no step, but the state after the last one.
    """

    step: int
    words: str
    action: str
    reason: str
    frame_ref: str
    is_outcome: bool = False

    @property
    def title(self) -> str:
        """Return what a list names the line by, beside its number."""
        return f"After step {self.step - 1:,}" if self.is_outcome else self.action

    @property
    def text(self) -> str:
        """Return the text that a search looks in, in lower case."""
        return f"{self.step} {self.title} {self.reason} {self.words}".casefold()


def book_lines(
    reader: RunReader, data: DataFolder, run_id: int, last_step: int, inventory: str
) -> list[BookLine]:
    """Return steps 1 … last_step of a run, and the outcome; none if the run is gone or nothing can be asked.

    Args:
        inventory: of the exam. The general one alone asks about fields, over all episodes of the run.
    """
    try:
        steps = reader.steps(run_id)
        game_id = "" if inventory == GENERAL.name else reader.run(run_id).manifest.game_id
        trace = _trace(data, game_id, steps)
    except UnknownRun:
        return []
    moments = trace.between(1, last_step)
    lines = [
        BookLine(moment.step, format_state(moment.before), moment.action, moment.reason, steps[at].frame_ref)
        for at, moment in enumerate(moments)
    ]
    if moments:
        end, frame_ref = moments[-1], steps[len(moments)].frame_ref
        lines.append(BookLine(end.step + 1, format_state(outcome_of(end.after)), "", "", frame_ref, True))
    return lines


def _trace(data: DataFolder, game_id: str, steps: Sequence[StepRecord]) -> Trace[Any]:
    """Build the agent's record for its kind of game; the general one if that does not exist or fit.

    Args:
        game_id: empty: the general one is wanted.
    """
    try:
        table = Registry(data).load(game_id).profile.table(ExamTable) if game_id else None
        if table is not None and table.grid is not None:
            return grid_record(steps, table.grid)
        if table is not None and table.text is not None:
            return text_record(steps, table.text)
    except PitwallError:
        pass  # the game is gone, or its manifest is another one by now: its fields are still there
    try:
        return field_record(steps)
    except PitwallError:
        return Trace(())
