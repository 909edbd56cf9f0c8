"""The kit's chart: a pyqtgraph plot in the theme's colours, with export, a read-out and an accessible name.

    canvas = Canvas(look, "Loss")            # a widget; axes are hidden until `show_axes` names them
    canvas.line(x, y, look.colour("text"))   # lines, markers, bars and texts, in the plot's coordinates
    canvas.save(Path("loss.svg"))            # also .png and .csv; the context menu offers the same

`Chart` draws lines over a shared axis, `StackChart` areas, `Plot` places that are read and opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.exporters import Exporter, ImageExporter
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QBrush,
    QColor,
    QFontMetrics,
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QSizePolicy

from pitwall.console.charts.axis_items import CalmAxis
from pitwall.console.charts.living import LIVING
from pitwall.console.charts.readout import Reading, ReadOut
from pitwall.console.charts.series_style import Places, add_markers
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import GAP, SMALL_PX, TINY_PX, Look, ui_font

pg.setConfigOptions(antialias=True, exitCleanup=False)

_SIDES = {"top": (1, 1), "left": (2, 0), "right": (2, 2), "bottom": (3, 1)}
"""Row and column of each axis."""
_SAMPLE_PX = 34
"""Pixels of a series' shape in the legend, with the gaps around it."""
_LEGEND_LEAST_PX = 140
"""A plot that is lower has no room for a legend."""
_EXPORT_SCALE = 2
"""Pixels of an exported picture to one of the screen."""


