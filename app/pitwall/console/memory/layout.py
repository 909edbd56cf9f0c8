"""The memory page's room: a wide part, and a column beside it that becomes a tab where room is short."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QTabWidget, QWidget

from pitwall.console.kit.elements import column
from pitwall.console.kit.narrow_layout import NarrowSwitch
from pitwall.console.kit.theme import SIDE_WIDTH


class TwoColumnLayout(QWidget):
    """Two widgets side by side, or in tabs.

    Args:
        titles: of both, for the tabs.
    """

    def __init__(self, centre: QWidget, side: QWidget, titles: tuple[str, str]) -> None:
        super().__init__()
        self._centre, self._side, self._titles = centre, side, titles
        self._narrow = NarrowSwitch(self, self._lay)
        self._beside = True
        self._wide = QSplitter(Qt.Orientation.Horizontal)
        self._wide.setChildrenCollapsible(False)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.setAccessibleName(", ".join(titles))
        layout = column(self._wide, self._tabs, gap=0)
        layout.setStretch(0, 1)
        layout.setStretch(1, 1)
        self.setLayout(layout)

    @property
    def compact(self) -> bool:
        """Whether both are tabs now."""
        return bool(self._narrow.compact)

    def show_side(self, beside: bool) -> None:
        """Whether the second belongs beside the first now."""
        self._beside = beside
        if self._narrow.compact is None:
            return  # it has no place yet, and would show as a window of its own
        if self._narrow.compact:
            self._tabs.setTabVisible(1, beside)
            self._tabs.tabBar().setVisible(beside)
            if not beside:
                self._tabs.setCurrentIndex(0)
        else:
            self._side.setVisible(beside)

    def bring(self, widget: QWidget) -> None:
        """Bring one of them into view where they are tabs."""
        if self._narrow.compact:
            self._tabs.setCurrentWidget(widget)

    def _lay(self, compact: bool) -> None:
        if compact:
            for widget, title in zip((self._centre, self._side), self._titles, strict=True):
                self._tabs.addTab(widget, title)
        else:
            self._wide.addWidget(self._centre)
            self._wide.addWidget(self._side)
            self._wide.setStretchFactor(0, 1)
            self._wide.setSizes([self.width() - SIDE_WIDTH, SIDE_WIDTH])
            self._centre.show()
        self._tabs.setVisible(compact)
        self._wide.setVisible(not compact)
        self.show_side(self._beside)
