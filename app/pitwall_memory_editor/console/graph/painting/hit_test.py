"""Finds the state, "+N more", action or likeness under a point of the drawn graph."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF

from pitwall_memory_editor.console.graph import format as saying
from pitwall_memory_editor.console.graph.painting.drawing import Drawing
from pitwall_memory_editor.console.graph.painting.states import CARD_HEIGHT
from pitwall_memory_editor.console.graph.scene import NONE, Detail

_NEAR_STATE, _NEAR_LINE = 7.0, 6.0
"""Distance in pixels from which a pointer hits."""
_CHIP_REACH = (210.0, CARD_HEIGHT / 2)


def state_at(drawing: Drawing, at: QPointF) -> int:
    """Return the number of the state at a point of the scaled scene, else `NONE`."""
    if drawing.detail is Detail.CHIPS:
        close = np.flatnonzero((np.abs(drawing.at - (at.x(), at.y())) < _CHIP_REACH).all(axis=1))
        hits = [number for number in close.tolist() if drawing.chip(number).contains(at)]
        return hits[-1] if hits else NONE
    number, far = drawing.scene.nearest(at.x() / drawing.scale, at.y() / drawing.scale)
    if number == NONE:
        return NONE
    return number if far * drawing.scale <= max(_NEAR_STATE, float(drawing.radius[number]) + 3) else NONE


def more_at(drawing: Drawing, at: QPointF) -> int:
    """Return the number of the state whose "+N more" is at a point, else `NONE`."""
    for number in np.flatnonzero(drawing.scene.more).tolist():
        if drawing.more_pill(number).contains(at):
            return int(number)
    return NONE


def line_at(drawing: Drawing, at: QPointF) -> int | None:
    """Return the entry id of the action or the likeness at a point, else None."""
    scene, scale = drawing.scene, drawing.scale
    x, y = at.x() / scale, at.y() / scale
    link, far = scene.nearest_line(scene.links, x, y)
    like, like_far = scene.nearest_line(scene.likes, x, y)
    if min(far, like_far) * scale > _NEAR_LINE:
        return None
    if far <= like_far:
        return int(scene.graph.edge_ids[scene.links.edge[link]])
    return int(scene.graph.like_ids[scene.likes.edge[like]])


def entry_at(drawing: Drawing, at: QPointF) -> int | None:
    """Return the entry id of the state at a point, else of the line there."""
    number = state_at(drawing, at)
    return drawing.scene.entry_id(number) if number != NONE else line_at(drawing, at)


def words_at(drawing: Drawing, at: QPointF) -> str:
    """Return the tool tip at a point, as plain text."""
    more = more_at(drawing, at)
    if more != NONE:
        return saying.more_words(drawing.scene, more)
    entry_id = entry_at(drawing, at)
    return "" if entry_id is None else saying.entry_words(drawing.scene, entry_id)
