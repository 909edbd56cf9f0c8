"""Neighbourhoods of a graph: some hops around a few states, and the number of states left out. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pitwall_memory_editor.console.graph.model import Bools, Graph, Ints

MOST = 34
"""Most states at the start of a neighbourhood: as many as a person can read."""
EACH = 12
"""Neighbours of one state that are shown at a time; the others are behind its "+N more"."""
EACH_BEYOND = 3
"""The same for states that are no centre, so that the first ring is complete before the second."""


def around(graph: Graph, centres: Sequence[int], hops: int, *, most: int = MOST) -> Ints:
    """Return rows within `hops` of the centres, nearest first; of each state its weightiest neighbours.

    Args:
        most: how many states in all, the centres among them.
    """
    rows = list(dict.fromkeys(int(row) for row in centres))[:most]
    known, edge_of = set(rows), list(rows)
    for hop in range(hops):
        each = EACH_BEYOND if hop else max(EACH_BEYOND, EACH // max(1, len(rows)))
        wanted: list[int] = []
        for row in edge_of:
            fresh = [int(other) for other in graph.neighbours(row) if int(other) not in known][:each]
            room = most - len(rows) - len(wanted)
            wanted += fresh[:room]
            known.update(fresh[:room])
        rows += wanted
        edge_of = wanted
    return np.array(rows, np.int64)


def more(graph: Graph, shown: Bools, row: int, *, each: int = EACH) -> Ints:
    """Return the next neighbours of a state that are not shown yet, the weightiest first.

    Args:
        shown: (n,) whether each state of the graph is shown.
    """
    others = graph.neighbours(row)
    return others[~shown[others]][:each]


def left_out(graph: Graph, shown: Bools, rows: Ints) -> Ints:
    """Count the neighbours of each of these rows that are not shown."""
    low, high, _ = graph.pairs
    hidden = np.bincount(low[~shown[high]], minlength=len(graph))
    hidden = hidden + np.bincount(high[~shown[low]], minlength=len(graph))
    counts: Ints = hidden[rows]
    return counts
