"""Lists well-known open models for this machine: which fit, how fast they will be, their licences."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Label, column
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size
from pitwall.core.settings import load_settings
from pitwall.models.free_memory import free_memory
from pitwall.models.registry import ModelRegistry
from pitwall.models.suggestions import Suggestion, suggestions

_WORDS = {"fits": ("✓ fits", "ok"), "slow": ("○ too slow", "dim"), "too big": ("✗ too big", "stop")}
_SLOW = "○ slow"
_HEIGHT, _ROW_HEIGHT = 264, 42


def _here(suggestion: Suggestion) -> str:
    if suggestion.installed:
        return "✓ installed"
    return (
        _SLOW if suggestion.verdict == "slow" and not suggestion.too_slow else _WORDS[suggestion.verdict][0]
    )


def _tip(suggestion: Suggestion) -> str:
    tried = (
        f"Tried with Pitwall: {suggestion.model.tried}"
        if suggestion.model.tried
        else "Not tried with Pitwall yet."
    )
    return "\n".join(
        filter(
            None, (suggestion.model.what, suggestion.lacks, suggestion.expected, tried, suggestion.model.page)
        )
    )


_COLUMNS: tuple[Column[Suggestion], ...] = (
    Column(
        "Model",
        lambda row: row.model.name,
        lower=lambda row: (row.model.what, "dim"),
        cell_tip=_tip,
        bold=True,
        width=240,
        stretch=1,
    ),
    Column(
        "File",
        lambda row: byte_size(row.model.size_bytes + row.model.projector_bytes),
        lower=lambda row: (f"{row.model.quantisation}{' · sees' if row.model.projector else ''}", "dim"),
        width=92,
    ),
    Column("Licence", lambda row: row.model.licence, width=86),
    Column(
        "Here",
        _here,
        lower=lambda row: (f"≈ {row.seconds} s a decision" if row.seconds else "speed not known", "dim"),
        tone=lambda row: _WORDS[row.verdict][1],
        cell_tip=lambda row: row.lacks or row.expected,
        width=132,
    ),
)


class KnownModels(QWidget):
    """The table of well-known models, and a note on the chosen row.

    Args:
        aside: the page's reading thread.

    Signals:
        chosen(suggestion): a row was chosen.
    """

    chosen = Signal(object)

    def __init__(self, data: DataFolder, look: Look, aside: BackgroundWorker) -> None:
        super().__init__()
        self._data, self._aside = data, aside
        model = TableModel(_COLUMNS, key=lambda row: row.model.name)
        does = "Arrow keys choose a model; its address is filled in below"
        self.table = Table(look, model, "Known models", does, row_height=_ROW_HEIGHT, sortable=False)
        self.table.setFixedHeight(_HEIGHT)
        self.note = Label("Checking known open models against this machine …", "note", wrap=True)
        self.table.chosen.connect(self._show)
        self.setLayout(column(self.table, self.note, gap=GAP))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._aside.ask(self._read, self._take, lambda error: self.note.set_text(error_sentence(error)))

    def _read(self) -> list[Suggestion]:
        deadline_ms = load_settings(self._data.settings).models.strategic_deadline_ms
        return suggestions(ModelRegistry(self._data).all(), free_memory(), deadline_ms=deadline_ms)

    def _take(self, rows: list[Suggestion]) -> None:
        self.note.set_text("Choose a model: its publisher's address is filled in below. Or type another one.")
        self.table.show_rows(rows)

    def _show(self, suggestion: Suggestion | None) -> None:
        if suggestion is not None:
            self.note.set_text(" ".join(_tip(suggestion).splitlines()))
            self.chosen.emit(suggestion)
