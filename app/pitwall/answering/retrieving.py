"""A model with the k memories that are the most like each question: what the memory is worth alone."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.answering.answerer import About
from pitwall.answering.asking import Asked, Asker
from pitwall.answering.batching import BatchAnswerer
from pitwall.answering.in_context import NOTHING_ASKED
from pitwall.answering.memories import Finder, Memory
from pitwall.answering.prompts import prompts
from pitwall.answering.records import Recorded
from pitwall.answering.vectors import Vectors
from pitwall.exam.sheet import Sheet, SheetQuestion


class RetrievalAnswerer(BatchAnswerer):
    """Each question is asked by itself, as each has memories of its own.

    Args:
        k: memories a question.
        snapshot: as it was asked for; empty: the memory as it stands.
    """

    def __init__(
        self,
        sheet: Sheet,
        recorded: Recorded,
        asker: Asker,
        memory: Memory,
        vectors: Vectors,
        *,
        k: int,
        snapshot: str,
    ) -> None:
        super().__init__(asker, batch=1)
        self._game = recorded.row.manifest.game_name
        self._k = k
        self._vectors = vectors
        self._finder = Finder(memory.entries, vectors, run_id=sheet.run_id)
        which = f"the snapshot {snapshot}" if snapshot else "as it stood"
        self._about = About(
            kind="retrieval",
            name=f"retrieval · {asker.name}",
            model=asker.name,
            memory=memory.content_hash,
            uses=(
                f"the agent's memory, {which}: {len(memory.entries)} entries of this game",
                f"the {k} entries most like each question, by words and vectors ({vectors.name})",
                f"the model {asker.name}",
            ),
        )

    @property
    def about(self) -> About:
        return self._about

    def context(self, questions: Sequence[SheetQuestion], share: float) -> Asked:
        """The memories of the one question, the most like it first."""
        count = max(1, round(self._k * share))
        found = self._finder.best(questions[0].text, count)
        entries = "\n".join(f"- {one.told}" for one in found) or "- nothing"
        return Asked(
            system=prompts()["retrieval"].format(game=self._game),
            user=prompts()["memory"].format(entries=entries),
            shape=NOTHING_ASKED,
            max_tokens=0,
        )

    def __enter__(self) -> RetrievalAnswerer:
        super().__enter__()
        self._open.enter_context(self._vectors)
        return self
