"""What happened between or beside the steps of a run, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from pitwall.console.kit import format as words
from pitwall.console.kit.column_table import NOWHERE, ROW, Index
from pitwall.console.kit.theme import Look
from pitwall.core.steps import RunEvent

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class EventsModel(QAbstractTableModel):
    """What happened between or beside the steps of one run."""

    TITLES = ("Time", "Kind", "What happened", "Step")

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._events: list[RunEvent] = []

    def show(self, events: Sequence[RunEvent]) -> None:
        self.beginResetModel()
        self._events = list(events)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._events)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.TITLES[section]
        return _align(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        event = self._events[index.row()]
        if role == ROW:
            return event
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                words.clock_tenths(event.at_ns / 1e9),
                event.kind.replace("_", " "),
                event.text,
                f"{event.step:,}" if event.step else words.NONE,
            )[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 2:
            return event.text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _align(index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            tone = _EVENT_TONES.get(event.kind, "dim") if index.column() == 1 else "text"
            return self._look.colour("dim" if index.column() in (0, 3) else tone)
        return None


def _align(column: int) -> int:
    return _RIGHT if column in (0, 3) else _LEFT


_EVENT_TONES = {
    "escalation": "strategic",
    "refusal": "stop",
    "takeover": "human",
    "stopped": "stop",
    "broker": "stop",
    "fault": "stop",
}
