"""A chart in its card: title and unit at the left, the newest value at the right."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from pitwall.console.charts.chart import HOW, Chart
from pitwall.console.charts.data import ChartData
from pitwall.console.charts.shared_view import SharedView
from pitwall.console.kit.elements import Label, SectionTitle, column, row
from pitwall.console.kit.number_format import number
from pitwall.console.kit.theme import GAP, PAD, STEP, Look


class NamedTitle(QWidget):
    """A name as it is written elsewhere, with a note at the right."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.note = Label("", "note")
        self.setLayout(row(Label(name, "strong"), None, self.note))

    def set_note(self, text: str) -> None:
        self.note.set_text(text)


class ChartCard(QFrame):
    """A chart with its title; `tools` stand at the right of it.

    Args:
        height: least height of the chart itself. verbatim: the title is a name and stands as it is.
    """

    def __init__(
        self,
        look: Look,
        view: SharedView,
        title: str,
        *tools: QWidget,
        unit: str = "",
        tip: str = "",
        height: int = 96,
        verbatim: bool = False,
    ) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._plain = title
        self._head = SectionTitle(title, "", *tools) if not verbatim else NamedTitle(title)
        self._head.setToolTip(tip)
        self.chart = Chart(look, view, title, height=height)
        self.chart.setAccessibleDescription(f"{tip} {HOW}".strip())
        self.setLayout(column(self._head, self.chart, gap=STEP, stretch=1, margins=(PAD, GAP, GAP - 2, STEP)))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.set_unit(unit)

    @property
    def unit(self) -> str:
        return self.chart.unit

    def set_unit(self, unit: str) -> None:
        """Say what it is measured in."""
        self.chart.unit = unit
        self.chart.setAccessibleName(f"{self._plain}, {unit}" if unit else self._plain)
        self._say()

    def show_picture(self, picture: ChartData) -> None:
        """Show other lines, and the newest value of the first of them."""
        self.chart.show_picture(picture)
        self._say()

    def _say(self) -> None:
        lines = self.chart.picture.lines
        value = (
            number(lines[0].last(), self.chart.unit)
            if lines and not self.chart.picture.bare
            else self.chart.unit
        )
        self._head.set_note(value)
