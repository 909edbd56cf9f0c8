"""A page's parts beside one another, or behind tabs where the window is narrow (see narrow_layout.py)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QTabWidget, QWidget

_FIRST_SEEN = 1


class SideBySide:
    """Two or more parts; the second one takes the room that is left, and is in front behind tabs.

    Args:
        name: what assistive programs call the tabs.

    Attributes:
        splitter, tabs: to be put into the page's layout, both; one of them is shown.
    """

    def __init__(self, name: str) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(name)

    def lay(self, compact: bool, parts: Sequence[tuple[QWidget, str]], sizes: Sequence[int]) -> None:
        """Lay them out.

        Args:
            parts: each with the title of its tab.
            sizes: widths in pixels, where they lie beside one another.
        """
        if compact:
            for widget, title in parts:
                self.tabs.addTab(widget, title)
            self.tabs.setCurrentIndex(_FIRST_SEEN)
        else:
            for widget, _ in parts:
                self.splitter.addWidget(widget)
                widget.show()
            self.splitter.setStretchFactor(1, 1)
            self.splitter.setSizes(sizes)
        self.tabs.setVisible(compact)
        self.splitter.setVisible(not compact)