class Canvas(pg.GraphicsView):  # type: ignore[misc]
    """A view box of pyqtgraph with an axis at each side.

    pyqtgraph's own PlotWidget would bring some fifty hidden widgets of its menus with every chart.

    Attributes:
        look: the theme.
        csv: writes the plotted numbers as CSV; None: there is nothing to export.
        legend: drawn series with their names; see `show_legend`.

        named_outside: chips beside it name the series; only exported pictures have a legend.

    Args:
        name: for screen readers, and the title of an exported picture.
        ground: the palette's field behind it.
        size, least: size hints in pixels.
    """

    named_outside = False

    def __init__(
        self,
        look: Look,
        name: str,
        *,
        box: Any = None,
        axes: dict[str, Any] | None = None,
        ground: str = "raised",
        size: tuple[int, int] = (240, 120),
        least: tuple[int, int] = (120, 60),
    ) -> None:
        self._built = False
        self.look, self._ground = look, ground
        self._size, self._least = size, least
        self._reading: ReadOut | None = None
        self._drawn: list[Any] = []
        self.csv: Callable[[], str] | None = None
        self.legend: list[tuple[Any, str]] = []
        self._key: Any = None
        super().__init__(background=None)
        self.box = box or pg.ViewBox(enableMenu=False)
        self._lay_out(axes or {})
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.show_axes()
        self._add_actions()
        LIVING.add(self)
        self._built = True
        """True once the parts exist; pyqtgraph resizes the widget earlier."""
        self._dress()
        look.changed.connect(self._dress)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self._built:
            self.refit()

    def refit(self) -> None:
        """Follow a new size; subclasses say how."""

    def sizeHint(self) -> QSize:
        return QSize(*self._size)

    def minimumSizeHint(self) -> QSize:
        return QSize(*self._least)

    def _lay_out(self, axes: dict[str, Any]) -> None:
        self.axes = {side: axes.get(side) or CalmAxis(side) for side in _SIDES}
        """The axes by side."""
        self.enableMouse(False)
        self.box.disableAutoRange()
        self.box.setDefaultPadding(0)
        self._inside = pg.GraphicsLayout(border=None)
        self._inside.layout.setSpacing(0)
        self._title = self._inside.addLabel("", row=0, col=1)
        for side, (row, column) in _SIDES.items():
            self.axes[side].linkToView(self.box)
            self._inside.addItem(self.axes[side], row=row, col=column)
        self._inside.addItem(self.box, row=2, col=1)
        self._inside.layout.setRowStretchFactor(2, 100)
        self._inside.layout.setColumnStretchFactor(1, 100)
        self.setCentralItem(self._inside)
        self.set_margins()
        self._set_title("")

    def set_margins(self, top: int = 0, right: int = 0) -> None:
        """Leave room beyond the axes, in pixels."""
        self._inside.layout.setContentsMargins(0, top, right, 0)

    def _set_title(self, words: str) -> None:
        self._title.setText(words, color=self.look.colour("text"), size="12px")
        self._title.setMaximumHeight(24 if words else 0)
        self._title.setVisible(bool(words))
        self._inside.layout.activate()

    def set_least_height(self, height: int) -> None:
        """Say how low it may become, in pixels."""
        self._size, self._least = (self._size[0], height), (self._least[0], height)
        self.updateGeometry()

    def show_axes(self, **spaces: int) -> None:
        """Show these axes (left, right, top, bottom), each with its room in pixels, and hide the others."""
        for side, axis in self.axes.items():
            axis.setVisible(side in spaces)
            if side not in spaces:
                axis.hide()
            else:
                (axis.setWidth if side in ("left", "right") else axis.setHeight)(spaces[side])

    # ---- what is drawn, in the plot's coordinates

    def wipe(self) -> None:
        """Take everything away that the methods below drew."""
        for item in self._drawn:
            self.box.removeItem(item)
        self._drawn.clear()
        self.legend.clear()
        self.show_legend()

    def draw_item(self, item: Any) -> Any:
        """Add a pyqtgraph item that stays until `wipe`."""
        self.box.addItem(item, ignoreBounds=True)
        self._drawn.append(item)
        return item

    def line(
        self,
        x: Places,
        y: Places,
        colour: QColor,
        width: float = 1,
        *,
        dashed: bool = False,
        pairs: bool = False,
    ) -> Any:
        """Draw a line, or with `pairs` one from each even point to the following odd one."""
        pen = QPen(colour, width)
        pen.setCosmetic(True)
        if dashed:
            pen.setDashPattern([4, 4])
        points = np.asarray(x, np.float64), np.asarray(y, np.float64)
        return self.draw_item(pg.PlotCurveItem(*points, pen=pen, connect="pairs" if pairs else "all"))

    def markers(self, x: Places, y: Places, index: int, size: float = 8, *, hollow: bool = False) -> Any:
        """Draw the shapes of a series at points; `size` in pixels."""
        return self.draw_item(add_markers(self.look, x, y, index, size, hollow=hollow))

    def bars(self, areas: Sequence[QRectF], fills: Sequence[QColor], edge: QColor | None = None) -> Any:
        """Draw filled rectangles."""
        pen = QPen(edge or Qt.PenStyle.NoPen)
        pen.setCosmetic(True)
        return self.draw_item(
            pg.BarGraphItem(
                x0=[area.left() for area in areas],
                x1=[area.right() for area in areas],
                y0=[area.top() for area in areas],
                y1=[area.bottom() for area in areas],
                brushes=[QBrush(fill) for fill in fills],
                pen=pen,
            )
        )

    def text(
        self,
        words: str,
        x: float,
        y: float,
        *,
        colour: str | QColor = "text",
        pixels: int = SMALL_PX,
        bold: bool = False,
        anchor: tuple[float, float] = (0, 0.5),
        wide: float = 0,
    ) -> float:
        """Write words at a point, cut where they are wider than `wide` pixels.

        Args:
            anchor: the point of the words that is placed there, as shares of their width and height.

        Returns:
            Their width in pixels.
        """
        font = ui_font(pixels, bold=bold)
        metrics = QFontMetrics(font)
        if wide:
            words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(wide))
        ink = self.look.colour(colour) if isinstance(colour, str) else colour
        item = pg.TextItem(spoken(words), color=ink, anchor=anchor)
        item.textItem.document().setDocumentMargin(0)
        item.setFont(font)
        item.setPos(x, y)
        item.setZValue(5)
        self.draw_item(item)
        return float(metrics.horizontalAdvance(words))

    def show_legend(self, least: int = 2) -> None:
        """Name the series in the plot's upper corner, where there are at least so many.

        A low plot has no room for it: those of a panel share their colours with the high one, and its chips.
        """
        if self._key is not None:
            self.scene().removeItem(self._key)
            self._key = None
        hidden = self.named_outside or self.plot_area.height() < _LEGEND_LEAST_PX
        if len(self.legend) < least or (least > 1 and hidden):
            return
        metrics = QFontMetrics(ui_font(TINY_PX))
        widest = _SAMPLE_PX + max(metrics.horizontalAdvance(name) for _, name in self.legend)
        columns = max(1, min(len(self.legend), int(self.plot_area.width() / widest)))
        self._key = pg.LegendItem(
            offset=(GAP, 1),
            colCount=columns,
            brush=self.look.colour(self._ground, 120),
            labelTextColor=self.look.colour("dim"),
            labelTextSize=f"{TINY_PX}px",
        )
        self._key.setParentItem(self.box)
        for item, name in self.legend:
            self._key.addItem(item, name)

    # ---- places

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the widget's pixel at a point."""
        return QPointF(self.mapFromScene(self.box.mapViewToScene(QPointF(x, y))))

    def place(self, pixel: QPointF) -> QPointF:
        """Return the point at a pixel of the widget."""
        return QPointF(self.box.mapSceneToView(self.mapToScene(pixel.toPoint())))

    @property
    def plot_area(self) -> QRectF:
        """Return the pixels inside the axes."""
        return QRectF(self.box.sceneBoundingRect())

    # ---- the read-out

    def show_reading(self, place: QPointF, head: str, rows: Sequence[Reading]) -> None:
        """Show values in a box beside a pixel of the widget, above everything else in the window."""
        window = self.window()
        if self._reading is None or self._reading.parentWidget() is not window:
            self.hide_reading()
            self._reading = ReadOut(self.look, window)
        where = self.mapTo(window, QPoint(round(place.x()), round(place.y())))
        self._reading.show_at(where, head, rows)
        self._reading.setVisible(self.isVisible())
        self.setAccessibleDescription(self._reading.words)

    def hide_reading(self) -> None:
        """Take the box away."""
        if self._reading is not None:
            self._reading.hide()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.hide_reading()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
        else:
            event.ignore()

    # ---- export

    def save(self, path: Path) -> None:
        """Write the picture (.png, .svg) or its numbers (.csv) into a file.

        Raises:
            OSError: the file cannot be written.
        """
        if path.suffix == ".csv":
            path.write_text(self.csv() if self.csv is not None else "", encoding="utf-8")
            return
        path.write_bytes(b"")  # pyqtgraph reports no error where it cannot write a picture
        self._set_title(self.accessibleName())
        self.show_legend(1)
        try:
            exporter = SvgExporter(self._inside)
            if path.suffix != ".svg":
                exporter = ImageExporter(self._inside)
                exporter.parameters()["width"] = _EXPORT_SCALE * self.width()
            exporter.export(str(path))
        finally:
            self._set_title("")
            self.show_legend()

    def copy_picture(self) -> None:
        """Put the picture on the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.grab())

    def _add_actions(self) -> None:
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for suffix in ("png", "svg", "csv"):
            action = QAction(f"Save as {suffix.upper()}…", self)
            action.triggered.connect(lambda _=False, suffix=suffix: self._ask_and_save(suffix))
            self.addAction(action)
        copy = QAction("Copy picture", self)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_picture)
        self.addAction(copy)

    def _ask_and_save(self, suffix: str) -> None:
        name = self.accessibleName().lower().replace(" ", "-")
        chosen, _ = QFileDialog.getSaveFileName(self, "Save chart", f"{name}.{suffix}", f"*.{suffix}")
        if chosen:
            self.save(Path(chosen).with_suffix(f".{suffix}"))

    # ---- the theme

    def _dress(self) -> None:
        """Take the theme's colours; the subclass redraws the rest."""
        self.setBackground(self.look.colour(self._ground))
        for axis in self.axes.values():
            axis.setZValue(-1000)  # its grid is drawn under the curves
            axis.setPen(QPen(Qt.PenStyle.NoPen))
            axis.setTickPen(QPen(self.look.colour("line")))
            axis.setTextPen(self.look.colour("faint"))
            axis.setTickFont(ui_font(TINY_PX))
            axis.setStyle(tickLength=0, maxTickLevel=0, tickTextOffset=6)
        self.redraw()

    def redraw(self) -> None:
        """Draw everything again; subclasses implement it."""


class SvgExporter(Exporter):  # type: ignore[misc]
    """Writes a plot as SVG by Qt: pyqtgraph's own exporter fails on closed paths."""

    def export(self, path: str) -> None:
        view = self.item.scene().parent()
        generator = QSvgGenerator()
        generator.setFileName(path)
        generator.setSize(view.size())
        generator.setViewBox(view.rect())
        generator.setTitle(view.accessibleName())
        painter = QPainter(generator)
        self.setExportMode(True, {"antialias": True, "background": None, "painter": painter})
        try:
            view.render(painter)
        finally:
            self.setExportMode(False)
            painter.end()
