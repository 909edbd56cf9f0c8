"""What can be tried out: the weights in force, and the figures of one entry."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QGridLayout, QSpinBox, QWidget

from pitwall.console.kit.elements import Button, Label, SectionTitle, column, row, set_property
from pitwall.console.kit.form.inputs import scroll_past
from pitwall.console.kit.setting_editors.fields import SettingField, declared_sections
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.console.memory.why.format import WEIGHT_TITLES
from pitwall.console.memory.why.rows import Figures
from pitwall.core.memories import ActionMemory, MemoryEntry, MemoryWeights

SpinBox = QSpinBox | QDoubleSpinBox
_BOX_WIDTH = 86
_MOST_TRIES = 1_000_000_000
_DECIMALS = 3
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("SA-MB", ("jaccard", "cosine", "reward", "success", "age_h")),
    ("SA-KG", ("graph_likeness", "graph_success", "graph_neighbours", "graph_least")),
    ("Fusion and quick path", ("fuse_bank", "fuse_graph", "hint_at", "act_at")),
)


class NumberBox(QDoubleSpinBox):
    """Shows a number without zeros at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(_DECIMALS)

    def textFromValue(self, value: float) -> str:
        return f"{round(value, _DECIMALS):,.10g}"


def _declared() -> dict[str, SettingField]:
    memory = next(section for section in declared_sections() if section.name == "memory")
    return {field.name: field for field in memory.fields}


def weight_box(field: SettingField) -> SpinBox:
    """An input for one weight, with its declared bounds, unit and meaning."""
    box: SpinBox
    least, most = field.least or 0.0, field.most if field.most is not None else 1e6
    if isinstance(field.default, int):
        box = QSpinBox()
        box.setRange(int(least), int(most))
    else:
        box = NumberBox()
        box.setRange(least, most)
        box.setSingleStep(1.0 if most > 10 else 0.05)
    if field.unit == "h":
        box.setSuffix(f" {field.unit}")
    _dress(box, field.label)
    box.setToolTip(f"{field.label}\n{field.key} · {field.fits} · default {field.with_unit(field.default)}")
    return box


def _dress(box: SpinBox, name: str) -> None:
    box.setProperty("kind", "compact")
    box.setAccessibleName(name)
    box.setFixedWidth(_BOX_WIDTH)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    scroll_past(box)


class WeightBoxes(QWidget):
    """Every weight of SPEC §3's formulas.

    Signals:
        tried(weights): the operator tries others.
    """

    tried = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._weights = MemoryWeights()
        self._base = MemoryWeights()
        self.boxes: dict[str, SpinBox] = {}
        declared = _declared()
        groups = row(gap=2 * WIDE)
        for title, names in GROUPS:
            groups.addWidget(self._group(title, [declared[name] for name in names]), 0)
        self.setLayout(groups)

    @property
    def weights(self) -> MemoryWeights:
        """As they stand in the boxes."""
        return self._weights

    def show_weights(self, weights: MemoryWeights, base: MemoryWeights) -> None:
        """Show weights, without telling them back; those that differ from `base` are marked."""
        self._weights, self._base = weights, base
        for name, box in self.boxes.items():
            before = box.blockSignals(True)
            box.setValue(getattr(weights, name))
            box.blockSignals(before)
        self._mark()

    def _group(self, title: str, fields: list[SettingField]) -> QWidget:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(STEP)
        for at, field in enumerate(fields):
            box = weight_box(field)
            box.valueChanged.connect(lambda value, name=field.name: self._changed(name, value))
            self.boxes[field.name] = box
            label = Label(WEIGHT_TITLES[field.name], "dim")
            label.setMinimumWidth(label.sizeHint().width())
            label.setToolTip(box.toolTip())
            grid.addWidget(label, at, 0)
            grid.addWidget(box, at, 1)
        group = QWidget()
        layout = column(SectionTitle(title), gap=GAP)
        layout.addLayout(grid)
        layout.addStretch(1)
        group.setLayout(layout)
        return group

    def _changed(self, name: str, value: float) -> None:
        self._weights = replace(self._weights, **{name: value})  # type: ignore[arg-type]
        self._mark()
        self.tried.emit(self._weights)

    def _mark(self) -> None:
        for name, box in self.boxes.items():
            tried = getattr(self._weights, name) != getattr(self._base, name)
            set_property(box, "tried", "yes" if tried else "no")


