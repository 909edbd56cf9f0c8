"""Inputs to try out: the weights of a retrieval, and the figures of one entry."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Label, SectionTitle, column, row
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.form.inputs import NumberBox
from pitwall.console.kit.setting_fields import SettingField, declared_sections
from pitwall.console.kit.theme import WIDE
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import MemoryWeights
from pitwall_memory_editor.console.why.format import WEIGHT_TITLES

_DECIMALS = 3
_ENTRY_FIELDS = (
    Field(
        key="reward",
        label="Reward average",
        kind="number",
        name="Reward average of the chosen entry",
        least=-1e6,
        most=1e6,
        decimals=_DECIMALS,
        step=0.05,
    ),
    Field(key="successes", label="Successes", kind="number", name="Successes of the chosen entry"),
    Field(key="attempts", label="Attempts", kind="number", name="Attempts of the chosen entry"),
    Field(
        key="forgotten",
        label="Forget it",
        kind="flag",
        help="Leave the entry out; once saved it stays restorable",
    ),
)
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Action bank", ("jaccard", "cosine", "reward", "success", "age_h")),
    ("Knowledge graph", ("graph_likeness", "graph_success", "graph_neighbours", "graph_least")),
    ("Fusion and quick path", ("fuse_bank", "fuse_graph", "hint_at", "act_at")),
)


def weight_field(setting: SettingField) -> Field:
    """Return the form field of one weight, with its declared bounds, unit and description."""
    tip = f"Default: {setting.with_unit(setting.default)}\nName in commands and files: {setting.key}"
    most = setting.field.most if setting.bounded else 1e6
    return setting.form_field(
        key=setting.name,
        label=WEIGHT_TITLES[setting.name],
        help=f"{setting.label}\n{tip}",
        unit=setting.unit if setting.unit == "h" else "",
        least=max(0.0, setting.field.least),
        most=most,
        step=1.0 if isinstance(setting.default, int) or most > 10 else 0.05,
    )


class WeightInputs(QWidget):
    """Every weight of SPEC §3's formulas.

    Signals:
        tried(weights): the operator tries others.

    Attributes:
        weights: as they were entered. boxes: the input of each weight.
    """

    tried = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.weights = MemoryWeights()
        self.boxes: dict[str, NumberBox] = {}
        self._forms: list[Form] = []
        memory = next(section for section in declared_sections() if section.name == "memory")
        declared = {field.name: field for field in memory.fields}
        groups = row(gap=2 * WIDE)
        for title, names in GROUPS:
            form = Form([weight_field(declared[name]) for name in names], layout="compact", marks=True)
            form.edited.connect(lambda key, form=form: self._edited(key, form))
            self.boxes |= {name: form.number(name) for name in names}
            self._forms.append(form)
            groups.addLayout(column(SectionTitle(title), form, None))
        self.setLayout(groups)

    def show_weights(self, weights: MemoryWeights, base: MemoryWeights) -> None:
        """Show weights, without telling them back; those that differ from `base` are marked."""
        self.weights = weights
        for form in self._forms:
            form.show_values({name: getattr(base, name) for name in form.fields})
            with QSignalBlocker(form):
                form.enter({name: getattr(weights, name) for name in form.fields})

    def _edited(self, name: str, form: Form) -> None:
        self.weights = replace(self.weights, **{name: form.value(name)})
        self.tried.emit(self.weights)


class EntryInputs(QWidget):
    """Inputs for the figures of the chosen candidate's entry.

    Signals:
        tried(entry): the operator tries other figures. save_wanted(entry): save the tried figures.

    Attributes:
        entry: the entry in the memory; None if none is chosen or it was removed.
    """

    tried = Signal(object)
    save_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.entry: MemoryEntry | None = None
        self._title = SectionTitle("The chosen entry")
        self.form = Form(_ENTRY_FIELDS, layout="compact", marks=True)
        self.form.edited.connect(lambda _: self._edited())
        self.save = Button("Save entry", self._save, name="Save the entry's figures")
        self._note = Label("", "note", wrap=True)
        self.setLayout(column(self._title, self.form, self._note, row(self.save, None), None))
        self.show_entry(None, None)

    def show_entry(self, entry: MemoryEntry | None, tried: MemoryEntry | None, note: str = "") -> None:
        """Show an entry and its tried figures; without an entry `note` explains why."""
        self.entry = entry if entry is not None and isinstance(entry.content, ActionMemory) else None
        self.form.show_values(_values(self.entry))
        if tried is not None:
            with QSignalBlocker(self.form):
                self.form.enter(_values(tried))
        for key in self.form.fields:
            self.form.enable(key, self.entry is not None)
        self._title.set_note(f"action {entry.entry_id}" if entry is not None else "")
        self._note.show_text(note)
        self._allow_saving()

    def _tried(self) -> MemoryEntry | None:
        """Return the entry with the entered figures; untouched figures keep their full precision."""
        if self.entry is None or not isinstance(self.entry.content, ActionMemory):
            return None
        changed = self.form.changed
        forgotten = bool(changed.pop("forgotten", self.entry.forgotten))
        return replace(self.entry, content=replace(self.entry.content, **changed), forgotten=forgotten)

    def _edited(self) -> None:
        self._allow_saving()
        if (tried := self._tried()) is not None:
            self.tried.emit(tried)

    def _allow_saving(self) -> None:
        values = self.form.values
        wrong = values["successes"] > values["attempts"]
        self.save.setEnabled(self.entry is not None and bool(self.form.changed) and not wrong)
        self.save.setToolTip("An entry cannot succeed more often than it was tried" if wrong else "")

    def _save(self) -> None:
        if (tried := self._tried()) is not None:
            self.save_wanted.emit(tried)


def _values(entry: MemoryEntry | None) -> dict[str, object]:
    """Return an entry's figures for the form; zeros without an entry."""
    content = entry.content if entry is not None else None
    if entry is None or not isinstance(content, ActionMemory):
        return {"reward": 0.0, "successes": 0, "attempts": 0, "forgotten": False}
    return {
        "reward": round(content.reward, _DECIMALS),
        "successes": content.successes,
        "attempts": content.attempts,
        "forgotten": entry.forgotten,
    }
