"""The small pieces every page uses: titles, cards, chips, key caps, buttons, empty states, bars."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from pitwall.console.kit.language.catalogue import code_text, spoken
from pitwall.console.kit.theme import GAP, PAD, STEP, Tone

B = TypeVar("B", bound=QBoxLayout)
WHOLE = 10_000
"""Minimum width in pixels for a label that must never be cut."""
_LONG_WORD = re.compile(r"\S{28}(?=\S)")
_KEY_WORDS = {
    "Pause": "Pause/Break",
    "ScrollLock": "Scroll Lock",
    "PrintScreen": "Print Screen",
    "Control": "Ctrl",
    "Meta": "Super",
    "Escape": "Esc",
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "ArrowUp": "↑",
    "ArrowDown": "↓",
    "PageUp": "Page Up",
    "PageDown": "Page Down",
}


def key_words(chord: str) -> str:
    """Write a chord as printed on a keyboard: "Control+ArrowLeft" → "Ctrl+←"."""
    parts = [spoken(_KEY_WORDS.get(part, part)) for part in chord.split("+")]
    return "+".join(part.upper() if len(part) == 1 else part for part in parts)


def set_property(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the stylesheet selects on, and restyle the widget where it changed."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            return
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def plain_tip(text: str) -> str:
    """Make a tool tip that shows a text literally, even where it looks like markup to Qt."""
    return as_markup(text) if "<" in text else text


def as_markup(text: str) -> str:
    """Escape a text as markup that keeps its characters and line breaks."""
    return f"<p style='white-space:pre-wrap'>{html.escape(text)}</p>"


def clear_layout(layout: QLayout) -> None:
    """Remove everything from a layout and delete its widgets."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear_layout(inner)


Part = QWidget | QLayout | None
"""A part of a row or column: a widget, another row or column, or None for a stretch."""
Margins = int | tuple[int, int, int, int]
"""Pixels that a row or a column leaves free: all around, or left, top, right, bottom."""


def row(*parts: Part, gap: int = GAP, stretch: int | None = None, margins: Margins = 0) -> QHBoxLayout:
    """Lay parts side by side.

    Args:
        gap: pixels between them. stretch: index of the part that takes the room left over.
    """
    return _filled(QHBoxLayout(), parts, gap, stretch, margins)


def column(*parts: Part, gap: int = GAP, stretch: int | None = None, margins: Margins = 0) -> QVBoxLayout:
    """Lay parts one under another; see `row`."""
    return _filled(QVBoxLayout(), parts, gap, stretch, margins)


def holder(layout: QLayout) -> QWidget:
    """Make a widget that holds a layout."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def _filled(layout: B, parts: Sequence[Part], gap: int, stretch: int | None, margins: Margins) -> B:
    layout.setContentsMargins(*(margins if isinstance(margins, tuple) else 4 * (margins,)))
    layout.setSpacing(gap)
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QLayout):
            layout.addLayout(part)
        else:
            layout.addWidget(part)
    if stretch is not None:
        layout.setStretch(stretch, 1)
    return layout


class Label(QLabel):
    """Plain text in one of the stylesheet's kinds: section, heading, title, strong, dim, note, error.

    Args:
        wrap: break lines; otherwise text that does not fit is cut with "…" and shown in the tooltip.
        least: pixels down to which it can be cut.
    """

    def __init__(
        self, text: str = "", kind: str = "", *, wrap: bool = False, tone: Tone = "neutral", least: int = 24
    ) -> None:
        super().__init__()
        self._least = least
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._text = self._full = ""
        self._wrap = wrap
        if kind:
            self.setProperty("kind", kind)
        self.setProperty("tone", tone)
        self.setWordWrap(wrap)
        if not wrap:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Change the text; costs nothing where it is the same."""
        if text != self._text or not text:
            self._text, self._full = text, spoken(text)
            self.setAccessibleName(self._full)
            self.setText(self._breakable(self._full) if self._wrap else self._full)
            if not self._wrap:
                self.setToolTip("")
                self.updateGeometry()

    def renew_texts(self) -> None:
        """Show the text in the language in use."""
        text, self._text = code_text(self._text), ""
        self.set_text(text)

    def show_text(self, text: str) -> None:
        """Change the text; without one the label takes no room."""
        self.set_text(text)
        self.setVisible(bool(text))

    def full_text(self) -> str:
        """Return the uncut text."""
        return self._full

    def set_tone(self, tone: Tone) -> None:
        set_property(self, "tone", tone)

    def _breakable(self, text: str) -> str:
        """Return the text with break points in very long words, unless it can be copied."""
        copied = self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
        return text if copied else _LONG_WORD.sub("\\g<0>\u200b", text)

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        if self._wrap or self.property("kind") in ("chip", "key"):
            return hint
        return QSize(min(hint.width(), self._least), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._wrap or self.property("kind") in ("chip", "key"):
            super().paintEvent(event)
            return
        inside = self.contentsRect()
        text = self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, inside.width() + 1)
        if text != self._full and self.toolTip() != plain_tip(self._full):
            self.setToolTip(plain_tip(self._full))
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(inside, self.alignment() | Qt.TextFlag.TextSingleLine, text)


