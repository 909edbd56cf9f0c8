"""Marks over the graph: the agent's state, the last retrieval, the chosen entry, the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from pitwall_memory_editor.console.graph.painting.drawing import Drawing
from pitwall_memory_editor.console.graph.painting.labels import Label
from pitwall_memory_editor.console.graph.painting.palette import WIDTHS, Ink, rate_step, width_step
from pitwall_memory_editor.console.graph.painting.states import CHIP_CORNER
from pitwall_memory_editor.console.graph.scene import NONE, Detail, Scene

_MOST_LINES = 200
"""Actions of one state that are lifted out at most."""
_LEAST_RADIUS = 5.0
_PILL = 16.0


@dataclass(slots=True)
class Marks:
    """By numbers of the scene.

    Attributes:
        current: the agent's state. lit: states of the last retrieval → place in its ranking, from 1.
        lit_lines: links of it. found: states that the search found.
        line: the chosen link. like: the chosen likeness.
    """

    current: int = NONE
    chosen: int = NONE
    hovered: int = NONE
    line: int = NONE
    like: int = NONE
    lit: dict[int, int] = field(default_factory=dict)
    lit_lines: frozenset[int] = frozenset()
    matches: frozenset[int] = frozenset()


def find_marks(
    scene: Scene, current: int | None, chosen: int | None, lit: Sequence[int], matches: Sequence[int]
) -> Marks:
    """Find the marks of a scene by entry ids; `lit` best first."""

    def numbers(ids: Sequence[int]) -> list[int]:
        return [number for entry_id in ids if (number := scene.number_of(entry_id)) != NONE]

    lines = (scene.line_of(entry_id) for entry_id in lit)
    return Marks(
        current=scene.number_of(current),
        chosen=scene.number_of(chosen),
        line=scene.line_of(chosen),
        like=scene.like_of(chosen),
        lit={state: rank for rank, state in enumerate(numbers(lit), 1)},
        lit_lines=frozenset(line for line in lines if line != NONE),
        matches=frozenset(numbers(matches)),
    )


def paint_marks(painter: QPainter, drawing: Drawing, marks: Marks, *, focused: bool) -> None:
    """Paint them in scaled pixels.

    Args:
        focused: the view has the keyboard.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for number in dict.fromkeys((marks.chosen, marks.hovered)):
        if number != NONE:
            _lift_out(painter, drawing, number)
    for line in (*marks.lit_lines, marks.line):
        if line != NONE:
            _strong_line(painter, drawing, line, marks)
    if marks.like != NONE:
        _strong_like(painter, drawing, marks.like)
    for number in marks.matches - set(marks.lit) - {marks.current}:
        _ring(painter, drawing, number, QPen(drawing.ink.text, 1.5, Qt.PenStyle.DashLine), 4)
    for number, rank in sorted(marks.lit.items(), key=lambda each: -each[1]):
        if number != marks.current:
            _lit(painter, drawing, number, rank)
    if marks.current != NONE:
        _current(painter, drawing, marks.current, marks.lit.get(marks.current, 0))
    if marks.hovered not in (NONE, marks.chosen):
        _ring(painter, drawing, marks.hovered, QPen(drawing.ink.faint, 1), 2)
    if marks.chosen != NONE:
        pen = QPen(drawing.ink.text if focused else drawing.ink.focus, 2)
        _ring(painter, drawing, marks.chosen, pen, 5 if marks.chosen == marks.current else 3)


