"""Places for states by forces, in numpy: a neighbourhood, or a whole graph without Graphviz. No Qt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pitwall_memory_editor.console.graph.model import Bools, Floats, Graph, Ints

Points = NDArray[np.float64]
"""(n, 2) places, x to the right and y down."""

NEAR_SPACING = 104.0
"""Height between two states one hop apart in a neighbourhood, in the view's pixels at scale 1."""
WIDER = 1.7
"""A neighbourhood is this much wider than high where nothing else is asked for."""
BOX = (176.0, 58.0)
"""Room that a state with its words takes in a neighbourhood."""
_STRESS_ROUNDS = 80
_PUSHES = 120
CELLS = 40
"""Columns, and rows, of the grid whose cells push: more are truer and slower."""
_GOLDEN = 2.399963


def near(graph: Graph, rows: Ints, held: Bools, places: Points, wider: float = WIDER) -> Points:
    """Return places for a neighbourhood: hops become distance, and no two states' words lie on one another.

    Args:
        rows: (k,) states, the centre first. held: (k,) whose places stay as they are.
        places: (k, 2), read where held. wider: how much wider than high, as the room for it is.

    Returns:
        (k, 2), the centre at the origin where nothing is held.
    """
    apart = hops_apart(graph, rows)
    squeezed = places / (wider, 1.0)
    start = np.where(held[:, None], squeezed, _rings(apart, squeezed, held))
    spread = _stress(start, apart, held) * (wider, 1.0)
    return push_apart(spread, held, BOX)


def hops_apart(graph: Graph, rows: Ints) -> Ints:
    """Return the hops between each two of these states, as an array (k, k); large where no path exists."""
    count = len(rows)
    local = np.full(len(graph), -1)
    local[rows] = np.arange(count)
    low, high, _ = graph.pairs
    inside = (local[low] >= 0) & (local[high] >= 0)
    joined = np.zeros((count, count), np.float32)
    joined[local[low[inside]], local[high[inside]]] = 1
    joined += joined.T
    apart = np.where(np.eye(count, dtype=bool), 0, -1)
    reached = np.eye(count, dtype=np.float32)
    for hop in range(1, count + 1):
        reached = np.minimum(reached @ joined + reached, 1.0)
        fresh = (reached > 0) & (apart < 0)
        if not fresh.any():
            break
        apart[fresh] = hop
    apart[apart < 0] = max(2, int(apart.max()) + 2)
    return apart


def _rings(apart: Ints, places: Points, held: Bools) -> Points:
    """Return start places: rings around the centre, or around a held neighbour."""
    count = len(apart)
    angle = np.arange(count) * _GOLDEN
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) * NEAR_SPACING
    if held.any():
        anchors = np.flatnonzero(held)
        nearest = anchors[np.argmin(apart[:, anchors], axis=1)]
        return np.asarray(places[nearest] + ring * np.maximum(1, apart[np.arange(count), nearest])[:, None])
    return np.asarray(ring * apart[:, :1])


def _stress(start: Points, apart: Ints, held: Bools) -> Points:
    """Minimise stress (SMACOF): distances become hops × spacing, and near ones have the greatest weight."""
    places = start.copy()
    weight = 1.0 / np.maximum(apart, 1) ** 2
    np.fill_diagonal(weight, 0.0)
    total = np.maximum(weight.sum(axis=1), 1e-12)[:, None]
    wanted = apart * NEAR_SPACING
    moving = ~held
    for _ in range(_STRESS_ROUNDS if moving.any() else 0):
        way = places[:, None] - places[None]
        length = np.maximum(np.hypot(way[..., 0], way[..., 1]), 1e-6)
        pull = (weight * wanted / length)[..., None] * way
        fresh = (weight @ places + pull.sum(axis=1)) / total
        moved = float(np.abs(fresh[moving] - places[moving]).max())
        places[moving] = fresh[moving]
        if moved < 0.5:
            break
    if not held.any() and len(places):
        places -= places[0]
    return places


def push_apart(places: Points, held: Bools, box: tuple[float, float]) -> Points:
    """Move overlapping boxes apart, by the shorter way; held ones stay."""
    out = places.copy()
    size = np.array(box)
    share = np.where(held[:, None] == held[None], 0.5, np.where(held[:, None], 0.0, 1.0))
    if held.all() or len(out) < 2:
        return out
    for _ in range(_PUSHES):
        way = out[:, None] - out[None]
        deep = size - np.abs(way)
        lies = (deep[..., 0] > 0) & (deep[..., 1] > 0)
        np.fill_diagonal(lies, False)
        if not lies.any():
            break
        side = (deep[..., 0] / size[0] < deep[..., 1] / size[1]).astype(int)  # 1: sideways is shorter
        first = np.arange(len(out))[:, None] > np.arange(len(out))[None]  # on the very same spot: by order
        for axis in (0, 1):
            which = lies & (side == (1 - axis))
            sign = np.where(way[..., axis] == 0, np.where(first, 1.0, -1.0), np.sign(way[..., axis]))
            push = np.where(which, sign * deep[..., axis] * share, 0.0)
            touching = np.maximum(1, which.sum(axis=1))
            out[:, axis] += np.where(held, 0.0, push.sum(axis=1) / touching * 1.02)
    return out


