"""A new training: from which version, with which reward, and which values of the recipe."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFileDialog,
    QGridLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from pitwall.console.kit.elements import (
    Button,
    Card,
    Label,
    PrimaryButton,
    SectionTitle,
    column,
    row,
    set_property,
)
from pitwall.console.kit.form.inputs import scroll_past
from pitwall.console.kit.format import figure
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.console.lab.command_lines import TrainingOrder
from pitwall.console.lab.format import version_title
from pitwall.console.lab.training.recipe import MEASURED, RecipeField, groups, settings
from pitwall.console.lab.view_model import ModuleViewModel, VersionViewModel
from pitwall.core.errors import PitwallError
from pitwall.games.schema.modules import Recipe

_SIZE = (720, 640)
_EDITOR = 176
_MOST_WHOLE = 2_000_000_000
_DECIMALS = {"learning_rate": 6, "tau": 5, "gamma": 4}
_FROM_NOTHING = "nothing: a new policy"


class TrainDialog(QDialog):
    """Signals: ordered(order): a `TrainingOrder`."""

    ordered = Signal(object)

    def __init__(
        self,
        module: ModuleViewModel,
        version: VersionViewModel | None,
        drafts: Mapping[str, Path],
        parent: QWidget | None = None,
    ) -> None:
        """
        Args:
            version: the one to begin from, where it is learned.
            drafts: version → file of a changed reward function that was not trained yet.
        """
        super().__init__(parent)
        self.setWindowTitle(f"New training of {module.title}")
        self.setAccessibleName(self.windowTitle())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._module = module
        self._drafts = dict(drafts)
        self._recipe = Recipe()
        self._boxes: dict[str, QSpinBox | QDoubleSpinBox] = {}
        self._noise: dict[str, QDoubleSpinBox] = {}
        self._build(version)
        self._use_source()
        self.resize(*_SIZE)

    # ---- what was entered

    @property
    def values(self) -> dict[str, Any]:
        """Every value of the recipe, as entered."""
        noise = {name: box.value() for name, box in self._noise.items() if box.value() > 0}
        hidden = [int(part) for part in self.hidden.text().replace(",", " ").split() if part.isdecimal()]
        chosen = [name for name, box in self._scenarios.items() if box.isChecked()]
        numbers = {name: box.value() for name, box in self._boxes.items()}
        return {**numbers, "noise": noise, "hidden": hidden, "scenarios": chosen}

    def box(self, name: str) -> QSpinBox | QDoubleSpinBox:
        """The editor of one value."""
        return self._boxes[name]

    @property
    def said(self) -> str:
        """What is wrong with what was entered; empty where it can begin."""
        return self._said.full_text() if self._said.isVisibleTo(self) else ""

    def begin(self) -> None:
        """Order it, where every value fits."""
        try:
            changed = settings(self._recipe, self.values)
        except PitwallError as error:
            self._said.set_text(error.what)
            self._said.show()
            return
        self.ordered.emit(
            TrainingOrder(
                source=self.source.currentData() or "",
                reward=self.reward.currentData(),
                settings=changed,
                seed=self.seed.value(),
                workers=self.workers.value(),
                ray=self.ray.text().strip(),
            )
        )
        self.accept()

    # ---- parts

    def _build(self, version: VersionViewModel | None) -> None:
        learned = [one for one in self._module.versions if one.learned]
        self.source = _combo("The version it begins from")
        self.source.addItem(_FROM_NOTHING, "")
        for one in reversed(learned):
            self.source.addItem(version_title(one.about), one.name)
        if version is not None and version.learned:
            self.source.setCurrentIndex(max(0, self.source.findData(version.name)))
        self.source.currentIndexChanged.connect(self._use_source)
        self.reward = _combo("The reward function")
        self._file = Button("File…", self._choose_file, name="Take the reward function from a file")
        self._measured = Button("Use it", self.use_measured, name="Take delay and noise as measured")
        self.seed = _whole("Seed", 0, _MOST_WHOLE, "")
        self.workers = _whole("Workers", 0, max(1, (os.cpu_count() or 1)), "processes")
        self.workers.setSpecialValueText("in the trainer itself")
        self.ray = QLineEdit()
        self.ray.setAccessibleName("Address of a Ray cluster")
        self.ray.setPlaceholderText("this machine")
        self.hidden = QLineEdit()
        self.hidden.setAccessibleName("Hidden layers, units each")
        self.hidden.setToolTip("Units of each hidden layer, as 64, 64")
        inside = QWidget()
        lines = column(gap=GAP)
        lines.setContentsMargins(0, 0, GAP, 0)
        lines.addWidget(SectionTitle("What is trained"))
        lines.addWidget(Card(self._beginning()))
        for title, fields in groups().items():
            lines.addWidget(SectionTitle(title))
            lines.addWidget(Card(self._group(title, fields)))
        lines.addWidget(SectionTitle("Where"))
        lines.addWidget(Card(self._place()))
        lines.addStretch(1)
        inside.setLayout(lines)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        self._said = Label("", "error", wrap=True)
        self._said.hide()
        self._goes_on = Label("It goes on by itself when this window is closed.", "note")
        self._begin = PrimaryButton("Begin training", self.begin)
        self._begin.setDefault(True)
        head = Label(f"New training of {self._module.title}", "title")
        layout = column(head, scroll, self._said, gap=PAD)
        layout.addLayout(row(self._goes_on, None, Button("Cancel", self.reject), self._begin))
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)

    def _beginning(self) -> QWidget:
        reward = QWidget()
        line = row(self.reward, self._file, gap=STEP)
        line.setStretch(0, 1)
        reward.setLayout(line)
        self._scenarios = {
            one.name: QCheckBox(f"{one.name}: {one.description}" if one.description else one.name)
            for one in self._module.game.profile.scenarios
        }
        rows: list[tuple[str, str, QWidget]] = [
            ("From", "Its network goes on learning; a new one begins with random weights", self.source),
            ("Reward", "What a decision is worth", reward),
        ]
        if self._scenarios:
            boxes = QWidget()
            boxes.setLayout(column(*self._scenarios.values(), gap=STEP))
            rows.append(("Scenarios", "Played in turn; none: the game as it is", boxes))
        rows.append(("Seed", "The same seed and values make the same training", self.seed))
        return _grid(rows)

    def _group(self, title: str, fields: list[RecipeField]) -> QWidget:
        rows: list[tuple[str, str, QWidget]] = []
        for one in fields:
            box = _box(one)
            box.valueChanged.connect(self._mark)
            self._boxes[one.name] = box
            rows.append((one.label, f"{one.says} · {one.fits}", box))
        if title == "Learning":
            rows.append(("Hidden layers", "Units of each, as 64, 64", self.hidden))
        if title == "As on the screen":
            rows += [*self._noise_rows(), ("As measured", self._measured_words(), self._measured)]
        return _grid(rows)

    def _measured_words(self) -> str:
        found = self._module.measured
        self._measured.setEnabled(found is not None)
        if found is None:
            return "Nothing was measured yet: Measure delay and noise, in the menu of the lab, plays it once"
        when = datetime.fromtimestamp(found.at).strftime("%d %b %H:%M").lstrip("0")
        delay = figure(found.reaction_ms.p50, "ms")
        return f"On this screen, {when}: pixel to key {delay}, the median of {found.frames:,} frames"

    def use_measured(self) -> None:
        """Take delay, jitter, late frames and noise from the newest measurement."""
        if self._module.measured is None:
            return
        values = self._module.measured.recipe()
        for name in MEASURED:
            if name in values:
                self._boxes[name].setValue(values[name])
        for name, box in self._noise.items():
            box.setValue(values["noise"].get(name, box.value()))

    def _noise_rows(self) -> list[tuple[str, str, QWidget]]:
        learned = self._module.declared.learned
        rows: list[tuple[str, str, QWidget]] = []
        for state in learned.state if learned is not None else ():
            if state.choices:
                continue
            unit = self._module.units.get(state.field, "")
            box = QDoubleSpinBox()
            box.setRange(0.0, 1_000_000.0)
            box.setDecimals(2)
            _dress(box, f"Noise of {state.field}", unit)
            box.valueChanged.connect(self._mark)
            self._noise[state.field] = box
            rows.append((f"Noise of {state.field}", "Standard deviation that reading it adds", box))
        return rows

    def _place(self) -> QWidget:
        cores = os.cpu_count() or 1
        return _grid(
            [
                ("Workers", f"Processes that play beside it · 0 … {cores}", self.workers),
                ("Ray", "Address of a cluster whose machines play too", self.ray),
            ]
        )

    # ---- inside

    def _use_source(self, *_: object) -> None:
        version = self._module.version(self.source.currentData() or "")
        learned = self._module.declared.learned
        own = learned.training if learned is not None else Recipe()
        self._recipe = version.about.recipe or own if version is not None else own
        self._show_rewards(version)
        for name, box in self._boxes.items():
            box.setValue(getattr(self._recipe, name))
        for name, noise in self._noise.items():
            noise.setValue(self._recipe.noise.get(name, 0.0))
        for name, scenario in self._scenarios.items():
            scenario.setChecked(name in self._recipe.scenarios)
        self.hidden.setText(", ".join(str(units) for units in self._recipe.hidden))
        self.hidden.setEnabled(version is None)
        self._mark()

    def _show_rewards(self, version: VersionViewModel | None) -> None:
        self.reward.clear()
        self.reward.addItem(
            f"as {version.name} has it" if version is not None else "as the game has it", None
        )
        for name, file in self._drafts.items():
            self.reward.addItem(f"your change to {name}", file)
        mine = self._drafts.get(version.name) if version is not None else None
        if mine is not None:
            self.reward.setCurrentIndex(
                self.reward.findText(f"your change to {version.name}" if version else "")
            )

    def _mark(self, *_: object) -> None:
        """What differs from the version it begins from stands out."""
        for name, box in self._boxes.items():
            set_property(box, "tried", "yes" if box.value() != getattr(self._recipe, name) else "no")
        for name, noise in self._noise.items():
            set_property(
                noise, "tried", "yes" if noise.value() != self._recipe.noise.get(name, 0.0) else "no"
            )
        self._said.hide()

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Reward function", "", "Python (*.py);;All files (*)")
        if name:
            self.reward.addItem(Path(name).name, Path(name))
            self.reward.setCurrentIndex(self.reward.count() - 1)


def _grid(rows: list[tuple[str, str, QWidget]]) -> QWidget:
    """Label and explanation at the left, the editor at the right."""
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(PAD)
    grid.setVerticalSpacing(GAP)
    grid.setColumnStretch(0, 1)
    for at, (label, says, widget) in enumerate(rows):
        words = QWidget()
        words.setLayout(column(Label(label), Label(says, "note", wrap=True), gap=0))
        grid.addWidget(words, at, 0)
        wide = not isinstance(widget, QSpinBox | QDoubleSpinBox | Button)
        if wide:
            widget.setMinimumWidth(2 * _EDITOR - 60)
        grid.addWidget(widget, at, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        widget.setAccessibleDescription(says)
    holder = QWidget()
    holder.setLayout(grid)
    return holder


def _box(field: RecipeField) -> QSpinBox | QDoubleSpinBox:
    least, most = field.least or 0.0, field.most if field.most is not None else _MOST_WHOLE
    if field.whole:
        return _whole(field.label, int(least), int(min(most, _MOST_WHOLE)), field.unit)
    box = QDoubleSpinBox()
    fine = most <= 1
    box.setDecimals(_DECIMALS.get(field.name, 3) if fine else 1)
    nudge = 10 ** -box.decimals()
    box.setRange(least + nudge if field.above else least, most - nudge if field.below else most)
    box.setSingleStep(0.01 if fine else 5.0)
    _dress(box, field.label, "" if field.unit == "share" else field.unit)
    return box


def _whole(name: str, least: int, most: int, unit: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, most)
    box.setSingleStep(max(1, 10 ** (len(str(most)) - 5)) if most > 10_000 else 1)
    _dress(box, name, unit)
    return box


def _dress(box: QSpinBox | QDoubleSpinBox, name: str, unit: str) -> None:
    box.setAccessibleName(f"{name}, {unit}" if unit else name)
    box.setSuffix(f" {unit}" if unit else "")
    box.setGroupSeparatorShown(True)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setFixedWidth(_EDITOR)
    scroll_past(box)


def _combo(name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    scroll_past(box)
    return box
