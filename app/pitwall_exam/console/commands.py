"""Runs the `pitwall exam` commands of the Exam page, with their progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from pitwall.console.kit.notification import Notification
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall_exam.answering.systems.catalogue import SystemName
from pitwall_exam.questions.sheet import AnswererKind


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeOrder:
    """An order to make an exam; see `pitwall exam make`.

    Attributes:
        inventory: "own": of the game's kind; "general"; "both".
        horizon: questions cover steps 1 … horizon; 0: the whole episode.
        reworded: ask in freer words than the templates'. paraphrase: the model that words the questions.
        persons: leave out questions about reasons.
    """

    run_id: int
    rules: str = "paper"
    inventory: str = "own"
    horizon: int = 0
    seed: int = 42
    per_template: int = 2
    reworded: bool = False
    paraphrase: str = ""
    persons: bool = False

    @property
    def words(self) -> list[str]:
        words = ["exam", "make", str(self.run_id), "--rules", self.rules, "--inventory", self.inventory]
        words += ["--seed", str(self.seed), "--per-template", str(self.per_template)]
        words += ["--horizon", str(self.horizon)] if self.horizon else []
        words += ["--paraphrase", self.paraphrase] if self.paraphrase else []
        return words + [
            flag for flag, on in (("--reworded", self.reworded), ("--persons", self.persons)) if on
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOrder:
    """An order to have an exam answered; see `pitwall exam answer`.

    Attributes:
        model: name in the registry; empty: none. memory: a snapshot's hash; empty: the current memory.
        system: the memory system, for the kind of that name.
        turns: of context. declared: ask in the templates' own words. fresh: do not continue an unfinished
            sitting.
    """

    exam_id: str
    answerer: AnswererKind = "recall"
    model: str = ""
    system: SystemName = "turns"
    memory: str = ""
    turns: int = 0
    declared: bool = False
    fresh: bool = False

    @property
    def words(self) -> list[str]:
        words = ["exam", "answer", self.exam_id, "--answerer", self.answerer]
        for option, value in (("--model", self.model), ("--memory", self.memory)):
            words += [option, value] if value else []
        words += ["--system", self.system] if self.answerer == "system" else []
        words += ["--turns", str(self.turns)] if self.turns and self.answerer == "in-context" else []
        return words + [flag for flag, on in (("--declared", self.declared), ("--fresh", self.fresh)) if on]


class ExamCommands(QObject):
    """Makes exams and has them answered. An order that comes while a command runs is refused.

    Signals:
        notified(notification): a `Notification`.
        went_on(): a command began, progressed or ended.
        made(exam_id): an exam was made. answered(exam_id): an answerer finished.

    Attributes:
        order: the order being carried out; None: none. job: its progress.
    """

    notified = Signal(object)
    went_on = Signal()
    made = Signal(str)
    answered = Signal(str)

    def __init__(self, data: DataFolder, parent: QObject) -> None:
        super().__init__(parent)
        self.order: MakeOrder | AnswerOrder | None = None
        self.job = Job(self, data=data)
        self.job.progressed.connect(lambda *_: self.went_on.emit())
        self.job.answered.connect(self._ended_well)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(self._cancelled)

    def close(self) -> None:
        """Cancel the command; answers given so far are kept."""
        self.job.cancel()

    def do(self, order: MakeOrder | AnswerOrder) -> None:
        """Carry out an order; if another one is running, only notify the operator of that."""
        if self.job.running:
            self._notify("One at a time: wait until it is done, or cancel it.", done=False)
            return
        self.order = order
        self.job.start(order.words)
        self.went_on.emit()

    def cancel(self) -> None:
        """Cancel the running command; answers given so far are kept."""
        self.job.cancel()
        self.went_on.emit()

    # ---- inside

    def _ended_well(self, answer: Any) -> None:
        order = self._rest()
        if isinstance(order, AnswerOrder):
            self.answered.emit(order.exam_id)
        elif isinstance(answer, dict):
            counts = answer.get("questions")
            number = sum(counts.values()) if isinstance(counts, dict) else 0
            notes = [str(note) for note in answer.get("notes") or ()]
            self._notify(" ".join([f"An exam of {counted(number, 'question')} is made.", *notes]))
            self.made.emit(str(answer.get("exam_id", "")))

    def _failed(self, error: PitwallError) -> None:
        self._rest()
        self.notified.emit(Notification.of_error(error))

    def _cancelled(self) -> None:
        done = self.job.progress.done
        if not isinstance(self._rest(), AnswerOrder):
            self._notify("No exam was made.")
            return
        on = f"{counted(done, 'answer')} kept; it goes on from there." if done else "Nothing was answered."
        self._notify(f"Answering is ended. {on}")

    def _notify(self, text: str, *, done: bool = True) -> None:
        self.notified.emit(Notification(text, done=done))

    def _rest(self) -> MakeOrder | AnswerOrder | None:
        order, self.order = self.order, None
        self.went_on.emit()
        return order
