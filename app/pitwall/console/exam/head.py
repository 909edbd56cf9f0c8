"""The Exam page's top line: which exam, who answers it now and how far, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from pitwall.console.exam.commands import RunningCommand
from pitwall.console.exam.format import RULES, horizon_words
from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.format import counted, left
from pitwall.console.kit.theme import GAP, PAD, STEP
from pitwall.exam.repository import StoredExam

_PER_MILLE = 1000
_BAR_WIDTH = 250
_NARROW_PX = 900


class ExamHead(QFrame):
    """Signals: answer_wanted. cancel_wanted. sit_wanted: a person takes the exam. replay_wanted: its run."""

    answer_wanted = Signal()
    cancel_wanted = Signal()
    sit_wanted = Signal()
    replay_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("labHead")
        self._asks = False
        self._title = Label("Exam", "heading")
        self._facts = Label("", "dim")
        self._who, self._left = Label(""), Label("", "dim")
        self._left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self._progress = QWidget()
        lines = column(gap=STEP)
        lines.addLayout(row(self._who, self._left))
        lines.addWidget(self._bar)
        self._progress.setLayout(lines)
        self._progress.setFixedWidth(_BAR_WIDTH)
        self.replay = Button("Its run", self.replay_wanted.emit, name="Show the run of this exam")
        self.replay.setToolTip("Opens the Runs page at the run that is asked about")
        self.sit = Button("Take it yourself…", self.sit_wanted.emit, name="Take this exam yourself")
        self.sit.setToolTip("60 s a question, closed or open book (Ctrl+T)")
        self.answer = PrimaryButton("Answer with…", self.answer_wanted.emit, name="Have this exam answered")
        self.answer.setToolTip("Choose an answerer, its model and its memory (Ctrl+Enter)")
        self.cancel = Button("Cancel", self.cancel_wanted.emit, name="Cancel what goes on")
        self.cancel.setToolTip("What is answered is kept, and answering can go on from there")
        line = row(self._title, self._facts, gap=PAD)
        line.setStretch(1, 1)
        for widget in (self._progress, self.replay, self.sit, self.cancel, self.answer):
            line.addWidget(widget)
        line.setContentsMargins(PAD, GAP, PAD, GAP)
        self.setLayout(line)
        self.show_exam(None)
        self.show_going(None)

    @property
    def said(self) -> str:
        """What the line says, as shown."""
        labels = (self._title, self._facts, self._who, self._left)
        return " ".join(one.full_text() for one in labels if one.isVisibleTo(self))

    def show_exam(self, shelf: StoredExam | None) -> None:
        """Show which exam is in view."""
        exam = shelf.exam if shelf is not None else None
        title = f"{shelf.game} · run {exam.run_id}" if shelf is not None and exam is not None else "Exam"
        self._title.set_text(title)
        self._title.setMinimumWidth(min(300, self._title.sizeHint().width()))
        facts = ""
        if exam is not None:
            words = [RULES[exam.rule_set], horizon_words(exam.horizon, exam.steps)]
            words += [counted(len(exam.questions), "question"), f"seed {exam.seed}"]
            words += ["in freer words"] if exam.paraphrased else []
            facts = " · ".join(words)
        self._facts.set_text(facts)
        self._asks = exam is not None and bool(exam.questions)
        self.sit.setEnabled(self._asks)
        self.answer.setEnabled(self._asks and self._progress.isHidden())
        for widget in (self.replay, self.sit, self.answer):
            widget.setVisible(exam is not None)

    def show_going(self, now: RunningCommand | None) -> None:
        """Show how far a command is; None: nothing goes on."""
        self._progress.setVisible(now is not None)
        self.cancel.setVisible(now is not None)
        self.answer.setEnabled(self._asks and now is None)
        self._facts.setVisible(now is None or self.width() >= _NARROW_PX)
        if now is None:
            return
        self.cancel.setEnabled(not now.ending)
        done = f"{now.done:,} of {now.of:,}" if now.of else "begins …"
        self._who.set_text("Ending …" if now.ending else f"{now.title} · {done}")
        self._left.set_text(left(now.left_s) if now.left_s is not None and not now.ending else "")
        self._bar.setRange(0, _PER_MILLE if now.of else 0)
        self._bar.setValue(round(_PER_MILLE * now.done / now.of) if now.of else 0)
        self._bar.setAccessibleDescription(f"{self._who.full_text()} {self._left.full_text()}".strip())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._facts.setVisible(self._progress.isHidden() or self.width() >= _NARROW_PX)
