"""Arranges a whole graph: by Graphviz's sfdp in a process of its own, or by our own forces. No Qt.

sfdp takes seconds for ten thousand states, so it runs in the background, reports its progress and can be
stopped. Connected parts are arranged separately and packed here: sfdp takes ten times as long to pack a
thousand small parts as to arrange them.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Literal

import numpy as np

from pitwall_memory_editor.console.graph.layout.forces import CELLS, Points, relax, rough
from pitwall_memory_editor.console.graph.model import Bools, Floats, Graph, Ints

SPACING = 64.0
"""Mean distance between two states of a whole graph, in the view's pixels at scale 1."""
LIMIT_S = 60.0
_OPTIONS = ("-Tplain", "-Gsplines=none", "-Goverlap=true", "-Gquadtree=fast", '-Nlabel=""')
_ROUGH_ROUNDS, _ROUGH_CELLS = 5, 20
_OWN_ROUNDS = 90
_POLL_S = 0.02
_GOLDEN = 2.399963

OnProgress = Callable[[str, float | None], object]
LayoutMethod = Literal["sfdp", "own", "rough"]


@dataclass(frozen=True, slots=True)
class Arranged:
    """Places of every state.

    Attributes:
        places: (n, 2). means: the method. note: a sentence about a poor result; empty for a good one.
    """

    places: Points
    means: LayoutMethod
    note: str = ""


class Stopped(Exception):
    """The layout was stopped on request."""


def first_look(graph: Graph) -> Arranged:
    """Return rough places quickly: right in the large, imprecise in the small."""
    return Arranged(
        _by_parts(graph, lambda part: _own(graph, part, _ROUGH_ROUNDS, _ROUGH_CELLS)),
        "rough",
        "a rough layout",
    )


def arrange(
    graph: Graph,
    *,
    before: Points | None = None,
    on_progress: OnProgress = lambda *_: None,
    stop: Callable[[], bool] = lambda: False,
    limit_s: float = LIMIT_S,
    program: str | None = "sfdp",
) -> Arranged:
    """Arrange a whole graph.

    Args:
        before: (n, 2) earlier places of the states: the new picture is rotated to resemble them.
        on_progress: receives the current stage and the share of it that is done (None: unknown).
        stop: polled often; true ends the layout with `Stopped`.
        limit_s: time after which sfdp is abandoned and our own forces are used.
        program: path of sfdp; None: our own forces.

    Raises:
        Stopped: on request.
    """
    path = shutil.which(program) if program is not None else None
    doing = f"Arranging {len(graph):,} states"
    note = "Graphviz is not installed: this is a rougher layout (sudo apt-get install graphviz)."
    if path is not None:
        on_progress(doing, None)
        try:

            def tell(seconds: float) -> None:
                on_progress(f"{doing}, {seconds:.0f} s", None)

            return Arranged(_sfdp(graph, path, before, tell, stop, limit_s), "sfdp")
        except (OSError, ValueError) as error:
            note = f"Graphviz's sfdp did not do it ({error}): this is a rougher layout."
    on_progress(doing, 0.0)

    def lay_out(part: Part) -> Points:
        return _own(graph, part, _OWN_ROUNDS, on_progress=lambda share: on_progress(doing, share), stop=stop)

    places = _by_parts(graph, lay_out, before)
    if stop():
        raise Stopped
    return Arranged(places, "own", note)


def turned(places: Points, before: Points) -> Points:
    """Rotate and mirror places to come as near as possible to the earlier ones.

    Args:
        places, before: (n, 2) of the same states.
    """
    if len(places) < 3:
        return places
    left, _, right = np.linalg.svd((places - places.mean(axis=0)).T @ (before - before.mean(axis=0)))
    return np.asarray((places - places.mean(axis=0)) @ (left @ right))


def place_new(graph: Graph, places: Points, known: Bools, spacing: float = SPACING) -> Points:
    """Return places for new states beside their neighbours; states with a place keep it.

    Args:
        places: (n, 2), read where known. known: (n,).
    """
    out, done = places.copy(), known.copy()
    waiting = [int(row) for row in np.flatnonzero(~done)]
    while waiting:
        later = []
        for row in waiting:
            beside = graph.neighbours(row)
            beside = beside[done[beside]]
            if len(beside):
                angle = row * _GOLDEN
                aside = spacing * 0.8 * np.array([np.cos(angle), np.sin(angle)])
                out[row] = out[beside[:4]].mean(axis=0) + aside
                done[row] = True
            else:
                later.append(row)
        if len(later) == len(waiting):  # nobody they know is there: the first of them goes below all others
            row = later.pop(0)
            out[row] = (0.0, 0.0)
            if done.any():
                out[row] = (out[done][:, 0].mean(), out[done][:, 1].max() + 2 * spacing)
            done[row] = True
        waiting = later
    return out


# ---- parts


@dataclass(frozen=True, slots=True)
class Part:
    """A connected part: rows of its states, and its joined pairs as numbers within it."""

    rows: Ints
    low: Ints
    high: Ints


def _parts(graph: Graph) -> list[Part]:
    low, high, _ = graph.pairs
    every = graph.parts()
    part_of, local = np.zeros(len(graph), np.int64), np.zeros(len(graph), np.int64)
    for number, rows in enumerate(every):
        part_of[rows], local[rows] = number, np.arange(len(rows))
    order = np.argsort(part_of[low], kind="stable")
    ends = np.searchsorted(part_of[low][order], np.arange(len(every) + 1))
    places = []
    for number, rows in enumerate(every):
        mine = order[ends[number] : ends[number + 1]]
        places.append(Part(rows, local[low[mine]], local[high[mine]]))
    return places


def _by_parts(graph: Graph, lay_out: Callable[[Part], Points], before: Points | None = None) -> Points:
    parts = _parts(graph)
    return _pack(graph, parts, [lay_out(part) for part in parts], before)


def _own(
    graph: Graph,
    part: Part,
    rounds: int,
    cells: int = CELLS,
    on_progress: Callable[[float], object] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Points:
    start = rough(graph, part.rows)
    if len(part.rows) <= 2:
        return start
    return relax(start, (part.low, part.high), rounds, cells=cells, on_progress=on_progress, stop=stop)


def _pack(graph: Graph, parts: Sequence[Part], layouts: Sequence[Points], before: Points | None) -> Points:
    """Place the parts at the same density: the biggest on top, the others in lines below."""
    places = np.zeros((len(graph), 2))
    if not parts:
        return places
    if before is not None:
        layouts = [turned(layout, before[part.rows]) for part, layout in zip(parts, layouts, strict=True)]
    sized = [_sized(part, layout) for part, layout in zip(parts, layouts, strict=True)]
    area = sum(float(np.prod(each.max(axis=0) + SPACING)) for each in sized)
    room = max(float(sized[0][:, 0].max()) + SPACING, 1.6 * float(np.sqrt(area)))
    left = top = tall = 0.0
    for part, each in zip(parts, sized, strict=True):
        width, height = each.max(axis=0) + SPACING
        if left > 0 and left + width > room:
            left, top, tall = 0.0, top + tall + SPACING / 2, 0.0
        places[part.rows] = each + np.array([left, top])
        left, tall = left + width + SPACING / 2, max(tall, height)
    return np.asarray(places - places.mean(axis=0))


def _sized(part: Part, layout: Points) -> Points:
    """Move a part to the origin and scale it so that its states are about one spacing apart."""
    out = layout - layout.mean(axis=0)
    radius = float(np.sqrt((out**2).sum(axis=1).mean()))
    if len(part.rows) > 1 and radius > 0:
        way = out[part.low] - out[part.high]
        edge = float(np.hypot(way[:, 0], way[:, 1]).mean())
        out *= SPACING * max(0.5 * np.sqrt(len(out)) / radius, 0.8 / max(edge, 1e-9))
    return np.asarray(out - out.min(axis=0))


# ---- sfdp


def _sfdp(
    graph: Graph,
    program: str,
    before: Points | None,
    on_progress: Callable[[float], object],
    stop: Callable[[], bool],
    limit_s: float,
) -> Points:
    """Arrange every part as a graph of its own, in one process.

    Args:
        on_progress: receives the elapsed seconds.

    Raises:
        Stopped: on request.
        OSError, ValueError: the program did not start, failed, took too long, or left states without places.
    """
    parts = _parts(graph)
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as answered:
        asked.writelines(_dot(part) for part in parts)
        asked.seek(0)
        process = subprocess.Popen(
            [program, *_OPTIONS], stdin=asked, stdout=answered, stderr=subprocess.DEVNULL
        )
        try:
            _wait(process, on_progress, stop, limit_s)
        finally:
            process.kill()
            process.wait()
        if process.returncode != 0:
            raise OSError(f"it ended with status {process.returncode}")
        answered.seek(0)
        places = _read_plain(answered, len(graph))
    if not np.isfinite(places).all():
        raise ValueError("it left states without a place")
    return _pack(graph, parts, [places[part.rows] for part in parts], before)


def _wait(
    process: subprocess.Popen[bytes],
    on_progress: Callable[[float], object],
    stop: Callable[[], bool],
    limit_s: float,
) -> None:
    began = time.monotonic()
    seconds = 0
    while process.poll() is None:
        if stop():
            raise Stopped
        took = time.monotonic() - began
        if took > limit_s:
            raise OSError(f"it took longer than {limit_s:.0f} s")
        if int(took) > seconds:
            seconds = int(took)
            on_progress(seconds)
        time.sleep(_POLL_S)


def _dot(part: Part) -> bytes:
    """Return a part in Graphviz's language; its states are named by their rows."""
    rows = part.rows.tolist()
    states = "".join(f"{row};" for row in rows)
    ends = zip(part.rows[part.low].tolist(), part.rows[part.high].tolist(), strict=True)
    return f"graph{{{states}{''.join(f'{a}--{b};' for a, b in ends)}}}\n".encode("ascii")


def _read_plain(lines: IO[bytes], count: int) -> Floats:
    """Return places from Graphviz's plain format: `node NAME X Y …`, y upwards."""
    places = np.full((count, 2), np.nan)
    for line in lines:
        if line.startswith(b"node "):
            _, name, x, y, *_ = line.split(None, 4)
            places[int(name)] = (float(x), -float(y))
    return places
