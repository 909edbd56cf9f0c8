"""The columns of the models' table: two lines a row, with the needed memory as a bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter

from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import TEXT_PX, Look
from pitwall.console.models.memory_bar import paint_share
from pitwall.console.models.view_model import ModelViewModel

_ROW_HEIGHT = 50
_BAR_PX = 6
_Two = tuple[str, str]


def _column(
    title: str,
    width: int,
    lines: Callable[[ModelViewModel], _Two],
    tones: Callable[[ModelViewModel], _Two] = lambda _: ("text", "dim"),
    **more: Any,
) -> Column[ModelViewModel]:
    """Return a column of two lines, each with its tone."""
    column: Column[ModelViewModel] = Column(
        title,
        lambda model: lines(model)[0],
        lower=lambda model: (lines(model)[1], tones(model)[1]),
        tone=lambda model: tones(model)[0],
        cell_tip=lambda model: model.note or "\n".join(filter(None, lines(model))),
        width=width,
        px=TEXT_PX,
    )
    return replace(column, **more)


def _bar(painter: QPainter, room: QRect, model: ModelViewModel, look: Look) -> QRect:
    """Draw its need of the tightest memory into the lower half."""
    if model.tightest is not None:
        area = QRectF(room.left(), room.center().y() + 6, room.width(), _BAR_PX)
        paint_share(painter, area, look, model.tightest)
    return room


COLUMNS = (
    _column("Model", 160, lambda model: (model.name, model.kind_words), bold=True, stretch=1),
    _column("Parameters, file", 124, lambda model: model.size_lines),
    _column("Context", 92, lambda model: model.context_lines, least_room=770),
    _column(
        "Memory it needs",
        176,
        lambda model: (model.memory_words, ""),
        lambda model: ("stop" if model.short else "text", "dim"),
        cell_tip=lambda model: model.memory_sentence,
        spoken=lambda model: f"Memory it needs: {model.memory_sentence}",
        draw=_bar,
    ),
    _column(
        "Speed here",
        102,
        lambda model: model.speed_lines,
        lambda model: ("text" if model.entry.measured else "dim", "dim"),
    ),
    _column("Used for", 104, lambda model: model.tier_lines, lambda _: ("text", "text"), least_room=880),
    _column("State", 108, lambda model: model.state_lines, lambda model: model.state_tones),
)


def models_table(look: Look) -> Table[ModelViewModel]:
    """Return the table; a model is always chosen where there is one."""
    model = TableModel(COLUMNS, key=lambda model: model.name)
    does = "Arrow keys choose a model; its details stand beside the table"
    return Table(look, model, "Models", does, row_height=_ROW_HEIGHT, sortable=False, first=True)
