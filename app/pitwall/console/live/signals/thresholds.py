"""Inputs for the trigger's thresholds, with bounds, units and meaning from where they are declared."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDoubleSpinBox, QGridLayout, QSpinBox, QWidget

from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.theme import GAP, PAD, WIDE
from pitwall.console.services.bridge import Bridge
from pitwall.core.signals import Thresholds

_BOX_WORDS = {"steps": " steps", "actions": " ×"}

SpinBox = QSpinBox | QDoubleSpinBox


def bounds(setting: str) -> tuple[float, float, bool]:
    """Least and most value of a threshold, and whether it is a whole number."""
    field = Thresholds.model_fields[setting]
    least = next(float(m.ge) for m in field.metadata if hasattr(m, "ge"))
    most = next(float(m.le) for m in field.metadata if hasattr(m, "le"))
    return least, most, field.annotation is int


def threshold_box(setting: str) -> SpinBox:
    """An input for one threshold, with its declared bounds and meaning."""
    field = Thresholds.model_fields[setting]
    least, most, whole = bounds(setting)
    box: SpinBox
    if whole:
        box = QSpinBox()
        box.setRange(int(least), int(most))
    else:
        box = QDoubleSpinBox()
        box.setRange(least, most)
        box.setDecimals(2)
        box.setSingleStep(0.01)
    box.setKeyboardTracking(False)
    box.setAccessibleName(f"Threshold: {field.description}")
    extra = field.json_schema_extra
    unit = str(extra.get("unit", "")) if isinstance(extra, dict) else ""
    box.setToolTip(f"{field.description}{f', in {unit}' if unit else ''}\n{least:g} to {most:g}")
    words = _BOX_WORDS.get(unit, "")
    if setting == "failure_level":
        box.setPrefix("F")
    elif words:
        box.setSuffix(words)
    return box


class AllThresholds(QDialog):
    """Every threshold of the trigger; in force while it is changed."""

    def __init__(self, parent: QWidget, bridge: Bridge) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Thresholds")
        self._bridge = bridge
        self._boxes: dict[str, SpinBox] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(WIDE)
        grid.setVerticalSpacing(GAP)
        grid.setColumnStretch(0, 1)
        thresholds = bridge.state.thresholds or Thresholds()
        for at, (name, field) in enumerate(Thresholds.model_fields.items()):
            box = threshold_box(name)
            set_box(box, getattr(thresholds, name))
            box.valueChanged.connect(lambda *_: self._changed())
            box.setMinimumWidth(90)
            self._boxes[name] = box
            grid.addWidget(Label(field.description or name, wrap=True), at, 0)
            grid.addWidget(box, at, 1)
        note = Label(
            "A step goes strategic when any of these is reached. In force from the next step.",
            "dim",
            wrap=True,
        )
        layout = column(note, gap=PAD)
        layout.addLayout(grid)
        layout.addLayout(
            row(Button("Use the game's own", self._reset, kind="quiet"), None, Button("Close", self.accept))
        )
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)
        self.setMinimumWidth(420)
        for box in self._boxes.values():
            box.setEnabled(bridge.connected)

    def _changed(self) -> None:
        self._bridge.set_thresholds(
            Thresholds.model_validate({name: box.value() for name, box in self._boxes.items()})
        )

    def _reset(self) -> None:
        game = self._bridge.state.game
        if game is not None:
            for name, box in self._boxes.items():
                set_box(box, getattr(game.thresholds, name))


def set_box(box: SpinBox, value: float) -> None:
    """Show a value in an input for whole or for broken numbers."""
    if isinstance(box, QSpinBox):
        box.setValue(int(value))
    else:
        box.setValue(value)
