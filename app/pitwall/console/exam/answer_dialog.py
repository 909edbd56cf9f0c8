"""Who is to answer an exam: which answerer, with which model, from which state of the memory."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QComboBox, QDialog, QGridLayout, QRadioButton, QWidget

from pitwall.console.exam.choices import ExamChoices
from pitwall.console.exam.commands import AnswerOrder
from pitwall.console.exam.exams import StoredExam
from pitwall.console.exam.format import ANSWERERS
from pitwall.console.kit.choice import Choice
from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.exam.questions.sheet import AnswererKind

_WIDTH = 560
_KINDS: tuple[AnswererKind, ...] = ("recall", "retrieval", "in-context")


class AnswerDialog(QDialog):
    """Signals: ordered(AnswerOrder). models_wanted(): a model is to be added first."""

    ordered = Signal(object)
    models_wanted = Signal()

    def __init__(self, shown: StoredExam, facts: ExamChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exam, self._facts = shown, facts
        self.setWindowTitle("Answer this exam")
        self.setAccessibleName("Answer this exam")
        self.setFixedWidth(_WIDTH)
        self.kinds: dict[AnswererKind, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self.model = _combo("Model")
        self.memory = _combo("Memory")
        self.memory.addItem("as it stands now", "")
        game = shown.exam.game_id if shown.exam is not None else ""
        for one in facts.snapshots:
            if one.game_id in ("", game):
                self.memory.addItem(one.words, one.content_hash)
        self.turns = Choice(
            "Turns",
            (
                ("0", "the source's", "Five of a grid world, ten of a text game"),
                ("5", "last 5", ""),
                ("10", "last 10", ""),
            ),
        )
        self.declared = QCheckBox("Ask in the templates' own words")
        self.fresh = QCheckBox("Begin anew")
        self._missing = Label("", "error", wrap=True)
        self._add = Button("Add a model…", self._to_models, kind="link")
        self._on = Label("", "dim", wrap=True)
        self.go = PrimaryButton("Answer", self._order, name="Have the exam answered")
        self._lines: list[tuple[Label, QWidget]] = []
        self._build()
        self._group.buttonClicked.connect(lambda _: self._show())
        for combo in (self.model, self.memory):
            combo.currentIndexChanged.connect(lambda _: self._show_rest())
        self.kinds["recall"].setChecked(True)
        self._show()

    @property
    def kind(self) -> AnswererKind:
        """The answerer that is chosen."""
        return next(kind for kind, button in self.kinds.items() if button.isChecked())

    @property
    def order(self) -> AnswerOrder:
        """What stands in the dialog."""
        return AnswerOrder(
            exam_id=self._exam.exam_id,
            answerer=self.kind,
            model=str(self.model.currentData() or ""),
            memory=str(self.memory.currentData() or "") if self.kind == "retrieval" else "",
            turns=int(self.turns.current),
            declared=self.declared.isChecked(),
            fresh=self.fresh.isChecked() and not self.fresh.isHidden(),
        )

    def choose(self, kind: AnswererKind) -> None:
        """Take an answerer, as the operator does."""
        self.kinds[kind].setChecked(True)
        self._show()

    # ---- inside

    def _build(self) -> None:
        layout = column(Label("Answer this exam", "title"), gap=GAP)
        for kind in _KINDS:
            title, said = ANSWERERS[kind]
            button = self.kinds[kind] = QRadioButton(title)
            button.setAccessibleDescription(said)
            self._group.addButton(button)
            layout.addWidget(button)
            note = Label(said, "dim", wrap=True)
            note.setContentsMargins(WIDE + GAP, 0, 0, STEP)
            layout.addWidget(note)
        grid = QGridLayout()
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(GAP)
        turns = QWidget()
        turns.setLayout(row(self.turns, None))
        for at, (name, part) in enumerate((("Model", self.model), ("Memory", self.memory), ("Turns", turns))):
            label = Label(name, "dim")
            grid.addWidget(label, at, 0)
            grid.addWidget(part, at, 1)
            self._lines.append((label, part))
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        layout.addLayout(row(self._missing, self._add))
        for widget in (self.declared, self._on, self.fresh):
            layout.addWidget(widget)
        layout.addLayout(row(None, Button("Cancel", self.reject), self.go))
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)
        self.go.setDefault(True)
        exam = self._exam.exam
        self.declared.setVisible(exam is not None and bool(exam.paraphrased))

    def _show(self) -> None:
        kind, chosen = self.kind, self.model.currentData()
        self.model.blockSignals(True)
        self.model.clear()
        if kind == "recall":
            self.model.addItem("none: rules alone", "")
        for name in self._facts.models:
            self.model.addItem(name, name)
        self.model.setCurrentIndex(max(0, self.model.findData(chosen)))
        self.model.blockSignals(False)
        wanted = {"Model": True, "Memory": kind == "retrieval", "Turns": kind == "in-context"}
        for label, part in self._lines:
            label.setVisible(wanted[label.full_text()])
            part.setVisible(wanted[label.full_text()])
        self._show_rest()

    def _show_rest(self) -> None:
        needs = self.kind != "recall" and not self._facts.models
        self._missing.set_text("It needs a model that writes text, and none is here yet." if needs else "")
        self._missing.setVisible(needs)
        self._add.setVisible(needs)
        self.go.setEnabled(not needs)
        begun = self._begun()
        self._on.set_text(begun)
        self._on.setVisible(bool(begun))
        self.fresh.setVisible(bool(begun))
        self.go.setText("Go on" if begun else "Answer")

    def _begun(self) -> str:
        """What is said where this answerer did not finish; empty where it did, or never began."""
        order = self.order
        kept = {one.content_hash for one in self._facts.snapshots}
        for side in self._exam.sides:
            sheet = side.sheet
            same = (sheet.answerer, sheet.model) == (order.answerer, order.model)
            memory = sheet.memory == order.memory if order.memory else sheet.memory not in kept
            if same and memory and not side.whole:
                unless = ", unless the memory changed since" if sheet.memory and not order.memory else ""
                count = f"{len(side.answers):,} of {side.of:,} questions"
                return f"It answered {count} before, and goes on there{unless}."
        return ""

    def _to_models(self) -> None:
        self.models_wanted.emit()
        self.reject()

    def _order(self) -> None:
        self.ordered.emit(self.order)
        self.accept()


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(18)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo
