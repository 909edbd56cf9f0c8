"""Shows one step's retrieval with every figure, and its ranking under others ("what if")."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QWidget

from pitwall.console.kit.elements import Button, EmptyState, column, row
from pitwall.console.kit.form.inputs import Combo, NumberBox
from pitwall.console.kit.panes import ReadStack, plain_tabs, split
from pitwall.console.kit.theme import GAP, PAD, WIDE, Look
from pitwall.console.services.background import RunLogWorker as RunReading
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part
from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import StateNode
from pitwall.core.retrieval import Retrieval
from pitwall.store.run_log import RunRow
from pitwall_memory_editor.console.port import MemoryPort
from pitwall_memory_editor.console.reader import MemoryReadWorker as MemoryReading
from pitwall_memory_editor.console.why.candidate_detail import CandidateDetail
from pitwall_memory_editor.console.why.retrieval_view import RetrievalView
from pitwall_memory_editor.console.why.rows import CandidateRow, rows_of
from pitwall_memory_editor.console.why.source import ShownRetrieval, WhySource
from pitwall_memory_editor.console.why.what_if import WhatIf

_LOWER = 240
_LIVE = "What plays now"
_MOST_STEP = 9_999_999


class WhyPanel(QWidget):
    """A step's retrieval: candidates above, why the chosen one has its rank and what if below.

    Args:
        memory: reads the memory.

    Attributes:
        found: the retrieval that is shown.

    Signals:
        entry_wanted(entry_id), node_wanted(node_id): show it. step_wanted(run_id, step): inspect the
            decision; run_id 0 for what plays no run. live_wanted(): nothing was asked yet; open a game.
    """

    entry_wanted = Signal(int)
    node_wanted = Signal(int)
    step_wanted = Signal(int, int)
    live_wanted = Signal()

    def __init__(self, bridge: Bridge, look: Look, port: MemoryPort, memory: MemoryReading) -> None:
        super().__init__()
        self.setAccessibleName("Why retrieved")
        self._bridge = bridge
        self._memory = memory
        self._runs = RunReading(bridge.data, self)
        self.shown: ShownRetrieval | None = None
        self._base: Retrieval | None = None
        self._entries: dict[int, MemoryEntry] = {}
        self.source = WhySource(bridge, self._runs)
        self.view = RetrievalView(look)
        self.detail = CandidateDetail(look)
        self.what_if = WhatIf(bridge, port)
        self._build_head()
        self._lay_out()
        self._connect(port)

    # ---- asked by the page

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.source.refresh(Part.ALL)
        self.source.read_runs()
        if self._base is not None:
            self._read_entries(self._base)

    def _refresh(self, changed: Part) -> None:
        if self.isVisible():
            self.source.refresh(changed)

    def show_step(self, run_id: int, step: int) -> None:
        """Show a step of a run; run_id 0: of the live game."""
        if run_id:
            self.source.open(run_id, step)
        else:
            self.source.show_live(step)

    def follow(self) -> None:
        """Show the newest retrieval of the game that plays from now on."""
        self.source.follow()

    def close_reading(self) -> None:
        """Read no more; before the data folder goes away."""
        self._runs.close()

    # ---- parts

    def _build_head(self) -> None:
        self.runs = Combo("Whose steps", [(0, _LIVE)], width=150, letters=12)
        self.runs.activated.connect(lambda *_: self._run_chosen())
        self.before = Button("‹", lambda: self._go(-1), name="The retrieval before")
        self.after = Button("›", lambda: self._go(1), name="The next retrieval")
        self.step = NumberBox("Step", 0, _MOST_STEP, width=112)
        self.step.setPrefix("step ")
        self.step.setKeyboardTracking(False)
        self.step.valueChanged.connect(lambda *_: self._step_typed())
        self.newest = Button("Newest", self.source.follow, name="Stay with the newest retrieval")
        self.newest.setCheckable(True)
        self._inspect = Button(
            "Inspect the decision", self._inspect_pressed, kind="quiet", tip="What models were asked for it"
        )
        walk = (self.before, self.step, self.after, self.newest)
        self._head = row(self.runs, *walk, None, self._inspect, margins=(WIDE, PAD, WIDE, GAP))

    def _lay_out(self) -> None:
        self.tabs = plain_tabs("The chosen candidate, and what if")
        self.tabs.addTab(self.detail, "The chosen one")
        self.tabs.addTab(self.what_if, "What if")
        self.tabs.setMinimumHeight(120)
        lower = QFrame()
        lower.setObjectName("lower")
        lower.setLayout(column(self.tabs, gap=0))
        self._split = split(self.view, lower, sizes=(400, _LOWER), vertical=True)
        self._way_out = Button("", self._leave_empty)
        self.empty = EmptyState("", "", self._way_out)
        self._stack = ReadStack("Reading the run log …", self.empty, self._split, again=self._try_again)
        self.setLayout(column(self._head, self._stack, gap=0, stretch=1))

    def _connect(self, port: MemoryPort) -> None:
        self.source.retrieved.connect(self._take)
        self.source.loading.connect(self._show_loading)
        self.source.runs_read.connect(self._show_runs)
        self._runs.failed.connect(self._show_error)
        self.view.chosen.connect(self._chosen)
        self.view.entry_wanted.connect(self.entry_wanted)
        self.detail.node_wanted.connect(self.node_wanted)
        self.what_if.tried.connect(self._tried)
        self.what_if.overtaken.connect(self._overtaken)
        port.changed.connect(self._memory_changed)
        self._bridge.changed.connect(self._refresh)
        self._bridge.settings_changed.connect(lambda *_: self._show())

    # ---- what the operator does

    def _go(self, by: int) -> None:
        shown = self.shown
        step = 0 if shown is None else shown.before if by < 0 else shown.after
        if step:
            self.source.go(step)

    def _step_typed(self) -> None:
        if self.shown is not None and self.step.value() not in (0, self.shown.step):
            self.source.go(int(self.step.number))

    def _run_chosen(self) -> None:
        if self.runs.current:
            self.source.open(self.runs.current)
        else:
            self.source.follow()

    def _leave_empty(self) -> None:
        shown = self.shown
        if shown is None or not shown.steps:
            self.live_wanted.emit()
        elif shown.live:
            self.source.follow()
        else:
            self.source.go(shown.steps[-1])

    def _inspect_pressed(self) -> None:
        if self.shown is not None:
            self.step_wanted.emit(self.shown.run_id or 0, self.shown.step)

    def _tried(self) -> None:
        self.source.hold()
        self._show()

    def _try_again(self) -> None:
        shown = self.shown
        if self.source.run is not None:
            self.source.open(self.source.run, shown.step if shown is not None else 0)
        else:
            self.source.follow()

    # ---- what is shown

    def _take(self, shown: ShownRetrieval) -> None:
        self.shown = shown
        self._show_head(shown)
        if shown.retrieval is None:
            self._base = None
            self.empty.say(*shown.why)
            self._way_out.setText("Go to the newest" if shown.steps else "Go to Live")
            self._way_out.setAccessibleName(self._way_out.text())
            self._stack.setCurrentWidget(self.empty)
            return
        self._stack.setCurrentWidget(self._split)
        if shown.retrieval != self._base:
            self._base = shown.retrieval
            self.what_if.show_retrieval(shown.retrieval)
            self._show(anew=True)
            self._read_entries(shown.retrieval)

    def _show(self, *, anew: bool = False) -> None:
        after = self.what_if.result
        if self._base is None or after is None:
            return
        advanced = self._bridge.settings.console.advanced
        self.view.show_retrieval(after, rows_of(self._base, after), advanced=advanced, anew=anew)
        self.tabs.setTabText(1, "What if  ·  tried" if self.what_if.active else "What if")

    def _chosen(self, chosen: CandidateRow | None) -> None:
        self.detail.show_row(chosen, self.what_if.result)
        self.what_if.show_row(chosen)

    def _show_head(self, shown: ShownRetrieval) -> None:
        run_id = 0 if shown.live else shown.run_id
        if self.runs.findData(run_id) >= 0:
            self.runs.choose(run_id)
        self.step.show_number(shown.step)
        self.before.setEnabled(shown.before > 0)
        self.after.setEnabled(shown.after > 0)
        self.newest.setChecked(self.source.following)
        self.step.setEnabled(shown.last > 0)
        self._inspect.setEnabled(shown.step > 0)

    def _show_runs(self, runs: Sequence[RunRow]) -> None:
        recorded = [(run.run_id, f"Run {run.run_id} · {run.manifest.game_name}") for run in runs]
        self.runs.offer([(0, _LIVE), *recorded])

    def _show_loading(self) -> None:
        if self._base is None:
            self._stack.show_reading()

    def _show_error(self, error: PitwallError) -> None:
        self._base = None
        self._stack.show_error(error)

    # ---- the memory behind it

    def _read_entries(self, retrieval: Retrieval) -> None:
        """Read the candidates' entries and the graph's states, where they are not known yet."""
        wanted = {candidate.entry_id for candidate in retrieval.candidates} | {
            candidate.node_id for candidate in retrieval.graph
        }
        missing = wanted - self._entries.keys()
        if not missing:
            self._show_entries()
            return

        def take(entries: list[MemoryEntry]) -> None:
            self._entries |= {entry.entry_id: entry for entry in entries}
            self._show_entries()

        self._memory.ask(lambda reader: reader.some(missing), take, lambda _: self._show_entries())

    def _show_entries(self) -> None:
        self.what_if.show_entries(self._entries)
        self.detail.show_nodes(
            {
                number: entry.content.words
                for number, entry in self._entries.items()
                if isinstance(entry.content, StateNode)
            }
        )

    def _overtaken(self, entry: MemoryEntry) -> None:
        self._entries[entry.entry_id] = entry
        self._show_entries()

    def _memory_changed(self, ids: Sequence[int], *_: object) -> None:
        for number in list(ids) or list(self._entries):
            self._entries.pop(number, None)
        if self._base is not None and self.isVisible():
            self._read_entries(self._base)
