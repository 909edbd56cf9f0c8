"""Runs the `pitwall exam` commands of the Exam page, with their progress."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from pitwall.console.exam.format import ANSWERERS
from pitwall.console.kit.format import counted, error_sentence
from pitwall.console.kit.notification import Notification
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.exam.questions.sheet import AnswererKind


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeOrder:
    """An exam that is wanted; see `pitwall exam make`.

    Attributes:
        inventory: "own": of the game's kind; "general"; "both".
        horizon: questions are of steps 1 … horizon; 0: of the whole episode.
        reworded: asked in freer words than the templates' own. paraphrase: the model that words them.
        persons: nothing is asked about reasons.
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
        """The command's words."""
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
        model: of the registry; empty: none. memory: a snapshot's hash; empty: as it stands.
        turns: of context. declared: in the templates' own words. fresh: do not go on with an unfinished one.
    """

    exam_id: str
    answerer: AnswererKind = "recall"
    model: str = ""
    memory: str = ""
    turns: int = 0
    declared: bool = False
    fresh: bool = False

    @property
    def words(self) -> list[str]:
        """The command's words."""
        words = ["exam", "answer", self.exam_id, "--answerer", self.answerer]
        for option, value in (("--model", self.model), ("--memory", self.memory)):
            words += [option, value] if value else []
        words += ["--turns", str(self.turns)] if self.turns and self.answerer == "in-context" else []
        return words + [flag for flag, on in (("--declared", self.declared), ("--fresh", self.fresh)) if on]


@dataclass(slots=True)
class RunningCommand:
    """A command that goes on now: an exam is made, or answered.

    Attributes:
        began: when, on the monotonic clock.
        done, of: questions; of is 0 until it is known. left_s: about so long; None: nobody knows yet.
        ending: it is told to end. first: what was done when it first said so.
    """

    order: MakeOrder | AnswerOrder
    began: float
    done: int = 0
    of: int = 0
    left_s: float | None = None
    ending: bool = False
    first: int | None = None

    @property
    def title(self) -> str:
        """Title of the command that runs."""
        return ANSWERERS[self.order.answerer][0] if isinstance(self.order, AnswerOrder) else "New exam"


class ExamCommands(QObject):
    """Makes exams and has them answered, one after another.

    Signals:
        notified(notification): a `Notification`. changed(): read again.
        went_on(): `going` says something else now.
        made(exam_id): an exam was made. answered(exam_id): an answerer is done.
    """

    notified = Signal(object)
    changed = Signal()
    made = Signal(str)
    went_on = Signal()
    answered = Signal(str)

    def __init__(self, data: DataFolder, parent: QObject) -> None:
        super().__init__(parent)
        self.going: RunningCommand | None = None
        self._job = Job(self, data=data)
        self._job.line.connect(self._progressed)
        self._job.answered.connect(self._ended_well)
        self._job.failed.connect(self._failed)
        self._job.cancelled.connect(self._cancelled)

    @property
    def running(self) -> bool:
        """Whether a command is on."""
        return self._job.running

    def close(self) -> None:
        """Do no more; what was answered is kept."""
        self._job.cancel()

    def do(self, order: MakeOrder | AnswerOrder) -> None:
        """Make an exam, or have one answered; while another command is on, only that is said."""
        if self._job.running:
            self.notified.emit(
                Notification("One at a time: wait until it is done, or cancel it.", done=False)
            )
            return
        self.going = RunningCommand(order, time.monotonic())
        self._job.start(order.words)
        self.went_on.emit()

    def cancel(self) -> None:
        """End it; what is answered is kept."""
        if self.going is not None:
            self.going.ending = True
            self._job.cancel()
            self.went_on.emit()

    # ---- inside

    def _progressed(self, value: Any) -> None:
        now = self.going
        if now is None or not isinstance(value, dict) or "progress" not in value:
            return
        now.done, now.of = int(value["progress"]), int(value.get("of", 0))
        now.first = now.done if now.first is None else now.first
        told = value.get("left_s")
        now.left_s = float(told) if isinstance(told, int | float) else _left(now)
        self.went_on.emit()

    def _ended_well(self, answer: Any) -> None:
        order = self._rests()
        if isinstance(order, AnswerOrder):
            self.answered.emit(order.exam_id)
        elif order is not None and isinstance(answer, dict):
            counts = answer.get("questions")
            number = sum(counts.values()) if isinstance(counts, dict) else 0
            notes = [str(one) for one in answer.get("notes") or ()]
            self.notified.emit(
                Notification(" ".join([f"An exam of {counted(number, 'question')} is made.", *notes]))
            )
            self.made.emit(str(answer.get("exam_id", "")))

    def _failed(self, error: PitwallError) -> None:
        self._rests()
        self.notified.emit(Notification(error_sentence(error), done=False))

    def _cancelled(self) -> None:
        done = self.going.done if self.going is not None else 0
        order = self._rests()
        if not isinstance(order, AnswerOrder):
            self.notified.emit(Notification("No exam was made."))
            return
        on = f"{counted(done, 'answer')} kept; it goes on from there." if done else "Nothing was answered."
        self.notified.emit(Notification(f"Answering is ended. {on}"))

    def _rests(self) -> MakeOrder | AnswerOrder | None:
        order = self.going.order if self.going is not None else None
        self.going = None
        self.went_on.emit()
        self.changed.emit()
        return order


def _left(now: RunningCommand) -> float | None:
    """From how long those took that were done since it began."""
    done = now.done - (now.first or 0)
    if done < 1 or not now.of:
        return None
    return (time.monotonic() - now.began) / done * (now.of - now.done)
