"""The memory page: everything the agent remembers, to search, edit, pin, forget, judge and keep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame

from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.elements import column, holder, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.page import Page
from pitwall.console.kit.panes import Pane, Panes, split, stacked
from pitwall.console.kit.places import LIVE
from pitwall.console.kit.theme import GAP, PAD, SIDE_WIDTH, Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.subject import Subject
from pitwall.console.state.view_state import Part
from pitwall.core.memories import EditResult, MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.telemetry import MemoryOpened, Retrieved
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.entries.conflict import ConflictView
from pitwall_memory_editor.console.entries.detail import EntryDetail
from pitwall_memory_editor.console.entries.view import EntriesView
from pitwall_memory_editor.console.graph.memory_graph import MemoryGraph
from pitwall_memory_editor.console.inbox import Inbox
from pitwall_memory_editor.console.kinds import GRAPH_KINDS, TABLES
from pitwall_memory_editor.console.layers.panel import LayersPanel
from pitwall_memory_editor.console.lock_line import LockLine
from pitwall_memory_editor.console.port import MemoryPort
from pitwall_memory_editor.console.reader import EVERY_GAME, MemoryReadWorker, Overview, overview
from pitwall_memory_editor.console.segments import Segments
from pitwall_memory_editor.console.snapshots.panel import Snapshots
from pitwall_memory_editor.console.undo_buttons import UndoButtons
from pitwall_memory_editor.console.why.entry_card import EntryWhy
from pitwall_memory_editor.console.why.panel import WhyPanel
from pitwall_memory_editor.game_rules import Rules, rules_of
from pitwall_memory_editor.place import MEMORY

GRAPH, INBOX, SNAPSHOTS, WHY, LAYERS = "graph", "inbox", "snapshots", "why", "layers"
"""Keys of segments; the others are kinds of entries."""
_TABLE_SEGMENTS = tuple(kind for kind in TABLES if kind not in GRAPH_KINDS)
_COUNT_MS = 700
_PLACES = {
    "engine": "edits count from the next decision on",
    "keeper": "",
    "later": "edits wait until the game is open",
}


class MemoryPage(Page):
    """The memory of the bridge's data folder."""

    place = MEMORY

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self.port = port = MemoryPort(bridge, self)
        self.reading = MemoryReadWorker(bridge.data, self)
        self.edits = MemoryCommands(port, self.reading, self)
        self.history = UndoButtons(self.reading, self.edits)
        self.game_id = ""
        self._played, self._followed = "", False
        self._known_games: dict[str, None] = {}
        self._in_view = False
        self._graph_kind = MemoryKind.NODE
        self.segments = Segments("What of the memory is in view")
        self._games = Combo("Whose memory is shown", width=110, tip="The game whose memory is shown")
        self.entries = EntriesView(look, self.reading, self.edits)
        self.card = EntryWhy(look, bridge)
        self.detail = EntryDetail(self.reading, self.edits, self.card)
        self.conflict = ConflictView(self.edits, self.detail)
        self.inbox = Inbox(look, self.reading, self.edits)
        self.snapshots = Snapshots(look, self.reading, self.edits)
        self.notifications = NotificationBar(self)
        self.lock = LockLine(bridge, port, self)
        self.why = WhyPanel(bridge, look, port, self.reading)
        self.layers = LayersPanel(bridge, look, port, self.reading)
        self.graph = MemoryGraph(look, self.reading, port)
        self._views = {INBOX: self.inbox, SNAPSHOTS: self.snapshots, WHY: self.why, LAYERS: self.layers}
        self._build()
        self._connect()
        bind_keys(
            self,
            (QKeySequence.StandardKey.Find, self._find),
            ("Ctrl+Z", self.edits.undo),
            ("Ctrl+Shift+Z", self.edits.redo),
            ("Ctrl+N", self.add),
            anywhere=True,
        )
        self._count = QTimer(self, singleShot=True, interval=_COUNT_MS)
        self._count.timeout.connect(self._read_counts)
        self.show_segment(MemoryKind.ACTION.value)

    # ---- what the window asks

    def opened(self) -> None:
        self._in_view = True
        self.lock.watch(True)
        self._follow_game()
        self.read()

    def closed(self) -> None:
        self._in_view = False
        self.lock.watch(False)

    def use_subject(self, subject: Subject) -> None:
        if subject.game_id != self._played:
            self._played, self._followed = subject.game_id, False
        self._follow_game()
        if subject.game_id:
            self.why.follow()

    def _follow_game(self) -> None:
        """Show the memory of the game that plays, once for each game; an entry being written stays."""
        if self._played and not self._followed and not self.detail.unsaved:
            self._followed = True
            self.choose_game(self._played)

    def refresh(self, changed: Part) -> None:
        if changed & Part.PHASE:
            self._show_place()
        if changed & Part.MEMORY:
            self.card.show_entry(self.detail.entry)

    def commands(self) -> Sequence[Command]:
        return [
            *self.history.commands(),
            Command(
                name="Add a memory entry",
                run=self.add,
                keys="Ctrl+N",
                possible=lambda: self.game_id not in ("", EVERY_GAME),
            ),
            Command(name="Take a snapshot of the memory", run=self.take_snapshot),
            Command(name="Export the memory…", run=lambda: self.snapshots.export(chosen=False)),
            Command(name="Import into the memory…", run=self.snapshots.take_in),
            *(
                Command(name=f"Show {TABLES[kind].facts.title}", run=partial(self.show_segment, kind.value))
                for kind in TABLES
            ),
        ]

    def close_reading(self) -> None:
        """Read no more; before the data folder goes away."""
        self.lock.watch(False)
        self._count.stop()
        self.why.close_reading()
        self.layers.close_reading()
        self.graph.close_jobs()
        self.reading.close()
        self.port.close()

    # ---- what the operator does

    def show_segment(self, key: str) -> None:
        """Turn to a segment: graph, a kind of entries, inbox, snapshots, or what another added."""
        if key in {kind.value for kind in GRAPH_KINDS}:
            self._graph_kind, key = MemoryKind(key), GRAPH
        self.segments.choose(key)
        if (view := self._views.get(key)) is not None:
            self._centre.setCurrentWidget(view)
            self._show_side()
            self._read_view(key)
            return
        kind = self._graph_kind if key == GRAPH else MemoryKind(key)
        self._graph_kinds.setVisible(key == GRAPH)
        self._graph_kinds.choose(self._graph_kind.value)
        self.graph.setVisible(key == GRAPH)
        self._centre.setCurrentWidget(self._tables)
        self._show_side()
        self.entries.show_kind(TABLES[kind], self.game_id)

    def show_item(self, item_id: int) -> None:
        """Choose an entry by its number, in whichever table."""

        def show(entry: MemoryEntry | None) -> None:
            if entry is None:
                return
            if self.game_id not in (entry.game_id, EVERY_GAME):
                self.choose_game(entry.game_id)
            kind = entry.content.kind
            if self.entries.query.kind.value != kind or self._centre.currentWidget() is not self._tables:
                self.show_segment(kind)
            self.entries.choose_entry(item_id)
            self._show_chosen(entry)

        self.reading.ask(lambda reader: reader.entry(item_id), show)

    def show_why(self, run_id: int, step: int) -> None:
        """Show the reasons for a step's hints; run_id 0: the game that is playing."""
        self.why.show_step(run_id, step)
        self.show_segment(WHY)

    def _show_whole(self, step: int, entry_id: int) -> None:
        self.show_why(0, step)
        self.why.view.table.choose(entry_id)

    def choose_game(self, game_id: str) -> None:
        """Show the memory of a game; EVERY_GAME: the tables and the inbox of all games."""
        if game_id == self.game_id:
            return
        self.game_id = game_id
        self._show_games(())
        game = "" if game_id == EVERY_GAME else game_id
        for part in (self.snapshots, self.layers, self.graph):
            part.use_game(game)
        if self._in_view:
            self.read()

    def read(self) -> None:
        """Read the contents in view again."""
        self._read_rules()
        self._read_counts()
        self.show_segment(self.segments.current)

    def add(self) -> None:
        """Write a new entry of the kind in view."""
        if self._centre.currentWidget() is not self._tables or self.game_id in ("", EVERY_GAME):
            return
        self.detail.begin_new(self.entries.kind_table, self.game_id)
        self._panes.bring(self.detail)

    def take_snapshot(self) -> None:
        """Go to the snapshots, ready to name the next."""
        self.show_segment(SNAPSHOTS)
        self.snapshots.name.setFocus()

    def _build(self) -> None:
        self.segments.add(GRAPH, "Graph", "States, the actions between them, and what they led to")
        for kind in _TABLE_SEGMENTS:
            self.segments.add(kind.value, TABLES[kind].facts.title, TABLES[kind].facts.purpose)
        self.segments.add(INBOX, "Inbox", "Skills that wait for your decision")
        self.segments.add(SNAPSHOTS, "Snapshots", "The memory as it was: compare, restore, export, import")
        self.segments.add(WHY, "Why", "What the memory was asked before a decision, and what if")
        self.segments.add(LAYERS, "Layers", "What the next prompt is made of, and other caps")
        head = QFrame()
        head.setObjectName("pageHead")
        head.setLayout(row(self.segments, self._games, self.history, stretch=0, margins=(PAD, GAP, PAD, GAP)))
        self._graph_kinds = Segments("States, edges or likenesses")
        for kind in GRAPH_KINDS:
            self._graph_kinds.add(kind.value, TABLES[kind].facts.title, TABLES[kind].facts.purpose)
        self._graph_kinds.setContentsMargins(PAD, GAP, PAD, 0)
        below = holder(column(self._graph_kinds, self.entries, gap=0))
        self._tables = split(self.graph, below, sizes=(460, 300), vertical=True)
        self._centre = stacked(self._tables, self.conflict, *self._views.values())
        self._panes = Panes(Pane("Entries", self._centre), Pane("Entry", self.detail, width=SIDE_WIDTH))
        self.setLayout(column(head, self.lock, self._panes, gap=0, stretch=2))

    def _connect(self) -> None:
        self.segments.chosen.connect(self.show_segment)
        self.segments.chosen.connect(lambda _: self._panes.bring(self._centre))
        self._graph_kinds.chosen.connect(self.show_segment)
        self._games.chosen.connect(self.choose_game)
        edits, entries = self.edits, self.entries
        edits.notified.connect(self.notifications.notify)
        edits.busy.connect(self.notifications.show_busy)
        self.notifications.undo_wanted.connect(edits.undo)
        self.notifications.redo_wanted.connect(edits.redo)
        entries.chosen.connect(self._show_chosen)
        entries.add_wanted.connect(self.add)
        self.detail.typed.connect(self.port.prepare)
        self.detail.step_wanted.connect(self.step_wanted)
        self.conflict.opened.connect(self._show_conflict)
        self.detail.kept.connect(lambda entry: self.entries.choose_entry(entry.entry_id))
        self.inbox.edit_wanted.connect(lambda entry: self.show_item(entry.entry_id))
        self.inbox.step_wanted.connect(self.step_wanted)
        self.inbox.count_changed.connect(
            lambda count: self.segments.show_note(INBOX, f"● {count:,}" if count else "")
        )
        self.snapshots.count_changed.connect(
            lambda count: self.segments.show_note(SNAPSHOTS, f"{count:,}" if count else "")
        )
        self.card.whole_wanted.connect(self._show_whole)
        for wanted in (self.why.entry_wanted, self.why.node_wanted):
            wanted.connect(self.show_item)
        self.why.step_wanted.connect(self.inspect_wanted)
        for view in (self.entries, self.why, self.layers):
            view.live_wanted.connect(lambda: self.page_wanted.emit(LIVE.key))
        graph = self.graph.view
        graph.entry_chosen.connect(self.show_item)
        graph.edit_wanted.connect(self.show_item)
        graph.pin_wanted.connect(lambda entry_id, pinned: edits.pin([entry_id], pinned))
        graph.forget_wanted.connect(lambda entry_id: edits.forget([entry_id], True))
        self.reading.failed.connect(lambda error: self.notifications.notify(Notification.of_error(error)))
        self.port.opened.connect(self._opened)
        self.port.changed.connect(self._changed)
        self.port.edited.connect(self._edited)
        self.port.retrieved.connect(self._retrieved)
        self.port.moved.connect(self._show_place)
        if (note := self.bridge.state.memory) is not None:  # opened before this page was made
            self._opened(note)

    # ---- shown

    def _show_side(self) -> None:
        """Show the column of the chosen entry beside tables only."""
        self._panes.show_pane(self.detail, self._centre.currentWidget() is self._tables)

    def _find(self) -> None:
        if self._centre.currentWidget() is self._tables:
            self.entries.filters.search.setFocus()
            self.entries.filters.search.selectAll()

    def _show_chosen(self, entry: MemoryEntry | None) -> None:
        if entry is None and self.detail.writing:
            return
        if entry is not None and self.game_id == EVERY_GAME:
            self._read_rules(entry.game_id)
        self.detail.show_entry(entry)
        self.graph.choose_entry(entry)
        self.card.show_entry(entry)

    def _show_conflict(self, shown: bool) -> None:
        self._centre.setCurrentWidget(self.conflict if shown else self._tables)
        self._show_side()

    def _show_place(self) -> None:
        self.entries.filters.where.set_text(_PLACES[self.port.place])

    def _show_games(self, games: Sequence[str]) -> None:
        """Add these games to the choice."""
        own = [self.game_id] if self.game_id not in ("", EVERY_GAME) else []
        self._known_games |= dict.fromkeys((*games, *own))
        every = [(EVERY_GAME, "All games")] if len(self._known_games) > 1 else []
        names = {game.game_id: game.name for game in self.bridge.games()}
        named = [(game, names.get(game, game)) for game in self._known_games]
        self._games.offer([*every, *named], self.game_id)
        self._games.setVisible(bool(self._known_games))

    def _show_overview(self, overview: Overview) -> None:
        self._show_games(overview.games)
        if overview.game_id and not self.game_id:
            self.choose_game(overview.game_id)
        if overview.game_id != self.game_id:
            return
        counts = {kind: overview.counts.get(kind.value, 0) for kind in TABLES}
        notes = {kind: f"{count:,}" if count else "" for kind, count in counts.items()}
        self.segments.show_note(GRAPH, notes[MemoryKind.NODE])
        for kind, note in notes.items():
            (self._graph_kinds if kind in GRAPH_KINDS else self.segments).show_note(kind.value, note)

    # ---- read

    def _read_view(self, key: str) -> None:
        if key == INBOX:
            self.inbox.read(self.game_id, self.bridge.settings.memory)
        elif key == SNAPSHOTS:
            self.snapshots.read()

    def _read_counts(self) -> None:
        game = self.game_id
        self.reading.ask(lambda reader: overview(reader, game), self._show_overview, lambda _: None)
        self.history.read()
        self._read_view(INBOX)

    def _read_rules(self, of_entry: str = "") -> None:
        """Read the rules that entries are checked by: of the game in view, or of a chosen entry's."""
        game = of_entry or self.game_id
        if game in ("", EVERY_GAME):
            return

        def use(rules: Rules) -> None:
            if self.game_id in (rules.game_id, EVERY_GAME):
                for part in (self.entries, self.detail, self.conflict.form):
                    part.use_rules(rules)

        self.reading.ask(lambda _: rules_of(self.bridge.data, game), use)

    # ---- what happens meanwhile

    def _changed(self, entry_ids: tuple[int, ...], kinds: tuple[str, ...], author: str) -> None:
        if not self._in_view:
            return  # read anew when it comes into view
        self.entries.entries_changed(entry_ids, kinds, author)
        self.detail.renew(entry_ids)
        if author == "agent":
            self.entries.light(entry_ids, "wrote")
        if not self._count.isActive():
            self._count.start()

    def _opened(self, note: MemoryOpened) -> None:
        if note.text:  # what opening it was like: damage set aside, summaries taken over
            self.notifications.notify(Notification(note.text))

    def _edited(self, result: EditResult) -> None:
        if self._in_view:
            self.history.read()
            if result.content_hash:
                self.snapshots.read()

    def _retrieved(self, note: Retrieved) -> None:
        if self._in_view:
            shown = [candidate.entry_id for candidate in note.retrieval.candidates if not candidate.cut]
            self.entries.light([*shown, *(node.node_id for node in note.retrieval.graph)], "retrieved")
