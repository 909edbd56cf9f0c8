"""The lab's middle column: curves, actions, states, analysis and clips of the chosen version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.data import Reference
from pitwall.console.kit.elements import Button, EmptyState, PrimaryButton, column
from pitwall.console.kit.panes import plain_tabs, stacked
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall_lab.console.charts.actions import ActionsPanel
from pitwall_lab.console.charts.analysis_view import AnalysisView
from pitwall_lab.console.charts.clips import ClipsPanel
from pitwall_lab.console.charts.curves import CurvesPanel
from pitwall_lab.console.charts.log_reader import TrainingLogReader, TrainingRun
from pitwall_lab.console.charts.trends import TrendsPanel
from pitwall_lab.console.charts.versions_table import ParameterTable
from pitwall_lab.console.view_model import ModuleKey, ModuleViewModel, VersionViewModel

_MOST_BESIDE = 5
"""Most runs that colour and shape can distinguish."""


class LabCharts(QWidget):
    """Tabs of charts; only the tab in view is drawn.

    Signals:
        train_wanted(). evaluate_wanted(). analyse_wanted(): from the buttons of empty states.
        version_wanted(name): a row of the table of versions was opened.
    """

    train_wanted = Signal()
    evaluate_wanted = Signal()
    analyse_wanted = Signal()
    version_wanted = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.reader = TrainingLogReader(self)
        self.reader.changed.connect(self._redraw)
        self.curves = CurvesPanel(look)
        self.actions_use = ActionsPanel(look)
        self.states = TrendsPanel(look, "states")
        self.parts = TrendsPanel(look, "rewards")
        self.analysis = AnalysisView(
            look, PrimaryButton("Analyse", self.analyse_wanted.emit, name="Analyse this version")
        )
        self._analyses: dict[tuple[ModuleKey, str], Mapping[str, Any]] = {}
        self._analysed: Mapping[str, Any] | None = None
        self.clips = ClipsPanel(look)
        self.versions = ParameterTable(look)
        self.versions.version_wanted.connect(self.version_wanted)
        self._module: ModuleViewModel | None = None
        self._chosen: VersionViewModel | None = None
        self._followed: tuple[tuple[str, str], ...] = ()
        self.tabs = plain_tabs("Charts of the training")
        for widget, title in (
            (self.curves, "Curves"),
            (self.actions_use, "Actions"),
            (self.states, "States"),
            (self.parts, "Reward parts"),
            (self.analysis, "Analysis"),
            (self.clips, "Clips"),
            (self.versions, "All versions"),
        ):
            self.tabs.addTab(widget, title)
        self.tabs.currentChanged.connect(self._redraw)
        self._no_training = EmptyState(
            "No training yet",
            "Until a policy is trained and promoted, the module plays by its rules; without rules it does "
            "not play.",
            PrimaryButton("Train…", self.train_wanted.emit, name="Begin the first training"),
        )
        self._rules = EmptyState(
            "Rules learn nothing, so there are no curves",
            "How well they play is measured on held-out seeds; the score appears beside the version.",
            Button("Evaluate", self.evaluate_wanted.emit, name="Evaluate the rules"),
        )
        self._stack = stacked(self.tabs, self._no_training, self._rules)
        self.setLayout(column(self._stack, margins=(PAD, GAP, PAD, PAD)))

    @property
    def run(self) -> TrainingRun | None:
        """Return the chosen version's training; None without one."""
        return self.reader.run(self._chosen.name) if self._chosen is not None else None

    def show_analysis(self, key: ModuleKey, version: str, answer: Mapping[str, Any]) -> None:
        """Show the answer of `pitwall gsm analyse`, if its version is in view."""
        self._analyses[key, version] = answer
        if self._module is not None and self._module.key == key:
            self.tabs.setCurrentWidget(self.analysis)
        self._redraw()

    def show_module(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        """Follow the chosen version's training and its parent's; for rules all trainings."""
        if module is None or version is None:
            self.reader.follow(())
            self._module, self._chosen, self._followed = None, None, ()
            self._stack.setCurrentWidget(self._no_training)
            return
        if self._module is None or module.key != self._module.key:
            self._followed = ()
            self._set_trial(module)
        other = self._chosen is None or self._chosen.name != version.name
        self._module, self._chosen = module, version
        if other or self.tabs.currentWidget() is self.versions:
            self._redraw()
        trained = [version for version in module.versions if version.learned]
        self._stack.setCurrentWidget(
            self.tabs if version.learned or trained else self._no_training if module.learns else self._rules
        )
        self._follow(module, version)

    def close_reading(self) -> None:
        """Stop reading."""
        self.reader.close()
        self.clips.close_reading()

    # ---- inside

    def _follow(self, module: ModuleViewModel, version: VersionViewModel) -> None:
        parent = module.parent_of(version)
        wanted = [version, *([parent] if parent is not None else [])]
        if not version.learned:
            wanted += list(reversed(module.versions))
        distinct = {version.name: version for version in wanted if version.learned}
        chosen = list(distinct.values())[:_MOST_BESIDE]
        followed = tuple((version.name, version.about.standing.value) for version in chosen)
        if followed == self._followed:
            return
        self._followed = followed
        self.reader.follow([(version.about, version.folder) for version in chosen])
        self._redraw()

    def _redraw(self, *_: object) -> None:
        runs, tab = self.reader.runs(), self.tabs.currentWidget()
        if tab is self.curves:
            self.curves.show_runs(runs)
        elif tab is self.actions_use:
            self.actions_use.show_run(self.run)
        elif tab is self.states:
            self.states.show_runs(runs)
        elif tab is self.parts:
            self.parts.show_runs(runs)
        elif self._module is not None and self._chosen is not None:
            if tab is self.versions:
                self.versions.show_module(self._module)
            elif tab is self.analysis:
                self._show_analysis(self._analyses.get((self._module.key, self._chosen.name)))
            else:
                self._show_clips(self._module, self._chosen)

    def _show_analysis(self, analysis: Mapping[str, Any] | None) -> None:
        if analysis is not self._analysed:
            self._analysed = analysis
            self.analysis.show_analysis(analysis)

    def _show_clips(self, module: ModuleViewModel, version: VersionViewModel) -> None:
        trial = next(iter(module.declared.trials), None)
        log = self.run.log if self.run is not None else None
        cloned = log.cloned if log is not None else None
        self.clips.show_version(
            version.folder,
            list(log.evaluations) if log is not None else [],
            trial.unit if trial is not None else "",
            cloned.disagreements if cloned is not None else (),
        )

    def _set_trial(self, module: ModuleViewModel) -> None:
        trial = next(iter(module.declared.trials), None)
        self.states.set_units(module.units)
        if trial is None:
            self.curves.set_trial("", ())
        else:
            label = f"success from {trial.success:g} {trial.unit}".rstrip()
            self.curves.set_trial(trial.unit, [Reference(trial.success, label)])
