"""SA-KG for the graph view: states, actions, likenesses and neighbours as arrays. No Qt.

Each picture visits ten thousand states and fifty thousand edges, so values that all of them need are numpy
arrays; other values are read from the entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionEdge, Likeness, StateNode

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

UNKNOWN = -1
"""Row of a state that an edge leads to where that is not known, or not there any more."""
_LINE = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEntries:
    """The entries of one game's graph.

    Attributes:
        nodes: with `StateNode`. edges: with `ActionEdge`. likenesses: with `Likeness`.
        left_out: older states that were not read.
    """

    game_id: str
    nodes: Sequence[MemoryEntry] = ()
    edges: Sequence[MemoryEntry] = ()
    likenesses: Sequence[MemoryEntry] = ()
    left_out: int = 0


class Graph:
    """The current graph of one game; a change makes a new one.

    Rows number the states from 0 in the order of their ids. An edge without its source is left out and
    counted in `dangling`; one without its target leads to `UNKNOWN`.

    Attributes:
        ids: (n,) entry ids of the states, rising. texts: their texts, on one line each.
        edge_ids, sources, targets, rates, counts: (m,) action edges; rates are NaN without attempts.
        like_ids, firsts, seconds, cosines: (l,) likenesses.
    """

    def __init__(self, game_id: str = "", entries: Iterable[MemoryEntry] = ()) -> None:
        self.game_id = game_id
        self.entries = {entry.entry_id: entry for entry in entries if not entry.forgotten}
        nodes: list[tuple[int, str]] = []
        edges: list[tuple[int, ActionEdge]] = []
        likes: list[tuple[int, Likeness]] = []
        for entry_id, entry in self.entries.items():
            match entry.content:
                case ActionEdge() as edge:
                    edges.append((entry_id, edge))
                case Likeness() as like:
                    likes.append((entry_id, like))
                case StateNode(text=text):
                    nodes.append((entry_id, text))
        nodes.sort()
        self.ids: Ints = np.array([entry_id for entry_id, _ in nodes], np.int64)
        self.texts = tuple(one_line(text) for _, text in nodes)
        self._read_edges(edges)
        self._read_likenesses(likes)

    def _read_edges(self, edges: list[tuple[int, ActionEdge]]) -> None:
        sources = self.rows_of([edge.source for _, edge in edges])
        there = sources != UNKNOWN
        self.edge_ids: Ints = np.array([entry_id for entry_id, _ in edges], np.int64)[there]
        self.sources = sources[there]
        self.targets = self.rows_of([UNKNOWN if e.target is None else e.target for _, e in edges])[there]
        tries = np.array([edge.attempts for _, edge in edges], np.float64)[there]
        good = np.array([edge.successes for _, edge in edges], np.float64)[there]
        self.rates: Floats = np.where(tries > 0, good / np.maximum(tries, 1.0), np.nan)
        self.counts: Floats = np.array([edge.count for _, edge in edges], np.float64)[there]
        self.dangling = int(len(edges) - there.sum())

    def _read_likenesses(self, likes: list[tuple[int, Likeness]]) -> None:
        firsts = self.rows_of([like.first for _, like in likes])
        seconds = self.rows_of([like.second for _, like in likes])
        there = (firsts != UNKNOWN) & (seconds != UNKNOWN)
        self.like_ids: Ints = np.array([entry_id for entry_id, _ in likes], np.int64)[there]
        self.firsts, self.seconds = firsts[there], seconds[there]
        self.cosines: Floats = np.array([like.cosine for _, like in likes], np.float64)[there]
        self.dangling += int(len(likes) - there.sum())

    @classmethod
    def of(cls, entries: GraphEntries) -> Graph:
        """Build the graph of entries."""
        return cls(entries.game_id, (*entries.nodes, *entries.edges, *entries.likenesses))

    def patched(self, changed: Iterable[MemoryEntry], gone: Iterable[int] = ()) -> Graph:
        """Return this graph with entries added, replaced, or removed (forgotten ones and `gone` ids)."""
        left_out = set(gone)
        entries = {**self.entries, **{entry.entry_id: entry for entry in changed}}
        return Graph(self.game_id, (entry for key, entry in entries.items() if key not in left_out))

    def prepared(self) -> Graph:
        """Compute the cached properties and return the graph; this takes a moment, so call it in a thread."""
        for reckoned in (self.joined, self.degrees, self.visits):
            assert reckoned is not None
        return self

    def __len__(self) -> int:
        return len(self.ids)

    # ---- states and edges by number

    def rows_of(self, ids: Sequence[int]) -> Ints:
        """Return rows of states by entry id; `UNKNOWN` for ids that are no state."""
        wanted = np.asarray(ids, np.int64)
        if not len(self.ids):
            return np.full(len(wanted), UNKNOWN)
        rows = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        return np.where(self.ids[rows] == wanted, rows, UNKNOWN)

    def row_of(self, entry_id: int) -> int:
        """Return the row of one state, or `UNKNOWN`."""
        return int(self.rows_of([entry_id])[0])

    def action(self, edge: int) -> str:
        """Return the action of an edge, on one line."""
        content = self.entries[int(self.edge_ids[edge])].content
        assert isinstance(content, ActionEdge)
        return one_line(content.action)

    def place_of(self, entry_id: int | None) -> int | None:
        """Return the id of the state at which an entry is shown; None for an entry outside the graph."""
        entry = self.entries.get(entry_id) if entry_id is not None else None
        match entry.content if entry is not None else None:
            case StateNode():
                place = entry_id
            case ActionEdge(source=place) | Likeness(first=place):
                pass
            case _:
                place = None
        return place if place is not None and self.row_of(place) != UNKNOWN else None

    def pinned(self, row: int) -> bool:
        return self.entries[int(self.ids[row])].pinned

    # ---- neighbours

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, Floats]:
        """Return every two joined states once: lower row, higher row, weight.

        The weight is the number of times an action led along there; for likenesses the cosine, which is below
        it.
        """
        led = self.targets != UNKNOWN
        left = np.concatenate([self.sources[led], self.firsts])
        other = np.concatenate([self.targets[led], self.seconds])
        weight = np.concatenate([1.0 + self.counts[led], np.clip(self.cosines, 0.0, 1.0)])
        apart = left != other
        left, other, weight = left[apart], other[apart], weight[apart]
        low, high = np.minimum(left, other), np.maximum(left, other)
        keys, where = np.unique(low * max(1, len(self)) + high, return_inverse=True)
        sums = np.asarray(np.bincount(where, weight, len(keys)), np.float64)
        left, other = np.divmod(keys, max(1, len(self)))
        return left, other, sums

    @cached_property
    def joined(self) -> tuple[Ints, Ints]:
        """Return all neighbours in one array, each state's weightiest first; (n + 1,) its beginnings."""
        low, high, weight = self.pairs
        owner, neighbour = np.concatenate([low, high]), np.concatenate([high, low])
        order = np.lexsort((neighbour, -np.concatenate([weight, weight]), owner))
        starts = np.searchsorted(owner[order], np.arange(len(self) + 1))
        return neighbour[order], starts

    @cached_property
    def degrees(self) -> Ints:
        """Return the number of neighbours of each state, (n,)."""
        return np.diff(self.joined[1])

    @cached_property
    def visits(self) -> Floats:
        """Return how often an action began or ended in each state, (n,): its importance in the picture."""
        led = self.targets != UNKNOWN
        came = np.bincount(self.targets[led], self.counts[led], len(self))
        went = np.bincount(self.sources, self.counts, len(self))
        return np.asarray(came + went, np.float64)

    def neighbours(self, row: int) -> Ints:
        """Return rows of a state's neighbours, the weightiest first."""
        joined, starts = self.joined
        return joined[starts[row] : starts[row + 1]]

    def parts(self) -> list[Ints]:
        """Return rows of each connected part, the biggest first."""
        low, high, _ = self.pairs
        label = np.arange(len(self))
        while True:  # each state takes its neighbourhood's lowest label, and the labels are followed up
            lower = np.minimum(label[low], label[high])
            fresh = label.copy()
            np.minimum.at(fresh, label[low], lower)
            np.minimum.at(fresh, label[high], lower)
            fresh = fresh[fresh]
            if np.array_equal(fresh, label):
                break
            label = fresh
        order = np.argsort(label, kind="stable")
        cuts = np.flatnonzero(np.diff(label[order])) + 1
        return sorted(np.split(order, cuts), key=len, reverse=True) if len(self) else []

    # ---- search

    @cached_property
    def _words(self) -> list[str]:
        words_of = [[text.casefold()] for text in self.texts]
        for edge, source in enumerate(self.sources.tolist()):
            words_of[source].append(self.action(edge).casefold())
        return ["\n".join(lines) for lines in words_of]

    def prepare_search(self) -> None:
        """Build the text that `find` searches, ahead of the first search."""
        assert self._words is not None

    def find(self, text: str) -> Ints:
        """Return rows of states with every word of `text`, in their own text or an action's; best first."""
        words = text.casefold().split()
        if not words:
            return np.zeros(0, np.int64)
        hits = [row for row, words_of in enumerate(self._words) if all(word in words_of for word in words)]
        phrase = " ".join(words)

        def worth(row: int) -> tuple[bool, bool, float]:
            own = self.texts[row].casefold()
            return (phrase not in own, not own.startswith(phrase), -float(self.visits[row]))

        return np.array(sorted(hits, key=worth), np.int64)


def one_line(text: str) -> str:
    """Return a text as it can be painted: one bounded line of printable characters."""
    line = " ".join(text[: 4 * _LINE].split())
    if not line.isprintable():
        line = "".join(sign for sign in line if sign.isprintable())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"
