"""The faults of a suite's text, listed under it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy

from pitwall.console.kit.elements import Card, Label
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.theme import GAP, STEP, Look
from pitwall.core.errors import Fault
from pitwall.core.quantities import counted

_ROW_PX, _WHERE_PX, _MOST = 26, 66, 5
_REMEDY_LETTERS = 90
"""A remedy that all faults share stands whole above them, where it is no longer than this."""


class FaultList(Card):
    """Lists the faults of the text, one per line; without faults it shows the number of runs.

    Signals: chosen(fault).
    """

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        self._summary = Label("", wrap=True)
        self.list = RowList(look, "Faults of the suite", _ROW_PX, most=_MOST)
        super().__init__(self._summary, self.list, gap=STEP)
        self.body.setContentsMargins(GAP, GAP, GAP, GAP)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.faults: tuple[Fault, ...] = ()
        self.list.clicked.connect(lambda place: self.chosen.emit(self.faults[place.row()]))
        self.list.opened.connect(lambda at: self.chosen.emit(self.faults[at]))
        self.show_faults((), "")

    def show_faults(self, faults: Sequence[Fault], fine: str) -> None:
        """Show the faults, with the remedy that all of them share, or the text `fine` if there are none."""
        count = len(faults)
        remedies = {fault.expected for fault in faults}
        remedy = remedies.pop() if len(remedies) == 1 else ""
        known = f" · expected {remedy}" if remedy and len(remedy) <= _REMEDY_LETTERS else ""
        self._summary.set_text(f"! {counted(count, 'fault')}{known}" if count else fine)
        self._summary.set_tone("stop" if count else "ok" if fine.startswith("✓") else "neutral")
        self.faults = tuple(faults)
        self.list.setVisible(bool(count))
        self.list.show_rows([_row(at, fault) for at, fault in enumerate(faults)])


def _row(at: int, fault: Fault) -> ListRow:
    where = Words(f"line {fault.line}" if fault.line else "file", "dim", width=_WHERE_PX)
    message = fault_words(fault)
    return ListRow(at, (Line((where, Words(_without_line(fault)))),), spoken=message, tip=message)


def fault_words(fault: Fault) -> str:
    """Format a fault: "line 4: agents[0].kid: no such key; did you mean 'kind'?"."""
    where = f"line {fault.line}: " if fault.line else ""
    return where + _without_line(fault)


def _without_line(fault: Fault) -> str:
    words = f"{fault.key}: {fault.problem}" if fault.key else fault.problem
    words += f"; expected {fault.expected}" if fault.expected else ""
    return words + (f"; did you mean {fault.nearest!r}?" if fault.nearest else "")
