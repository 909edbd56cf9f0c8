"""A model with the k memories most similar to each question: measures the memory alone."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall_exam.answering.answerer import AnswererInfo
from pitwall_exam.answering.batches import BatchAnswerer
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.in_context import NOTHING_ASKED
from pitwall_exam.answering.memory_sentences import GameMemory, MemoryFinder
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller, prompts
from pitwall_exam.answering.run_record import RunRecord
from pitwall_exam.questions.sheet import Sheet, SheetQuestion


class RetrievalAnswerer(BatchAnswerer):
    """Asks each question on its own, because each has its own memories.

    Args:
        k: memories per question.
        snapshot: name of the snapshot; empty: the current memory.
    """

    def __init__(
        self,
        sheet: Sheet,
        recorded: RunRecord,
        asker: ModelCaller,
        memory: GameMemory,
        vectors: SentenceVectors,
        *,
        k: int,
        snapshot: str,
    ) -> None:
        super().__init__(asker, batch=1, vectors=vectors)
        self._game = recorded.row.manifest.game_name
        self._k = k
        self._finder = MemoryFinder(memory.entries, vectors, run_id=sheet.run_id)
        which = f"the snapshot {snapshot}" if snapshot else "as it stood"
        self._about = AnswererInfo(
            kind="retrieval",
            name=f"retrieval · {asker.name}",
            model=asker.name,
            model_hash=asker.identity,
            memory=memory.content_hash,
            uses=(
                f"the agent's memory, {which}: {len(memory.entries)} entries of this game",
                f"the {k} entries most like each question, by words and vectors ({vectors.name})",
                f"the model {asker.name}",
            ),
        )

    @property
    def about(self) -> AnswererInfo:
        return self._about

    def context(self, questions: Sequence[SheetQuestion], share: float) -> ModelCall:
        """Return the memories for the question, the most similar first."""
        count = max(1, round(self._k * share))
        memories = self._finder.best(questions[0].text, count)
        return remembered_call(self._game, [memory.with_source for memory in memories])


def remembered_call(game: str, entries: Sequence[str]) -> ModelCall:
    """Return the call of a model that answers from these entries, the most useful first."""
    listed = "\n".join(f"- {entry}" for entry in entries) or "- nothing"
    return ModelCall(
        system=prompts()["retrieval"].format(game=game),
        user=prompts()["memory"].format(entries=listed),
        shape=NOTHING_ASKED,
        max_tokens=0,
    )
