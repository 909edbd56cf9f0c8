"""The list of runs: what was played, when, how long, how it ended."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pitwall.console.kit.column_table import ROW
from pitwall.console.kit.elements import Label, column, row
from pitwall.console.kit.format import counted, duration_text, started_text
from pitwall.console.kit.search_field import SearchField
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, TEXT_PX, TINY_PX, Look, ui_font
from pitwall.console.run_view.format import OUTCOMES, escalations
from pitwall.console.runs.list_model import RunsModel
from pitwall.store.run_log import RunRow

_ROW_HEIGHT = 68
_LINE = 19
_SEARCH_AFTER_MS = 180


def describe_run(run: RunRow) -> str:
    """A run in one sentence, as the list shows it."""
    outcome = OUTCOMES[run.summary.outcome][0].partition(" ")[2]
    return (
        f"Run {run.run_id}, {run.manifest.game_name}, {started_text(run.manifest.started_at, _now())}, "
        f"{duration_text(run.summary.seconds)}, {outcome}, {_counts(run)}"
    )


class RunsList(QWidget):
    """Search field and list.

    Signals:
        searched(words): the operator typed. selected(row): a RunRow, or None.
    """

    searched = Signal(str)
    selected = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.model = RunsModel(describe_run, self)
        self.search = SearchField("Search runs   Ctrl+F", "Search runs by game, time, role or outcome")
        self._typed = QTimer(self, singleShot=True, interval=_SEARCH_AFTER_MS)
        self._typed.timeout.connect(lambda: self.searched.emit(self.search.text()))
        self.search.textChanged.connect(self._typed.start)
        self._count = Label("", "note")
        self.view = QListView()
        self.view.setAccessibleName("Runs, newest first")
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setItemDelegate(_RunDelegate(look, self.view))
        self.view.selectionModel().currentChanged.connect(self._changed)
        look.changed.connect(self.view.viewport().update)
        head = row(Label("Runs", "heading"), None, self._count)
        head.setContentsMargins(PAD, PAD, PAD, 0)
        field = row(self.search)
        field.setContentsMargins(PAD, 0, PAD, 0)
        layout = column(gap=GAP)
        layout.addLayout(head)
        layout.addLayout(field)
        layout.addWidget(self.view, 1)
        self.setLayout(layout)

    def show_count(self, total: int, words: str) -> None:
        """How many there are, or match."""
        self._count.set_text(counted(total, "match", "matches") if words else counted(total, "run"))

    def chosen(self) -> RunRow | None:
        """The run that is selected."""
        row_: RunRow | None = self.view.currentIndex().data(ROW)
        return row_

    def choose(self, run_id: int | None) -> None:
        """Select a run; the newest where it is not listed."""
        at = self.model.place_of(run_id)
        if at is None and self.model.rows:
            at = 0
        if at is not None and at != self.view.currentIndex().row():
            self.view.setCurrentIndex(self.model.index(at))

    def _changed(self, now: QModelIndex, _: QModelIndex) -> None:
        self.selected.emit(now.data(ROW) if now.isValid() else None)


class _RunDelegate(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, _ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        run: RunRow = index.data(ROW)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        look = self._look
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, look.colour("hover"))
            painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), look.colour("text"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, look.colour("raised"))
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), look.colour("line"))
        inside = area.adjusted(PAD, 6, -PAD, 0)
        outcome, tone = OUTCOMES[run.summary.outcome]
        stamp = f"run {run.run_id} · {started_text(run.manifest.started_at, _now())}"
        texts = (
            (run.manifest.game_name, ui_font(TEXT_PX, bold=True), "text", outcome, ui_font(TINY_PX), tone),
            (stamp, ui_font(SMALL_PX), "dim", duration_text(run.summary.seconds), ui_font(SMALL_PX), "text"),
            (_counts(run), ui_font(SMALL_PX), "dim", "", ui_font(SMALL_PX), "dim"),
        )
        for at, (left, font, colour, right, right_font, right_colour) in enumerate(texts):
            place = QRect(inside.left(), inside.top() + at * _LINE, inside.width(), _LINE)
            painter.setFont(right_font)
            painter.setPen(look.colour(right_colour))
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, right)
            room = place.width() - painter.fontMetrics().horizontalAdvance(right) - GAP
            painter.setFont(font)
            painter.setPen(look.colour(colour))
            cut = painter.fontMetrics().elidedText(left, Qt.TextElideMode.ElideRight, room)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)
        painter.restore()


def _counts(run: RunRow) -> str:
    steps = counted(run.summary.steps, "step")
    return f"{steps} · {counted(escalations(run.summary), 'escalation')}"


def _now() -> datetime:
    return datetime.now().astimezone()
