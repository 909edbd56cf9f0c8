"""A chart in its card: title and unit at the left, the newest value at the right."""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy

from pitwall.console.charts.data import ChartData
from pitwall.console.kit.elements import Card, Label, SectionTitle, row
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.core.quantities import number
from pitwall_lab.console.charts.chart import HOW, Chart
from pitwall_lab.console.charts.shared_view import SharedView


class ChartCard(Card):
    """A chart with its title.

    Args:
        height: least height of the chart itself. verbatim: the title is a name and stands as it is.
    """

    def __init__(
        self,
        look: Look,
        view: SharedView,
        title: str,
        *,
        unit: str = "",
        tip: str = "",
        height: int = 96,
        verbatim: bool = False,
    ) -> None:
        head = Label(title, "strong") if verbatim else SectionTitle(title)
        head.setToolTip(tip)
        self._title, self._value = title, Label("", "note")
        self.chart = Chart(look, view, title, height=height)
        self.chart.setAccessibleDescription(f"{tip} {HOW}".strip())
        super().__init__(row(head, None, self._value), self.chart, gap=STEP)
        self.body.setContentsMargins(PAD, GAP, GAP - 2, STEP)
        self.body.setStretch(1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.set_unit(unit)

    def set_unit(self, unit: str) -> None:
        """Show the unit of the values."""
        self.chart.unit = unit
        self.chart.setAccessibleName(f"{self._title}, {unit}" if unit else self._title)
        self._say()

    def show_picture(self, picture: ChartData) -> None:
        """Show other lines, and the newest value of the first of them."""
        self.chart.show_picture(picture)
        self._say()

    def _say(self) -> None:
        shown, unit = self.chart.picture, self.chart.unit
        newest = number(shown.lines[0].last(), unit) if shown.lines and not shown.bare else unit
        self._value.set_text(newest)