class EntryBoxes(QWidget):
    """Figures of the chosen candidate's entry.

    Signals:
        tried(entry_id, figures): the operator tries other figures; None: its own again.
        save_wanted(entry, figures).
    """

    tried = Signal(int, object)
    save_wanted = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._entry: MemoryEntry | None = None
        self._title = SectionTitle("The chosen entry")
        self.reward = NumberBox()
        self.reward.setRange(-1e6, 1e6)
        self.reward.setSingleStep(0.05)
        self.successes, self.attempts = QSpinBox(), QSpinBox()
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(STEP)
        grid.setColumnStretch(2, 1)
        for counts in (self.successes, self.attempts):
            counts.setRange(0, _MOST_TRIES)
            counts.setGroupSeparatorShown(True)
        boxes: tuple[tuple[SpinBox, str], ...] = (
            (self.reward, "Reward average"),
            (self.successes, "Successes"),
            (self.attempts, "Attempts"),
        )
        for at, (box, name) in enumerate(boxes):
            _dress(box, f"{name} of the chosen entry")
            box.valueChanged.connect(lambda *_: self._changed())
            grid.addWidget(Label(name, "dim"), at, 0)
            grid.addWidget(box, at, 1)
        self.forget = QCheckBox("Forget it")
        self.forget.setAccessibleDescription("Leave the entry out; once saved it stays restorable")
        self.forget.toggled.connect(lambda *_: self._changed())
        grid.addWidget(self.forget, 3, 0, 1, 2)
        self.save = Button("Save entry", self._save, name="Save the entry's figures")
        self._note = Label("", "note", wrap=True)
        layout = column(self._title, gap=GAP)
        layout.addLayout(grid)
        layout.addWidget(self._note)
        layout.addLayout(row(self.save, None))
        layout.addStretch(1)
        self.setLayout(layout)
        self.show_entry(None, None)

    @property
    def entry(self) -> MemoryEntry | None:
        """As it stands in the memory; None where none is chosen, or it is gone."""
        return self._entry

    def show_entry(self, entry: MemoryEntry | None, tried: Figures | None, note: str = "") -> None:
        """Show an entry, with what is tried of it; None: `note` says why there is none."""
        content = entry.content if entry is not None else None
        self._entry = entry if isinstance(content, ActionMemory) else None
        own = figures_of(self._entry)
        shown = tried or own
        for box, value in (
            (self.reward, shown.reward),
            (self.successes, shown.successes),
            (self.attempts, shown.attempts),
        ):
            before = box.blockSignals(True)
            box.setValue(value)  # type: ignore[arg-type]
            box.blockSignals(before)
            box.setEnabled(self._entry is not None)
        before = self.forget.blockSignals(True)
        self.forget.setChecked(shown.forgotten)
        self.forget.blockSignals(before)
        self.forget.setEnabled(self._entry is not None)
        self._title.set_note(f"SA-MB {entry.entry_id}" if entry is not None else "")
        self._note.set_text(note)
        self._note.setVisible(bool(note))
        self._mark(shown)

    def _figures(self) -> Figures:
        """As they stand in the boxes; a reward that was not touched keeps the decimals that are not shown."""
        own = figures_of(self._entry).reward
        typed = self.reward.value()
        return Figures(
            reward=own if round(own, _DECIMALS) == typed else typed,
            successes=self.successes.value(),
            attempts=self.attempts.value(),
            forgotten=self.forget.isChecked(),
        )

    def _changed(self) -> None:
        if self._entry is None:
            return
        figures = self._figures()
        self._mark(figures)
        tried = figures if figures != figures_of(self._entry) else None
        self.tried.emit(self._entry.entry_id, tried)

    def _mark(self, figures: Figures) -> None:
        own = figures_of(self._entry)
        for box, name in (
            (self.reward, "reward"),
            (self.successes, "successes"),
            (self.attempts, "attempts"),
        ):
            set_property(box, "tried", "yes" if getattr(figures, name) != getattr(own, name) else "no")
        wrong = figures.successes > figures.attempts
        self.save.setEnabled(self._entry is not None and figures != own and not wrong)
        self.save.setToolTip("An entry cannot succeed more often than it was tried" if wrong else "")

    def _save(self) -> None:
        if self._entry is not None:
            self.save_wanted.emit(self._entry, self._figures())


def figures_of(entry: MemoryEntry | None) -> Figures:
    """An entry's own figures; zeros where there is none."""
    content = entry.content if entry is not None else None
    if entry is None or not isinstance(content, ActionMemory):
        return Figures(reward=0.0, successes=0, attempts=0)
    return Figures(
        reward=content.reward,
        successes=content.successes,
        attempts=content.attempts,
        forgotten=entry.forgotten,
    )
