"""The analysis of a training as sentences, bars and figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import (
    Button,
    Card,
    EmptyState,
    KeyValue,
    Label,
    SectionTitle,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.panes import scrolled, stacked
from pitwall.console.kit.theme import STEP, Look
from pitwall.core.quantities import number, share
from pitwall_lab.console.charts import analysis_figures as figures
from pitwall_lab.console.charts.bars import Bar, ShareBars
from pitwall_lab.console.charts.controls import Tiles

_TWO = 640
_EMPTY = (
    "Not analysed yet",
    "Findings about a training appear here: its course, its actions, parts of the reward, states.",
)


class AnalysisView(QWidget):
    """Shows the answer of `pitwall gsm analyse … --json`.

    Args:
        action: a button for the empty state; None: no button.
    """

    def __init__(self, look: Look, action: QWidget | None = None) -> None:
        super().__init__()
        self._look = look
        self._analysis: Mapping[str, Any] = {}
        self.empty = EmptyState(*_EMPTY, action)
        self._title = Label("", "strong")
        self._copy = Button("Copy as text", self.copy, kind="toggle", tip="All of it in words")
        self._says = Card()
        self._tiles = Tiles(_TWO)
        self._cards: list[Card] = []
        page = column(row(self._title, None, self._copy), self._says, self._tiles, None)
        self._stack = stacked(self.empty, scrolled(holder(page), "Analysis"))
        self.setLayout(column(self._stack))
        self.setAccessibleName("Analysis")

    def show_analysis(self, analysis: Mapping[str, Any] | None) -> None:
        """Show an analysis; None or an empty one shows the empty state."""
        self._analysis = analysis or {}
        self._title.set_text(figures.headline(self._analysis))
        self._show_sentences(figures.texts_of(self._analysis, "sentences"))
        for card in self._cards:
            card.hide()
            card.deleteLater()
        self._cards = self._made()
        self._tiles.show_tiles(self._cards)
        self._stack.setCurrentIndex(1 if self._analysis else 0)

    def copy(self) -> None:
        """Copy the whole analysis as text."""
        text = figures.text_of(self._analysis, "text")
        sentences = "\n".join(figures.texts_of(self._analysis, "sentences"))
        QGuiApplication.clipboard().setText(text or sentences)

    # ---- inside

    def _show_sentences(self, sentences: Sequence[str]) -> None:
        clear_layout(self._says.body)
        self._says.body.addWidget(SectionTitle("What it shows"))
        for at, sentence in enumerate(sentences or ["Nothing stands out."]):
            self._says.body.addWidget(Label(sentence, "strong" if at == 0 and sentences else "", wrap=True))

    def _made(self) -> list[Card]:
        analysis = self._analysis
        play = figures.part_of(analysis, "play")
        states = figures.trend_rows(figures.parts_of(analysis, "states"))
        made = [
            _figures("Held-out seeds", "evaluations while it trained", figures.stability_rows(analysis)),
            _figures("Compared with its parent", "held-out score", figures.comparison_rows(analysis)),
            _figures("Episode return", "over the training", figures.curve_rows(analysis)),
            self._bars(
                "Action use", "bar: last tenth of the training · mark: first tenth", _actions(analysis)
            ),
            self._bars("Parts of the reward", "share of all parts · first → last", _rewards(analysis)),
            _figures("State trends", "mean of the first tenth → of the last", states),
            _figures("In play", "executed on the twin", figures.play_rows(analysis)),
            self._bars("Actions in play", "bar: late · mark: early", _actions(play)),
            _figures(
                "States in play",
                "start of an episode → its end",
                figures.trend_rows(figures.parts_of(play, "states")),
            ),
            _figures("Before it lost", "means of the last second", _before(play)),
        ]
        return [card for card in made if card is not None]

    def _bars(self, title: str, note: str, bars: Sequence[Bar]) -> Card | None:
        if not bars:
            return None
        shown = ShareBars(self._look, title)
        shown.show_bars(bars)
        return Card(SectionTitle(title, note), shown, None)


def _figures(title: str, note: str, rows: figures.Rows) -> Card | None:
    rows = [(name, value) for name, value in rows if value]
    if not rows:
        return None
    lines = (KeyValue(name, value) for name, value in rows)
    return Card(SectionTitle(title, note), *lines, None, gap=STEP + 2)


def _actions(analysis: figures.Figures) -> list[Bar]:
    bars = []
    for action in figures.parts_of(analysis, "actions"):
        first, last = figures.value_of(action, "first"), figures.value_of(action, "last")
        if math.isfinite(last):
            name = figures.text_of(action, "action") or "nothing new"
            note = f"{share(first)} at first" if math.isfinite(first) else ""
            bars.append(Bar(name, last, first, note))
    return bars


def _rewards(analysis: figures.Figures) -> list[Bar]:
    bars = []
    for part in figures.parts_of(analysis, "rewards"):
        weight = figures.value_of(part, "weight")
        if math.isfinite(weight):
            ends = " → ".join(number(figures.value_of(part, end)) for end in ("first", "last"))
            bars.append(Bar(figures.text_of(part, "name"), weight, note=ends))
    return bars


def _before(play: figures.Figures) -> figures.Rows:
    before = figures.part_of(play, "before_end")
    return [(name, number(figures.value_of(before, name))) for name in before]
