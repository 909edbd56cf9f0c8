"""How often a training chose each of its actions of late: bars with percentages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.theme import SMALL_PX, STEP, Look, ui_font

_LINE = 18
_BAR = 5
_ROW = _LINE + _BAR + 2 * STEP
NOTHING = "nothing new"
"""The name of the action that begins nothing."""


class ActionUse(QWidget):
    """One bar an action; its height follows how many there are."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._rows: tuple[tuple[str, float], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)

    @property
    def rows(self) -> tuple[tuple[str, float], ...]:
        """Action and its share in percent, as shown."""
        return self._rows

    def show_use(self, actions: Sequence[str], counts: Sequence[int]) -> None:
        """Show the counts of these actions; nothing where nothing was chosen yet."""
        total = sum(counts)
        rows = (
            tuple(
                (action or NOTHING, 100 * count / total)
                for action, count in zip(actions, counts, strict=False)
            )
            if total
            else ()
        )
        if rows != self._rows:
            self._rows = rows
            said = ", ".join(f"{name} {share:.0f} %" for name, share in rows)
            self.setAccessibleName(f"Action use: {said}" if said else "Action use: nothing yet")
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(180, _ROW * len(self._rows))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(ui_font(SMALL_PX))
        wide = self.width()
        for at, (name, share) in enumerate(self._rows):
            top = at * _ROW
            text = f"{share:.0f} %"
            room = QRectF(0, top, wide, _LINE)
            painter.setPen(self._look.colour("dim"))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            room.setWidth(wide - painter.fontMetrics().horizontalAdvance(text) - 8)
            painter.setPen(self._look.colour("text"))
            cut = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)
            bar = QRectF(0, top + _LINE + STEP / 2, wide, _BAR)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._look.colour("line"))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            if share > 0:
                bar.setWidth(max(_BAR, wide * share / 100))
                painter.setBrush(self._look.colour("reflex"))
                painter.drawRoundedRect(bar, 2.5, 2.5)
