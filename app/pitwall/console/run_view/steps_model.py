"""The steps of a run as a table, a page at a time, so that a hundred thousand rows scroll."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, QTimer, Signal

from pitwall.console.kit import format as words
from pitwall.console.kit.column_table import NOWHERE, ROW, Index
from pitwall.console.kit.format import step_time
from pitwall.console.kit.theme import ROUTE_SIGNS, Look, route_tone
from pitwall.console.run_view.format import refused
from pitwall.core.actions import Effect
from pitwall.core.steps import StepRecord

PAGE_STEPS = 256
_MOST_PAGES = 32
_ASK_MS = 15
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the steps table: title, width in pixels, text of a step, whether it is a number."""

    title: str
    width: int
    text: Callable[[StepRecord], str]
    number: bool = False


_EFFECTS = {Effect.CONFIRMED: "✓ confirmed", Effect.UNVERIFIED: "? unverified", Effect.NONE: words.NONE}
COLUMNS = (
    Column("Step", 60, lambda step: f"{step.step:,}", number=True),
    Column("Time", 66, step_time, number=True),
    Column("Route", 92, lambda step: f"{ROUTE_SIGNS[step.route]} {step.route.value}"),
    Column("Reasons", 118, lambda step: words.reasons(step.reasons)),
    Column("Action", 110, lambda step: str(step.action)),
    Column("Effect", 94, lambda step: _EFFECTS[step.effect]),
    Column("Refused", 86, lambda step: refused(step) or (step.invalid or "").replace("_", " ")),
    Column("Reaction", 66, lambda step: words.figure(step.timings.reaction_ms, "ms"), number=True),
)
_ROUTE, _EFFECT, _REFUSED = 2, 5, 6


class StepsModel(QAbstractTableModel):
    """Steps of one run, a page at a time as the view comes to them.

    Signals:
        page_wanted(run_id, first step, count): answer with `add_page`.
    """

    page_wanted = Signal(int, int, int)

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._run_id = 0
        self._total = 0
        self._pages: OrderedDict[int, dict[int, StepRecord]] = OrderedDict()
        self._wanted: list[int] = []
        self._asked: set[int] = set()
        self._twice: set[int] = set()
        self._ask = QTimer(self, singleShot=True, interval=_ASK_MS)
        self._ask.timeout.connect(self._ask_now)

    @property
    def run_id(self) -> int:
        return self._run_id

    def show(self, run_id: int, total: int) -> None:
        """Turn to a run of so many steps."""
        self.beginResetModel()
        self._run_id, self._total = run_id, total
        self._pages.clear()
        self._wanted.clear()
        self._asked.clear()
        self._twice.clear()
        self.endResetModel()

    def grow(self, total: int) -> None:
        """The run has more steps now."""
        if total > self._total:
            self._forget_page(self._total // PAGE_STEPS)
            self.beginInsertRows(QModelIndex(), self._total, total - 1)
            self._total = total
            self.endInsertRows()

    def append(self, step: StepRecord) -> None:
        """A step that was just committed; kept without reading it again."""
        at = step.step - 1
        page = self._pages.get(at // PAGE_STEPS)
        if at == self._total and (page is not None or at % PAGE_STEPS == 0):
            self.beginInsertRows(QModelIndex(), at, at)
            self._total += 1
            self._pages.setdefault(at // PAGE_STEPS, {})[step.step] = step
            self.endInsertRows()
        else:
            self.grow(step.step)

    def add_page(self, run_id: int, start: int, steps: Sequence[StepRecord]) -> None:
        """The answer to `page_wanted`."""
        if run_id != self._run_id:
            return
        page = (start - 1) // PAGE_STEPS
        self._asked.discard(page)
        known = self._pages.get(page, {}) | {step.step: step for step in steps}
        overtaken = len(known) < min(PAGE_STEPS, self._total - start + 1) and page not in self._twice
        if overtaken:  # the run grew while this was read: what is still seen asks once more
            self._twice.add(page)
        else:
            self._pages[page] = known
        while len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        last = min(start - 1 + PAGE_STEPS, self._total) - 1
        if last >= start - 1:
            self.dataChanged.emit(self.index(start - 1, 0), self.index(last, len(COLUMNS) - 1))

    def step_at(self, row: int) -> StepRecord | None:
        """The step of a row; None until it was read (and then it is asked for)."""
        page = row // PAGE_STEPS
        if page in self._pages:
            self._pages.move_to_end(page)
            return self._pages[page].get(row + 1)
        if page not in self._asked:
            if page in self._wanted:
                self._wanted.remove(page)
            self._wanted.append(page)
            if not self._ask.isActive():
                self._ask.start()
        return None

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self._total

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if COLUMNS[section].number else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.number else _LEFT
        if role == ROW:
            return self.step_at(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            step = self.step_at(index.row())
            return column.text(step) if step is not None else _unread(index)
        if role == Qt.ItemDataRole.ToolTipRole:
            step = self.step_at(index.row())
            return column.text(step) if step is not None and not column.number else None
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(index)
        return None

    def _colour(self, index: Index) -> Any:
        step = self.step_at(index.row())
        if step is None:
            return self._look.colour("faint")
        if index.column() == _ROUTE:
            return self._look.colour(route_tone(step.route))
        if index.column() == _REFUSED:
            return self._look.colour("stop")
        if index.column() == _EFFECT:
            return self._look.colour("ok" if step.effect is Effect.CONFIRMED else "dim")
        return self._look.colour("text" if index.column() in (0, 4) else "dim")

    def _forget_page(self, page: int) -> None:
        self._twice.discard(page)
        if page * PAGE_STEPS != self._total:
            self._pages.pop(page, None)

    def _ask_now(self) -> None:
        wanted, self._wanted = self._wanted[-4:], []
        for page in reversed(wanted):
            self._asked.add(page)
            self.page_wanted.emit(self._run_id, page * PAGE_STEPS + 1, PAGE_STEPS)


def _unread(index: Index) -> str:
    return f"{index.row() + 1:,}" if index.column() == 0 else "…"
