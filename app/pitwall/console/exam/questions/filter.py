"""What narrows the table of questions: ability, right or wrong, answerable or not, words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from pitwall.console.exam.format import TITLES
from pitwall.console.exam.questions.rows import QuestionSelection
from pitwall.console.kit.choice import Toggle
from pitwall.console.kit.elements import Label, column, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.format import counted
from pitwall.console.kit.search_field import SearchField
from pitwall.console.kit.theme import GAP, STEP
from pitwall.exam.marking.answerer_marks import Correctness
from pitwall.exam.questions.abilities import Ability

_SEARCH_AFTER_MS = 180
_RIGHT: tuple[tuple[str, Correctness], ...] = (
    ("right and wrong", "all"),
    ("✓ right", "right"),
    ("≈ partly right", "partly"),
    ("✗ wrong", "wrong"),
    ("not answered", "unanswered"),
)
_ANSWERABLE: tuple[tuple[str, bool | None], ...] = (
    ("answerable and not", None),
    ("answerable", True),
    ("not answerable", False),
)


class QuestionFilter(QWidget):
    """Signals: narrowed(): `wanted` is another one now."""

    narrowed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.search = SearchField(
            "Search   Ctrl+F", "Search questions by their words, answers, truths and templates"
        )
        self.search.setMinimumWidth(150)
        self._typed = QTimer(self, singleShot=True, interval=_SEARCH_AFTER_MS)
        self._typed.timeout.connect(self.narrowed)
        self.search.textChanged.connect(self._typed.start)
        self.ability = _combo("Ability", ["every ability", *TITLES.values()])
        self.right = _combo("Right or wrong", [text for text, _ in _RIGHT])
        self.answerable = _combo("Answerable or not", [text for text, _ in _ANSWERABLE])
        self.differs = Toggle("Differs", "Only questions where the two answerers score differently")
        self._count = Label("", "note")
        for box in (self.ability, self.right, self.answerable):
            box.currentIndexChanged.connect(lambda *_: self.narrowed.emit())
        self.differs.toggled.connect(lambda *_: self.narrowed.emit())
        tools = Flow(STEP)
        for widget in (self.ability, self.right, self.answerable, self.differs):
            tools.flow.addWidget(widget)
        layout = column(gap=STEP)
        head = row(self.search, self._count, gap=GAP)
        head.setStretch(0, 1)
        layout.addLayout(head)
        layout.addWidget(tools)
        self.setLayout(layout)

    @property
    def wanted(self) -> QuestionSelection:
        """What is to be shown."""
        at = self.ability.currentIndex()
        return QuestionSelection(
            ability=list(Ability)[at - 1] if at > 0 else None,
            right=_RIGHT[max(0, self.right.currentIndex())][1],
            answerable=_ANSWERABLE[max(0, self.answerable.currentIndex())][1],
            words=self.search.text().strip(),
            differs=self.differs.isChecked() and not self.differs.isHidden(),
        )

    def show_count(self, shown: int, of: int) -> None:
        """Say how many are shown."""
        self._count.set_text(counted(of, "question") if shown == of else f"{shown:,} of {of:,}")

    def offer(self, *, answered: bool, compared: bool) -> None:
        """Offer what tells questions apart: scores where there are any, differences between two."""
        self.right.setVisible(answered)
        self.differs.setVisible(compared)

    def show_ability(self, ability: str) -> None:
        """Only one ability's; empty: all of them. Other filters are as they were."""
        values = [one.value for one in Ability]
        self.ability.setCurrentIndex(values.index(ability) + 1 if ability in values else 0)

    def clear(self) -> None:
        """Show every question."""
        with QSignalBlocker(self.ability), QSignalBlocker(self.right), QSignalBlocker(self.answerable):
            for box in (self.ability, self.right, self.answerable):
                box.setCurrentIndex(0)
        with QSignalBlocker(self.differs), QSignalBlocker(self.search):
            self.differs.setChecked(False)
            self.search.clear()
        self.narrowed.emit()


def _combo(name: str, words: Sequence[str]) -> QComboBox:
    combo = QComboBox()
    combo.setProperty("kind", "compact")
    combo.setAccessibleName(name)
    combo.addItems(list(words))
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return combo
