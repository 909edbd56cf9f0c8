"""A new exam: over which run, under which rules, how far into the episode, worded how."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QGridLayout, QLayout, QSpinBox, QWidget

from pitwall.console.exam.choices import ExamChoices
from pitwall.console.exam.commands import MakeOrder
from pitwall.console.exam.format import RULES_SAID
from pitwall.console.kit.choice import Choice
from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.theme import GAP, PAD, WIDE

_WIDTH = 560
_SEED, _HORIZON, _PER_TEMPLATE = 42, 50, 2
"""The source's own settings."""
_OWN, _FREER = "/own", "/freer"
"""No models' names: those have no slash at their beginning."""
_LARGEST_SEED = 2**31 - 1


class NewExam(QDialog):
    """Signals: ordered(MakeOrder)."""

    ordered = Signal(object)

    def __init__(self, facts: ExamChoices, run_id: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = facts
        self.setWindowTitle("New exam")
        self.setAccessibleName("New exam")
        self.setFixedWidth(_WIDTH)
        self.run = _combo("Run", [(one.words, one.run_id) for one in facts.runs])
        self.run.setCurrentIndex(max(0, self.run.findData(run_id)))
        self.rules = Choice(
            "Rules", (("paper", "paper", RULES_SAID["paper"]), ("compat", "compat", RULES_SAID["compat"]))
        )
        self.inventory = Choice(
            "Questions",
            (
                ("own", "of its kind of game", "Grid world or text game; else the general set"),
                ("general", "general", "Works for any run: actions, routes, fields, reasons"),
                ("both", "both", "Both sets in one exam"),
            ),
        )
        self.asks = Choice(
            "Asks about",
            (
                ("all", "the whole episode", "Every step whose outcome was still seen"),
                ("first", "its first steps", "Questions and truths as if the episode had ended there"),
            ),
        )
        self.horizon = _spin("First steps", 1, 1_000_000, _HORIZON)
        self.per_template = _spin("Questions of one template, at most", 1, 50, _PER_TEMPLATE)
        self.seed = _spin("Seed", 0, _LARGEST_SEED, _SEED)
        self.wording = _combo(
            "Wording", [("the templates' own", _OWN), ("freer words, as people ask", _FREER)]
        )
        for model in facts.models:
            self.wording.addItem(f"in the words of {model}, checked", model)
        self.persons = QCheckBox("For persons: nothing is asked about the agent's reasons")
        self.go = PrimaryButton("Make the exam", self._order)
        self._rules_said = Label("", "note", wrap=True)
        self._build()
        self.rules.chosen.connect(lambda _: self._show())
        self.asks.chosen.connect(lambda _: self._show())
        self._show()

    @property
    def order(self) -> MakeOrder:
        """What stands in the dialog."""
        wording = str(self.wording.currentData())
        return MakeOrder(
            run_id=int(self.run.currentData() or 0),
            rules=self.rules.current,
            inventory=self.inventory.current,
            horizon=self.horizon.value() if self.asks.current == "first" else 0,
            seed=self.seed.value(),
            per_template=self.per_template.value(),
            reworded=wording == _FREER,
            paraphrase="" if wording in (_OWN, _FREER) else wording,
            persons=self.persons.isChecked(),
        )

    # ---- inside

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(GAP)
        free = "the same seed, the same exam"
        lines: list[tuple[str, QLayout]] = [
            ("Run", row(self.run)),
            ("Rules", row(self.rules, None)),
            ("", row(self._rules_said)),
            ("Questions", row(self.inventory, None)),
            ("About", row(self.asks, self.horizon, None)),
            ("Wording", row(self.wording)),
            ("Of one template", row(self.per_template, Label("at most", "dim"), None)),
            ("Seed", row(self.seed, Label(free, "note"), None)),
        ]
        for at, (name, line) in enumerate(lines):
            grid.addWidget(Label(name, "dim"), at, 0)
            grid.addLayout(line, at, 1)
        grid.setColumnStretch(1, 1)
        layout = column(Label("New exam", "title"), gap=PAD)
        layout.addWidget(
            Label("Questions about one run, with truths that are computed from its log.", "dim", wrap=True)
        )
        layout.addLayout(grid)
        layout.addWidget(self.persons)
        layout.addLayout(row(None, Button("Cancel", self.reject), self.go))
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)
        self.go.setDefault(True)

    def _show(self) -> None:
        self.horizon.setEnabled(self.asks.current == "first")
        self._rules_said.set_text(RULES_SAID[self.rules.current])
        self.inventory.setEnabled(self.rules.current == "paper")
        self.go.setEnabled(bool(self._facts.runs))

    def _order(self) -> None:
        self.ordered.emit(self.order)
        self.accept()


def _combo(name: str, rows: Sequence[tuple[str, object]]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(18)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    for text, data in rows:
        combo.addItem(text, data)
    return combo


def _spin(name: str, low: int, high: int, value: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setAccessibleName(name)
    spin.setRange(low, high)
    spin.setValue(value)
    return spin
