"""A composed prompt as it was sent: each span in its layer's colour, under the lines of its layer and item.

Heading lines fold the lines under them (by a click, Enter or Space). They are not part of the prompt and are
not copied. The gutter names the layer in view.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QMimeData, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from pitwall.console.inspector.format import LAYER_NAMES
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import SMALL_PX, STEP, TINY_PX, Look, layer_colour, mono_font, ui_font
from pitwall.core.prompts import Message, Prompt, Span
from pitwall.core.quantities import counted

_GUTTER = 84
_BAR = 4
_TINT = {"dark": 20, "light": 16}
_OPEN, _SHUT = "▾", "▸"
_MOST_SPAN = 60_000
"""Characters of one span that are shown."""
_BREAKS = re.compile("\r\n|[\n\r\u2029\ufdd0\ufdd1]")
"""Characters at which Qt begins a new block."""

Fold = tuple[str, ...]
"""A foldable part of a prompt: (layer,) or (layer, message, position, item)."""


@dataclass(frozen=True, slots=True)
class Line:
    """Holds one line of the view. `fold`: a heading that folds this. `layer`: empty for a role's line."""

    text: str
    layer: str = ""
    fold: Fold = ()
    heading: bool = False


def _style(line: Line) -> tuple[str, bool, bool]:
    """Key of the lines that are drawn alike: layer, heading, bold."""
    return line.layer, line.heading, len(line.fold) == 1


