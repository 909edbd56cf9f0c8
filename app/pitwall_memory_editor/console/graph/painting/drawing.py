"""A scene at one scale, painted area by area: everything that does not change from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap, QPolygonF

from pitwall_memory_editor.console.graph.format import rate_words
from pitwall_memory_editor.console.graph.layout.forces import Points
from pitwall_memory_editor.console.graph.model import Floats, Ints
from pitwall_memory_editor.console.graph.painting.labels import (
    Box,
    Label,
    LabelSpace,
    line_labels,
    state_labels,
)
from pitwall_memory_editor.console.graph.painting.line_index import LineIndex
from pitwall_memory_editor.console.graph.painting.open_ends import paint_ends
from pitwall_memory_editor.console.graph.painting.palette import (
    UNTRIED,
    WIDTHS,
    Ink,
    rate_step,
    reach_step,
    width_step,
)
from pitwall_memory_editor.console.graph.painting.primitives import draw_lines, draw_stamps
from pitwall_memory_editor.console.graph.painting.states import States
from pitwall_memory_editor.console.graph.scene import Bundle, Detail, Scene

_WORDED = 16
"""Up to this many states every action has its words; of more, those of the state under the pointer."""
FEW = 160
"""Most states of a scene whose lines have arrow heads."""
_DOT_SIZES = (0.16, 0.24, 0.36)
"""Radii of dots, in spacings as they are on the screen; within bounds."""
_DOT_LEAST, _DOT_MOST = 0.9, 3.4
_ASIDE = 3.5
"""Half the gap between two lines that lead there and back."""
_ARROW = 4.0
_MARGIN = 90.0
_BLOCK = 1_024.0
_FAR_CELL = (230.0, 64.0)
_NEAR_CELL = (110.0, 36.0)


class Drawing(States):
    """Paints a scene at a scale: its states, and the lines and words between them.

    Args:
        within: words of a small scene stay inside, where the whole of it is seen; None: anywhere.

    Attributes:
        ends: (b, 4) of the links.
    """

    def __init__(
        self,
        scene: Scene,
        scale: float,
        ink: Ink,
        ratio: float,
        pictures: Mapping[int, QPixmap],
        within: Box | None = None,
    ) -> None:
        super().__init__(scene, scale, ink, pictures)
        self._within = within
        self._ratio = ratio
        self.few = len(scene) <= FEW
        self._blocks: dict[tuple[int, int], list[Label]] = {}
        self.radius = self._radii()
        self.ends = self._ends(scene.links, aside=self.detail > Detail.DOTS)
        self._like_ends = self._ends(scene.likes, aside=False)
        self._like_reach = LineIndex(self._like_ends)
        self.order, self.runs = self._styled()
        self._reach = LineIndex(self.ends[self.order])

    # ---- where things lie

    def _radii(self) -> Floats:
        if self.detail is Detail.DOTS:
            return np.asarray(np.array(self._dot_radii)[self._dot_sizes], np.float64)
        return 4.5 + 6.5 * self.scene.size

    @property
    def _dot_radii(self) -> list[float]:
        apart = self.scale * self.scene.spacing
        bounds = (_DOT_LEAST * size / _DOT_SIZES[0] for size in _DOT_SIZES)
        return [
            min(_DOT_MOST, max(least**0.5, size * apart))
            for size, least in zip(_DOT_SIZES, bounds, strict=True)
        ]

    @cached_property
    def _dot_sizes(self) -> Ints:
        return np.asarray(np.searchsorted(np.array([0.35, 0.65]), self.scene.size), np.int64)

    def _ends(self, bundle: Bundle, *, aside: bool) -> Points:
        ends = np.concatenate([self.at[bundle.first], self.at[bundle.second]], axis=1)
        if aside and len(ends):
            way = ends[:, 2:] - ends[:, :2]
            length = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)
            right = np.stack([-way[:, 1], way[:, 0]], axis=1) / length[:, None]
            right *= np.where(self.scene.two_way, _ASIDE, 0.0)[:, None]
            ends += np.concatenate([right, right], axis=1)
        return np.asarray(ends)

    def _styled(self) -> tuple[Ints, list[tuple[int, int, QPen]]]:
        """Return links in the order they are drawn, and runs of them with one pen: begin, end, pen."""
        scene, links = self.scene, self.scene.links
        rates = rate_step(scene.rates)
        if self.detail is Detail.DOTS:
            way = scene.places[links.second] - scene.places[links.first]
            style = reach_step(np.hypot(way[:, 0], way[:, 1]) / scene.spacing) * (UNTRIED + 1) + rates
            pens, above = self.ink.far_pens(), -style
        else:
            widths = width_step(scene.counts)
            style = rates * len(WIDTHS) + widths
            pens, above = self.ink.link_pens(), widths * (UNTRIED + 1) + rates
        order = np.argsort(above, kind="stable")
        cuts = np.flatnonzero(np.diff(style[order])) + 1
        begins, ends = [0, *cuts.tolist()], [*cuts.tolist(), len(order)]
        runs = [(a, b, pens[int(style[order[a]])]) for a, b in zip(begins, ends, strict=True) if b > a]
        return order, runs

    # ---- words

    @cached_property
    def _room(self) -> LabelSpace:
        """Return the boxes on which words of a small scene must not lie."""
        boxes = [self.body(number) for number in range(len(self.scene))]
        boxes += [pill for number in range(len(self.scene)) if not (pill := self.more_pill(number)).isEmpty()]
        return LabelSpace(((box.left(), box.top(), box.right(), box.bottom()) for box in boxes), self._within)

    def state_words(self, area: QRectF) -> list[Label]:
        """Return the words beside the states that may touch an area; chips carry their own.

        In a big scene they are placed block by block, as blocks come into view, and none leaves its block.
        """
        if self.detail is Detail.CHIPS:
            return []
        if self.few:
            return self._few_words
        columns = range(int(area.left() // _BLOCK), int(area.right() // _BLOCK) + 1)
        rows = range(int(area.top() // _BLOCK), int(area.bottom() // _BLOCK) + 1)
        return [label for column in columns for row in rows for label in self._block_words(column, row)]

    @cached_property
    def _few_words(self) -> list[Label]:
        everyone = np.arange(len(self.scene))
        height = self._metrics.height()
        return state_labels(
            everyone, self.at, self.scene.worth, self.radius, self.words, self._room, height=height
        )

    def _block_words(self, column: int, row: int) -> list[Label]:
        block = self._blocks.get((column, row))
        if block is None:
            low = np.array([column, row]) * _BLOCK
            inside = np.flatnonzero(((self.at >= low) & (self.at < low + _BLOCK)).all(axis=1))
            block = self._blocks[column, row] = state_labels(
                inside,
                self.at,
                self.scene.worth,
                self.radius,
                self.words,
                LabelSpace(
                    within=(float(low[0]), float(low[1]), float(low[0]) + _BLOCK, float(low[1]) + _BLOCK)
                ),
                height=self._metrics.height(),
                cell=_FAR_CELL if self.detail is Detail.DOTS else _NEAR_CELL,
            )
        return block

    @cached_property
    def line_words(self) -> list[Label]:
        """Return the words on the actions of a scene of some states: the action and its success rate."""
        if len(self.scene) > _WORDED or self.detail is Detail.DOTS:
            return []
        assert self._few_words is not None  # states' words find room first
        return self._words_on(np.argsort(-self.scene.counts, kind="stable"), self._room)

    def own_line_words(self, number: int) -> list[Label]:
        """Return the words on a state's own actions, where a scene has too many to show them all."""
        if self.line_words or self.detail is Detail.DOTS:
            return []
        bodies = [self.body(other) for other in (number, *self.scene.beside(number).tolist())]
        taken = [(body.left(), body.top(), body.right(), body.bottom()) for body in bodies]
        taken += [label.box for label in self._few_words] if self.few else []
        return self._words_on(self.scene.links_of(number), LabelSpace(taken))

    def _words_on(self, lines: Ints, room: LabelSpace) -> list[Label]:
        height = self._small_metrics.height()
        return line_labels(self.ends, lines, self.line_measure, room, height=height)

    def line_measure(self, number: int) -> tuple[str, float]:
        """Return the action of a link without its rate, and the width of both."""
        links, graph = self.scene.links, self.scene.graph
        text = self._small_metrics.elidedText(
            graph.action(int(links.edge[number])), Qt.TextElideMode.ElideRight, 110.0
        )
        if links.others[number]:
            text = f"{text} +{int(links.others[number])}"
        rate = rate_words(float(self.scene.rates[number]))
        return text, self._small_metrics.horizontalAdvance(f"{text} {rate}") + 4

    # ---- painting

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Paint an area of the scaled scene; the painter's origin is the area's corner."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        corner = np.array([area.x(), area.y()])
        self._paint_likes(painter, area, corner)
        self._paint_links(painter, area, corner)
        inside = self._inside(area)
        if self.detail is Detail.DOTS:
            self._paint_dots(painter, inside, corner)
        else:
            painter.translate(-area.topLeft())
            paint_ends(painter, self.scene, self.body, self.ink, inside)
            if self.few:
                self._paint_arrows(painter, area)
                for label in self.line_words:
                    if _touches(label, area):
                        self.paint_line_words(painter, label)
            for number in inside.tolist():
                self.paint_state(painter, number)
            painter.translate(area.topLeft())
        painter.translate(-area.topLeft())
        self._paint_state_words(painter, area)
        painter.translate(area.topLeft())

    def in_view(self, area: QRectF) -> list[int]:
        """Return the entry ids of the states in an area, those that matter most first."""
        return [self.scene.entry_id(number) for number in self._inside(area)[::-1].tolist()]

    def _inside(self, area: QRectF) -> Ints:
        low = np.array([area.left(), area.top()]) - _MARGIN
        high = np.array([area.right(), area.bottom()]) + _MARGIN
        inside = np.flatnonzero(((self.at > low) & (self.at < high)).all(axis=1))
        return np.asarray(inside[np.argsort(self.scene.worth[inside], kind="stable")])

    def _paint_likes(self, painter: QPainter, area: QRectF, corner: Points) -> None:
        seen = self._like_reach.touching(area)
        painter.setPen(self.ink.like_pen(far=self.detail is Detail.DOTS))
        draw_lines(painter, self._like_ends[seen] - np.tile(corner, 2))

    def _paint_links(self, painter: QPainter, area: QRectF, corner: Points) -> None:
        seen = self._reach.touching(area)
        begins = np.searchsorted(seen, [begin for begin, _, _ in self.runs])
        ends = np.searchsorted(seen, [end for _, end, _ in self.runs])
        lines = self.ends[self.order[seen]] - np.tile(corner, 2)
        for begin, end, (_, _, pen) in zip(begins, ends, self.runs, strict=True):
            if end > begin:
                painter.setPen(pen)
                draw_lines(painter, lines[begin:end])

    def _paint_dots(self, painter: QPainter, inside: Ints, corner: Points) -> None:
        for size, stamp in enumerate(self._stamps):
            draw_stamps(painter, self.at[inside[self._dot_sizes[inside] == size]] - corner, stamp)

    @cached_property
    def _stamps(self) -> list[QPixmap]:
        stamps = []
        for radius in self._dot_radii:
            side = int(2 * radius + 5)
            stamp = QPixmap(round(side * self._ratio), round(side * self._ratio))
            stamp.setDevicePixelRatio(self._ratio)
            stamp.fill(Qt.GlobalColor.transparent)
            painter = QPainter(stamp)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.ink.ground, 1) if radius > 1.6 else Qt.PenStyle.NoPen)
            painter.setBrush(self.ink.dim)
            painter.drawEllipse(QPointF(side / 2, side / 2), radius, radius)
            painter.end()
            stamps.append(stamp)
        return stamps

    def _paint_state_words(self, painter: QPainter, area: QRectF) -> None:
        painter.setFont(self.font)
        strong = self.detail is Detail.CIRCLES
        for label in self.state_words(area):
            if _touches(label, area):
                self.paint_words(painter, label, strong=strong)

    def paint_line_words(self, painter: QPainter, label: Label) -> None:
        """Draw the action of a link, and its success rate in its colour."""
        box = QRectF(QPointF(*label.box[:2]), QPointF(*label.box[2:]))
        painter.fillRect(box.adjusted(0, 1, 0, -1), self.ink.ground)
        painter.setFont(self.small)
        painter.setPen(self.ink.dim)
        painter.drawText(box.adjusted(2, 0, 0, 0), Qt.AlignmentFlag.AlignLeft, label.text)
        rate = float(self.scene.rates[label.number])
        painter.setPen(self.ink.rate(rate))
        painter.drawText(box.adjusted(0, 0, -2, 0), Qt.AlignmentFlag.AlignRight, rate_words(rate))

    def _paint_arrows(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for number in self.order[self._reach.touching(area)].tolist():
            self.paint_arrow(painter, number)

    def paint_arrow(self, painter: QPainter, number: int) -> None:
        """Paint the head that shows a link's direction, at a third of it: the middle belongs to its words."""
        x0, y0, x1, y1 = self.ends[number]
        length = float(np.hypot(x1 - x0, y1 - y0))
        if length < 50:
            return
        dx, dy = (x1 - x0) / length * _ARROW, (y1 - y0) / length * _ARROW
        x, y = x0 + (x1 - x0) * 0.68, y0 + (y1 - y0) * 0.68
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.ink.rate(float(self.scene.rates[number])))
        points = [
            QPointF(x + dx, y + dy),
            QPointF(x - dx - dy, y - dy + dx),
            QPointF(x - dx + dy, y - dy - dx),
        ]
        painter.drawPolygon(QPolygonF(points))


def _touches(label: Label, area: QRectF) -> bool:
    left, top, right, bottom = label.box
    return left - 4 < area.right() and right + 4 > area.left() and top < area.bottom() and bottom > area.top()
