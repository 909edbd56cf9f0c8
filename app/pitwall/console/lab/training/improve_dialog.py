"""The improve loop, ordered: who proposes, how long each try trains, where it is compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QDialog, QRadioButton, QSpinBox, QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, column, row
from pitwall.console.kit.form.inputs import scroll_past
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.console.lab.view_model import ITERATIONS, ModuleViewModel

Proposer = Literal["model", "operator", "rules"]
_WIDTH = 520


@dataclass(frozen=True, slots=True, kw_only=True)
class ImproveOrder:
    """Attributes:
    by: who proposes. iterations: at most so many. screen: compare on the screen too.
    only_propose: stop at the first checked proposal, which then waits for the operator.
    """

    by: Proposer
    iterations: int = ITERATIONS
    screen: bool = False
    only_propose: bool = False


class ImproveDialog(QDialog):
    """Signals: ordered(order): an `ImproveOrder`."""

    ordered = Signal(object)

    def __init__(
        self, module: ModuleViewModel, *, model: str, draft: bool, parent: QWidget | None = None
    ) -> None:
        """
        Args:
            model: the evolution tier's model; empty for none. draft: the operator wrote a change.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Improve {module.title}")
        self.setAccessibleName(self.windowTitle())
        self.setFixedWidth(_WIDTH)
        done = max((one.about.iteration for one in module.versions), default=0)
        self._group = QButtonGroup(self)
        self.choices: dict[Proposer, QRadioButton] = {}
        lines = column(Label(f"Improve {module.title}", "title", wrap=True), gap=GAP)
        lines.addWidget(
            Label(
                "Each iteration looks at how the last version learned, changes one thing, checks and trains "
                "it, and compares both on held-out seeds. What is not better is rolled back.",
                "dim",
                wrap=True,
            )
        )
        card = Card(gap=PAD)
        who: tuple[tuple[Proposer, str, str, str], ...] = (
            (
                "model",
                "A model proposes",
                f"{model}, of the evolution tier" if model else "",
                "" if model else "The evolution tier has no model: choose one on the Models page.",
            ),
            (
                "operator",
                "Your change",
                "What you wrote in the editor beside" if draft else "",
                "" if draft else "Edit the reward or the rules first, then it can be tried.",
            ),
            ("rules", "Fixed rules propose", "From the analysis alone; needs no model", ""),
        )
        for by, title, says, why_not in who:
            card.body.addWidget(self._choice(by, title, says, why_not))
        lines.addWidget(card)
        self.iterations = QSpinBox()
        self.iterations.setRange(1, ITERATIONS)
        self.iterations.setValue(ITERATIONS)
        self.iterations.setAccessibleName("Iterations at most")
        scroll_past(self.iterations)
        lines.addLayout(row(Label("Iterations at most"), None, self.iterations))
        note = f"{done} of {ITERATIONS} done so far; more than {ITERATIONS} degrade a module." if done else ""
        lines.addWidget(Label(note or f"More than {ITERATIONS} degrade a module.", "note", wrap=True))
        self.screen_too = QCheckBox("Compare on the screen as well")
        self.screen_too.setToolTip("The game is played in real time, on a virtual screen of its own")
        lines.addWidget(self.screen_too)
        self.ask_first = QCheckBox("Show me the proposal before it is trained")
        self.ask_first.setToolTip("It stands among the versions then, to accept or to reject")
        lines.addWidget(self.ask_first)
        self._begin = PrimaryButton("Begin", self._order, name="Begin to improve")
        lines.addLayout(row(None, Button("Cancel", self.reject), self._begin))
        lines.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(lines)
        first = next(
            (box for box in (self.choices["operator"], self.choices["model"]) if box.isEnabled()), None
        )
        (first or self.choices["rules"]).setChecked(True)
        self._begin.setDefault(True)

    def _choice(self, by: Proposer, title: str, says: str, why_not: str) -> QWidget:
        box = QRadioButton(title)
        box.setEnabled(not why_not)
        box.setAccessibleDescription(why_not or says)
        self._group.addButton(box)
        self.choices[by] = box
        line = QWidget()
        words = Label(why_not or says, "note", wrap=True)
        words.setContentsMargins(24, 0, 0, 0)
        line.setLayout(column(box, words, gap=STEP // 2))
        return line

    def _order(self) -> None:
        by = next(by for by, box in self.choices.items() if box.isChecked())
        self.ordered.emit(
            ImproveOrder(
                by=by,
                iterations=self.iterations.value(),
                screen=self.screen_too.isChecked(),
                only_propose=self.ask_first.isChecked(),
            )
        )
        self.accept()
