"""Compares two versions: scores on held-out seeds, and differences in reward, rules and recipe."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.panes import plain_tabs
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import PAD, WIDE, Look
from pitwall.core.quantities import number, points_text
from pitwall.gsm.version_record import Score
from pitwall_evaluation.console.code_editor.diff import changed
from pitwall_evaluation.console.code_editor.editor import DiffView
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.console.format import (
    NO_SCORE,
    PLACES,
    ScorePlace,
    origin,
    rules_text,
    score_sentence,
    score_words,
    version_title,
)
from pitwall_lab.console.training.recipe import differences
from pitwall_lab.console.view_model import ModuleViewModel, VersionViewModel

_SIZE = (760, 560)


class CompareDialog(QDialog):
    """Compares two versions, the older at the left; both can be changed.

    Args:
        module: whose versions are compared. first, second: versions to begin with.
    """

    def __init__(
        self, look: Look, module: ModuleViewModel, first: str, second: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Compare versions of {module.title}")
        self.setAccessibleName(self.windowTitle())
        self._module = module
        versions = [(version.name, version_title(version.about)) for version in module.versions]
        self.first = Combo("The version to compare with", versions)
        self.second = Combo("The other version", versions)
        for box, name in ((self.first, first), (self.second, second)):
            box.choose(name)
            box.chosen.connect(self._compare)
        self._verdict = Label("", wrap=True)
        self.scores = _table(look, "Scores on held-out seeds")
        self.recipe = _table(look, "Differences in the recipe")
        self.reward = DiffView(look, "Differences in the reward function")
        self.rules = DiffView(look, "Differences in the rules", python=False)
        self.tabs = plain_tabs(self.windowTitle())
        for widget, title in (
            (self.scores, "Scores"),
            (self.reward, "Reward"),
            (self.rules, "Rules"),
            (self.recipe, "Recipe"),
        ):
            self.tabs.addTab(widget, title)
        heads = row(self.second, Label("against", "dim"), self.first, None)
        close = row(None, Button("Close", self.accept))
        self.setLayout(column(heads, self._verdict, self.tabs, close, gap=PAD, stretch=2, margins=WIDE))
        self.resize(*_SIZE)
        self._compare()

    @property
    def verdict(self) -> str:
        """Return the comparison in a sentence."""
        return self._verdict.full_text()

    def _compare(self, *_: object) -> None:
        old, new = self._module.version(self.first.current), self._module.version(self.second.current)
        if old is None or new is None:
            return
        for box, version in ((self.first, old), (self.second, new)):
            box.setToolTip(origin(version.about))
        self._fill_scores(old, new)
        self.reward.show_diff(old.source, new.source)
        self.rules.show_diff(rules_text(old.about.rules), rules_text(new.about.rules))
        before, after = old.about.recipe, new.about.recipe
        rows = differences(before, after) if before is not None and after is not None else []
        self.recipe.show_rows(rows, _columns("Value", old.name, new.name))
        for at, some in (
            (1, any(changed(self.reward.lines))),
            (2, any(changed(self.rules.lines))),
            (3, bool(rows)),
        ):
            self.tabs.setTabVisible(at, some)

    def _fill_scores(self, old: VersionViewModel, new: VersionViewModel) -> None:
        rows: list[tuple[str, ...]] = []
        verdicts: list[str] = []
        trials = [trial.name for trial in self._module.declared.trials]
        trials += sorted({score.trial for score in (*old.about.scores, *new.about.scores)} - set(trials))
        wheres: tuple[ScorePlace, ...] = ("screen", "twin")
        for trial in trials:
            for where in wheres:
                a, b = old.about.score(where, trial), new.about.score(where, trial)
                if a is None and b is None:
                    continue
                tip = "\n".join(score_sentence(score) for score in (a, b) if score is not None)
                cells = (score_words(a), score_words(b), _difference(a, b), tip)
                rows.append((f"{trial} {PLACES[where]}", *cells))
                if a is not None and b is not None and not verdicts:
                    verdicts.append(self._judge(new.name, old.name, a, b, trial))
        self.scores.show_rows(rows, _columns("Trial", old.name, new.name, "Difference"))
        self._verdict.set_text(verdicts[0] if verdicts else f"No trial was run with both: {NO_SCORE}.")

    def _judge(self, new: str, old: str, a: Score, b: Score, trial: str) -> str:
        declared = next(
            (candidate for candidate in self._module.declared.trials if candidate.name == trial), None
        )
        higher = declared.higher if declared is not None else True
        low, high = _interval(a, b)
        difference = (
            f"difference {_signed(low)} … {_signed(high)} {a.unit}".rstrip() + f", {PLACES[a.where]} (95 %)"
        )
        if low <= 0 <= high:
            return f"{new} and {old} cannot be told apart: {difference}."
        how = "better" if (low > 0) == higher else "worse"
        return f"{new} is {how} than {old}: {difference}."


def _interval(a: Score, b: Score) -> tuple[float, float]:
    """Calculate the 95 % interval of b − a: run by run on the same seeds, else from both intervals."""
    if a.first_seed == b.first_seed and len(a.values) == len(b.values) > 1:
        return mean_interval([y - x for x, y in zip(a.values, b.values, strict=True)])
    return b.low - a.high, b.high - a.low


def _signed(value: float) -> str:
    return f"{'+' if value >= 0 else '−'}{number(abs(value))}"


def _difference(a: Score | None, b: Score | None) -> str:
    if a is None or b is None:
        return "–"
    if not a.unit:
        return f"{points_text(b.win_rate - a.win_rate)} % of runs"
    change = b.mean - a.mean
    return f"{_signed(change)} {a.unit}"


def _table(look: Look, name: str) -> Table[Sequence[str]]:
    return Table(look, TableModel((), key=lambda cells: cells[0]), name)


def _columns(*titles: str) -> list[Column[Sequence[str]]]:
    """Return columns for rows of cells; an additional last cell is the tip of the whole row."""

    def described(at: int, title: str) -> Column[Sequence[str]]:
        def tip(cells: Sequence[str]) -> str:
            return cells[-1] if len(cells) > len(titles) else cells[at]

        return Column(title, lambda cells: cells[at], cell_tip=tip, width=120, stretch=1)

    return [described(at, title) for at, title in enumerate(titles)]
