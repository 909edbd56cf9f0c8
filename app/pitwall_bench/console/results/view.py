"""A suite that was run: its live board, results at a glance, table, comparison and specification."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.elements import Button, EmptyState, Label, column, holder, row
from pitwall.console.kit.panes import plain_tabs
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall_bench.console.figures import Group, GroupKey, grouped
from pitwall_bench.console.results.comparison import CompareView
from pitwall_bench.console.results.live_board import LiveBoard
from pitwall_bench.console.results.overview import Overview
from pitwall_bench.console.results.study.learning import LearningView
from pitwall_bench.console.results.study.memories import MemoriesView
from pitwall_bench.console.results.study.tables import StudyTables
from pitwall_bench.console.results.table import ResultsTable
from pitwall_bench.study.sheet import Study, study_in
from pitwall_bench.suites.catalogue import SuiteRun
from pitwall_evaluation.console.code_editor.editor import CodeView

_BY: tuple[tuple[GroupKey, str, str], ...] = (
    ("cell", "Task and agent", "Each task by each agent: seeds and waves together"),
    ("agent", "Agent", "Everything an agent played"),
    ("game", "Game", "Everything that was played of a game"),
    ("run", "Run", "Each run for itself"),
)


class TableTab(QWidget):
    """The table with the switch of its rows. Signals: opened(keys)."""

    opened = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._run: SuiteRun | None = None
        self.by = Choice("Rows", _BY)
        self.by.chosen.connect(lambda _: self._draw())
        self.table = ResultsTable(look)
        self.table.opened.connect(lambda group: self.opened.emit([run.cell.key for run in group.runs]))
        self._count = Label("", "note")
        self._open = Button("Open its runs", self._open_chosen, name="Open the runs of the chosen row")
        self._open.setToolTip("Enter or a double click does so too")
        self.setLayout(
            column(
                row(self.by, self._count, None, self._open, gap=PAD),
                self.table,
                gap=GAP,
                stretch=1,
                margins=(PAD, GAP, PAD, GAP),
            )
        )
        self.table.chosen.connect(lambda _: self._show_open())

    @property
    def groups(self) -> Sequence[Group]:
        """Return the shown rows."""
        return self.table.groups

    def show_run(self, run: SuiteRun) -> None:
        """Show a suite's results."""
        self._run = run
        self._draw()

    def _draw(self) -> None:
        if self._run is None:
            return
        by = next(kind for kind, _, _ in _BY if kind == self.by.current)
        groups = grouped(self._run.runs, by)
        self.table.show_groups(groups, by)
        words = [counted(len(groups), "row")]
        if self._run.unread:
            words.append(f"{counted(self._run.unread, 'line')} of the results could not be read")
        self._count.set_text(" · ".join(words))
        self._show_open()

    def _show_open(self) -> None:
        self._open.setEnabled(self.table.currentIndex().isValid())

    def _open_chosen(self) -> None:
        if self.table.current is not None:
            self.table.opened.emit(self.table.current)


class ResultsView(QWidget):
    """Tabs over one suite's run.

    Signals: opened(keys): show the runs of these cells.
    """

    opened = Signal(object)

    def __init__(self, data: DataFolder, look: Look, aside: BackgroundWorker) -> None:
        super().__init__()
        self._data, self._aside = data, aside
        self._run: SuiteRun | None = None
        self._study: Study | None = None
        self._others: Sequence[SuiteRun] = ()
        self._stale = True
        self.board = LiveBoard(look, aside)
        self.overview = Overview(look)
        self.table = TableTab(look)
        self.compare = CompareView(look)
        self.tables, self.learning = StudyTables(look), LearningView(look)
        self.memories = MemoriesView(look, aside)
        self.learning.chain_chosen.connect(self._show_chain)
        self.asked = CodeView(look, "What was asked, as YAML", "yaml")
        self.asked.setReadOnly(True)
        self.tabs = plain_tabs("What plays, results, comparison")
        self._nothing = EmptyState(
            "No run has ended yet",
            "Success, progress, steps, invalid actions and costs of each agent appear here, with intervals.",
        )
        self.glance = holder(column(self._nothing, self.overview, gap=0))
        for widget, title in (
            (self.board, "Sessions"),
            (self.glance, "At a glance"),
            (self.tables, "Study"),
            (self.learning, "Learning"),
            (self.memories, "Memories"),
            (self.table, "Table"),
            (self.compare, "Compare"),
            (self.asked, "Suite"),
        ):
            self.tabs.addTab(widget, title)
        self._show_study(None)
        for part in (self.board, self.overview, self.table, self.compare):
            part.opened.connect(self.opened)
        self.tabs.currentChanged.connect(lambda _: self._show_compared())
        self.setLayout(column(self.tabs, gap=0))

    @property
    def against(self) -> str:
        """Return the suite compared with this one; empty if there is none."""
        return self.compare.against if self.tabs.currentWidget() is self.compare else ""

    def show_run(self, run: SuiteRun, others: Sequence[SuiteRun]) -> None:
        """Show a suite as it is now; another suite opens on its most relevant tab.

        Args:
            others: every other suite, to compare with.
        """
        other = self._run is None or run.key != self._run.key
        changed = other or self._run is None or self._run.runs != run.runs
        self._run = run
        self.board.show_run(run)
        if changed:
            self.overview.show_runs(run.runs, run.spec)
            self.table.show_run(run)
            self.asked.setPlainText(run.text)
            if other:
                self._show_study(None)
            self._aside.ask(partial(study_in, self._data, run.key), self._show_study, lambda _: None)
        self._others = others
        self._stale = self._stale or changed
        self._show_compared()
        self._nothing.setVisible(not run.runs)
        self.overview.setVisible(bool(run.runs))
        if other:
            self.tabs.setCurrentWidget(self.board if run.live or not run.runs else self.glance)

    def _show_study(self, study: Study | None) -> None:
        """Show the tabs of a study, each where there is something to see."""
        if study is not None and (self._run is None or study.suite != self._run.key):
            return
        self._study = study
        sheet = study.sheet if study is not None else None
        chains = study.chains if study is not None else ()
        for widget, there in (
            (self.tables, sheet is not None),
            (self.learning, bool(chains)),
            (self.memories, bool(chains)),
        ):
            self.tabs.setTabVisible(self.tabs.indexOf(widget), there)
        if sheet is not None:
            self.tables.show_sheet(sheet)
        if chains:
            at = self.learning.chains.current or 0
            self._show_chain(at if at < len(chains) else 0)

    def _show_chain(self, at: int) -> None:
        chains = self._study.chains if self._study is not None else ()
        if at < len(chains):
            self.learning.show_chain(chains[at], [f"{chain.suite}: {chain.chain}" for chain in chains], at)
            self.memories.show_chain(chains[at])

    def _show_compared(self) -> None:
        """Run the tests, which take a moment, only if their tab is shown and something changed."""
        if self._run is not None and self._stale and self.tabs.currentWidget() is self.compare:
            self._stale = False
            self.compare.show_run(self._run, self._others)
