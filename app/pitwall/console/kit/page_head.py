"""The head of a page: title, note, chip and choices at the left; progress and actions at the right.

head = PageHead("Exam")
answer = head.add_action(PrimaryButton("Answer with…", self.answer))
head.add_choice(games_combo)  # after the title; actions are at the right
head.set_title("pond · run 4", "30 questions · seed 1")
head.show_progress("12 of 30", "2 min left", 0.4)
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QProgressBar, QSizePolicy, QToolButton, QWidget

from pitwall.console.kit.elements import Chip, Label, column, row, set_property
from pitwall.console.kit.theme import GAP, PAD, STEP, Tone

W = TypeVar("W", bound=QWidget)
_PER_MILLE = 1000
_BAR_LEAST, _BAR_MOST = 240, 300
_TITLE_LEAST = 320
"""Pixels of the title that are never cut."""
_NO_ROOM_FOR_PROGRESS = 780
_NO_ROOM_FOR_NOTE = 900
"""Widths of the head in pixels below which the progress, or the note beside a progress, is left out."""


class PageHead(QFrame):
    """Draws a page's head: title, note, chip and choices at the left; progress and actions at the right.

    Args:
        title: until another is set. progress_name: what assistive programs call the progress bar.
        tone: of the progress bar.

    Attributes:
        chip: a word beside the title; hidden while it has none.
    """

    def __init__(self, title: str, *, progress_name: str = "Progress", tone: Tone = "neutral") -> None:
        super().__init__()
        self.setObjectName("pageHead")
        self._title = Label(title, "heading", least=_TITLE_LEAST)
        self._note = Label("", "dim")
        self.chip = Chip("")
        self._done, self._left = Label(""), Label("", "dim")
        self._left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(progress_name)
        set_property(self._bar, "tone", tone)
        self._progress = QWidget()
        self._progress.setLayout(column(row(self._done, self._left), self._bar, gap=STEP))
        self._progress.setMinimumWidth(_BAR_LEAST)
        self._progress.setMaximumWidth(_BAR_MOST)
        self._progress.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._going = False
        self._choices, self._actions = row(gap=GAP), row(gap=GAP)
        line = row(self._title, self._note, self.chip, gap=GAP)
        line.addLayout(self._choices)
        line.addStretch(1)
        line.addWidget(self._progress, 2)
        line.addLayout(self._actions)
        line.setContentsMargins(PAD, GAP, PAD, GAP)
        self.setLayout(line)
        self.set_title(title)
        self.set_chip("")
        self.hide_progress()

    @property
    def shown_text(self) -> str:
        """Return every visible text of the head in reading order."""
        labels = (self._title, self._note, self.chip, self._done, self._left)
        return " ".join(label.full_text() for label in labels if label.isVisibleTo(self))

    @property
    def progress_fits(self) -> bool:
        """Return whether the head is wide enough for a progress bar."""
        return self.width() >= _NO_ROOM_FOR_PROGRESS

    def set_title(self, title: str, note: str = "") -> None:
        """Change the title and the note."""
        self._title.set_text(title)
        self._note.set_text(note)
        self._fit()

    def set_note(self, note: str) -> None:
        """Change the note beside the title."""
        self._note.set_text(note)
        self._fit()

    def set_chip(self, text: str, tone: Tone = "neutral", tip: str = "") -> None:
        """Change the chip; without text it is hidden."""
        self.chip.set_text(text)
        self.chip.set_tone(tone)
        self.chip.setToolTip(tip)
        self.chip.setVisible(bool(text))

    def add_choice(self, widget: W, stretch: int = 0) -> W:
        """Put a widget after the title: a search field, a list of games."""
        self._choices.addWidget(widget, stretch)
        return widget

    def add_action(self, widget: W) -> W:
        """Put a button at the right end."""
        self._actions.addWidget(widget)
        return widget

    def add_menu(self, text: str, name: str, menu: QMenu | None = None) -> QToolButton:
        """Put a button at the right end that opens a menu.

        Args:
            name: what assistive programs call it. menu: can also be set later.
        """
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(name)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        if menu is not None:
            button.setMenu(menu)
        return self.add_action(button)

    def show_progress(
        self, done: str, left: str = "", share: float | None = None, activity: str = ""
    ) -> None:
        """Show the progress of something.

        Args:
            done: like "12 of 30 runs". left: the remaining time.
            share: the done part, 0 to 1; None where the total is not known.
            activity: for assistive programs.
        """
        self._going = True
        self._done.set_text(done)
        self._left.set_text(left)
        self._bar.setRange(0, 0 if share is None else _PER_MILLE)
        self._bar.setValue(round(_PER_MILLE * min(1.0, share or 0.0)))
        self._bar.setAccessibleDescription(", ".join(filter(None, (activity, done, left))))
        self._fit()

    def hide_progress(self) -> None:
        """Hide the progress bar: the work has ended."""
        self._going = False
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hide the note or the progress where the line is too short for it."""
        note_fits = not self._going or self.width() >= _NO_ROOM_FOR_NOTE
        self._note.setVisible(bool(self._note.full_text()) and note_fits)
        self._progress.setVisible(self._going and self.progress_fits)
