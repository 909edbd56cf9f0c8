"""What the Exam page has done: `pitwall exam` commands, the one that answers with its progress."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from pitwall.console.json_job import JsonJob
from pitwall.console.pages.lab_deeds import LabDeeds
from pitwall.console.pages.memory_deeds import Telling
from pitwall.console.pages.models_words import said
from pitwall.console.pages.runs_words import counted
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.exam.sheet import AnswererKind


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeOrder:
    """An exam that is wanted; see `pitwall exam make`.

    Attributes:
        inventory: "own": of the game's kind; "general"; "both".
        horizon: questions are of steps 1 … horizon; 0: of the whole episode.
        reworded: asked in freer words than the templates' own.
        persons: nothing is asked about reasons.
    """

    run_id: int
    rules: str = "paper"
    inventory: str = "own"
    horizon: int = 0
    seed: int = 42
    per_template: int = 2
    reworded: bool = False
    persons: bool = False

    @property
    def words(self) -> list[str]:
        """The command's words."""
        words = ["exam", "make", str(self.run_id), "--rules", self.rules, "--inventory", self.inventory]
        words += ["--seed", str(self.seed), "--per-template", str(self.per_template)]
        words += ["--horizon", str(self.horizon)] if self.horizon else []
        return words + [
            flag for flag, on in (("--reworded", self.reworded), ("--persons", self.persons)) if on
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOrder:
    """Who is to answer an exam; see `pitwall exam answer`.

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
class Answering:
    """An exam that is being answered now.

    Attributes:
        done, of: questions; of is 0 until it is known. left_s: about so long; None: nobody knows yet.
        ending: it is told to end.
    """

    order: AnswerOrder
    began: float
    done: int = 0
    of: int = 0
    left_s: float | None = None
    ending: bool = False
    first: int | None = None


class ExamDoing(QObject):
    """Makes exams and has them answered, one at a time.

    Signals:
        told(telling): a `Telling`. busy(text): something is being done. changed(): read again.
        made(exam_id): an exam was made. went_on(): `answering` says something else now.
        answered(exam_id): an answerer is done.
    """

    told = Signal(object)
    busy = Signal(str)
    changed = Signal()
    made = Signal(str)
    went_on = Signal()
    answered = Signal(str)

    def __init__(self, data: DataFolder, parent: QObject) -> None:
        super().__init__(parent)
        self._data = data
        self.answering: Answering | None = None
        self.deeds = LabDeeds(self)
        self.deeds.told.connect(self.told)
        self.deeds.busy.connect(self.busy)
        self.deeds.changed.connect(self.changed)
        self._job = JsonJob(self)
        self._job.told.connect(self._progressed)
        self._job.answered.connect(self._answered)
        self._job.failed.connect(self._failed)
        self._job.cancelled.connect(self._cancelled)

    @property
    def running(self) -> bool:
        """Whether a command is on."""
        return self._job.running or self.deeds.running

    def close(self) -> None:
        """Do no more; what was answered is kept."""
        self.deeds.close()
        self._job.cancel()

    def make(self, order: MakeOrder) -> None:
        """Make an exam."""
        self.deeds.do(
            self._on(order.words),
            doing=f"Making an exam of run {order.run_id} …",
            answered=self._made,
        )

    def answer(self, order: AnswerOrder) -> None:
        """Have an exam answered; nothing happens while one is being answered."""
        if self._job.running:
            return
        self.answering = Answering(order, time.monotonic())
        self._job.start(self._on(order.words))
        self.went_on.emit()

    def cancel(self) -> None:
        """End the answering; what is answered is kept."""
        if self.answering is not None:
            self.answering.ending = True
            self._job.cancel()
            self.went_on.emit()

    # ---- inside

    def _on(self, words: Sequence[str]) -> list[str]:
        return [*words, "--data", str(self._data.root)]

    def _made(self, answer: Any) -> None:
        found = answer if isinstance(answer, dict) else {}
        exam_id, counts = str(found.get("exam_id", "")), found.get("questions")
        number = sum(counts.values()) if isinstance(counts, dict) else 0
        notes = [str(one) for one in found.get("notes", ()) or ()]
        self.told.emit(Telling(" ".join([f"An exam of {counted(number, 'question')} is made.", *notes])))
        if exam_id:
            self.made.emit(exam_id)

    def _progressed(self, value: Any) -> None:
        now = self.answering
        if now is None or not isinstance(value, dict) or "progress" not in value:
            return
        now.done, now.of = int(value["progress"]), int(value.get("of", 0))
        now.first = now.done if now.first is None else now.first
        told = value.get("left_s")
        now.left_s = float(told) if isinstance(told, int | float) else _left(now)
        self.went_on.emit()
        self.changed.emit()

    def _answered(self, _: Any) -> None:
        order = self._rests()
        if order is not None:
            self.answered.emit(order.exam_id)

    def _failed(self, error: PitwallError) -> None:
        self._rests()
        self.told.emit(Telling(said(error), done=False))

    def _cancelled(self) -> None:
        done = self.answering.done if self.answering is not None else 0
        self._rests()
        kept = (
            f"{counted(done, 'answer')} kept; answering goes on from there."
            if done
            else "No answer was given."
        )
        self.told.emit(Telling(f"Answering is ended. {kept}"))

    def _rests(self) -> AnswerOrder | None:
        order = self.answering.order if self.answering is not None else None
        self.answering = None
        self.went_on.emit()
        self.changed.emit()
        return order


def _left(now: Answering) -> float | None:
    """From how long the answers took that were given since it began."""
    given = now.done - (now.first or 0)
    if given < 1 or not now.of:
        return None
    return (time.monotonic() - now.began) / given * (now.of - now.done)
