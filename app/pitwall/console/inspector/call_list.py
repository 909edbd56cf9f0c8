"""The calls of one step as a list: purpose, model, outcome and time of each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from pitwall.console.inspector import format as said
from pitwall.console.kit import format as words
from pitwall.console.kit.row_list import ROW_DATA, Index, RowDelegate, RowList
from pitwall.console.kit.theme import GAP, ROUTE_SIGNS, SMALL_PX, TINY_PX, Look
from pitwall.console.state.model_calls import Call
from pitwall.core.clock import now_ns

_ROW_PX, _LINE_PX, _SIGN_PX = 54, 18, 18
_MOST_ROWS = 8


def took_text(call: Call) -> str:
    """How long a call took, or has taken: 0.41 s, 12.3 s."""
    seconds = call.seconds(now_ns())
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def spoken(call: Call) -> str:
    """A call in one line: "plan, strategic, small, used, 0.41 s"."""
    parts = (
        said.purpose(call.purpose),
        call.tier.value,
        call.model,
        said.outcome(call).word,
        took_text(call),
    )
    return ", ".join(parts)


class CallList(RowList):
    """Chooses one call, by a click or the arrow keys.

    Signals:
        chosen(Call or None).
    """

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__("Calls of the step", _ROW_PX, _MOST_ROWS)
        self._calls: Sequence[Call] = ()
        self.setItemDelegate(_CallDelegate(look, self))
        self.currentRowChanged.connect(lambda *_: self.chosen.emit(self.current))
        look.changed.connect(self.viewport().update)

    @property
    def current(self) -> Call | None:
        """The chosen call."""
        at = self.currentRow()
        return self._calls[at] if 0 <= at < len(self._calls) else None

    def show_calls(self, calls: Sequence[Call]) -> None:
        """Show a step's calls; the chosen one stays, unless it was the last: then the last is chosen."""
        before = self.current
        at_last = before is None or before is self._calls[-1]
        kept = next((at for at, call in enumerate(calls) if call is before), None)
        self._calls = calls
        rows = [(call, spoken(call), spoken(call)) for call in calls]
        self.fill(rows, len(calls) - 1 if kept is None or at_last else kept)
        self.draw_again()
        if self.current is not before:
            self.chosen.emit(self.current)

    def draw_again(self) -> None:
        """Draw times and outcomes of open calls as they are now."""
        self.viewport().update()


class _CallDelegate(RowDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        call: Call = index.data(ROW_DATA)
        route, outcome = said.tier_route(call.tier), said.outcome(call)
        painter.save()
        room = self.ground(painter, option)
        upper = QRect(room.left(), room.top() + GAP, room.width(), _LINE_PX)
        lower = upper.translated(0, _LINE_PX + 2)
        self.words(painter, upper, ROUTE_SIGNS[route], route.value, px=SMALL_PX)
        used = self.words(painter, upper, str(outcome), outcome.tone, px=SMALL_PX, right=True)
        name = upper.adjusted(_SIGN_PX, 0, -used - GAP, 0)
        self.words(painter, name, said.purpose(call.purpose), "text", bold=True)
        used = self.words(painter, lower, took_text(call), "dim", px=TINY_PX, right=True)
        model = lower.adjusted(_SIGN_PX, 0, -used - GAP, 0)
        self.words(painter, model, call.model or words.NONE, "dim", px=TINY_PX)
        painter.restore()
