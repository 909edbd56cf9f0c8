"""Filters the table of questions by ability, score, answerability and words."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import SearchField, Toggle
from pitwall.console.kit.elements import Label, column, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.theme import STEP
from pitwall.core.quantities import counted
from pitwall_exam.console.format import TITLES
from pitwall_exam.console.questions.rows import QuestionSelection
from pitwall_exam.marking.comparison import Correctness
from pitwall_exam.questions.abilities import Ability

_ABILITIES = ((None, "every ability"), *TITLES.items())
_RIGHT: tuple[tuple[Correctness, str], ...] = (
    ("all", "right and wrong"),
    ("right", "✓ right"),
    ("partly", "≈ partly right"),
    ("wrong", "✗ wrong"),
    ("unanswered", "not answered"),
)
_ANSWERABLE = ((None, "answerable and not"), (True, "answerable"), (False, "not answerable"))


class QuestionFilter(QWidget):
    """The controls that filter an exam's questions; `wanted` is the chosen filter.

    Signals:
        narrowed(): the operator changed the filter.
    """

    narrowed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.search = SearchField(
            "Search   Ctrl+F", "Search questions by their words, answers, truths and templates"
        )
        self.search.setMinimumWidth(150)
        self.search.searched.connect(lambda _: self.narrowed.emit())
        self.ability = Combo("Ability", _ABILITIES, compact=True)
        self.right = Combo("Right or wrong", _RIGHT, compact=True)
        self.answerable = Combo("Answerable or not", _ANSWERABLE, compact=True)
        self.differs = Toggle("Differs", "Only questions where the two answerers score differently")
        self._count = Label("", "note")
        for box in (self.ability, self.right, self.answerable):
            box.chosen.connect(lambda *_: self.narrowed.emit())
        self.differs.toggled.connect(lambda *_: self.narrowed.emit())
        tools = Flow(STEP)
        for widget in (self.ability, self.right, self.answerable, self.differs):
            tools.flow.addWidget(widget)
        self.setLayout(column(row(self.search, self._count, stretch=0), tools, gap=STEP))

    @property
    def wanted(self) -> QuestionSelection:
        return QuestionSelection(
            ability=self.ability.current,
            right=self.right.current,
            answerable=self.answerable.current,
            words=self.search.text().strip(),
            differs=self.differs.isChecked() and not self.differs.isHidden(),
        )

    def show_count(self, shown: int, of: int) -> None:
        self._count.set_text(counted(of, "question") if shown == of else f"{shown:,} of {of:,}")

    def offer(self, *, answered: bool, compared: bool) -> None:
        """Show the filters that apply: by score if there are answers, by difference if two are compared."""
        self.right.setVisible(answered)
        self.differs.setVisible(compared)

    def show_ability(self, ability: str) -> None:
        """Show only one ability; empty: all of them. Other filters stay."""
        self.ability.setCurrentIndex([each.value for each in Ability].index(ability) + 1 if ability else 0)

    def clear(self) -> None:
        self.ability.choose(None)
        self.right.choose("all")
        self.answerable.choose(None)
        with QSignalBlocker(self.differs), QSignalBlocker(self.search):
            self.differs.setChecked(False)
            self.search.clear()
        self.narrowed.emit()
