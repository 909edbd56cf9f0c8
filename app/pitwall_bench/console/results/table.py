"""Results as a table: a row for each group of runs, sortable, its intervals drawn beside its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.core.quantities import NONE, interval_text, number, share, tally
from pitwall_bench.console.figures import Group, GroupKey
from pitwall_bench.console.format import end_sign, notes, score_words, sides_words, success_words
from pitwall_bench.suites.report.figure_format import deciders_text
from pitwall_evaluation.console.interval_cell import interval_cell

_WIDEST = "100 %  100 … 100 %"
"""The longest words beside a bar."""
_BAR_COLUMN_PX = 230
_TEXTS = ("Invalid", "Refused", "Decided by", "Notes")
"""Columns that are sorted by a number and show words."""


def _column(
    title: str,
    text: Callable[[Group], str],
    key: Callable[[Group], float] | None = None,
    tip: str = "",
    bar: Callable[[Group], tuple[float, float, float]] | None = None,
) -> Column[Group]:
    """Return a column.

    Args:
        text: of a group. key: value that it is sorted by; None: its text. bar: share, low and high drawn.
    """
    words = key is None or title in _TEXTS
    return Column(
        title,
        text,
        number=not words,
        tip=tip,
        sort=key,
        cell_tip=text if words and title != "Notes" else lambda _: "",
        exact=lambda group: text(group).replace("  ", " "),
        tone=_TONES.get(title, "text" if key is None or bar is not None else "dim"),
        width=_BAR_COLUMN_PX if bar is not None else 0,
        draw=interval_cell(bar, _WIDEST) if bar is not None else None,
    )


def _end_tone(group: Group) -> str:
    tone = end_sign(group.runs[0]).tone
    return "dim" if tone == "neutral" else tone


_TONES: dict[str, Callable[[Group], str]] = {
    "Notes": lambda group: "stop" if group.failed else "dim",
    "Ended": _end_tone,
}


def _success_bar(group: Group) -> tuple[float, float, float]:
    return group.success.value, group.success.low, group.success.high


def _progress_bar(group: Group) -> tuple[float, float, float]:
    return group.progress.value, group.progress.low, group.progress.high


GAME = _column("Game", lambda group: group.game or NONE)
TASK = _column("Task", lambda group: group.task or NONE)
AGENT = _column("Agent", lambda group: group.agent or NONE)
SIDES = _column(
    "Agent",
    lambda group: sides_words(group.runs) or group.agent or NONE,
    tip="Of a task for two: who played each side, and its score; of several runs their mean",
)
SUCCESS = _column(
    "Success",
    lambda group: f"{share(group.success.value)}  {success_words(group.success)}",
    lambda group: group.success.value,
    "Played runs that reached their target; the line is Wilson's 95 % interval",
    _success_bar,
)
PROGRESS = _column(
    "Progress",
    lambda group: (
        f"{share(group.progress.value)}  {interval_text(group.progress.low, group.progress.high)}"
        if group.progress.of
        else NONE
    ),
    lambda group: group.progress.value,
    "Mean share of the way from start to target; the line is its 95 % interval, which a single run lacks",
    _progress_bar,
)
FIGURES = (
    _column("Runs", lambda group: f"{len(group.runs):,}", lambda group: len(group.runs)),
    _column("Steps", lambda group: number(group.steps), lambda group: group.steps, "Mean of a played run"),
    _column(
        "Time, s/step",
        lambda group: number(group.seconds_per_step, "s"),
        lambda group: group.seconds_per_step,
        "Seconds of play over steps",
    ),
    _column(
        "Tokens/run",
        lambda group: number(group.cost("tokens_run"), "tok"),
        lambda group: group.cost("tokens_run"),
        "Tokens that models read and wrote, mean of a played run",
    ),
    _column(
        "Invalid",
        lambda group: (
            f"{tally(group.row.invalid)} · {share(group.invalid_rate)}" if group.invalid_count else "0"
        ),
        lambda group: group.invalid_count,
        "Proposed actions that were not valid, by kind, and their share of the proposed ones",
    ),
    _column(
        "Refused",
        lambda group: tally(group.row.refusals, "0"),
        lambda group: group.refused_count,
        "Events that the broker refused, by cause",
    ),
    _column(
        "Decided by",
        lambda group: deciders_text(group.row),
        lambda group: group.row.deciders.get("model", 0.0),
        "Shares of the steps by who decided them; sorted by the model's",
    ),
    _column("Notes", notes, lambda group: group.failed + group.unverified / 1000, "What to know of the row"),
)
RUN_COLUMNS = (
    _column("Seed", lambda group: f"{group.runs[0].cell.seed:,}", lambda group: group.runs[0].cell.seed),
    _column("Wave", lambda group: f"{group.runs[0].cell.wave + 1}", lambda group: group.runs[0].cell.wave),
    _column("Ended", lambda group: end_sign(group.runs[0]).text),
    _column(
        "Score",
        lambda group: score_words(group.runs[0].score, group.runs[0].target, group.runs[0].unit),
        lambda group: group.runs[0].score if group.runs[0].score is not None else math.nan,
    ),
    _column("Progress", lambda group: share(group.progress.value), lambda group: group.progress.value),
    _column("Steps", lambda group: f"{group.runs[0].steps:,}", lambda group: group.runs[0].steps),
    _column(
        "Time",
        lambda group: number(group.runs[0].seconds, "s"),
        lambda group: group.runs[0].seconds,
        "Seconds of play",
    ),
    _column(
        "Opening",
        lambda group: number(group.runs[0].unopened_s, "s"),
        lambda group: group.runs[0].unopened_s,
        "Until the game could be played",
    ),
    *FIGURES[3:6],
    _column("Resets", lambda group: f"{group.runs[0].resets:,}", lambda group: group.runs[0].resets),
    _column(
        "Why",
        lambda group: (
            group.runs[0].why + ("" if group.runs[0].verified else " (score read from pixels: not verified)")
        ),
    ),
)
COLUMNS: dict[GroupKey, tuple[Column[Group], ...]] = {
    "cell": (GAME, TASK, AGENT, SUCCESS, PROGRESS, *FIGURES),
    "agent": (AGENT, SUCCESS, PROGRESS, *FIGURES),
    "game": (GAME, SUCCESS, PROGRESS, *FIGURES),
    "task": (GAME, TASK, SUCCESS, PROGRESS, *FIGURES),
    "run": (GAME, TASK, AGENT, *RUN_COLUMNS),
    "level": (_column("Level", lambda group: group.key, lambda group: float(group.key)), SUCCESS, PROGRESS),
    "genre": (_column("Genre", lambda group: group.key or NONE), SUCCESS, PROGRESS, *FIGURES),
}


class ResultsTable(Table[Group]):
    """Groups of runs; `opened` asks for the runs of a row."""

    def __init__(self, look: Look) -> None:
        model = TableModel(COLUMNS["cell"], key=lambda group: group.key)
        super().__init__(look, model, "Results", "Enter opens the runs of a row")

    @property
    def groups(self) -> Sequence[Group]:
        """Return the shown rows."""
        return self.rows.rows

    def show_groups(self, groups: Sequence[Group], by: GroupKey) -> None:
        """Show other rows; the chosen row and the scroll position stay."""
        columns = list(COLUMNS[by])
        if AGENT in columns and any(sides_words(group.runs) for group in groups):
            columns[columns.index(AGENT)] = SIDES
        self.show_rows(groups, columns)
