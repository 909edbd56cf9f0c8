"""The layers as lines: switches and caps, sizes in the prompt now and as changed, differences."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from pitwall.console.inspector.format import LAYER_NAMES
from pitwall.console.kit.controls import ShareBar
from pitwall.console.kit.elements import WHOLE, Label, column, plain_tip, row, set_property
from pitwall.console.kit.form.editors import Editor, build_editor
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.setting_fields import declared_sections
from pitwall.console.kit.theme import PAD, STEP, Look, layer_colour
from pitwall.core.prompts import PROMPT_LAYERS, Layer
from pitwall.core.settings import LayerSettings
from pitwall_memory_editor.console.layers.composition import LISTED, Composed, LayerUse, difference

_SQUARE = 9
_NUMBER_WIDTH = 84
_USE_WIDTH = 148
_USE_LEAST = 88
_SWITCH_WIDTH = 92
_HEADS = ("Layer", "Switch", "Most items", "Most tokens", "In the prompt now", "As changed", "Changes")


class LayerLines(QWidget):
    """A line a layer.

    Signals:
        tried(layers): the operator tries other switches and caps.
    """

    tried = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._layers = LayerSettings()
        self._base = LayerSettings()
        self._editors: dict[str, Editor] = {}
        self._showing = False
        section = next(declared for declared in declared_sections() if declared.name == "layers")
        self._declared = {field.name: field for field in section.fields}
        self._names: list[LayerName] = []
        self._now: dict[Layer, UseBar] = {}
        self._then: dict[Layer, UseBar] = {}
        self._changes: dict[Layer, Label] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(STEP)
        grid.setColumnStretch(6, 1)
        heads = [Label(title, "note") for title in _HEADS]
        for at, head in enumerate(heads):
            grid.addWidget(head, 0, at)
        self._changes_head = heads[-1]
        for at, layer in enumerate(PROMPT_LAYERS, 1):
            self._add_line(grid, at, layer)

    def control(self, name: str) -> QWidget:
        """Return the input of a setting of the layers."""
        return self._editors[name].control

    @property
    def layers(self) -> LayerSettings:
        """Return the entered switches and caps."""
        return self._layers

    def show_layers(self, layers: LayerSettings, base: LayerSettings) -> None:
        """Show switches and caps, without telling them back; those that differ from `base` are marked."""
        self._layers, self._base = layers, base
        self._showing = True
        for name, editor in self._editors.items():
            editor.show(getattr(layers, name))
        self._showing = False
        self._mark()

    def changes(self, layer: Layer) -> str:
        """Return the difference that a layer's line shows."""
        return self._changes[layer].full_text()

    def be_compact(self, compact: bool) -> None:
        """Hide long names and the words on changes where room is short; they are tips then."""
        for name in self._names:
            name.says.setVisible(not compact)
        for label in (self._changes_head, *self._changes.values()):
            label.setVisible(not compact)
        for bar in (*self._now.values(), *self._then.values()):
            bar.setMinimumWidth(_USE_LEAST if compact else _USE_WIDTH)

    def show_prompts(self, now: Composed, then: Composed) -> None:
        """Show the parts of each layer in both prompts."""
        for layer in PROMPT_LAYERS:
            self._now[layer].show_use(now.uses[layer])
            self._then[layer].show_use(then.uses[layer])
            changes = difference(now, then, layer)
            more = then.uses[layer].tokens - now.uses[layer].tokens
            tokens = f"{more:+,} tokens".replace("-", "−") if more else ""
            text = " · ".join(filter(None, (tokens, changes)))
            self._changes[layer].set_text(text or "as it is")
            self._then[layer].setToolTip(text or "as it is")
            set_property(self._changes[layer], "kind", "" if text else "note")

    # ---- parts

    def _add_line(self, grid: QGridLayout, at: int, layer: Layer) -> None:
        name = layer.value.lower()
        title = LayerName(self._look, layer)
        self._names.append(title)
        grid.addWidget(title, at, 0)
        if layer is not Layer.STATE:
            switches = [self._input(name, _SWITCH_WIDTH)]
            if layer is Layer.KNOWLEDGE:
                switches.append(self._input("l3_filter", _SWITCH_WIDTH + PAD, hint="all headings"))
            grid.addLayout(row(*switches, None, gap=STEP), at, 1)
        if layer in LISTED:
            grid.addWidget(self._input(f"{name}_items", _NUMBER_WIDTH), at, 2)
        elif layer is Layer.STATE:
            grid.addWidget(self._input("thread_messages", _NUMBER_WIDTH, unit="msgs"), at, 2)
        grid.addWidget(self._input(f"{name}_tokens", _NUMBER_WIDTH), at, 3)
        self._now[layer], self._then[layer] = UseBar(self._look, layer), UseBar(self._look, layer)
        self._changes[layer] = Label("", "note")
        for place, widget in ((4, self._now[layer]), (5, self._then[layer]), (6, self._changes[layer])):
            grid.addWidget(widget, at, place)

    def _input(self, name: str, width: int, *, unit: str = "", hint: str = "") -> QWidget:
        """Return the input of one setting, with its declared bounds, unit and description."""
        setting = self._declared[name]
        step = 50 if setting.unit == "tokens" else 1
        field = setting.form_field(unit=unit, hint=hint, step=step)
        editor = self._editors[name] = build_editor(field, live=True, compact=True)
        control = editor.control
        control.setAccessibleName(f"{setting.label}{f', in {setting.unit}' if setting.unit else ''}")
        default = setting.with_unit(setting.default) or "empty"
        control.setToolTip(f"{setting.label}\n{setting.key} · default {default}")
        if isinstance(control, Combo):
            control.fit(width)
        else:
            control.setFixedWidth(width)
        editor.edited.connect(lambda *_: self._edited(name))
        return control

    def _edited(self, name: str) -> None:
        if self._showing:
            return
        self._layers = self._layers.model_copy(update={name: self._editors[name].read()})
        self._mark()
        self.tried.emit(self._layers)

    def _mark(self) -> None:
        for name, editor in self._editors.items():
            tried = getattr(self._layers, name) != getattr(self._base, name)
            set_property(editor.control, "tried", "yes" if tried else "no")


