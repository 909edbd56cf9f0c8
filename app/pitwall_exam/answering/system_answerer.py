"""A memory system that observed the episode answers: a model reads what it recalls, or rules do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from pitwall_exam.answering.answerer import AnswererInfo, ShouldStop, Tokens
from pitwall_exam.answering.batches import BatchAnswerer
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.in_context import NOTHING_ASKED
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller, prompts
from pitwall_exam.answering.run_record import RunRecord, horizon_of
from pitwall_exam.answering.systems.catalogue import SYSTEMS, SystemName
from pitwall_exam.answering.systems.protocol import Entry, MemorySystem
from pitwall_exam.answering.turns import last_turns
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, Sheet, SheetQuestion
from pitwall_exam.reading.recall import Recall


class ObservedMemory:
    """A memory system after it observed a sheet's episode, turn by turn, in the order of play.

    Attributes:
        built_s: seconds that it took to observe the episode.
    """

    def __init__(
        self, name: SystemName, sheet: Sheet, recorded: RunRecord, vectors: SentenceVectors, *, k: int
    ) -> None:
        self.system: MemorySystem = SYSTEMS[name](vectors)
        self.k = k
        self.last = horizon_of(sheet, recorded)
        began_s = time.perf_counter()
        for turn in last_turns(recorded, last=self.last, most=0):
            self.system.observe(turn)
        self.built_s = time.perf_counter() - began_s
        self._vectors = vectors

    def recall(self, question: str, share: float = 1.0) -> Sequence[Entry]:
        """Return the entries for a question; share: of k."""
        return self.system.recall(question, max(1, round(self.k * share)))

    def info(self, reader: str, model: str = "") -> AnswererInfo:
        """Describe the system with its reader."""
        entries = self.system.entries()
        size = sum(len(entry.text) for entry in entries)
        return AnswererInfo(
            kind="system",
            name=f"{self.system.title} · {model or 'rules read'}",
            model=model,
            uses=(
                f"a memory of steps 1 to {self.last}: {self.system.about}",
                f"{self.k} of its {len(entries)} entries ({size} characters), by words and vectors "
                f"({self._vectors.name})",
                reader,
            ),
        )


class ModelReader(BatchAnswerer):
    """A model that answers from the recalled entries; each question is asked on its own."""

    def __init__(
        self, memory: ObservedMemory, recorded: RunRecord, asker: ModelCaller, vectors: SentenceVectors
    ) -> None:
        super().__init__(asker, batch=1)
        self._memory = memory
        self._vectors = vectors
        self._game = recorded.row.manifest.game_name
        self._about = memory.info(f"the model {asker.name}", asker.name)

    @property
    def about(self) -> AnswererInfo:
        return self._about

    def context(self, questions: Sequence[SheetQuestion], share: float) -> ModelCall:
        """Return the recalled entries, the most useful first."""
        recalled = self._memory.recall(questions[0].text, share)
        entries = "\n".join(f"- {entry.text}" for entry in recalled) or "- nothing"
        return ModelCall(
            system=prompts()["retrieval"].format(game=self._game),
            user=prompts()["memory"].format(entries=entries),
            shape=NOTHING_ASKED,
            max_tokens=0,
        )

    def __enter__(self) -> Self:
        super().__enter__()
        self._open.enter_context(self._vectors)
        return self


class RulesReader:
    """Rules that look the question up in what the recalled entries say about single steps, and only there.

    Sums over many steps that an entry tells ("done 12 times") are lost on them.
    """

    def __init__(self, memory: ObservedMemory, recorded: RunRecord, vectors: SentenceVectors) -> None:
        self._memory = memory
        self._vectors = vectors
        self._recall = Recall(
            recorded.records,
            last_step=memory.last,
            words=recorded.words,
            vectors=vectors if vectors.understands else None,
        )
        self._open = ExitStack()
        self.about = memory.info("rules that look the question up in what these entries say of single steps")

    @property
    def tokens(self) -> Tokens:
        return Tokens()

    def answer(self, questions: Sequence[SheetQuestion], stopped: ShouldStop) -> Iterator[Answer]:
        """Answer as `Answerer` says."""
        for question in questions:
            if stopped():
                return
            began_s = time.monotonic()
            statements = [part for entry in self._memory.recall(question.text) for part in entry.statements]
            answer = self._recall.answer(question.text, question_id=question.id, statements=statements)
            steps = {step for step, _, _ in statements}
            yield answer.model_copy(
                update={
                    "text": answer.text if answer.text or answer.problem else NOT_ANSWERABLE,
                    "evidence": tuple(step for step in answer.evidence if step in steps),
                    "seconds": time.monotonic() - began_s,
                }
            )

    def passes_over(self, question: SheetQuestion) -> bool:  # noqa: ARG002
        """Return False: turns contain the agent's reasons."""
        return False

    def __enter__(self) -> Self:
        self._open.enter_context(self._vectors)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)
