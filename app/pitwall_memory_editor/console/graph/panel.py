"""The graph with its tools: search, hops, legend, progress, empty states."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import Button, EmptyState, Label, column, holder, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.job import BusyLine
from pitwall.console.kit.panes import ReadStack
from pitwall.console.kit.theme import PAD, STEP, Look
from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.paths import DataFolder
from pitwall_memory_editor.console.graph.layout.arrange import Arranged
from pitwall_memory_editor.console.graph.layout.positions import StatePositions
from pitwall_memory_editor.console.graph.layout.worker import LayoutWorker
from pitwall_memory_editor.console.graph.legend import Legend
from pitwall_memory_editor.console.graph.model import UNKNOWN, Graph, GraphEntries
from pitwall_memory_editor.console.graph.view import GraphView
from pitwall_memory_editor.console.graph.visible_part import WHOLE, VisibleGraph

_HOPS = ((1, "1 hop"), (2, "2 hops"), (3, "3 hops"), (WHOLE, "Whole graph"))
_SEARCH_AFTER_MS = 180
_SEARCH_CENTRES = 6
_FOLLOW_EACH_MS = 700
_HEAD_AND_FOOT = 130
"""Height of the panel that is not for states."""
_NARROWEST, _WIDEST = 1.3, 3.0


class GraphPanel(QWidget):
    """Shows one game's SA-KG.

    Args:
        data: data folder, which keeps the places of states.
        load: requests the graph (again); `show_graph` or `show_error` is called with the result.

    Attributes:
        view: the picture, whose signals report the operator's requests.
        search, follow, hops: the tool bar's.
        note: a sentence about a rough layout; empty for a good one.
        left_out: older states that were not read.
    """

    def __init__(
        self, look: Look, data: DataFolder, load: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("Graph of the memory")
        self._load = load
        self._looking = VisibleGraph(Graph(), StatePositions())
        self._current: int | None = None
        self._about = ""
        self._matches: tuple[int, ...] = ()
        self._match = 0
        self.note = ""
        self.left_out = 0
        self.arranging = LayoutWorker(data, self)
        self.view = GraphView(look)
        self._build(look)
        self._connect()
        self.show_loading()

    # ---- what the page tells

    def show_loading(self) -> None:
        """Show that the entries are being read."""
        self._stack.show_reading()

    def show_error(self, error: PitwallError) -> None:
        """Show why the entries could not be read."""
        self._stack.show_error(error)

    def show_graph(self, entries: GraphEntries) -> None:
        """Show a game's graph. Everything is built beside the window."""
        self.arranging.open(entries)

    def changed(self, entries: Sequence[MemoryEntry], gone: Sequence[int] = ()) -> None:
        """Show new, changed and forgotten entries, and remove these ids; nothing else moves."""
        self.arranging.change(entries, gone)

    def show_current(self, node_id: int | None) -> None:
        """Mark the agent's state; with "Follow" the neighbourhood moves with it."""
        self._current = node_id
        self.view.show_current(node_id)
        if node_id is None or not self.follow.isChecked() or node_id in self._looking:
            self._show_summary()
        elif not self._follow_timer.isActive():
            self._follow_timer.start()

    def light(self, entry_ids: Sequence[int]) -> None:
        """Light the states and actions of the last retrieval, best first."""
        self.view.light(entry_ids)

    def choose(self, entry_id: int | None) -> None:
        """Choose an entry that was chosen elsewhere; if it is out of view, a button leads to it."""
        self.view.choose(entry_id, bring=True)
        self._offer_chosen()

    def close_jobs(self) -> None:
        """End the worker threads; before the data folder goes away."""
        self._follow_timer.stop()
        self.arranging.close()

    # ---- what the operator does

    def use_hops(self, hops: int) -> None:
        """Show so many hops, or `WHOLE`."""
        self._hops.choose(hops)
        self._use_hops(hops)

    def arrange_again(self) -> None:
        """Arrange the whole graph again; held states stay."""
        if len(self._looking.graph):
            self.arranging.arrange(self._looking.graph, self._looking.whole())

    def look_around(self, entry_id: int) -> None:
        """Make a state the centre."""
        self.follow.setChecked(entry_id == self._current)
        self._about = "now" if entry_id == self._current else "the chosen state"
        self._look_around((entry_id,))
        self.view.choose(entry_id)

    # ---- parts

    def _build(self, look: Look) -> None:
        self._hops = Combo("How much of the graph is shown", _HOPS)
        self._hops.choose(2)
        self.follow = Button(
            "Follow", kind="quiet", tip="The neighbourhood goes along with the agent's state"
        )
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self._summary = Label("", "dim")
        self._bring = Button(
            "Show chosen", self._bring_chosen, kind="link", tip="Show what is around the chosen state"
        )
        self._bring.hide()
        self._match_note = Label("", "note")
        self.search = SearchField("Search the graph   /", "Search the graph's states and actions")
        self.search.setFixedWidth(190)
        fit = Button("Fit", self.view.fit, kind="quiet", tip="Show all of it · F")
        self._again = Button("Arrange", self.arrange_again, kind="quiet", tip="Arrange the whole graph again")
        tools = (self._bring, None, self._match_note, self.search, fit, self._again)
        head = row(self._hops, self.follow, self._summary, *tools, margins=(PAD, STEP + 2, PAD, STEP + 2))
        self._busy = BusyLine(self.arranging.stop, name="Cancel the arranging")
        self._busy.setContentsMargins(PAD, 0, PAD, STEP)
        self.view.setLayout(column(None, Legend(look)))
        self._body = holder(column(head, self._busy, self.view, gap=0, stretch=2))
        self._empty = EmptyState(
            "The graph grows as actions succeed",
            "Each state where an action worked becomes a node, the action an edge with its success rate; "
            "states that resemble each other are joined by a dotted line.",
        )
        self._stack = ReadStack("Reading the graph …", self._empty, self._body, again=self._load)
        self.setLayout(column(self._stack, gap=0))
        self._typed = QTimer(self, singleShot=True, interval=_SEARCH_AFTER_MS)
        self._follow_timer = QTimer(self, singleShot=True, interval=_FOLLOW_EACH_MS)

    def _connect(self) -> None:
        view, arranging = self.view, self.arranging
        view.entry_chosen.connect(lambda *_: self._bring.hide())
        view.expand_wanted.connect(self._expand)
        view.centre_wanted.connect(self.look_around)
        view.placed.connect(self._hold)
        view.let_go.connect(self._let_go)
        view.search_wanted.connect(self._to_search)
        arranging.opened.connect(self._open)
        arranging.patched.connect(self._patch)
        arranging.progressed.connect(self._busy.show_share)
        arranging.arranged.connect(self._take_places)
        arranging.ended.connect(self._end_arranging)
        arranging.failed.connect(self.show_error)
        self._hops.chosen.connect(self._use_hops)
        self.follow.toggled.connect(self._follow_toggled)
        self.search.textChanged.connect(self._typed.start)
        self.search.returnPressed.connect(self._next_match)
        self._typed.timeout.connect(self._search)
        self._follow_timer.timeout.connect(self._go_along)

    # ---- the graph

    def _open(self, graph: Graph, places: StatePositions) -> None:
        same = graph.game_id == self._looking.graph.game_id and bool(self._looking.centres)
        before, self._looking = self._looking, VisibleGraph(graph, places)
        self.note = ""
        self._looking.hops = before.hops
        if graph.game_id != before.graph.game_id:  # what was sought was another game's
            self.search.clear()
            self._typed.stop()
            self._search()
        self._stack.setCurrentWidget(self._body if len(graph) else self._empty)
        if not len(graph):
            return
        self._begin(before.centres if same else ())

    def _begin(self, centres: Sequence[int]) -> None:
        """Show the first picture: around the same centres as before, the agent's state, or the busiest."""
        looking = self._looking
        self._suit_room()
        looking.look_around(centres)
        if not looking.centres and self._current is not None:
            self._about = "now"
            looking.look_around((self._current,))
        busiest = looking.busiest()
        if not looking.centres and busiest is not None:
            self._about = "the busiest state"
            looking.look_around((busiest,))
        if looking.hops == WHOLE:
            self._arrange_if_needed()
        self._show_scene(fit=True)

    def _patch(self, graph: Graph) -> None:
        if not len(self._looking.graph) and len(graph):
            self._open(graph, self._looking.places)
            return
        self._looking.use_graph(graph)
        self._stack.setCurrentWidget(self._body if len(graph) else self._empty)
        if len(graph):
            self._show_scene(fit=False)

    def _show_scene(self, *, fit: bool) -> None:
        looking = self._looking
        self.view.held = looking.held()
        self.view.show_scene(looking.scene(), fit=fit)
        self._again.setVisible(looking.hops == WHOLE)
        self.follow.setVisible(looking.hops != WHOLE)
        self._show_summary()
        self._offer_chosen()

    def _show_summary(self) -> None:
        looking = self._looking
        total, shown = len(looking.graph), len(self.view.scene)
        if looking.hops == WHOLE:
            text = f"{total:,} states · {len(self.view.scene.links):,} actions"
        else:
            text = f"around {self._about} · {shown:,} of {total:,} states"
        notes = [self.note]
        if self.left_out:
            notes.append(f"{self.left_out:,} older states are left out: search them in the table")
        if looking.graph.dangling:
            notes.append(f"{looking.graph.dangling:,} edges name states that are not there and are left out")
        if self._current is not None and self._current not in looking:
            notes.append("the agent is in a state out of view")
        self._summary.set_text(" · ".join([text, *(note for note in notes if note)]))

    # ---- where one looks

    def _use_hops(self, hops: int) -> None:
        self._looking.use_hops(hops)
        if not len(self._looking.graph):
            return
        if self._looking.hops == WHOLE:
            self._arrange_if_needed()
        elif not self._looking.centres:
            self._begin(())
            return
        self._show_scene(fit=True)
        self._mark_matches()

    def _arrange_if_needed(self) -> None:
        wanted = len(self._looking.graph) and not self._looking.arranged
        if wanted and not self.arranging.running:
            self.arranging.arrange(self._looking.graph, None)

    def _suit_room(self) -> None:
        """Lay neighbourhoods out as wide as the view."""
        height = max(80, self.height() - _HEAD_AND_FOOT)
        self._looking.wider = min(_WIDEST, max(_NARROWEST, 0.9 * self.width() / height))

    def _look_around(self, centres: Sequence[int]) -> None:
        self._suit_room()
        if self._looking.hops == WHOLE:
            self._looking.hops = 2
            self._hops.choose(2)
        self._looking.look_around(centres)
        self._show_scene(fit=True)

    def _offer_chosen(self) -> None:
        place = self._looking.graph.place_of(self.view.chosen)
        self._bring.setVisible(place is not None and place not in self._looking)

    def _bring_chosen(self) -> None:
        chosen = self.view.chosen
        place = self._looking.graph.place_of(chosen)
        if place is not None:
            self.look_around(place)
            self.view.choose(chosen)

    def _expand(self, entry_id: int) -> None:
        if self._looking.expand(entry_id):
            self.follow.setChecked(False)
            self._show_scene(fit=self.view.camera.fitted)
            self.view.choose(entry_id, bring=True)

    def _go_along(self) -> None:
        current, looking = self._current, self._looking
        there = current is not None and looking.graph.row_of(current) != UNKNOWN
        if current is not None and there and self.follow.isChecked() and current not in looking:
            self._about = "now"
            self._look_around((current,))

    def _follow_toggled(self, on: bool) -> None:
        if on and self._current is not None and self._looking.hops != WHOLE:
            self._about = "now"
            self._look_around((self._current,))

    def _hold(self, entry_id: int, x: float, y: float) -> None:
        self._looking.hold(entry_id, (x, y))
        self.view.held = self._looking.held()
        self.arranging.keep(self._looking.places)

    def _let_go(self, entry_id: int) -> None:
        self._looking.let_go(entry_id)
        self.view.held = self._looking.held()
        self.arranging.keep(self._looking.places)

    # ---- search

    def _to_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _search(self) -> None:
        text = self.search.text().strip()
        graph = self._looking.graph
        self._matches = tuple(graph.ids[graph.find(text)].tolist()) if text else ()
        self._match = 0
        self._mark_matches()
        if not text:
            self._match_note.set_text("")
        elif not self._matches:
            self._match_note.set_text("no state has all of these words")
        else:
            self.follow.setChecked(False)
            self._show_match()

    def _next_match(self) -> None:
        if self._typed.isActive():
            self._typed.stop()
            self._search()
        elif self._matches:
            self._match = (self._match + 1) % len(self._matches)
            self._show_match()

    def _show_match(self) -> None:
        entry_id = self._matches[self._match]
        self._match_note.set_text(f"{self._match + 1:,} of {len(self._matches):,}")
        if entry_id not in self._looking:
            first = self._match
            self._about = "what was found"
            self._look_around(self._matches[first : first + _SEARCH_CENTRES])
        self._mark_matches()
        self.view.choose(entry_id, bring=True)
        self.view.entry_chosen.emit(entry_id)

    def _mark_matches(self) -> None:
        self.view.mark_found(self._matches[:400])

    # ---- arranging

    def _take_places(self, arranged: Arranged) -> None:
        looking = self._looking
        if len(arranged.places) != len(looking.graph):
            self.arrange_again()  # states came meanwhile
            return
        good = arranged.means != "rough"
        looking.use_whole(arranged.places, good=good)
        self.note = arranged.note
        if good:
            self.arranging.keep(looking.places)
        if looking.hops == WHOLE:
            self._show_scene(fit=True)

    def _end_arranging(self) -> None:
        self._busy.hide()
        if self._looking.hops == WHOLE and not self._looking.arranged and len(self._looking.graph):
            self.use_hops(2)  # given up before there was anything to see

    # ---- room and keys

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._match_note.setVisible(self.width() > 640)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.search.hasFocus():
            self.view.setFocus()
        else:
            super().keyPressEvent(event)
