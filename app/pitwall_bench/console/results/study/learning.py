"""The learning curve of a chain of runs, and its skills: which was accepted when, and used how often."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.elements import Card, SectionTitle, column
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.panes import split
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.core.quantities import NONE, counted, number, share
from pitwall_bench.console.results.plot_card import PlotCard
from pitwall_bench.console.results.study.curve import LearningCurve, Measure, lines_of
from pitwall_bench.suites.learning import Learning, SkillHistory
from pitwall_evaluation.console.data_sheet import Column as SheetColumn
from pitwall_evaluation.console.data_sheet import count_text

_STATES = {"active": "in use", "retired": "retired", "proposed": "waits", "": "not there any more"}
_TONES = {"active": "ok", "proposed": "warn"}


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or NONE


_COLUMNS: tuple[Column[SkillHistory], ...] = (
    Column("Skill", lambda row: row.name, stretch=1, cell_tip=lambda row: f"{row.name}\n{row.when}"),
    Column(
        "State",
        lambda row: _STATES.get(row.status, row.status),
        tone=lambda row: _TONES.get(row.status, "dim"),
        width=110,
    ),
    Column(
        "Accepted after run",
        lambda row: _numbers(row.accepted),
        sort=lambda row: row.accepted[0] if row.accepted else None,
        tip="The numbers of the carried runs after which the gate accepted it",
        width=140,
    ),
    Column(
        "Retired after run",
        lambda row: _numbers(row.retired),
        sort=lambda row: row.retired[0] if row.retired else None,
        tone="dim",
        width=140,
    ),
    Column(
        "Used",
        lambda row: f"{row.uses:,}",
        number=True,
        sort=lambda row: row.uses,
        descends=True,
        tip="Decisions of it in carried runs",
        width=70,
    ),
    Column(
        "Used in measured runs",
        lambda row: f"{row.measured:,}",
        number=True,
        sort=lambda row: row.measured,
        descends=True,
        tone="dim",
        width=180,
        least_room=900,
    ),
)


class LearningView(QWidget):
    """Shows one chain of a study; another is chosen above it where there are several.

    Signals:
        chain_chosen(number): the operator chose another chain.
    """

    chain_chosen = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._chain: Learning | None = None
        self.chains = Combo("Chain of runs", letters=28)
        self.chains.chosen.connect(lambda number: self.chain_chosen.emit(number))
        self.measure = Choice(
            "Measure",
            (
                ("success", "Success", "Share of runs that reached their target"),
                ("score", "Score", "Mean score: 100 for a success, else the progress in per cent"),
            ),
        )
        self.measure.chosen.connect(lambda _: self._draw())
        self.curve = PlotCard(
            "Learning curve",
            LearningCurve(look),
            self.chains,
            self.measure,
            tip="Lines: shares and means. Bands: 95 % intervals, Wilson's and the mean's.",
            height=170,
        )
        self._title = SectionTitle("Skills")
        self.skills = Table(look, TableModel(_COLUMNS, lambda row: row.name), "Skills of this chain")
        self.setLayout(
            column(
                split(
                    self.curve,
                    Card(self._title, self.skills, gap=STEP),
                    sizes=(300, 260),
                    vertical=True,
                ),
                margins=(PAD, GAP, PAD, GAP),
            )
        )

    def show_chain(self, chain: Learning, names: Sequence[str], at: int) -> None:
        """Show a chain. names: of all chains, of which this has the number `at`."""
        self._chain = chain
        self.chains.offer(list(enumerate(names)), at)
        self.chains.setVisible(len(names) > 1)
        self.skills.show_rows(chain.skills)
        used = sum(skill.status == "active" for skill in chain.skills)
        self._title.set_note(
            f"{used:,} in use of {len(chain.skills):,}" if chain.skills else "none was accepted"
        )
        self._draw()

    def _draw(self) -> None:
        chain = self._chain
        if chain is None:
            return
        measure: Measure = "score" if self.measure.current == "score" else "success"
        lines = lines_of(chain)
        self.curve.plot.show_lines(lines, measure)
        self.curve.say(chain.problem, counted(len(chain.steps), "carried run"))
        rows = [
            (
                line.name,
                (
                    point.after,
                    point.success.runs,
                    point.success.share,
                    point.success.low,
                    point.success.high,
                    point.score.mean,
                    point.score.low,
                    point.score.high,
                ),
            )
            for line in lines
            for point in line.points
        ]
        self.curve.show_sheet(
            "curve",
            [
                SheetColumn("carried runs", count_text),
                SheetColumn("played", count_text),
                SheetColumn("success", share),
                SheetColumn("lower 95 %", share),
                SheetColumn("upper 95 %", share),
                SheetColumn("score", number),
                SheetColumn("lower 95 %", number),
                SheetColumn("upper 95 %", number),
            ],
            rows,
        )
