"""The versions of a module in a table: state, score, and the settings in which their trainings differ."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import Toggle
from pitwall.console.kit.elements import EmptyState, Label, column, row
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, Look
from pitwall_lab.console.format import ScorePlace, score_words, version_sign
from pitwall_lab.console.training.recipe import label_of
from pitwall_lab.console.view_model import ModuleViewModel, VersionViewModel
from pitwall_lab.modules.hyper_parameters import parameter_names, parameter_text, parameters_of

_FIXED: tuple[Column[VersionViewModel], ...] = (
    Column("Version", lambda version: version.name, bold=True, width=78),
    Column(
        "State",
        lambda version: str(version_sign(version)),
        tone=lambda version: version_sign(version).tone.replace("neutral", "text"),
        width=116,
    ),
)


class ParameterTable(QWidget):
    """Signals: version_wanted(name): a row was opened."""

    version_wanted = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._module: ModuleViewModel | None = None
        self._note = Label("", "note", wrap=True)
        self.every = Toggle("All settings", "Also settings that are equal in every version")
        self.every.toggled.connect(lambda _: self._fill())
        model: TableModel[VersionViewModel] = TableModel(_FIXED, key=lambda version: version.name)
        self.table = Table(look, model, "Versions and their settings", "Enter shows a version")
        self.table.set_empty(EmptyState("No version yet", "Each training makes a version."))
        self.table.opened.connect(lambda version: self.version_wanted.emit(version.name))
        self.setLayout(column(row(self._note, self.every, stretch=0), self.table, gap=GAP, stretch=1))

    def show_module(self, module: ModuleViewModel) -> None:
        """Show the versions of a module."""
        same = self._module is not None and module.versions == self._module.versions
        self._module = module
        if not same:
            self._fill()

    def _fill(self) -> None:
        module = self._module
        if module is None:
            return
        abouts = [version.about for version in module.versions]
        names = parameter_names(abouts, differing=not self.every.isChecked())
        settings = [
            Column(
                label_of(name),
                partial(_text, name),
                key=name,
                number=True,
                tip=name,
                sort=partial(_value, name),
            )
            for name in names
        ]
        places: tuple[ScorePlace, ...] = ("twin", "screen")
        scores = [
            Column(
                f"Score, {place}",
                partial(_score_text, place),
                sort=partial(_score, place),
                descends=True,
            )
            for place in places
        ]
        self.table.show_rows(module.versions, (*_FIXED, *scores, *settings))
        differing = "The settings in which the trainings differ. A click on a head sorts by it."
        every = "Every setting of the trainings. A click on a head sorts by it."
        self._note.set_text(every if self.every.isChecked() else differing)


def _value(name: str, version: VersionViewModel) -> object:
    value = parameters_of(version.about).get(name)
    return value if isinstance(value, int | float) else None if value is None else str(value)


def _text(name: str, version: VersionViewModel) -> str:
    return parameter_text(parameters_of(version.about).get(name))


def _score_text(place: ScorePlace, version: VersionViewModel) -> str:
    score = version.about.score(place)
    return score_words(score) if score is not None else "—"


def _score(place: ScorePlace, version: VersionViewModel) -> float | None:
    score = version.about.score(place)
    return score.mean if score is not None else None
