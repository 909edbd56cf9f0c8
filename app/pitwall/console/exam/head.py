"""The head of the Exam page: which exam, who answers it now and how far, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Signal

from pitwall.console.exam.commands import RunningCommand
from pitwall.console.exam.format import RULES, horizon_words
from pitwall.console.kit.elements import Button, PrimaryButton
from pitwall.console.kit.format import counted, left
from pitwall.console.kit.page_head import PageHead
from pitwall.exam.repository import StoredExam


class ExamHead(PageHead):
    """Signals: answer_wanted. cancel_wanted. sit_wanted: a person takes the exam. replay_wanted: its run."""

    answer_wanted = Signal()
    cancel_wanted = Signal()
    sit_wanted = Signal()
    replay_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("Exam")
        self._asks = self._going_on = False
        self.replay = self.add_action(
            Button(
                "Its run",
                self.replay_wanted.emit,
                name="Show the run of this exam",
                tip="Opens the Runs page at the run that is asked about",
            )
        )
        self.sit = self.add_action(
            Button(
                "Take it yourself…",
                self.sit_wanted.emit,
                name="Take this exam yourself",
                tip="60 s a question, closed or open book (Ctrl+T)",
            )
        )
        self.cancel = self.add_action(
            Button(
                "Cancel",
                self.cancel_wanted.emit,
                name="Cancel what goes on",
                tip="What is answered is kept, and answering can go on from there",
            )
        )
        self.answer = self.add_action(
            PrimaryButton("Answer with…", self.answer_wanted.emit, name="Have this exam answered")
        )
        self.answer.setToolTip("Choose an answerer, its model and its memory (Ctrl+Enter)")
        self.show_exam(None)
        self.show_going(None)

    def show_exam(self, stored: StoredExam | None) -> None:
        """Show which exam is in view."""
        exam = stored.exam if stored is not None else None
        if stored is None or exam is None:
            self.set_title("Exam")
        else:
            words = [RULES[exam.rule_set], horizon_words(exam.horizon, exam.steps)]
            words += [counted(len(exam.questions), "question"), f"seed {exam.seed}"]
            words += ["in freer words"] if exam.paraphrased else []
            self.set_title(f"{stored.game} · run {exam.run_id}", " · ".join(words))
        self._asks = exam is not None and bool(exam.questions)
        self.sit.setEnabled(self._asks)
        self.answer.setEnabled(self._asks and not self._going_on)
        for button in (self.replay, self.sit, self.answer):
            button.setVisible(exam is not None)

    def show_going(self, now: RunningCommand | None) -> None:
        """Show how far a command is; None: nothing goes on."""
        self._going_on = now is not None
        self.cancel.setVisible(now is not None)
        self.answer.setEnabled(self._asks and now is None)
        if now is None:
            self.hide_progress()
            return
        self.cancel.setEnabled(not now.ending)
        done = f"{now.done:,} of {now.of:,}" if now.of else "begins …"
        self.show_progress(
            "Ending …" if now.ending else f"{now.title} · {done}",
            left(now.left_s) if now.left_s is not None and not now.ending else "",
            now.done / now.of if now.of else None,
        )
