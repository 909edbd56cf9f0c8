"""Inputs for the trigger's thresholds, with bounds, units and meaning from where they are declared."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import Dialog
from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.form.editors import number_box
from pitwall.console.kit.form.fields import Field, declared_field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.form.inputs import NumberBox
from pitwall.console.services.bridge import Bridge
from pitwall.core.signals import Thresholds

_UNITS = {"steps": "steps", "actions": "×"}
"""Units behind the number."""
_EDITOR_PX = 110


def threshold_field(setting: str) -> Field:
    """Return the form field of a threshold, with its declared bounds and meaning."""
    whole = Thresholds.model_fields[setting].annotation is int
    field = declared_field(Thresholds, setting, decimals=0 if whole else 2)
    level = field.unit == "level"
    bounds = f"{field.least:g} to {field.most:g}"
    return replace(
        field,
        name=f"Threshold: {field.label}",
        help=f"level {bounds}" if level else f"{bounds} {field.unit}".strip(),
        step=1 if whole else 0.01,
        unit="" if level else _UNITS.get(field.unit, ""),
        prefix="level " if level else "",
        width=_EDITOR_PX,
    )


def threshold_box(setting: str) -> NumberBox:
    """Return a compact input for a threshold that emits once the number is typed completely."""
    field = threshold_field(setting)
    box = number_box(field, compact=True)
    box.setKeyboardTracking(False)
    box.setToolTip(f"{field.label}\n{field.help}")
    return box


class AllThresholds(Dialog):
    """Every threshold of the trigger; a change is in force from the next step."""

    def __init__(self, parent: QWidget, bridge: Bridge) -> None:
        note = "A step goes strategic when any of these is reached. In force from the next step."
        super().__init__("Thresholds", [note], parent, width=0)
        self._bridge = bridge
        self.form = Form([threshold_field(name) for name in Thresholds.model_fields], layout="explained")
        self.form.show_values((bridge.state.thresholds or Thresholds()).model_dump())
        self.form.edited.connect(lambda _: self._changed())
        for name in self.form.fields:
            self.form.number(name).setKeyboardTracking(False)
            self.form.enable(name, bridge.connected)
        reset = Button("Use the game's own", self._reset, kind="quiet")
        self.lines.addWidget(self.form)
        self.lines.addLayout(row(reset, None, Button("Close", self.accept)))
        self.setMinimumWidth(420)

    def _changed(self) -> None:
        self._bridge.set_thresholds(Thresholds.model_validate(self.form.values))

    def _reset(self) -> None:
        game = self._bridge.state.game
        if game is not None:
            self.form.show_values(game.thresholds.model_dump())
            self._changed()
