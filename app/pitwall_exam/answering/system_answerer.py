"""A memory system that observed the episode answers: a model reads what it recalls, or rules do."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pitwall_exam.answering.answerer import AnswererInfo, ShouldStop
from pitwall_exam.answering.batches import BatchAnswerer
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller
from pitwall_exam.answering.recall import RecallAnswerer
from pitwall_exam.answering.retrieval import remembered_call
from pitwall_exam.answering.run_record import RunRecord, horizon_of
from pitwall_exam.answering.systems.catalogue import SYSTEMS, SystemName
from pitwall_exam.answering.systems.protocol import Entry, MemorySystem
from pitwall_exam.answering.turns import last_turns
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, Sheet, SheetQuestion


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

    def info(self, reader: str, asker: ModelCaller | None = None) -> AnswererInfo:
        """Describe the system with its reader; asker: the model that reads, None: rules do."""
        model = asker.name if asker is not None else ""
        entries = self.system.entries()
        size = sum(len(entry.text) for entry in entries)
        return AnswererInfo(
            kind="system",
            name=f"{self.system.title} · {model or 'rules read'}",
            model=model,
            model_hash=asker.identity if asker is not None else "",
            uses=(
                f"a memory of steps 1 to {self.last}: {self.system.about}",
                f"{self.k} of its {len(entries):,} entries ({size:,} characters), by words and vectors "
                f"({self._vectors.name})",
                reader,
            ),
        )


class ModelReader(BatchAnswerer):
    """A model that answers from the recalled entries; each question is asked on its own."""

    def __init__(
        self, memory: ObservedMemory, recorded: RunRecord, asker: ModelCaller, vectors: SentenceVectors
    ) -> None:
        super().__init__(asker, batch=1, vectors=vectors)
        self._memory = memory
        self._game = recorded.row.manifest.game_name
        self._about = memory.info(f"the model {asker.name}", asker)

    @property
    def about(self) -> AnswererInfo:
        return self._about

    def context(self, questions: Sequence[SheetQuestion], share: float) -> ModelCall:
        """Return the recalled entries, the most useful first."""
        recalled = self._memory.recall(questions[0].text, share)
        return remembered_call(self._game, [entry.text for entry in recalled])


class RulesReader(RecallAnswerer):
    """Rules that look the question up in what the recalled entries say about single steps, and only there.

    Sums over many steps that an entry tells ("done 12 times") are lost on them.
    """

    def __init__(
        self, memory: ObservedMemory, sheet: Sheet, recorded: RunRecord, vectors: SentenceVectors
    ) -> None:
        super().__init__(sheet, recorded, vectors)
        self._memory = memory
        self.about = memory.info("rules that look the question up in what these entries say of single steps")

    def _answer(self, question: SheetQuestion, stopped: ShouldStop) -> Answer:  # noqa: ARG002
        """Answer a question from the recalled statements alone."""
        statements = [part for entry in self._memory.recall(question.text) for part in entry.statements]
        answer = self._recall.answer(question.text, question_id=question.id, statements=statements)
        steps = {step for step, _, _ in statements}
        return answer.model_copy(
            update={
                "text": answer.text if answer.text or answer.problem else NOT_ANSWERABLE,
                "evidence": tuple(step for step in answer.evidence if step in steps),
            }
        )
