"""Two versions side by side: their scores on held-out seeds, what differs in reward, rules and recipe."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QWidget,
)

from pitwall.console.kit.code_editor.diff import changed
from pitwall.console.kit.code_editor.editor import DiffView
from pitwall.console.kit.elements import Button, Label, column, plain_tip, row
from pitwall.console.kit.theme import GAP, PAD, WIDE, Look
from pitwall.console.lab.format import (
    NO_SCORE,
    PLACES,
    ScorePlace,
    number,
    origin,
    rules_text,
    score_sentence,
    score_words,
    version_title,
)
from pitwall.console.lab.training.recipe import differences
from pitwall.console.lab.view_model import ModuleViewModel, VersionViewModel
from pitwall.core.confidence_intervals import bootstrap_mean
from pitwall.gsm.version_record import Score

_SIZE = (760, 560)


class CompareDialog(QDialog):
    """The older at the left; both can be changed.

    Args:
        module: whose versions. first, second: names to begin with.
    """

    def __init__(
        self, look: Look, module: ModuleViewModel, first: str, second: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Compare versions of {module.title}")
        self.setAccessibleName(self.windowTitle())
        self._module = module
        self.first, self.second = (
            self._combo(first, "The one to compare with"),
            self._combo(second, "The other one"),
        )
        self._verdict = Label("", wrap=True)
        self.scores = _table(("Trial", "", "", "Difference"), "Scores on held-out seeds")
        self.recipe = _table(("Value", "", ""), "What differs in the recipe")
        self.reward = DiffView(look, "What differs in the reward function")
        self.rules = DiffView(look, "What differs in the rules", python=False)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        for widget, title in (
            (self.scores, "Scores"),
            (self.reward, "Reward"),
            (self.rules, "Rules"),
            (self.recipe, "Recipe"),
        ):
            self.tabs.addTab(widget, title)
        against = Label("against", "dim")
        heads = row(self.second, against, self.first, None, gap=GAP)
        layout = column(gap=PAD)
        layout.addLayout(heads)
        layout.addWidget(self._verdict)
        layout.addWidget(self.tabs, 1)
        layout.addLayout(row(None, Button("Close", self.accept)))
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)
        self.resize(*_SIZE)
        self._compare()

    @property
    def verdict(self) -> str:
        """The comparison in a sentence."""
        return self._verdict.full_text()

    def _combo(self, name: str, title: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(title)
        for one in self._module.versions:
            box.addItem(version_title(one.about), one.name)
        box.setCurrentIndex(max(0, box.findData(name)))
        box.currentIndexChanged.connect(self._compare)
        return box

    def _compare(self, *_: object) -> None:
        old = self._module.version(self.first.currentData())
        new = self._module.version(self.second.currentData())
        if old is None or new is None:
            return
        for box, one in ((self.first, old), (self.second, new)):
            box.setToolTip(origin(one.about))
        self._fill_scores(old, new)
        self.reward.show_diff(old.source, new.source)
        self.rules.show_diff(rules_text(old.about.rules), rules_text(new.about.rules))
        rows = (
            differences(old.about.recipe, new.about.recipe)
            if old.about.recipe is not None and new.about.recipe is not None
            else []
        )
        _fill(self.recipe, ("Value", old.name, new.name), rows)
        for at, some in ((1, changed(self.reward.lines)), (2, changed(self.rules.lines))):
            self.tabs.setTabVisible(at, any(some))
        self.tabs.setTabVisible(3, bool(rows))

    def _fill_scores(self, old: VersionViewModel, new: VersionViewModel) -> None:
        rows: list[tuple[str, ...]] = []
        verdicts: list[str] = []
        trials = [trial.name for trial in self._module.declared.trials]
        trials += sorted({one.trial for one in (*old.about.scores, *new.about.scores)} - set(trials))
        wheres: tuple[ScorePlace, ...] = ("screen", "twin")
        for trial in trials:
            for where in wheres:
                a, b = old.score(where, trial), new.score(where, trial)
                if a is None and b is None:
                    continue
                rows.append((f"{trial} {PLACES[where]}", score_words(a), score_words(b), _difference(a, b)))
                if a is not None and b is not None and not verdicts:
                    verdicts.append(self._judge(new.name, old.name, a, b, trial))
        _fill(self.scores, ("Trial", old.name, new.name, "Difference"), rows)
        self._verdict.set_text(verdicts[0] if verdicts else f"No trial was run with both: {NO_SCORE}.")
        tips = [score_sentence(one) for side in (old, new) for one in side.about.scores]
        self.scores.setToolTip(plain_tip("\n".join(tips)))

    def _judge(self, new: str, old: str, a: Score, b: Score, trial: str) -> str:
        declared = next((one for one in self._module.declared.trials if one.name == trial), None)
        higher = declared.higher if declared is not None else True
        low, high = _interval(a, b)
        said = (
            f"difference {_signed(low)} … {_signed(high)} {a.unit}".rstrip() + f", {PLACES[a.where]} (95 %)"
        )
        if low <= 0 <= high:
            return f"{new} and {old} cannot be told apart: {said}."
        how = "better" if (low > 0) == higher else "worse"
        return f"{new} is {how} than {old}: {said}."


def _interval(a: Score, b: Score) -> tuple[float, float]:
    """What b has more than a, 95 %: run by run on the same seeds, else from both intervals apart."""
    if a.first_seed == b.first_seed and len(a.values) == len(b.values) > 1:
        return bootstrap_mean([y - x for x, y in zip(a.values, b.values, strict=True)])
    return b.low - a.high, b.high - a.low


def _signed(value: float) -> str:
    return f"{'+' if value >= 0 else '−'}{number(abs(value))}"


def _difference(a: Score | None, b: Score | None) -> str:
    if a is None or b is None:
        return "–"
    if not a.unit:
        return f"{100 * (b.win_rate - a.win_rate):+.0f} % of runs"
    change = b.mean - a.mean
    return f"{_signed(change)} {a.unit}"


def _table(titles: tuple[str, ...], name: str) -> QTableWidget:
    table = QTableWidget(0, len(titles))
    table.setAccessibleName(name)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    head = table.horizontalHeader()
    head.setHighlightSections(False)
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    head.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    return table


def _fill(
    table: QTableWidget, titles: tuple[str, ...], rows: list[tuple[str, ...]] | list[tuple[str, str, str]]
) -> None:
    table.setHorizontalHeaderLabels(list(titles))
    table.setRowCount(len(rows))
    for at, cells in enumerate(rows):
        for place, text in enumerate(cells):
            table.setItem(at, place, QTableWidgetItem(text))