class LayerName(QWidget):
    """A layer's colour and name."""

    def __init__(self, look: Look, layer: Layer) -> None:
        super().__init__()
        square = ShareBar(look, layer_colour(layer.value), height=_SQUARE)
        square.setFixedWidth(_SQUARE)
        square.show_share(1.0)
        name = Label(layer.value, "strong", least=WHOLE)
        self.says = Label(LAYER_NAMES[layer.value], "dim", least=WHOLE)
        self.setToolTip(LAYER_NAMES[layer.value])
        self.setLayout(row(square, name, self.says, None, gap=STEP + 2))


class UseBar(QWidget):
    """Shows items and tokens of a layer, and the used share of its cap."""

    def __init__(self, look: Look, layer: Layer) -> None:
        super().__init__()
        self._layer = layer
        self._items, self._tokens = Label("", "note"), Label("")
        self._tokens.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._bar = ShareBar(look, layer_colour(layer.value), height=4)
        self.setLayout(column(row(self._items, self._tokens), self._bar, gap=1))
        self.setMinimumWidth(_USE_WIDTH)

    def show_use(self, use: LayerUse) -> None:
        """Show it."""
        listed = self._layer in LISTED
        items = f"{len(use.items)} of {use.offered}" if listed else "end cut" if use.cut else ""
        text = f"{use.tokens:,} of at most {use.cap:,} tokens"
        self._items.set_text(items)
        self._items.set_tone("stop" if use.cut else "neutral")
        self._tokens.set_text(f"{use.tokens:,}")
        self._bar.show_share(use.tokens / use.cap if use.cap else 0.0)
        more = f", {items}{' items' if listed else ''}" if items else ""
        self.setAccessibleName(f"{spoken(self._layer.value)}: {text}{more}")
        entries = f"\n{items} entries that might enter" if listed else ""
        self.setToolTip(plain_tip(text + entries + "".join(f"\n· {item}" for item in use.items)))
