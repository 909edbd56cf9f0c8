"""The answerer of the source's baseline: a model with the whole episode in its context (Table 6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pitwall.models.grammars.by_purpose import Shape
from pitwall_exam.answering.answerer import AnswererInfo
from pitwall_exam.answering.batches import BatchAnswerer
from pitwall_exam.answering.history import RULES, HistoryWriter
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller, prompts
from pitwall_exam.answering.mosaic import mosaics
from pitwall_exam.answering.run_record import RunRecord, horizon_of
from pitwall_exam.answering.turns import last_turns
from pitwall_exam.questions.sheet import Sheet, SheetQuestion

_KINDS = ("grid", "text", "general")
_QUESTION_TOKENS = 240
"""Reckoned for each question's text and its answer, which are far below their limits as a rule."""
_FRAME_TOKENS = 512
"""Tokens beside history, questions and reply: the two messages' own words and the chat template."""
NOTHING_ASKED = Shape("", "")


class InContextAnswerer(BatchAnswerer):
    """A model that gets the steps of the episode in order, with their frames as mosaics if it sees.

    Args:
        turns: number of newest steps; 0: all of them, shortened by `RULES` to the model's context.
        icons: a picture that names what stands in the frames, PNG or JPEG; empty: none.
    """

    def __init__(
        self,
        sheet: Sheet,
        recorded: RunRecord,
        asker: ModelCaller,
        *,
        turns: int,
        batch: int,
        folder: str,
        icons: bytes = b"",
    ) -> None:
        super().__init__(asker, batch=batch)
        kind = sheet.inventory.split("+")[0]
        self._kind = kind if kind in _KINDS else "general"
        self._game = recorded.row.manifest.game_name
        self._icons = icons
        self._mosaics: dict[int, tuple[tuple[str, bytes], ...]] = {}
        last = horizon_of(sheet, recorded)
        self._turns = last_turns(recorded, last=last, most=turns, folder=folder if asker.sees else "")
        first = self._turns[0].step if self._turns else last
        pictures = sum(1 for turn in self._turns if turn.picture)
        extent = f"the last {turns} turns" if turns else "the whole episode"
        self._about = AnswererInfo(
            kind="in-context",
            name=f"in context · {extent} · {asker.name}" if turns else f"in context · {asker.name}",
            model=asker.name,
            model_hash=asker.identity,
            uses=(
                f"the run log: actions, reasons and what was read off the screen in steps {first} to {last} "
                f"({extent}; {RULES})",
                f"frames of {pictures} of these steps, as mosaics" if pictures else "no pictures",
                f"the model {asker.name}, with a context of {asker.context} tokens",
            ),
        )

    @property
    def about(self) -> AnswererInfo:
        return self._about

    @cached_property
    def _writer(self) -> HistoryWriter:
        return HistoryWriter(self._turns, self._asker.token_counts)

    def context(self, questions: Sequence[SheetQuestion], share: float) -> ModelCall:  # noqa: ARG002
        """Return the history, as much of it as fits beside the questions and the reply."""
        room = self._asker.context - _FRAME_TOKENS - _QUESTION_TOKENS * self._batch
        history = self._writer.history(round(max(0, room) * share))
        return ModelCall(
            system=prompts()[f"in_context_{self._kind}"].format(game=self._game),
            user=prompts()["timeline"].format(steps=history.text),
            pictures=self._pictures(history.first),
            shape=NOTHING_ASKED,
            max_tokens=0,
        )

    def _pictures(self, first: int) -> tuple[tuple[str, bytes], ...]:
        """Return the frames from a step on, after the icon legend; most calls begin at the same step."""
        if first not in self._mosaics:
            frames = [
                (turn.step, turn.picture) for turn in self._turns if turn.picture and turn.step >= first
            ]
            legend = (
                [("Icon legend: what stands in the frames.", self._icons)] if self._icons and frames else []
            )
            self._mosaics[first] = (*legend, *mosaics(frames))
        return self._mosaics[first]
