"""What happened, newest first: time in the run, kind, text; all, escalations, or refusals."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pitwall.console.kit import format as words
from pitwall.console.kit.elements import Button, EmptyState, SectionTitle, column
from pitwall.console.kit.panes import stacked
from pitwall.console.kit.table.model import ROW, Column, Index, TableModel
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, Look, Tone, ui_font
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import EventRow, Part

_MOST = 200
_TIME_WIDTH = 58
_KIND_WIDTH = 78
_MOST_LINES = 3

_TONES: dict[str, Tone] = {
    "escalation": "strategic",
    "refusal": "stop",
    "takeover": "human",
    "resumed": "human",
    "stopped": "stop",
    "fault": "stop",
    "broker": "reflex",
}
FILTERS: dict[str, frozenset[str] | None] = {
    "all": None,
    "escalations": frozenset({"escalation"}),
    "refusals": frozenset({"refusal"}),
}


def time_words(row: EventRow) -> str:
    """When it happened, from the run's beginning."""
    return words.clock_tenths(row.run_s) if row.run_s is not None else words.NONE


def _spoken(row: EventRow) -> str:
    return f"{time_words(row)} {row.kind} {row.text}"


def _tip(row: EventRow) -> str:
    return f"{row.text}\nstep {row.step}: Enter or a double click inspects it" if row.step else row.text


class _Delegate(QStyledItemDelegate):
    """Time, kind in its colour, and up to three lines of text."""

    def __init__(self, look: Look, view: QListView) -> None:
        super().__init__(view)
        self._look = look
        self._view = view
        self._font = ui_font(SMALL_PX)
        self._metrics = QFontMetrics(self._font)

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row: EventRow = index.data(ROW)
        width = self._text_width()
        flags = int(Qt.TextFlag.TextWordWrap)
        height = self._metrics.boundingRect(QRect(0, 0, width, 1000), flags, row.text or " ").height()
        line = self._metrics.lineSpacing()
        return QSize(100, min(height, _MOST_LINES * line) + 2 * STEP + 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: EventRow = index.data(ROW)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, self._look.colour("hover"))
        painter.setFont(self._font)
        inside = area.adjusted(0, STEP, 0, -STEP - 1)
        top_left = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        painter.setPen(self._look.colour("faint"))
        painter.drawText(inside, top_left, time_words(row))
        painter.setPen(self._look.colour(_TONES.get(row.kind, "neutral")))
        painter.drawText(inside.adjusted(_TIME_WIDTH, 0, 0, 0), top_left, row.kind)
        painter.setPen(self._look.colour("text"))
        text = inside.adjusted(_TIME_WIDTH + _KIND_WIDTH, 0, -PAD, 0)
        painter.setClipRect(text)
        painter.drawText(text, int(Qt.TextFlag.TextWordWrap) | int(top_left), row.text)
        painter.setClipping(False)
        painter.setPen(self._look.colour("line"))
        painter.drawLine(area.left(), area.bottom(), area.right() - PAD, area.bottom())
        painter.restore()

    def _text_width(self) -> int:
        return max(60, self._view.viewport().width() - _TIME_WIDTH - _KIND_WIDTH - PAD)


class _View(QListView):
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class EventList(QWidget):
    """Title with filters, the list, and what stands there before anything happened.

    Signals:
        step_wanted(step): an event of this step was activated (Enter, or a double click).
    """

    step_wanted = Signal(int)

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self._wanted = "all"
        event = Column("Event", _spoken, cell_tip=_tip, spoken=_spoken)
        self._model = TableModel((event,), key=lambda row: row.number)
        self._view = _View()
        self._view.setModel(self._model)
        self._view.setItemDelegate(_Delegate(look, self._view))
        self._view.setAccessibleName("Events, newest first")
        self._view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view.setUniformItemSizes(False)
        self._view.activated.connect(self._activate)
        self._empty = EmptyState("", "Escalations, refusals, takeovers and pauses of the run appear here.")
        self._empty.title.setVisible(False)
        self._stack = stacked(self._empty, self._view)
        group = QButtonGroup(self)
        buttons = []
        for name in FILTERS:
            button = Button(name, kind="link", name=f"Show {name} events")
            button.setCheckable(True)
            button.setChecked(name == "all")
            button.clicked.connect(lambda *_, name=name: self._show_only(name))
            group.addButton(button)
            buttons.append(button)
        title = SectionTitle("Events", "", *buttons)
        title.setContentsMargins(0, 0, PAD, 0)
        layout = column(title, self._stack, gap=STEP)
        layout.setStretch(1, 1)
        layout.setContentsMargins(PAD + STEP, GAP, 0, STEP)
        self.setLayout(layout)
        look.changed.connect(self._view.viewport().update)

    def refresh(self, changed: Part) -> None:
        if changed & (Part.EVENTS | Part.RUN):
            self._show()

    def _activate(self, index: Index) -> None:
        row: EventRow = index.data(ROW)
        if row.step:
            self.step_wanted.emit(row.step)

    def _show_only(self, name: str) -> None:
        self._wanted = name
        self._show()

    def _show(self) -> None:
        kinds = FILTERS[self._wanted]
        rows = [row for row in reversed(self._bridge.state.events) if kinds is None or row.kind in kinds]
        self._model.show(rows[:_MOST])
        self._stack.setCurrentIndex(1 if rows else 0)
