"""The events of the run, newest first: time, kind and text; all of them, escalations, or refusals."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from pitwall.console.kit.elements import Button, EmptyState, SectionTitle, column
from pitwall.console.kit.panes import stacked
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, Look, Tone
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.histories import EventRow
from pitwall.console.state.view_state import Part
from pitwall.core.quantities import NONE, clock_tenths

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
    """Write an event's time, from the run's beginning."""
    return clock_tenths(row.run_s) if row.run_s is not None else NONE


def _row(row: EventRow) -> ListRow:
    time, kind = time_words(row), row.kind
    shown = (
        Words(time, "faint", SMALL_PX, width=_TIME_WIDTH),
        Words(kind, _TONES.get(kind, "neutral"), SMALL_PX, width=_KIND_WIDTH),
        Words(row.text, px=SMALL_PX, most_lines=_MOST_LINES),
    )
    tip = f"{row.text}\nstep {row.step}: Enter or a double click inspects it" if row.step else row.text
    return ListRow(row.number, (Line(shown),), tip=tip)


class EventList(QWidget):
    """Lists events under a title with filters; an empty run is explained.

    Signals:
        step_wanted(step): an event of this step was activated (Enter, or a double click).
    """

    step_wanted = Signal(int)

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self._wanted = "all"
        self._list = RowList(look, "Events, newest first", 0)
        self._list.opened.connect(self._open)
        self._empty = EmptyState("", "Escalations, refusals, takeovers and pauses of the run appear here.")
        self._empty.title.setVisible(False)
        self._stack = stacked(self._empty, self._list)
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
        self.setLayout(column(title, self._stack, gap=STEP, stretch=1, margins=(PAD + STEP, GAP, 0, STEP)))

    def refresh(self, changed: Part) -> None:
        if changed & (Part.EVENTS | Part.RUN):
            self._show()

    def _open(self, number: int) -> None:
        step = next((row.step for row in self._bridge.state.events if row.number == number), 0)
        if step:
            self.step_wanted.emit(step)

    def _show_only(self, name: str) -> None:
        self._wanted = name
        self._show()

    def _show(self) -> None:
        kinds = FILTERS[self._wanted]
        rows = [row for row in reversed(self._bridge.state.events) if kinds is None or row.kind in kinds]
        self._list.show_rows([_row(row) for row in rows[:_MOST]])
        self._stack.setCurrentIndex(1 if rows else 0)
