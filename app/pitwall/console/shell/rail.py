"""The left rail: which page is in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QToolButton, QVBoxLayout

from pitwall.console.kit.elements import set_property
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.places import Place
from pitwall.console.kit.theme import GAP, PAD, RAIL_WIDTH, TINY_PX, Look, app_icon, ui_font

_ICON = 20
_LOGO = 28
_HELP = "help"


class Rail(QFrame):
    """Lists the pages, an entry each; some entries are at the lower end.

    Args:
        entries: from top to bottom.
        chosen: called with the key.
        help_wanted: called where the operator wants to read the manual.
    """

    def __init__(
        self,
        look: Look,
        entries: Sequence[Place],
        chosen: Callable[[str], None],
        help_wanted: Callable[[], None],
    ) -> None:
        super().__init__()
        self.setObjectName("rail")
        self._look = look
        self._icons = {place.key: place.icon for place in entries}
        self._buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, PAD, 0, PAD)
        layout.setSpacing(GAP // 2)
        self._logo = logo = QLabel()
        logo.setPixmap(app_icon().pixmap(QSize(_LOGO, _LOGO), self.devicePixelRatioF()))
        logo.setAlignment(Qt.AlignmentFlag.AlignCenter)
        logo.setAccessibleName("Pitwall")
        layout.addWidget(logo)
        layout.addSpacing(GAP)
        for number, place in enumerate(entries, 1):
            button = self._entry(place.title, number)
            button.clicked.connect(lambda *_, key=place.key: chosen(key))
            self._group.addButton(button)
            self._buttons[place.key] = button
        for place in entries:
            if not place.at_bottom:
                layout.addWidget(self._buttons[place.key])
        layout.addStretch(1)
        self._icons[_HELP] = "mdi6.book-open-outline"
        self._buttons[_HELP] = manual = self._button("Help", "Manual, at this page · F1")
        manual.setAccessibleName("Help: the manual")
        manual.clicked.connect(lambda *_: help_wanted())
        layout.addWidget(manual)
        for place in entries:
            if place.at_bottom:
                layout.addWidget(self._buttons[place.key])
        self._titles = ("Help", *(place.title for place in entries))
        self.renew_texts()
        self._whole = sum(button.sizeHint().height() for button in self._buttons.values())
        self._paint_icons()
        look.changed.connect(self._paint_icons)

    def renew_texts(self) -> None:
        """Fit the widest name: another language's words may be longer."""
        metrics = QFontMetrics(ui_font(TINY_PX))
        width = max(RAIL_WIDTH, *(metrics.horizontalAdvance(spoken(title)) for title in self._titles))
        for button in self._buttons.values():
            button.setFixedWidth(width + 7)
        self.setFixedWidth(width + 8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave names to tooltips where the window is too low for them."""
        super().resizeEvent(event)
        low = self.height() < self._whole + len(self._buttons) * (GAP // 2) + 3 * PAD + _LOGO
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if low else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        self._logo.setVisible(not low)
        for button in self._buttons.values():
            button.setToolButtonStyle(style)
            set_property(button, "low", "yes" if low else "no")

    def show_chosen(self, key: str) -> None:
        """Mark the entry of the page in view; no entry where the page has none."""
        self._group.setExclusive(False)
        for name, button in self._buttons.items():
            button.setChecked(name == key)
        self._group.setExclusive(True)
        if key in self._buttons and any(button.hasFocus() for button in self._buttons.values()):
            self._buttons[key].setFocus()

    def button(self, key: str) -> QToolButton:
        """Return a page's entry."""
        return self._buttons[key]

    def _entry(self, title: str, number: int) -> QToolButton:
        button = self._button(title, f"{title} · Ctrl+{number}")
        button.setAccessibleName(f"{title} page")
        button.setCheckable(True)
        return button

    def _button(self, title: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setProperty("kind", "rail")
        button.setText(title)
        button.setToolTip(tip)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setIconSize(QSize(_ICON, _ICON))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        return button

    def _paint_icons(self) -> None:
        for key, button in self._buttons.items():
            button.setIcon(self._look.icon(self._icons[key]))