# ---- a whole graph


def rough(graph: Graph, rows: Ints, *, pivots: int = 12) -> Points:
    """Return a first picture of a connected part: by hops from a few distant states (pivot MDS)."""
    if len(rows) <= 2:
        return np.stack([np.arange(len(rows), dtype=float), np.zeros(len(rows))], axis=1)
    local = np.full(len(graph), -1)
    local[rows] = np.arange(len(rows))
    from_pivot = []
    least = np.full(len(rows), np.inf)
    pivot = int(np.argmax(graph.degrees[rows]))
    for _ in range(min(pivots, len(rows))):
        hops = _hops_from(graph, rows, local, pivot)
        from_pivot.append(hops)
        least = np.minimum(least, hops)
        pivot = int(np.argmax(least))
    square = np.stack(from_pivot, axis=1) ** 2
    centred = square - square.mean(axis=0) - square.mean(axis=1, keepdims=True) + square.mean()
    _, axes = np.linalg.eigh(centred.T @ centred)
    places = -0.5 * centred @ axes[:, -1:-3:-1]
    # States with the same hops to every pivot fall together: a little noise, the same each time, parts them.
    noise = np.random.default_rng(len(rows)).normal(0, 0.05 * max(1e-9, float(places.std())), places.shape)
    return np.asarray(places + noise)


def _hops_from(graph: Graph, rows: Ints, local: Ints, begin: int) -> Floats:
    hops = np.full(len(rows), np.inf)
    hops[begin] = 0
    at = np.array([begin])
    far = 0
    joined, starts = graph.joined
    while len(at):
        far += 1
        first, last = starts[rows[at]], starts[rows[at] + 1]
        reach = np.repeat(first - np.concatenate([[0], np.cumsum(last - first)[:-1]]), last - first)
        at = np.unique(local[joined[reach + np.arange(len(reach))]])
        at = at[~np.isfinite(hops[at])]
        hops[at] = far
    hops[~np.isfinite(hops)] = far
    return hops


def relax(
    places: Points,
    pairs: tuple[Ints, Ints],
    rounds: int,
    *,
    cells: int = CELLS,
    on_progress: Callable[[float], object] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Points:
    """Move states by springs along the edges and repulsion from the centres of gravity of a grid's cells.

    Args:
        places: (n, 2) start places. pairs: joined rows of `places`.
        cells: columns and rows of the grid.
        on_progress: receives the share that is done. stop: polled in each round.

    Returns:
        (n, 2) with edges of about unit length.
    """
    count = len(places)
    low, high = pairs
    out = places - places.mean(axis=0)
    out *= 0.6 * np.sqrt(count) / max(1e-9, float(np.sqrt((out**2).sum(axis=1).mean())))
    step = 0.1 * np.sqrt(count)
    for number in range(rounds):
        if stop():
            break
        force = _repulsion(out, cells)
        way = out[high] - out[low]
        pull = way * np.hypot(way[:, 0], way[:, 1])[:, None]
        for axis in (0, 1):
            force[:, axis] += np.bincount(low, pull[:, axis], count)
            force[:, axis] -= np.bincount(high, pull[:, axis], count)
        length = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)[:, None]
        out = np.asarray(out + force / length * np.minimum(length, step))
        step *= 0.96 if rounds > 40 else 0.85
        on_progress((number + 1) / rounds)
    return np.asarray(out)


def _repulsion(places: Points, cells: int) -> Points:
    low = places.min(axis=0)
    size = np.maximum((places.max(axis=0) - low) / cells, 1e-9)
    cell = np.minimum(((places - low) / size).astype(np.int64), cells - 1)
    key = cell[:, 0] * cells + cell[:, 1]
    _, where = np.unique(key, return_inverse=True)
    mass = np.bincount(where).astype(float)
    centre = np.stack([np.bincount(where, places[:, axis]) / mass for axis in (0, 1)], axis=1)
    force = np.empty_like(places)
    for begin in range(0, len(places), 2_048):  # so much at a time stays in the cache
        part = slice(begin, begin + 2_048)
        x = places[part, None, 0] - centre[None, :, 0]
        y = places[part, None, 1] - centre[None, :, 1]
        push = mass / (x * x + y * y + 0.25)
        force[part, 0] = (x * push).sum(axis=1)
        force[part, 1] = (y * push).sum(axis=1)
    return force
