"""The marks as a table: a row per ability and one for all, with counts, intervals and comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal

from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.core.quantities import NONE, interval_text, points_text, share
from pitwall_evaluation.console.interval_cell import interval_cell
from pitwall_exam.console.format import ASKS, TITLES
from pitwall_exam.marking.baselines import Baseline
from pitwall_exam.marking.comparison import AnswererMarks, Difference
from pitwall_exam.marking.scoring import Mark
from pitwall_exam.questions.abilities import Ability

_ROW_HEIGHT = 25
_TIP = "Mean score; the line is its 95 % interval"


@dataclass(frozen=True, slots=True)
class MarksRow:
    """A row: one ability, or all questions.

    Attributes:
        ability: None: all of them. f1: the row shows F1 instead of accuracy. of: number of questions of the
            exam.
        first, second: each answerer's mark; None if there is no such answerer.
        difference: first minus second, over the questions that both answered; NaN if there is none.
        published: a share; NaN if no baseline is chosen.
    """

    ability: Ability | None
    of: int
    first: Mark | None
    second: Mark | None
    difference: float = math.nan
    published: float = math.nan
    f1: bool = False

    @property
    def title(self) -> str:
        if self.ability is not None:
            return TITLES[self.ability]
        return "F1" if self.f1 else "All questions"


def lines_of(
    questions: Mapping[Ability, int],
    first: AnswererMarks | None,
    second: AnswererMarks | None,
    between: Sequence[Difference],
    published: Baseline | None,
) -> list[MarksRow]:
    """Build the rows.

    Args:
        questions: number of questions of each ability. between: differences between the two answerers.
    """
    unlike = {
        difference.ability: difference.difference
        for difference in between
        if difference.difference is not None
    }
    lines = []
    for ability in (*Ability, None):
        marks = [
            None if side is None else side.marks.overall if ability is None else side.marks.of(ability)
            for side in (first, second)
        ]
        of = sum(questions.values()) if ability is None else questions.get(ability, 0)
        theirs = math.nan
        if published is not None:
            theirs = (published.overall if ability is None else published.of(ability)) / 100
        lines.append(MarksRow(ability, of, marks[0], marks[1], unlike.get(ability, math.nan), theirs))
    f1 = [None if side is None else _f1(side.marks.overall) for side in (first, second)]
    theirs = published.f1 / 100 if published is not None else math.nan
    return [*lines, MarksRow(None, lines[-1].of, f1[0], f1[1], math.nan, theirs, f1=True)]


def _f1(overall: Mark) -> Mark:
    """Return F1 as a mark, which has no interval."""
    return Mark(ability=None, n=overall.n, accuracy=overall.f1)


def mark_values(mark: Mark | None) -> tuple[float, float, float]:
    """Return a mark's accuracy and the ends of its interval, NaN for those that are not known."""
    figures = (mark.accuracy, mark.low, mark.high) if mark is not None else (None, None, None)
    value, low, high = (math.nan if figure is None else figure for figure in figures)
    return value, low, high


def mark_text(mark: Mark | None, *, interval: bool = True) -> str:
    """Write a mark's accuracy, with its interval where there is one."""
    if mark is None or mark.accuracy is None:
        return NONE
    if not interval or mark.low is None or mark.high is None:
        return share(mark.accuracy)
    return f"{share(mark.accuracy)}  {interval_text(mark.low, mark.high)}"


def _mark_column(
    name: str, mark_of: Callable[[MarksRow], Mark | None], *, interval: bool
) -> Column[MarksRow]:
    return Column(
        name,
        lambda row: mark_text(mark_of(row), interval=interval),
        number=True,
        tip=f"{name}. {_TIP}",
        cell_tip=lambda row: mark_text(mark_of(row)),
        exact=lambda row: mark_text(mark_of(row), interval=interval).replace("  ", " "),
        bold=_of_all,
        stretch=1,
        draw=interval_cell(
            lambda row: mark_values(mark_of(row)), "100 %  100 … 100 %" if interval else "100 %"
        ),
    )


def _of_all(row: MarksRow) -> bool:
    return row.ability is None and not row.f1


def _columns(
    first: AnswererMarks | None, second: AnswererMarks | None, published: Baseline | None
) -> list[Column[MarksRow]]:
    columns: list[Column[MarksRow]] = [
        Column("Ability", lambda row: row.title, cell_tip=_ability_tip, bold=_of_all),
        Column("n", lambda row: f"{row.of:,}", number=True, tip="Questions of the exam", tone="dim"),
    ]
    alone = second is None  # two with their intervals have no room
    if first is not None:
        columns.append(_mark_column(first.name, lambda row: row.first, interval=alone))
    if second is not None:
        columns.append(_mark_column(second.name, lambda row: row.second, interval=False))
        columns.append(
            Column(
                "Diff.",
                lambda row: points_text(row.difference),
                number=True,
                tip="The first answerer minus the second, in percentage points",
                tone="dim",
            )
        )
    if published is not None:
        columns.append(
            Column(
                "Published",
                lambda row: f"{100 * row.published:.1f} %",
                number=True,
                tip=f"{published.name} (table {published.table} of the source): other games and runs",
                tone="dim",
            )
        )
    return columns


def _ability_tip(row: MarksRow) -> str:
    if row.ability is not None:
        return ASKS[row.ability]
    return "With “not answerable” as the negative class" if row.f1 else "Mean of all scores"


class MarksTable(Table[MarksRow]):
    """Draws the marks by ability, as high as its rows.

    Signals: ability_wanted(ability): show its questions; empty: those of all abilities.
    """

    ability_wanted = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            TableModel((), key=lambda row: row.title),
            "Marks by ability",
            "Enter shows the questions of an ability",
            row_height=_ROW_HEIGHT,
            sortable=False,
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.opened.connect(self._open)
        self.clicked.connect(lambda index: self._open(self.rows.row_at(index.row())))

    @property
    def lines(self) -> Sequence[MarksRow]:
        """Return the shown rows: abilities, all questions, F1."""
        return self.rows.rows

    def show_marks(
        self,
        questions: Mapping[Ability, int],
        first: AnswererMarks | None,
        second: AnswererMarks | None,
        between: Sequence[Difference],
        published: Baseline | None,
    ) -> None:
        """Show other marks; the chosen row stays."""
        lines = lines_of(questions, first, second, between, published)
        self.show_rows(lines, _columns(first, second, published))
        self.setFixedHeight(_ROW_HEIGHT * len(lines) + self.horizontalHeader().sizeHint().height() + 4)

    def _open(self, row: MarksRow | None) -> None:
        if row is not None:
            self.ability_wanted.emit(row.ability.value if row.ability is not None else "")
