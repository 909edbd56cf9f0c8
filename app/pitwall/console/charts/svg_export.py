"""Exports a plot as SVG, written by Qt."""

from __future__ import annotations

from pyqtgraph.exporters import Exporter
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator


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
