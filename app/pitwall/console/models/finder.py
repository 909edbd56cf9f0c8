"""Finds a model by words, as they are typed: installed, well-known, files on this disk, local endpoints."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import EmptyState, Label, PrimaryButton, column, row
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size, counted
from pitwall.core.settings import load_settings
from pitwall.models.free_memory import free_memory
from pitwall.models.registry import ModelRegistry
from pitwall.models.search import ModelMatch, matching, searchable
from pitwall.models.suggestions import suggestions

_WORDS = {"fits": ("✓ fits", "ok"), "slow": ("○ too slow", "dim"), "too big": ("✗ too big", "stop")}
_SOURCES = {"installed": "✓ installed", "file": "on this disk", "endpoint": "served here"}
_USES = {
    "installed": "Installed",
    "known": "Download",
    "file": "Look at this file",
    "endpoint": "Add this endpoint…",
}
_HEIGHT, _ROW_HEIGHT = 300, 42


def _here(match: ModelMatch) -> tuple[str, str]:
    suggestion = match.suggestion
    if suggestion is None:
        return _SOURCES[match.source], "ok" if match.source == "installed" else "text"
    near = suggestion.verdict == "slow" and not suggestion.too_slow
    return ("○ slow", "dim") if near else _WORDS[suggestion.verdict]


def _below(match: ModelMatch) -> str:
    if match.suggestion is None:
        return ""
    return f"≈ {match.suggestion.seconds} s a decision" if match.suggestion.seconds else "speed not known"


def _tip(match: ModelMatch) -> str:
    suggestion = match.suggestion
    if suggestion is None:
        return "\n".join((match.about, match.where))
    model = suggestion.model
    tried = f"Tried with Pitwall: {model.tried}" if model.tried else "Not tried with Pitwall yet."
    return "\n".join(filter(None, (model.what, suggestion.lacks, suggestion.expected, tried, model.page)))


def _file_words(match: ModelMatch) -> str:
    if match.suggestion is None:
        return ""
    model = match.suggestion.model
    return f"{model.quantisation}{' · sees' if model.projector else ''}"


_COLUMNS: tuple[Column[ModelMatch], ...] = (
    Column(
        "Model",
        lambda match: match.name,
        lower=lambda match: (match.about, "dim"),
        cell_tip=_tip,
        bold=True,
        width=240,
        stretch=1,
    ),
    Column(
        "File",
        lambda match: byte_size(match.size_bytes) if match.size_bytes else "",
        lower=lambda match: (_file_words(match), "dim"),
        width=92,
    ),
    Column(
        "Licence",
        lambda match: match.suggestion.model.licence if match.suggestion is not None else "",
        width=86,
    ),
    Column(
        "Here",
        lambda match: _here(match)[0],
        lower=lambda match: (_below(match), "dim"),
        tone=lambda match: _here(match)[1],
        cell_tip=_tip,
        width=132,
    ),
)


class ModelFinder(QWidget):
    """A search field over the table of models, and a note on the chosen row.

    Args:
        aside: the page's reading thread.

    Signals:
        chosen(match): a row was chosen. used(match): the chosen model is wanted.
    """

    chosen = Signal(object)
    used = Signal(object)

    def __init__(self, data: DataFolder, look: Look, aside: BackgroundWorker) -> None:
        super().__init__()
        self._data, self._aside = data, aside
        self._models: list[ModelMatch] = []
        self.search = SearchField("Find a model: a name, maker, licence, “sees”", "Find a model")
        self.search.textChanged.connect(lambda _: self._fill())
        model = TableModel(_COLUMNS, key=lambda match: (match.source, match.name, match.where))
        does = "Arrow keys choose a model; Enter uses it"
        self.table = Table(look, model, "Models to choose from", does, row_height=_ROW_HEIGHT, sortable=False)
        self.table.setMinimumHeight(_HEIGHT)
        self._empty = EmptyState("Looking for models …", "")
        self.table.set_empty(self._empty)
        self.note = Label("", "note", wrap=True)
        self.go = PrimaryButton(_USES["known"], self._use, name="Use the chosen model")
        self.go.setEnabled(False)
        self.table.chosen.connect(self._show)
        self.table.opened.connect(lambda _: self._use())
        parts = (self.search, self.table, self.note, row(self.go, None))
        self.setLayout(column(*parts, gap=GAP, stretch=1, margins=(0, PAD, 0, 0)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.search.setFocus()
        self._aside.ask(self._read, self._take, self._refuse)

    def _read(self) -> list[ModelMatch]:
        deadline_ms = load_settings(self._data.settings).models.strategic_deadline_ms
        entries = ModelRegistry(self._data).all()
        proposed = suggestions(entries, free_memory(), deadline_ms=deadline_ms)
        return searchable(self._data, entries, proposed)

    def _refuse(self, error: PitwallError) -> None:
        self.note.set_text(error_sentence(error))

    def _take(self, models: list[ModelMatch]) -> None:
        self._models = models
        self._empty.say(
            "No model holds these words", "Fewer words may find one. A hub's file is added by its address."
        )
        self._fill()

    def _fill(self) -> None:
        matches = matching(self._models, self.search.text())
        self.table.show_rows(matches)
        if self._models and self.table.current is None:
            self.note.set_text(f"{counted(len(matches), 'model')}. Choose one to see how it would run here.")
        self._show(self.table.current)

    def _show(self, match: ModelMatch | None) -> None:
        self.go.setEnabled(match is not None and match.source != "installed")
        if match is None:
            return
        self.go.setText(_USES[match.source])
        self.note.set_text(" ".join(_tip(match).splitlines()))
        self.chosen.emit(match)

    def _use(self) -> None:
        if self.table.current is not None and self.go.isEnabled():
            self.used.emit(self.table.current)
