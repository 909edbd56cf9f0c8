"""The inspector's bars: a prompt's layers with their legend, the options of a choice, the time of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QHelpEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pitwall.console.inspector import format as texts
from pitwall.console.inspector.format import LAYER_NAMES, cached_words
from pitwall.console.kit.controls import ShareBar
from pitwall.console.kit.elements import (
    Button,
    Card,
    KeyValue,
    Label,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import GAP, STEP, Look, layer_colour
from pitwall.core import quantities
from pitwall.core.calls import CallTokens, Choice, OptionScore
from pitwall.core.quantities import NONE, figure

_LAYERS_HEIGHT = 12
_CACHE_HEIGHT = 4
_SQUARE = 9


class LayerBar(QWidget):
    """Layers by size, in the order of the prompt; below them how far the prefix cache reached.

    The lower strip has the same scale: filled is cached, empty was evaluated.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._sizes: dict[str, int] = {}
        self._tokens: CallTokens | None = None
        self._unit = ""
        self.setFixedHeight(_LAYERS_HEIGHT + STEP + _CACHE_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)
        self.show_layers({}, None)

    def show_layers(self, sizes: Mapping[str, int], tokens: CallTokens | None, *, unit: str = "") -> None:
        """Show layers (name → size, in order) and the cached tokens; None where they are not known yet.

        Args:
            unit: of the sizes; empty: tokens where they were counted, else characters.
        """
        if dict(sizes) == self._sizes and tokens == self._tokens and self.accessibleName():
            return
        self._sizes, self._tokens = dict(sizes), tokens
        self._unit = unit or ("tokens" if tokens is not None else "characters")
        self.renew_texts()
        self.update()

    def renew_texts(self) -> None:
        """Name the layers, in the language in use."""
        parts = [f"{spoken(name)} {size:,}" for name, size in self._sizes.items()]
        cached = f"; {cached_words(self._tokens)}" if self._tokens is not None else ""
        self.setAccessibleName(f"Prompt by layer, {self._unit}: {', '.join(parts) or 'none'}{cached}")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(0, 0, self.width(), _LAYERS_HEIGHT)
        if not self._sizes:
            painter.setBrush(self._look.colour("line"))
            painter.drawRoundedRect(whole, 3, 3)
        for name, left, width in self._places():
            painter.setBrush(self._look.colour(layer_colour(name)))
            painter.drawRoundedRect(QRectF(left, 0, max(2.0, width - 1), _LAYERS_HEIGHT), 2, 2)
        if self._tokens is not None and self._tokens.prompt:
            self._paint_cache(painter, self._tokens)

    def _paint_cache(self, painter: QPainter, tokens: CallTokens) -> None:
        top = _LAYERS_HEIGHT + STEP
        share = min(1.0, tokens.cached / tokens.prompt)
        ground = QRectF(0.5, top + 0.5, self.width() - 1, _CACHE_HEIGHT - 1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._look.colour("faint"), 1))
        painter.drawRect(ground)
        if share > 0:
            painter.fillRect(QRectF(0, top, self.width() * share, _CACHE_HEIGHT), self._look.colour("text"))

    def _places(self) -> list[tuple[str, float, float]]:
        whole = sum(self._sizes.values())
        places, left = [], 0.0
        for name, size in self._sizes.items():
            width = self.width() * size / whole
            places.append((name, left, width))
            left += width
        return places

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._words_at(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def _words_at(self, x: int, y: int) -> str:
        if y > _LAYERS_HEIGHT and self._tokens is not None:
            return cached_words(self._tokens)
        for name, left, width in self._places():
            if left <= x < left + width:
                return f"{name}, {LAYER_NAMES[name]}: {self._sizes[name]:,} {self._unit}"
        return ""


class LayerLegend(Flow):
    """A line for each layer: its colour, its name, its size. With `chosen`, each folds its layer.

    Args:
        chosen: called with a layer's name when its entry is pressed; None: the legend only names.
    """

    def __init__(self, look: Look, chosen: Callable[[str], None] | None = None) -> None:
        super().__init__(GAP)
        self._look = look
        self._chosen = chosen
        self._entries: dict[str, Button] = {}
        self._shown: tuple[dict[str, int], bool] = {}, False
        look.changed.connect(self._paint)

    def show_layers(
        self, sizes: Mapping[str, int], *, counted: bool, folded: frozenset[str] = frozenset()
    ) -> None:
        """Name these layers; sizes that are not counted in tokens yet are left out."""
        shown = (dict(sizes), counted)
        if shown != self._shown:
            self._shown = shown
            self._fill(sizes, counted=counted)
        for name, entry in self._entries.items():
            entry.setChecked(name not in folded)

    def renew_texts(self) -> None:
        """Name the layers again, in the language in use."""
        folded = frozenset(name for name, entry in self._entries.items() if not entry.isChecked())
        shown, self._shown = self._shown, ({}, False)
        self.show_layers(shown[0], counted=shown[1], folded=folded)

    def _fill(self, sizes: Mapping[str, int], *, counted: bool) -> None:
        clear_layout(self.flow)
        self._entries = {}
        for name, size in sizes.items():
            number = f" {size:,}" if counted else ""
            tokens = f", {quantities.counted(size, 'token')}" if counted else ""
            words = f"{name}, {LAYER_NAMES[name]}{tokens}"
            folds = self._chosen is not None and name != "template"
            button = Button(
                f"{spoken(name)}{number}",
                kind="swatch",
                name=f"Layer {words}",
                tip=f"{words}\nPress to fold or unfold it" if folds else words,
            )
            button.setCheckable(folds)
            button.setIconSize(QSize(_SQUARE, _SQUARE))
            if not folds:
                button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
                button.setCursor(Qt.CursorShape.ArrowCursor)
            button.clicked.connect(lambda *_, name=name: self._press(name))
            self._entries[name] = button
            self.flow.addWidget(button)
        self._paint()
        self.updateGeometry()

    def _press(self, name: str) -> None:
        if self._chosen is not None:
            self._chosen(name)

    def _paint(self) -> None:
        scale = self.devicePixelRatioF()
        for name, entry in self._entries.items():
            square = QPixmap(QSize(_SQUARE, _SQUARE) * scale)
            square.setDevicePixelRatio(scale)
            square.fill(self._look.colour(layer_colour(name)))
            entry.setIcon(square)


_MOST_OPTIONS = 12


class OptionBars(QWidget):
    """The options of a choice, likeliest first; the first was taken. Hidden where nothing was chosen.

    Each bar's tooltip shows the figures behind its share.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._note = Label("", "dim", wrap=True)
        self._card = Card(gap=STEP + 2)
        self._shown: Choice | None = None
        self.setLayout(column(self._note, self._card))
        self.hide()

    def show_choice(self, choice: Choice | None) -> None:
        """Show how a call chose; None: its reply was written freely."""
        self.setVisible(choice is not None)
        if choice is None or choice == self._shown:
            return
        self._shown = choice
        self._note.show_text(choice.note)
        clear_layout(self._card.body)
        for line in self._lines(choice.options):
            self._card.body.addWidget(line)
        self._card.setVisible(bool(choice.options))

    def _lines(self, options: Sequence[OptionScore]) -> list[QWidget]:
        lines = [self._line(option, taken=option is options[0]) for option in options[:_MOST_OPTIONS]]
        left = options[_MOST_OPTIONS:]
        if left:
            share = 100 * sum(option.probability for option in left)
            lines.append(Label(f"{len(left):,} more, {share:.1f} % together", "note"))
        return lines

    def _line(self, option: OptionScore, *, taken: bool) -> QWidget:
        bar = ShareBar(self._look, "strategic" if taken else "dim")
        bar.show_share(option.probability)
        share = quantities.share(option.probability)
        line = KeyValue(texts.option(option.text), f"✓ {share}" if taken else share)
        whole = holder(column(line, bar, gap=STEP))
        whole.setToolTip(
            f"{option.text}\nlog-probability {option.log_probability:.2f}, after a content-free prompt "
            f"{option.baseline:.2f}, over {option.tokens:,} tokens"
        )
        return whole


_HEIGHT = 10
PARTS = {
    "queued": "Queued behind others",
    "loading": "Loading the model",
    "reading": "Reading the prompt",
    "writing": "Writing the reply",
}

Parts = tuple[tuple[str, float], ...]


class TimingBar(QWidget):
    """The bar, and a line for each part, which is its table twin."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._bar = _Bar(look)
        self._lines = {name: KeyValue(title, NONE) for name, title in PARTS.items()}
        lines = column(*(row(_Square(look, name), line) for name, line in self._lines.items()), gap=STEP)
        self.setLayout(column(self._bar, lines))

    def show_parts(self, parts: Parts, *, known: bool) -> None:
        """Show (name, ms) parts; where the call is open only reading and writing are known."""
        self._bar.show_parts(parts)
        for name, ms in parts:
            shown = known or name in ("reading", "writing")
            self._lines[name].set_value(figure(ms, "ms") if shown else NONE)


class _Bar(QWidget):
    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._parts: Parts = ()
        self.setFixedHeight(_HEIGHT)
        look.changed.connect(self.update)

    def show_parts(self, parts: Parts) -> None:
        if parts != self._parts:
            self._parts = parts
            text = ", ".join(f"{name} {ms:,.0f} ms" for name, ms in parts)
            self.setAccessibleName(f"Time of the call: {text or 'none'}")
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        whole = sum(ms for _, ms in self._parts)
        painter.fillRect(self.rect(), self._look.colour("hover"))
        left = 0.0
        for name, ms in self._parts:
            width = self.width() * ms / whole if whole else 0.0
            if width > 0:
                place = QRectF(left, 0, max(1.0, width - 1), _HEIGHT)
                paint_part(painter, self._look, place, name)
            left += width


class _Square(QWidget):
    def __init__(self, look: Look, part: str) -> None:
        super().__init__()
        self._look, self._part = look, part
        self.setFixedSize(_SQUARE, _SQUARE)
        look.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_part(QPainter(self), self._look, QRectF(self.rect()), self._part)


def paint_part(painter: QPainter, look: Look, place: QRectF, part: str) -> None:
    """Paint one part: waiting is empty, loading hatched, reading dim, writing bright."""
    if part in ("reading", "writing"):
        painter.fillRect(place, look.colour("text" if part == "writing" else "dim"))
        return
    if part == "loading":
        painter.fillRect(place, QBrush(look.colour("dim"), Qt.BrushStyle.BDiagPattern))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(look.colour("faint"))
    painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
