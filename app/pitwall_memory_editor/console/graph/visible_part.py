"""The part of a graph in view, with places: some hops around some states, or the whole. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pitwall_memory_editor.console.graph.layout.arrange import SPACING, place_new
from pitwall_memory_editor.console.graph.layout.forces import NEAR_SPACING, WIDER, Points, near
from pitwall_memory_editor.console.graph.layout.neighbourhood import around, left_out, more
from pitwall_memory_editor.console.graph.layout.positions import Position, Scope, StatePositions
from pitwall_memory_editor.console.graph.model import UNKNOWN, Bools, Graph, Ints
from pitwall_memory_editor.console.graph.scene import Scene

WHOLE = 0
"""Number of hops that means the whole graph."""
_KNOWN_ENOUGH = 0.8
"""Share of states whose places must be known; below it the whole graph is arranged again."""


class VisibleGraph:
    """Holds the states in view, and their places.

    Attributes:
        graph: as it is now. places: that are kept.
        hops: around `centres`, `WHOLE` for all. centres: entry ids.
        wider: how much wider than high a neighbourhood is laid out.
    """

    def __init__(self, graph: Graph, places: StatePositions) -> None:
        self.graph = graph
        self.places = places
        self.hops = 2
        self.centres: tuple[int, ...] = ()
        self.wider = WIDER
        self._near: dict[int, Position] = {}
        self._whole: Points | None = None
        if len(graph) and self._known_share() >= _KNOWN_ENOUGH:
            self.use_whole(self._known_places())

    @property
    def scope(self) -> Scope:
        return "whole" if self.hops == WHOLE else "near"

    @property
    def arranged(self) -> bool:
        """Return whether the whole graph has places."""
        return self._whole is not None

    def __contains__(self, entry_id: int) -> bool:
        """Return whether a state is in view."""
        return self.hops == WHOLE or entry_id in self._near

    # ---- what is in view

    def look_around(self, centres: Iterable[int]) -> None:
        """Show the neighbourhood of those of these states that exist."""
        rows = self.graph.rows_of(list(centres))
        rows = rows[rows != UNKNOWN]
        self.centres = tuple(self.graph.ids[rows].tolist())
        if self.hops != WHOLE:
            self._lay_out(around(self.graph, rows.tolist(), self.hops), keep=False)

    def busiest(self) -> int | None:
        """Return the entry id of the state that was passed most often; None in an empty graph."""
        return int(self.graph.ids[int(np.argmax(self.graph.visits))]) if len(self.graph) else None

    def use_hops(self, hops: int) -> None:
        """Show so many hops around the centres; `WHOLE` for the whole graph."""
        self.hops = hops
        self.look_around(self.centres)

    def expand(self, entry_id: int) -> int:
        """Bring a state's next neighbours into view; returns how many came."""
        row = self.graph.row_of(entry_id)
        if self.hops == WHOLE or row == UNKNOWN:
            return 0
        shown = self._rows()
        fresh = more(self.graph, self._mask(shown), row)
        self._lay_out(np.concatenate([shown, fresh]), keep=True)
        return len(fresh)

    def use_graph(self, graph: Graph) -> None:
        """Take a changed graph: states in view stay, new ones near the centres come, no place moves."""
        before, self.graph = self.graph, graph
        if self._whole is not None:
            self._carry_whole(before)
        shown = graph.rows_of(list(self._near))
        shown = shown[shown != UNKNOWN]
        if self.hops != WHOLE and self.centres:
            close = around(
                graph, graph.rows_of(self.centres)[graph.rows_of(self.centres) != UNKNOWN], self.hops
            )
            new = before.rows_of(graph.ids[close].tolist()) == UNKNOWN
            shown = np.concatenate([shown, close[new & ~np.isin(close, shown)]])
        self._lay_out(shown, keep=True)

    def scene(self) -> Scene:
        """Return the scene of the states in view."""
        if self.hops == WHOLE and self._whole is not None:
            rows = np.arange(len(self.graph))
            return Scene(self.graph, rows, self._whole, np.zeros(len(rows), np.int64), SPACING)
        rows = self._rows()
        places = np.array([self._near[int(self.graph.ids[row])] for row in rows]).reshape(-1, 2)
        hidden = left_out(self.graph, self._mask(rows), rows)
        centres = self.graph.rows_of(self.centres)
        return Scene(self.graph, rows, places, hidden, NEAR_SPACING, centres=centres)

    # ---- places

    def use_whole(self, places: Points, *, good: bool = True) -> None:
        """Take places of every state; those that are held stay where they are.

        Args:
            good: worth keeping; a first look is not.
        """
        self._whole = places
        self._put_held()
        if good:
            self.places.arranged = self._as_kept(places)

    def whole(self) -> Points | None:
        """Return the places of the whole graph, (n, 2); None before its first layout."""
        return self._whole

    def hold(self, entry_id: int, place: Position) -> None:
        """Hold a state where the operator put it."""
        self.places.held[self.scope][entry_id] = place
        if self.scope == "near" and entry_id in self._near:
            self._near[entry_id] = place
        self._put_held()

    def let_go(self, entry_id: int) -> None:
        """Release a state's place, so that layouts may move it."""
        self.places.held[self.scope].pop(entry_id, None)

    def held(self) -> frozenset[int]:
        """Return the entry ids of states in view that are held."""
        return frozenset(self.places.held[self.scope])

    def _rows(self) -> Ints:
        return self.graph.rows_of(list(self._near))

    def _mask(self, rows: Ints) -> Bools:
        mask = np.zeros(len(self.graph), bool)
        mask[rows] = True
        return mask

    def _lay_out(self, rows: Ints, *, keep: bool) -> None:
        """Return places for a neighbourhood; with `keep` the states that have one already do not move."""
        held = self.places.held["near"]
        ids = self.graph.ids[rows].tolist()
        fixed = {**self._near, **held} if keep else held
        known = np.array([entry_id in fixed for entry_id in ids], bool)
        start = np.array([fixed.get(entry_id, (0.0, 0.0)) for entry_id in ids]).reshape(-1, 2)
        places = near(self.graph, rows, known, start, self.wider) if len(rows) else start
        self._near = {entry_id: (float(x), float(y)) for entry_id, (x, y) in zip(ids, places, strict=True)}

    def _carry_whole(self, before: Graph) -> None:
        assert self._whole is not None
        was = before.rows_of(self.graph.ids.tolist())
        known = was != UNKNOWN
        places = np.zeros((len(self.graph), 2))
        places[known] = self._whole[was[known]]
        self._whole = place_new(self.graph, places, known)
        self._put_held()
        self.places.arranged = self._as_kept(self._whole)

    def _put_held(self) -> None:
        if self._whole is None:
            return
        held = self.places.held["whole"]
        rows = self.graph.rows_of(list(held))
        there = rows != UNKNOWN
        self._whole[rows[there]] = np.array(list(held.values())).reshape(-1, 2)[there]

    def _known_share(self) -> float:
        return float((self.graph.rows_of(list(self.places.arranged)) != UNKNOWN).sum()) / len(self.graph)

    def _known_places(self) -> Points:
        rows = self.graph.rows_of(list(self.places.arranged))
        there = rows != UNKNOWN
        places = np.zeros((len(self.graph), 2))
        places[rows[there]] = np.array(list(self.places.arranged.values())).reshape(-1, 2)[there]
        return place_new(self.graph, places, self._mask(rows[there]))

    def _as_kept(self, places: Points) -> dict[int, Position]:
        pairs: Sequence[Position] = [(float(x), float(y)) for x, y in places]
        return dict(zip(self.graph.ids.tolist(), pairs, strict=True))