def paint_focus(painter: QPainter, rect: QRect, ink: Ink) -> None:
    """Paint the frame of the keyboard focus, in the view's own pixels."""
    painter.resetTransform()
    painter.setPen(QPen(ink.focus, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.drawRect(rect.adjusted(0, 0, -1, -1))


def _lift_out(painter: QPainter, drawing: Drawing, number: int) -> None:
    """Paint a state's own actions, and the states they join, above everything else."""
    scene, ink = drawing.scene, drawing.ink
    lines = scene.links_of(number)[:_MOST_LINES]
    if not drawing.few:
        pens = ink.link_pens()
        styles = rate_step(scene.rates[lines]) * len(WIDTHS) + width_step(scene.counts[lines])
        for line, style in zip(lines.tolist(), styles.tolist(), strict=True):
            x0, y0, x1, y1 = drawing.ends[line]
            painter.setPen(pens[style])
            painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
            drawing.paint_arrow(painter, line)
        others = scene.beside(number)[:_MOST_LINES].tolist()
        for other in (*others, number):
            if drawing.detail is Detail.DOTS:
                _disc(painter, drawing, other)
            else:
                drawing.paint_state(painter, other)
    for label in drawing.own_line_words(number):
        drawing.paint_line_words(painter, label)
    if drawing.detail is not Detail.CHIPS and not (drawing.few and drawing.detail is Detail.CIRCLES):
        _words_under(painter, drawing, number)


def _words_under(painter: QPainter, drawing: Drawing, number: int) -> None:
    text, width = drawing.words(number)
    body = drawing.body(number)
    left, top = body.center().x() - width / 2, body.bottom() + 5
    height = QFontMetricsF(drawing.font).height()
    painter.setFont(drawing.font)
    label = Label(number, text, (left, top, left + width, top + height))
    drawing.paint_words(painter, label, strong=True)


def _strong_line(painter: QPainter, drawing: Drawing, line: int, marks: Marks) -> None:
    x0, y0, x1, y1 = drawing.ends[line]
    colour = drawing.ink.now if line in marks.lit_lines else drawing.ink.text
    colour.setAlpha(90)
    painter.setPen(QPen(colour, 9, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
    colour.setAlpha(255)


def _strong_like(painter: QPainter, drawing: Drawing, like: int) -> None:
    first, second = drawing.scene.likes.first[like], drawing.scene.likes.second[like]
    painter.setPen(QPen(drawing.ink.text, 2, Qt.PenStyle.DotLine))
    painter.drawLine(QPointF(*drawing.at[first]), QPointF(*drawing.at[second]))


def _current(painter: QPainter, drawing: Drawing, number: int, rank: int) -> None:
    """Paint the agent's state: filled, with a halo and the word "now"."""
    ink = drawing.ink
    halo = ink.now.toRgb()
    halo.setAlpha(110)
    _ring(painter, drawing, number, QPen(halo, 5), 4.5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.now)
    body = _at_least(drawing.body(number), _LEAST_RADIUS + 2)
    drawing.paint_body(painter, number, body, ink.inverse)
    _pill(painter, drawing, body, f"now · {rank}" if rank else "now", strong=True)


def _lit(painter: QPainter, drawing: Drawing, number: int, rank: int) -> None:
    """Paint a thick rim, and the place in the ranking."""
    ink = drawing.ink
    body = _at_least(drawing.body(number), _LEAST_RADIUS)
    painter.setPen(QPen(ink.now, 2))
    painter.setBrush(ink.now_soft)
    drawing.paint_body(painter, number, body, ink.text)
    _pill(painter, drawing, body, str(rank), strong=False)


def _pill(painter: QPainter, drawing: Drawing, body: QRectF, words: str, *, strong: bool) -> None:
    """Paint a word at the upper left of a state."""
    ink = drawing.ink
    width = QFontMetricsF(drawing.small).horizontalAdvance(words) + 12
    left = body.left() - 4 if drawing.detail is Detail.CHIPS else body.left() - width
    pill = QRectF(left, body.top() - _PILL + 3, width, _PILL)
    painter.setPen(QPen(ink.ground, 2))
    painter.setBrush(ink.now if strong else ink.now_soft)
    painter.drawRoundedRect(pill, _PILL / 2, _PILL / 2)
    painter.setPen(ink.inverse if strong else ink.now)
    painter.setFont(drawing.small)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)


def _ring(painter: QPainter, drawing: Drawing, number: int, pen: QPen, out: float) -> None:
    body = _at_least(drawing.body(number), _LEAST_RADIUS).adjusted(-out, -out, out, out)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if drawing.detail is Detail.CHIPS:
        painter.drawRoundedRect(body, CHIP_CORNER + out, CHIP_CORNER + out)
    else:
        painter.drawEllipse(body)


def _disc(painter: QPainter, drawing: Drawing, number: int) -> None:
    painter.setPen(QPen(drawing.ink.ground, 1))
    painter.setBrush(drawing.ink.text)
    painter.drawEllipse(_at_least(drawing.body(number), 3.5))


def _at_least(body: QRectF, radius: float) -> QRectF:
    grow = max(0.0, radius - body.height() / 2)
    return body.adjusted(-grow, -grow, grow, grow)
