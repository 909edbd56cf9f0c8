"""The lab's middle: curves, actions and states, analysis, clips of the chosen version and others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from pitwall.console.lab.chart_data import Reference
from pitwall.console.lab.curves import CurvesPanel
from pitwall.console.lab.reading import Followed, LabReader
from pitwall.console.pages.lab_facts import ModuleFacts, ModuleKey, VersionFacts
from pitwall.console.pages.lab_words import version_title
from pitwall.console.theme import GAP, PAD, Look
from pitwall.console.widgets.panels import Button, EmptyState, PrimaryButton, column

_MOST_BESIDE = 5
"""So many runs can be told apart by colour and shape."""


class LabCharts(QWidget):
    """Signals: train_wanted(). evaluate_wanted(): what fills an empty middle."""

    train_wanted = Signal()
    evaluate_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.reader = LabReader(self)
        self.reader.changed.connect(self._redraw)
        self.curves = CurvesPanel(look)
        self._key: ModuleKey | None = None
        self._followed: tuple[tuple[str, str], ...] = ()
        self.beside: list[str] = []
        self._chosen = ""
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("What the training looked like")
        self.tabs.addTab(self.curves, "Curves")
        self._no_training = EmptyState(
            "No training yet",
            "It plays by its rules until a policy is trained and promoted. Its curves appear here.",
            PrimaryButton("Train…", self.train_wanted.emit, name="Begin the first training"),
        )
        self._rules = EmptyState(
            "Rules learn nothing, so there are no curves",
            "How well they play is measured on held-out seeds; the score appears beside the version.",
            Button("Evaluate", self.evaluate_wanted.emit, name="Evaluate the rules"),
        )
        self._stack = QStackedWidget()
        for page in (self.tabs, self._no_training, self._rules):
            self._stack.addWidget(page)
        layout = column(self._stack, gap=GAP)
        layout.setContentsMargins(PAD, GAP, PAD, PAD)
        self.setLayout(layout)

    def show_module(self, module: ModuleFacts | None, version: VersionFacts | None) -> None:
        """Follow the chosen version's training, its parent's, and those put beside."""
        if module is None or version is None:
            self.reader.follow(())
            self._followed = ()
            return
        if module.key != self._key:
            self._key, self.beside = module.key, []
            self._set_trial(module)
        self._chosen = version.name
        trained = [one for one in module.versions if one.learned]
        self._stack.setCurrentWidget(
            self.tabs if version.learned or trained else self._no_training if module.learns else self._rules
        )
        self._follow(module, version)

    def set_beside(self, names: Sequence[str]) -> None:
        """Put these versions' curves beside the chosen one's."""
        self.beside = list(names)[: _MOST_BESIDE - 1]

    def close_reading(self) -> None:
        """Read no more."""
        self.reader.close()

    # ---- inside

    def _follow(self, module: ModuleFacts, version: VersionFacts) -> None:
        parent = module.parent_of(version)
        wanted = [version, *([parent] if parent is not None else [])]
        wanted += [one for name in self.beside if (one := module.version(name)) is not None]
        if not version.learned:
            wanted += list(reversed(module.versions))
        unlike = {one.name: one for one in wanted if one.learned}
        chosen = list(unlike.values())[:_MOST_BESIDE]
        followed = tuple((one.name, one.about.standing.value) for one in chosen)
        if followed == self._followed and module.key == self._key:
            return
        self._followed = followed
        self.reader.follow(
            [
                Followed(
                    about=one.about,
                    folder=one.folder,
                    colour=at,
                    label=version_title(one.about),
                )
                for at, one in enumerate(chosen)
            ]
        )
        self._redraw()

    def _redraw(self, *_: object) -> None:
        self.curves.show_runs(self.reader.runs())

    def _set_trial(self, module: ModuleFacts) -> None:
        trial = next(iter(module.declared.trials), None)
        self.curves.set_score_unit(trial.unit if trial is not None else "")
        self._followed = ()
        references = []
        if trial is not None:
            label = f"success from {trial.success:g} {trial.unit}".rstrip()
            references.append(Reference(trial.success, label))
        self.curves.set_references(references)
