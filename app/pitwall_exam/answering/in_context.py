"""The answerer of the source's baseline: a model with the last turns of the episode (Table 6)."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.models.grammars.by_purpose import Shape
from pitwall_exam.answering.answerer import AnswererInfo
from pitwall_exam.answering.batches import BatchAnswerer
from pitwall_exam.answering.model_calls import ModelCall, ModelCaller, prompts
from pitwall_exam.answering.run_record import RunRecord, horizon_of
from pitwall_exam.answering.turns import Turn, last_turns, turn_text
from pitwall_exam.questions.sheet import Sheet, SheetQuestion

TURNS = {"grid": 5, "text": 10, "general": 10}
"""How many turns the source includes, by inventory; for the general set, as for a text game."""
NOTHING_ASKED = Shape("", "")


class InContextAnswerer(BatchAnswerer):
    """A model that gets the last steps of the episode, with their pictures if it takes any.

    Args:
        turns: number of steps; 0: the source's number for this kind of game.
    """

    def __init__(
        self, sheet: Sheet, recorded: RunRecord, asker: ModelCaller, *, turns: int, batch: int, folder: str
    ) -> None:
        super().__init__(asker, batch=batch)
        kind = sheet.inventory.split("+")[0]
        self._kind = kind if kind in TURNS else "general"
        self._game = recorded.row.manifest.game_name
        last = horizon_of(sheet, recorded)
        wanted = turns or TURNS[self._kind]
        self._turns: tuple[Turn, ...] = last_turns(
            recorded, last=last, most=wanted, folder=folder if asker.sees else ""
        )
        first = self._turns[0].step if self._turns else last
        pictures = sum(1 for turn in self._turns if turn.picture)
        self._about = AnswererInfo(
            kind="in-context",
            name=f"in context · {asker.name}",
            model=asker.name,
            uses=(
                f"the run log: actions, reasons and what was read off the screen in steps {first} to {last}",
                f"pictures of {pictures} of these steps" if pictures else "no pictures",
                f"the model {asker.name}",
            ),
        )

    @property
    def about(self) -> AnswererInfo:
        return self._about

    def context(self, questions: Sequence[SheetQuestion], share: float) -> ModelCall:  # noqa: ARG002
        """Return the newest of the turns, as many as fit."""
        count = max(1, round(len(self._turns) * share))
        newest = self._turns[-count:]
        steps = "\n".join(turn_text(turn) for turn in newest)
        return ModelCall(
            system=prompts()[f"in_context_{self._kind}"].format(game=self._game),
            user=prompts()["timeline"].format(steps=steps),
            pictures=tuple((f"Step {turn.step}:", turn.picture) for turn in newest if turn.picture),
            shape=NOTHING_ASKED,
            max_tokens=0,
        )
