"""Paints actions that join no two states: loops over their own state, stubs for unknown targets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from pitwall_memory_editor.console.graph.model import Ints
from pitwall_memory_editor.console.graph.painting.palette import Ink
from pitwall_memory_editor.console.graph.scene import Scene

_LOOP = 9.0
_STUB = 40.0


def paint_ends(
    painter: QPainter, scene: Scene, body: Callable[[int], QRectF], ink: Ink, inside: Ints
) -> None:
    """Paint the open ends of some states.

    Args:
        body: returns the shape of a state. inside: numbers of the states.
    """
    shown = np.zeros(len(scene), bool)
    shown[inside] = True
    for bundle in (scene.loops, scene.open_ends):
        for number in np.flatnonzero(shown[bundle.first]).tolist():
            rate = float(scene.graph.rates[bundle.edge[number]])
            painter.setPen(QPen(ink.rate(rate), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            state = int(bundle.first[number])
            centre, top = body(state).center(), body(state).top()
            if bundle is scene.loops:
                painter.drawEllipse(QPointF(centre.x() - _LOOP, top - 1), _LOOP * 0.8, _LOOP)
            else:
                tip = centre + QPointF(*_away(scene, state)) * _STUB
                painter.drawLine(centre, tip)
                painter.setBrush(ink.ground)
                painter.drawEllipse(tip, 3, 3)


def _away(scene: Scene, number: int) -> tuple[float, float]:
    """Return the direction in which a state has the fewest neighbours."""
    beside = scene.beside(number)
    if not len(beside):
        return 0.0, 1.0
    way = scene.places[beside] - scene.places[number]
    angles = np.arctan2(way[:, 1], way[:, 0])
    tried = np.linspace(-np.pi, np.pi, 16, endpoint=False)
    near = np.abs(np.angle(np.exp(1j * (tried[:, None] - angles[None])))).min(axis=1)
    best = tried[int(np.argmax(near))]
    return float(np.cos(best)), float(np.sin(best))
