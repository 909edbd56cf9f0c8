"""A message over the picture: waiting, paused and why, stopped and how to go on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QWidget

from pitwall.console.kit.elements import Label, column, set_property
from pitwall.console.kit.theme import PAD, WIDE, Tone

_WIDTH = 460


class Banner(QFrame):
    """Lies over its parent: in the middle, or as a slim line at the lower end."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setProperty("kind", "banner")
        self._big = True
        self._title = Label("", "heading", wrap=True)
        self._text = Label("", wrap=True)
        self._fix = Label("", "dim", wrap=True)
        self._column = column(self._title, self._text, self._fix, margins=(WIDE, PAD, WIDE, PAD))
        self.setLayout(self._column)
        over.installEventFilter(self)
        self.hide()

    def show_big(self, tone: Tone, title: str, text: str, fix: str) -> None:
        """Show a message in the middle: play rests until the operator acts."""
        self._show(tone, title, text, fix, big=True)

    def show_slim(self, tone: Tone, text: str) -> None:
        """Show a line at the lower end: it goes on by itself."""
        self._show(tone, "", text, "", big=False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _show(self, tone: Tone, title: str, text: str, fix: str, *, big: bool) -> None:
        self._big = big
        set_property(self, "tone", tone)
        for label, words in ((self._title, title), (self._text, text), (self._fix, fix)):
            label.show_text(words)
        self._title.set_tone(tone)
        centre = Qt.AlignmentFlag.AlignHCenter if not big else Qt.AlignmentFlag.AlignLeft
        self._text.setAlignment(centre)
        self.setAccessibleName(". ".join(part for part in (title, text, fix) if part))
        self._place()
        self.show()

    def _place(self) -> None:
        over = self.parentWidget()
        if over is None:
            return
        width = min(_WIDTH, over.width() - 2 * PAD)
        self._column.activate()
        wanted = max(self._column.totalHeightForWidth(width), self._column.totalMinimumSize().height())
        height = min(wanted, over.height() - 2 * PAD)
        left = (over.width() - width) // 2
        top = (over.height() - height) // 2 if self._big else over.height() - height - PAD
        self.setGeometry(left, top, width, height)
