"""Lists the runs in the charts: a chip each, with its shape, colour and progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton

from pitwall.console.charts.series_style import marker_name, paint_marker, series_colour
from pitwall.console.kit.elements import clear_layout
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.theme import RADIUS, SMALL_PX, STEP, Look, ui_font
from pitwall_lab.console.charts.log_reader import TrainingRun

_WIDEST = 200


class RunChips(Flow):
    """A chip for each run; a single run gets none.

    Signals:
        changed(): the choice of shown runs changed.
    """

    changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(STEP + 2)
        self._look = look
        self._runs: list[TrainingRun] = []
        self._chips: dict[str, RunChip] = {}
        self._hidden: set[str] = set()
        self.setAccessibleName("Runs in the charts")
        self.hide()

    def show_runs(self, runs: Sequence[TrainingRun]) -> None:
        """Offer these runs; hidden runs stay hidden."""
        before = [(run.version, run.label, run.colour) for run in self._runs]
        self._runs = list(runs)
        if before != [(run.version, run.label, run.colour) for run in runs]:
            self._hidden &= {run.version for run in runs}
            self._build()
        for run in runs:
            self._chips[run.version].show_progress(run)

    def shown(self) -> list[TrainingRun]:
        """Return the runs that are not hidden."""
        return [run for run in self._runs if run.version not in self._hidden]

    def chip(self, version: str) -> RunChip:
        """Return a run's chip."""
        return self._chips[version]

    def _build(self) -> None:
        clear_layout(self.flow)
        self._chips = {}
        for run in self._runs:
            chip = RunChip(self._look, run, partial(self._toggle, run.version))
            chip.setChecked(run.version not in self._hidden)
            self._chips[run.version] = chip
            self.flow.addWidget(chip)
            chip.show()
        self.setVisible(len(self._runs) > 1)
        self.updateGeometry()

    def _toggle(self, version: str, on: bool) -> None:
        (self._hidden.discard if on else self._hidden.add)(version)
        self.changed.emit()


class RunChip(QAbstractButton):
    """A run's shape, colour and name; unchecked if it is hidden in the charts."""

    def __init__(self, look: Look, run: TrainingRun, toggled: Callable[[bool], object]) -> None:
        super().__init__()
        self._look = look
        self._ink = run.colour
        self._font = ui_font(SMALL_PX)
        self.setCheckable(True)
        self.setChecked(True)
        self.setText(run.label)
        self.setAccessibleName(f"Show {run.label} ({marker_name(run.colour)})")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.toggled.connect(toggled)
        look.changed.connect(self.update)
        self._share = 0.0
        self.show_progress(run)

    def show_progress(self, run: TrainingRun) -> None:
        """Show the training's progress in the tooltip, and as a line at the bottom while it trains."""
        self.setToolTip(f"{run.label}: {run.sentence}")
        self.setAccessibleDescription(run.sentence)
        share = run.share_done if run.live else 0.0
        if share != self._share:
            self._share = share
            self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._font).horizontalAdvance(self.text())
        return QSize(min(words, _WIDEST) + 34, 26)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        shown = self.isChecked()
        painter.setPen(self._look.colour("focus" if self.hasFocus() else "line"))
        ground = "hover" if self.underMouse() else "raised" if shown else "panel"
        painter.setBrush(self._look.colour(ground))
        painter.drawRoundedRect(area, RADIUS - 2, RADIUS - 2)
        colour = series_colour(self._look, self._ink) if shown else self._look.colour("faint")
        if self._share:
            foot = QRectF(RADIUS, self.height() - 3, (self.width() - 2 * RADIUS) * self._share, 2)
            painter.fillRect(foot, colour)
        paint_marker(painter, QPointF(13, self.height() / 2), self._ink, colour, 4.2, hollow=not shown)
        painter.setFont(self._font)
        painter.setPen(self._look.colour("text" if shown else "faint"))
        metrics = QFontMetrics(self._font)
        words = metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, _WIDEST)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect().adjusted(24, 0, -4, 0), middle, words)
