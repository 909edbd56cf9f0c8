"""The list of runs: game, time, length and outcome of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import column
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words, line
from pitwall.console.kit.theme import TINY_PX, Look
from pitwall.console.run_view.format import OUTCOMES, escalations
from pitwall.core.quantities import counted, duration_text, local_time, score_text
from pitwall.core.steps import StepRecord
from pitwall.store.run_log import RunRow

_ROW_HEIGHT = 68


class RunsList(QWidget):
    """Runs, newest first, as many as were read so far.

    Signals:
        selected(row): a RunRow, or None.
        more_wanted(offset): the view came to the end of the read rows.
    """

    selected = Signal(object)
    more_wanted = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.rows: list[RunRow] = []
        self._total = 0
        self.view = RowList(look, "Runs, newest first", _ROW_HEIGHT)
        self.view.chosen.connect(lambda _: self.selected.emit(self.chosen()))
        self.view.more_wanted.connect(self.more_wanted)
        self.setLayout(column(self.view, gap=0))

    def show_runs(self, rows: Sequence[RunRow], total: int) -> None:
        """Replace the listed runs; the selection stays.

        Args:
            total: number of runs, or of matches.
        """
        self.rows, self._total = list(rows), total
        self._fill()

    def add(self, rows: Sequence[RunRow]) -> None:
        """Append older runs."""
        known = {run.run_id for run in self.rows}
        new = [run for run in rows if run.run_id not in known]
        self.rows += new
        if not new:
            self._total = len(self.rows)
        self._fill()

    def count_step(self, run_id: int, step: StepRecord) -> None:
        """Count a committed step of a run that is being recorded."""
        at = self.place_of(run_id)
        if at is None:
            return
        summary = self.rows[at].summary
        routes = dict(summary.routes)
        routes[step.route] = routes.get(step.route, 0) + 1
        seconds = max(summary.seconds, step.at_ns / 1e9)
        summary = replace(summary, steps=max(summary.steps, step.step), routes=routes, seconds=seconds)
        self.rows[at] = replace(self.rows[at], summary=summary)
        self._fill()

    def place_of(self, run_id: int | None) -> int | None:
        """Find the row of a run; None where it is not listed."""
        return next((at for at, run in enumerate(self.rows) if run.run_id == run_id), None)

    def chosen(self) -> RunRow | None:
        at = self.place_of(self.view.current)
        return self.rows[at] if at is not None else None

    def choose(self, run_id: int | None) -> None:
        """Select a run; the newest where it is not listed."""
        if self.rows:
            self.view.choose(run_id if self.place_of(run_id) is not None else self.rows[0].run_id)

    def _fill(self) -> None:
        self.view.show_rows([_list_row(run) for run in self.rows], total=self._total)


def _list_row(run: RunRow) -> ListRow:
    outcome = OUTCOMES[run.summary.outcome]
    stamp = f"run {run.run_id} · {local_time(run.manifest.started_at)}"
    lines = (
        Line((Words(run.manifest.game_name, bold=True),), Words(str(outcome), outcome.tone, TINY_PX)),
        line(stamp, "dim", right=duration_text(run.summary.seconds), right_tone="text"),
        line(_counts(run), "dim", right=_score(run), right_tone="text"),
    )
    return ListRow(run.run_id, lines)


def _counts(run: RunRow) -> str:
    steps = counted(run.summary.steps, "step")
    return f"{steps} · {counted(escalations(run.summary), 'plan')}"


def _score(run: RunRow) -> str:
    return f"score {score_text(run.score.best, run.score.unit)}" if run.score is not None else ""
