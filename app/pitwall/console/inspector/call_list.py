"""The calls of one step as a list: what each was for, who was asked, what became of it, how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pitwall.console.inspector import format as said
from pitwall.console.kit import format as words
from pitwall.console.kit.theme import GAP, PAD, ROUTE_SIGNS, SMALL_PX, STEP, TEXT_PX, TINY_PX, Look, ui_font
from pitwall.console.state.model_calls import Call
from pitwall.core.clock import now_ns

Index = QModelIndex | QPersistentModelIndex
_CALL = Qt.ItemDataRole.UserRole
_HEIGHT = 54
_LEAST_ROWS = 3


class CallModel(QAbstractListModel):
    """The calls of a step, in the order they were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def show_calls(self, calls: Sequence[Call]) -> None:
        """New ones are added; the rest is drawn anew."""
        same = len(calls) >= len(self.calls) and all(
            one is other for one, other in zip(self.calls, calls, strict=False)
        )
        if not same:
            self.beginResetModel()
            self.calls = list(calls)
            self.endResetModel()
            return
        if len(calls) > len(self.calls):
            self.beginInsertRows(QModelIndex(), len(self.calls), len(calls) - 1)
            self.calls = list(calls)
            self.endInsertRows()
        self.draw_again()

    def draw_again(self) -> None:
        if self.calls:
            self.dataChanged.emit(self.index(0), self.index(len(self.calls) - 1))

    def rowCount(self, _parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.calls)

    def data(self, index: Index, role: int = 0) -> Any:
        call = self.calls[index.row()]
        if role == _CALL:
            return call
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return ", ".join(
                (
                    said.purpose(call.purpose),
                    call.tier.value,
                    call.model,
                    said.outcome(call).word,
                    took_text(call),
                )
            )
        return None


def took_text(call: Call) -> str:
    """How long a call took, or has taken: 0.41 s, 12.3 s."""
    seconds = call.seconds(now_ns())
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


class _Delegate(QStyledItemDelegate):
    def __init__(self, look: Look, view: QListView) -> None:
        super().__init__(view)
        self._look = look
        self._fonts = (ui_font(TEXT_PX, bold=True), ui_font(SMALL_PX), ui_font(TINY_PX))

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(120, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        call: Call = index.data(_CALL)
        look, area = self._look, QRect(option.rect)
        state: QStyle.StateFlag = option.state
        painter.save()
        route = said.tier_route(call.tier)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, look.colour("hover"))
            painter.fillRect(area.left(), area.top(), 3, area.height(), look.colour("text"))
        upper = QRect(area.left() + PAD, area.top() + GAP, area.width() - PAD - GAP, 18)
        lower = upper.translated(0, 20)
        left, right = (
            side | Qt.AlignmentFlag.AlignVCenter
            for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
        )
        strong, small, tiny = self._fonts
        painter.setFont(small)
        painter.setPen(look.colour(route.value))
        painter.drawText(upper, left, ROUTE_SIGNS[route])
        outcome = said.outcome(call)
        painter.setPen(look.colour(outcome.tone))
        words_width = QFontMetrics(small).horizontalAdvance(str(outcome))
        painter.drawText(upper, right, str(outcome))
        painter.setFont(strong)
        painter.setPen(look.colour("text"))
        name = upper.adjusted(18, 0, -words_width - GAP, 0)
        painter.drawText(name, left, _cut(strong, said.purpose(call.purpose), name.width()))
        painter.setFont(tiny)
        painter.setPen(look.colour("dim"))
        time = took_text(call)
        painter.drawText(lower, right, time)
        who = lower.adjusted(18, 0, -QFontMetrics(tiny).horizontalAdvance(time) - GAP, 0)
        painter.drawText(who, left, _cut(tiny, call.model or words.NONE, who.width()))
        painter.setPen(look.colour("line"))
        painter.drawLine(area.left(), area.bottom(), area.right(), area.bottom())
        painter.restore()


def _cut(font: Any, text: str, width: int) -> str:
    return QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)


class CallList(QListView):
    """One is chosen: by a click or the arrow keys.

    Signals:
        chosen(Call or None).
    """

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._model = CallModel()
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(look, self))
        self.setAccessibleName("Calls of the step")
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSpacing(0)
        self.setContentsMargins(0, 0, 0, STEP)
        self.selectionModel().currentChanged.connect(lambda *_: self.chosen.emit(self.current))
        look.changed.connect(self.viewport().update)

    @property
    def current(self) -> Call | None:
        """The chosen call."""
        call: Call | None = self.currentIndex().data(_CALL) if self.currentIndex().isValid() else None
        return call

    def show_calls(self, calls: Sequence[Call]) -> None:
        """Show a step's calls; the chosen one stays, else the last is chosen."""
        before = self.current
        at_last = before is None or (self._model.calls and before is self._model.calls[-1])
        self._model.show_calls(calls)
        wanted = next((row for row, call in enumerate(calls) if call is before), None)
        if calls and (wanted is None or at_last):
            wanted = len(calls) - 1
        if wanted is not None:
            self.setCurrentIndex(self._model.index(wanted))
        if self.current is not before:
            self.chosen.emit(self.current)
        self.setMaximumHeight(max(1, len(calls)) * _HEIGHT + 2)
        self.setMinimumHeight(min(_LEAST_ROWS, max(1, len(calls))) * _HEIGHT + 2)

    def draw_again(self) -> None:
        """Times and words of open calls."""
        self._model.draw_again()