class PromptView(QPlainTextEdit):
    """Read-only; selected with mouse or keyboard.

    Signals:
        folded: something was folded or unfolded.
    """

    folded = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._prompt: Prompt | None = None
        self._tokens: dict[str, int] = {}
        self._folded: set[Fold] = set()
        self._lines: list[Line] = []
        self.setReadOnly(True)
        self.setProperty("kind", "prompt")
        self.setFont(mono_font(SMALL_PX))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setAccessibleName("The prompt, by layer")
        self.viewport().setMouseTracking(True)
        self.setViewportMargins(_GUTTER, 0, 0, 0)
        self._gutter = _Gutter(self, look)
        self.updateRequest.connect(lambda *_: self._gutter.update())
        look.changed.connect(self._fill)

    @property
    def folded_layers(self) -> frozenset[str]:
        """Return the layers whose spans are folded."""
        return frozenset(fold[0] for fold in self._folded if len(fold) == 1)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Return the visible lines."""
        return tuple(self._lines)

    def show_prompt(self, prompt: Prompt | None, tokens: Mapping[str, int]) -> None:
        """Show a prompt with its tokens by layer; layers that were folded stay so."""
        if prompt is self._prompt and dict(tokens) == self._tokens:
            return
        same = prompt is self._prompt
        self._prompt, self._tokens = prompt, dict(tokens)
        if not same:
            self._folded = {fold for fold in self._folded if len(fold) == 1}
        self._fill(keep=same)

    def toggle(self, layer: str) -> None:
        """Fold or unfold a layer, and bring it into view."""
        self._toggle((layer,))
        at = next((n for n, line in enumerate(self._lines) if line.fold == (layer,)), None)
        if at is not None:
            self.setTextCursor(QTextCursor(self.document().findBlockByNumber(at)))
            self.ensureCursorVisible()

    # ---- making the lines

    def renew_texts(self) -> None:
        """Name the layers again, in the language in use."""
        self._fill()

    def _fill(self, *, keep: bool = True) -> None:
        at, scrolled = self.textCursor().blockNumber(), self.verticalScrollBar().value()
        self._lines = list(self._made_lines())
        self.setUpdatesEnabled(False)
        self.clear()
        cursor = self.textCursor()
        cursor.beginEditBlock()
        for number, ((layer, heading, bold), group) in enumerate(groupby(self._lines, key=_style)):
            if number:
                cursor.insertBlock()
            cursor.setBlockFormat(self._ground(layer))
            cursor.insertText("\n".join(line.text for line in group), self._ink(layer, heading, bold))
        cursor.endEditBlock()
        if keep:
            self.setTextCursor(QTextCursor(self.document().findBlockByNumber(min(at, len(self._lines) - 1))))
            self.verticalScrollBar().setValue(scrolled)
        else:
            self.moveCursor(QTextCursor.MoveOperation.Start)
        self.setUpdatesEnabled(True)
        self._gutter.update()

    def _made_lines(self) -> Iterator[Line]:
        counted_layers: set[str] = set()
        for number, message in enumerate(self._prompt.messages if self._prompt is not None else ()):
            picture = " · the picture is here" if message.image else ""
            yield Line(f"{message.role}{picture}", heading=True)
            yield from self._message_lines(number, message, counted_layers)

    def _message_lines(self, number: int, message: Message, counted_layers: set[str]) -> Iterator[Line]:
        for layer, group in groupby(message.spans, key=lambda span: span.layer.value):
            spans = list(group)
            fold: Fold = (layer,)
            tokens = (
                f" · {counted(self._tokens[layer], 'token')}"
                if layer not in counted_layers and layer in self._tokens
                else ""
            )
            items = len({span.item for span in spans if span.item})
            count = f" · {counted(items, 'item')}" if items else ""
            counted_layers.add(layer)
            yield self._heading(spoken(f"{layer}, {LAYER_NAMES[layer]}{count}{tokens}"), layer, fold)
            if fold in self._folded:
                continue
            for position, span in enumerate(spans):
                yield from self._span_lines((layer, str(number), str(position), span.item), span)

    def _span_lines(self, fold: Fold, span: Span) -> Iterator[Line]:
        layer = span.layer.value
        if span.item:
            yield self._heading(span.item, layer, fold, indent="  ")
            if fold in self._folded:
                return
        text = span.text[:_MOST_SPAN] + (" …" if len(span.text) > _MOST_SPAN else "")
        for line in _BREAKS.split(text.removesuffix("\n")):
            yield Line(line, layer)

    def _heading(self, text: str, layer: str, fold: Fold, *, indent: str = "") -> Line:
        sign = _SHUT if fold in self._folded else _OPEN
        return Line(f"{indent}{sign} {text}", layer, fold, heading=True)

    def _ground(self, layer: str) -> QTextBlockFormat:
        ground = QTextBlockFormat()
        if layer:
            ground.setBackground(self._look.colour(layer_colour(layer), _TINT[self._look.theme]))
        return ground

    def _ink(self, layer: str, heading: bool, bold: bool) -> QTextCharFormat:
        ink = QTextCharFormat()
        ink.setForeground(self._look.colour("text"))
        if heading:
            ink.setFont(ui_font(SMALL_PX, bold=bold))
            ink.setForeground(self._look.colour(layer_colour(layer) if layer else "dim"))
        return ink

    # ---- folding

    def _toggle(self, fold: Fold) -> None:
        self._folded ^= {fold}
        self._fill()
        self.folded.emit()

    def _heading_at(self, number: int) -> Fold:
        return self._lines[number].fold if 0 <= number < len(self._lines) else ()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        fold = self._heading_at(self.cursorForPosition(event.position().toPoint()).blockNumber())
        if (
            fold
            and event.button() == Qt.MouseButton.LeftButton
            and self._over_heading(event.position().toPoint())
        ):
            self._toggle(fold)
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        hand = self._over_heading(event.position().toPoint())
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.IBeamCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        fold = self._heading_at(self.textCursor().blockNumber())
        if fold and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._toggle(fold)
            event.accept()
        else:
            super().keyPressEvent(event)

    def _over_heading(self, point: QPoint) -> bool:
        cursor = self.cursorForPosition(point)
        if not self._heading_at(cursor.blockNumber()):
            return False
        place = self.blockBoundingGeometry(cursor.block()).translated(self.contentOffset())
        return place.top() <= point.y() <= place.bottom()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the prompt's own lines, without headings."""
        cursor = self.textCursor()
        first = self.document().findBlock(cursor.selectionStart())
        last = self.document().findBlock(cursor.selectionEnd()).blockNumber()
        chosen = cursor.selectedText().replace("\u2029", "\n").replace("\u2028", "\n").split("\n")
        numbers = range(first.blockNumber(), last + 1)
        kept = [
            text for number, text in zip(numbers, chosen, strict=False) if not self._lines[number].heading
        ]
        data = QMimeData()
        data.setText("\n".join(kept))
        return data

    # ---- the gutter

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), _GUTTER, inside.height()))

    def paint_gutter(self, painter: QPainter) -> None:
        """Draw each line's layer: a bar in its colour, and its name where it begins or comes into view."""
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        height = self._gutter.height()
        before = ""
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(offset)
            if place.top() > height:
                break
            layer = self._lines[block.blockNumber()].layer if block.blockNumber() < len(self._lines) else ""
            if layer:
                painter.fillRect(
                    QRectF(_GUTTER - _BAR - STEP, place.top(), _BAR, place.height()),
                    self._look.colour(layer_colour(layer)),
                )
            if layer and layer != before:
                painter.setPen(self._look.colour(layer_colour(layer)))
                top = max(0.0, place.top())
                painter.drawText(
                    QRectF(0, top, _GUTTER - _BAR - 2 * STEP, 18),
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    layer,
                )
            before = layer
            block = block.next()


class _Gutter(QWidget):
    def __init__(self, view: PromptView, look: Look) -> None:
        super().__init__(view)
        self._view = view
        self.setFont(ui_font(TINY_PX, bold=True))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        look.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        self._view.paint_gutter(painter)
