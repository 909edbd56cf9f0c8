"""The head of the Exam page: the exam, the running answerer with its progress, and the page's actions."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.console.kit.elements import Button, PrimaryButton
from pitwall.console.kit.page_head import PageHead
from pitwall.core.quantities import counted, left
from pitwall_exam.console.commands import AnswerOrder, ExamCommands
from pitwall_exam.console.format import ANSWERERS, RULES, horizon_words
from pitwall_exam.repository import StoredExam

_Deed = Callable[[], object]


class ExamHead(PageHead):
    """The head. Args: replay: shows the exam's run. sit: starts a person's exam. answer: opens the dialog."""

    def __init__(self, doing: ExamCommands, *, replay: _Deed, sit: _Deed, answer: _Deed) -> None:
        super().__init__("Exam")
        self._doing, self._asks = doing, False
        self.replay = self.add_action(Button("Its run", replay, name="Show the run of this exam"))
        self.replay.setToolTip("Opens the Runs page at this exam's run")
        self.sit = self.add_action(Button("Take it yourself…", sit, name="Take this exam yourself"))
        self.sit.setToolTip("60 s a question, closed or open book (Ctrl+T)")
        self.cancel = self.add_action(Button("Cancel", doing.cancel, name="Cancel what goes on"))
        self.cancel.setToolTip("Answers so far are kept; answering can continue from there")
        self.answer = self.add_action(PrimaryButton("Answer with…", answer, name="Have this exam answered"))
        self.answer.setToolTip("Choose an answerer, its model and its memory (Ctrl+Enter)")
        doing.went_on.connect(self._show_going)
        self.show_exam(None)

    def show_exam(self, stored: StoredExam | None) -> None:
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
        for button in (self.replay, self.sit, self.answer):
            button.setVisible(exam is not None)
        self._show_going()

    def _show_going(self) -> None:
        order, job = self._doing.order, self._doing.job
        self.cancel.setVisible(order is not None)
        self.cancel.setEnabled(not job.cancelling)
        self.answer.setEnabled(self._asks and order is None)
        if order is None:
            self.hide_progress()
            return
        title = ANSWERERS[order.answerer][0] if isinstance(order, AnswerOrder) else "New exam"
        now = job.progress
        done = f"{now.done:,} of {now.total:,}" if now.total else "begins …"
        self.show_progress(
            "Ending …" if job.cancelling else f"{title} · {done}",
            left(now.left_s) if now.left_s is not None and not job.cancelling else "",
            now.share if now.total else None,
        )