class SectionTitle(QWidget):
    """A small, spaced title with a note at the right."""

    def __init__(self, text: str, note: str = "", *tools: QWidget) -> None:
        super().__init__()
        self._words = text
        self._title = Label("", "section", least=WHOLE)
        self.renew_texts()
        font = QFont(self._title.font())
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 1.0)
        self._title.setFont(font)
        self.note = Label(note, "note")
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setLayout(row(self._title, self.note, *tools, stretch=1))

    def set_note(self, text: str) -> None:
        self.note.set_text(text)

    def renew_texts(self) -> None:
        """Show the title in the language in use."""
        self._title.set_text(spoken(self._words).upper())
        self._title.setAccessibleName(self._words)


class Card(QFrame):
    """A raised box; `body` takes its content, a tone draws a bar at its left edge."""

    def __init__(self, *parts: Part, tone: Tone = "neutral", gap: int = GAP) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.setProperty("tone", tone)
        self.body: QBoxLayout = column(*parts, gap=gap, margins=(PAD, PAD - 2, PAD, PAD - 2))
        self.setLayout(self.body)

    def set_tone(self, tone: Tone) -> None:
        set_property(self, "tone", tone)


class Chip(Label):
    """A word on a coloured ground."""

    def __init__(self, text: str, tone: Tone = "neutral") -> None:
        super().__init__(text, "chip", tone=tone)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class KeyCap(Label):
    """A key as it looks on a keyboard."""

    def __init__(self, chord: str) -> None:
        super().__init__(key_words(chord), "key")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class Button(QPushButton):
    """A button; `kind` is primary, danger, quiet, link, tile, or empty for the ordinary one."""

    def __init__(
        self,
        text: str,
        pressed: Callable[[], object] | None = None,
        *,
        kind: str = "",
        name: str = "",
        tip: str = "",
    ) -> None:
        super().__init__(text)
        self.setAccessibleName(name or text)
        self.setToolTip(tip)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        if kind:
            self.setProperty("kind", kind)
        if pressed is not None:
            self.clicked.connect(lambda *_: pressed())


class PrimaryButton(Button):
    """The button for the recommended action."""

    def __init__(
        self, text: str, pressed: Callable[[], object] | None = None, *, name: str = "", tip: str = ""
    ) -> None:
        super().__init__(text, pressed, kind="primary", name=name, tip=tip)


class Rule(QFrame):
    """A one-pixel line."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "rule")


class KeyValue(QWidget):
    """A name at the left and its value at the right, which is cut where it does not fit, or wrapped."""

    def __init__(self, name: str, value: str = "", *, tone: Tone = "neutral", wrap: bool = False) -> None:
        super().__init__()
        self._name = name
        self._label = Label(name, "dim", least=WHOLE)
        self._label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._value = Label("", wrap=wrap)
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setLayout(row(self._label, self._value, gap=PAD, stretch=1))
        self.set_value(value, tone)

    def set_value(self, value: str, tone: Tone = "neutral") -> None:
        self._value.set_text(value)
        self._value.set_tone(tone)
        self.setAccessibleName(f"{self._name}: {value}")

    def value(self) -> str:
        return self._value.full_text()


def facts_card(facts: Iterable[tuple[str, str]]) -> Card:
    """Make a card of names with their values, one under another."""
    return Card(*(KeyValue(name, value) for name, value in facts), gap=STEP)


class EmptyState(QWidget):
    """Explains why a panel is empty, and offers an action that fills it."""

    def __init__(
        self,
        title: str,
        text: str,
        action: QWidget | None = None,
        *,
        icon: QLabel | None = None,
        width: int = 460,
    ) -> None:
        super().__init__()
        self.title = Label(title, "title", wrap=True)
        self.text = Label(text, "dim", wrap=True)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setMaximumWidth(width)
            label.setMinimumWidth(min(width, 220))
        centre = Qt.AlignmentFlag.AlignHCenter
        layout = QVBoxLayout(self)
        layout.setSpacing(GAP)
        layout.addStretch(1)
        if icon is not None:
            layout.addWidget(icon, 0, centre)
        layout.addWidget(self.title, 0, centre)
        layout.addWidget(self.text, 0, centre)
        if action is not None:
            layout.addSpacing(GAP)
            layout.addWidget(action, 0, centre)
        layout.addStretch(1)
        self._width = width

    def say(self, title: str, text: str) -> None:
        """Change both texts."""
        self.title.set_text(title)
        self.text.set_text(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a text changed, as with the language
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        # A box layout computes the height of a wrapped label for its own width, not for the label's.
        room = max(120, min(self._width, self.width() - 2 * GAP))
        for label in (self.title, self.text):
            label.setFixedSize(room, max(0, label.heightForWidth(room)))
