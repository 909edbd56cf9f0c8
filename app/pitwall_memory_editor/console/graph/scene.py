"""The drawn scene: states with their places, actions bundled by the two states they join. No Qt.

Lengths are in world units: pixels at scale 1.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from functools import cached_property

import numpy as np

from pitwall_memory_editor.console.graph.layout.forces import Points
from pitwall_memory_editor.console.graph.model import UNKNOWN, Bools, Floats, Graph, Ints
from pitwall_memory_editor.console.state_facts import COMMON, telling_facts

NONE = -1


class Detail(IntEnum):
    """Grades how much of a state is drawn, by how far apart states stand on the screen."""

    DOTS = 0
    CIRCLES = 1
    CHIPS = 2


_OFTEN = 0.5
"""Share of states from which a word counts as common."""
_FEW_WORDS = 6
_FACTS = 3
APART = " · "
"""Stands between two facts of a state."""
_CIRCLES_FROM = 26.0
_CHIPS_FROM = 96.0
"""Pixels between two states."""


class Bundle:
    """Entries of a kind with the same ends, drawn as one line.

    Attributes:
        first, second: (b,) the joined states, as numbers within the scene (equal: a loop; second `NONE`: the
            target is unknown).
        edge: (b,) the most used entry of each bundle, as a number within the graph.
        others: (b,) number of the other entries.
    """

    def __init__(self, first: Ints, second: Ints, edges: Ints, weight: Floats, count: int) -> None:
        order = np.lexsort((edges, -weight, second, first))
        key = (first[order] + 1) * (count + 1) + second[order] + 1
        _, begins, sizes = np.unique(key, return_index=True, return_counts=True)
        chosen = order[begins]
        self.first, self.second, self.edge = first[chosen], second[chosen], edges[chosen]
        self.others: Ints = sizes - 1
        self._all, self._begins = edges[order], begins

    def __len__(self) -> int:
        return len(self.first)

    def members(self, number: int) -> Ints:
        """Return every edge of a bundle, the most used first, as numbers within the graph."""
        begin = int(self._begins[number])
        return self._all[begin : begin + 1 + int(self.others[number])]

    def number_of(self, edge: int) -> int:
        """Return the bundle that an edge belongs to, or `NONE`."""
        places = np.flatnonzero(self._all == edge)
        return int(np.searchsorted(self._begins, places[0], side="right")) - 1 if len(places) else NONE


class Scene:
    """A part of a graph, or all of it, with places.

    Attributes:
        rows: (k,) rows of the graph that are drawn; their order numbers them here.
        places: (k, 2). more: (k,) neighbours that are not drawn.
        spacing: how far apart states stand. central: (k,) which of them the others are around.
        links: actions from state to state. loops: back to their own. open_ends: to nobody knows where.
        likes: likenesses.
    """

    def __init__(
        self,
        graph: Graph,
        rows: Ints,
        places: Points,
        more: Ints,
        spacing: float,
        centres: Ints | None = None,
    ) -> None:
        self.graph, self.rows, self.places, self.more = graph, rows, places, more
        self.spacing = spacing
        self.central: Bools = np.isin(rows, centres) if centres is not None else np.zeros(len(rows), bool)
        count = len(rows)
        local = np.full(len(graph) + 1, NONE)  # the last one is where UNKNOWN points
        local[rows] = np.arange(count)
        first, second = local[graph.sources], local[graph.targets]
        edges = np.arange(len(graph.sources))
        open_end = (first != NONE) & (graph.targets == UNKNOWN)
        loop = (first != NONE) & (first == second)
        link = (first != NONE) & (second != NONE) & ~loop

        def bundled(which: Bools) -> Bundle:
            return Bundle(first[which], second[which], edges[which], graph.counts[which], count)

        self.links, self.loops, self.open_ends = bundled(link), bundled(loop), bundled(open_end)
        left, other = local[graph.firsts], local[graph.seconds]
        alike = (left != NONE) & (other != NONE)
        self.likes = Bundle(left[alike], other[alike], np.flatnonzero(alike), graph.cosines[alike], count)
        self.rates = graph.rates[self.links.edge]
        self.counts = graph.counts[self.links.edge]
        both = self.links.first * max(1, count) + self.links.second
        back = self.links.second * max(1, count) + self.links.first
        self.two_way: Bools = np.isin(both, back)
        visits = graph.visits[rows]
        self.worth: Floats = visits + graph.degrees[rows] * 1e-3
        self.size: Floats = np.sqrt(visits / max(1.0, float(visits.max(initial=0.0))))

    def __len__(self) -> int:
        return len(self.rows)

    def entry_id(self, number: int) -> int:
        """Return the entry of a state of this scene."""
        return int(self.graph.ids[self.rows[number]])

    def number_of(self, entry_id: int | None) -> int:
        """Return a state's number in this scene; `NONE` if it is not drawn."""
        row = self.graph.row_of(entry_id) if entry_id is not None else UNKNOWN
        if row == UNKNOWN:
            return NONE
        places = np.flatnonzero(self.rows == row)
        return int(places[0]) if len(places) else NONE

    def line_of(self, entry_id: int | None) -> int:
        """Return the number of the link that an action's entry belongs to, else `NONE`."""
        return _bundle_of(self.links, self.graph.edge_ids, entry_id)

    def like_of(self, entry_id: int | None) -> int:
        """Return the number of the likeness of an entry, else `NONE`."""
        return _bundle_of(self.likes, self.graph.like_ids, entry_id)

    def next_beside(self, entry_id: int) -> int:
        """Return the next entry drawn as the same line; for a state, or a single action, itself."""
        number = self.line_of(entry_id)
        if number == NONE:
            return entry_id
        ids = self.graph.edge_ids[self.links.members(number)].tolist()
        return int(ids[(ids.index(entry_id) + 1) % len(ids)])

    def text(self, number: int) -> str:
        return self.graph.texts[int(self.rows[number])]

    def telling(self, number: int) -> str:
        """Return three facts, or words of prose, that distinguish a state from the others in view."""
        few = len(self) < _FEW_WORDS
        if facts := telling_facts(self.text(number), {} if few else self._seen, len(self)):
            return APART.join(facts[:_FACTS])
        words = self.text(number).split()
        if few:
            return " ".join(words)
        share = {word: self._seen[word] / len(self) for word in words}
        own = [word for word in words if share[word] < COMMON]
        return " ".join(sorted(own, key=lambda word: share[word] > _OFTEN) or words)

    @cached_property
    def _seen(self) -> Counter[str]:
        return Counter(word for number in range(len(self)) for word in set(self.text(number).split()))

    def detail(self, scale: float) -> Detail:
        """Grade how much is drawn at this scale."""
        apart = scale * self.spacing
        if apart >= _CHIPS_FROM:
            return Detail.CHIPS
        return Detail.CIRCLES if apart >= _CIRCLES_FROM else Detail.DOTS

    def links_of(self, number: int) -> Ints:
        """Return the numbers of the links that begin or end at a state, the most used first."""
        mine = np.flatnonzero((self.links.first == number) | (self.links.second == number))
        return np.asarray(mine[np.argsort(-self.counts[mine], kind="stable")])

    def likes_of(self, number: int) -> Ints:
        return np.flatnonzero((self.likes.first == number) | (self.likes.second == number))

    def beside(self, number: int) -> Ints:
        """Return the numbers of the states that an action or a likeness joins with this one."""
        links, likes = self.links_of(number), self.likes_of(number)
        ends = (
            self.links.first[links],
            self.links.second[links],
            self.likes.first[likes],
            self.likes.second[likes],
        )
        beside = np.unique(np.concatenate(ends))
        return np.asarray(beside[beside != number])

    # ---- by place

    def nearest(self, x: float, y: float) -> tuple[int, float]:
        """Return the state nearest to a place, and its distance; `NONE` in an empty scene."""
        if not len(self):
            return NONE, np.inf
        far = np.hypot(self.places[:, 0] - x, self.places[:, 1] - y)
        number = int(np.argmin(far))
        return number, float(far[number])

    def nearest_line(self, bundle: Bundle, x: float, y: float) -> tuple[int, float]:
        """Return the line of a bundle nearest to a place, and its distance."""
        if not len(bundle):
            return NONE, np.inf
        begin = self.places[bundle.first]
        way = self.places[bundle.second] - begin
        aside = np.array([x, y]) - begin
        along = (aside * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-12)
        off = aside - np.clip(along, 0, 1)[:, None] * way
        far = np.hypot(off[:, 0], off[:, 1])
        number = int(np.argmin(far))
        return number, float(far[number])

    def towards(self, number: int, dx: float, dy: float) -> int:
        """Return the state in a direction from another, preferring neighbours; `NONE` without one."""
        beside = self.beside(number)
        for others in (beside, np.arange(len(self))):
            way = self.places[others] - self.places[number]
            far = np.hypot(way[:, 0], way[:, 1])
            with np.errstate(invalid="ignore", divide="ignore"):
                along = (way[:, 0] * dx + way[:, 1] * dy) / far
            ahead = (far > 0) & (along > 0.5)
            if ahead.any():
                cost = np.where(ahead, far * (2.0 - along), np.inf)
                return int(others[int(np.argmin(cost))])
        return NONE


def _bundle_of(bundle: Bundle, ids: Ints, entry_id: int | None) -> int:
    if entry_id is None:
        return NONE
    places = np.flatnonzero(ids == entry_id)
    return bundle.number_of(int(places[0])) if len(places) else NONE
