"""An exam with its truths: for the maker, the scorer and who looks at the marks; never for an answerer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.exam.questions.abilities import Ability, AnswerKind
from pitwall.exam.questions.sheet import NOT_ANSWERABLE, RuleSet, Sheet, SheetQuestion

__all__ = ["EXAM_VERSION", "Exam", "Question", "RuleSet"]

EXAM_VERSION = 1


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(_Words):
    """A question with its truth.

    Attributes:
        id: within the exam, like "017".
        template: whose question it is, like "A_occ_action".
        ability: adversarial where its precondition was broken on purpose, whatever its template's own is.
        text: as the template words it; paraphrase: another wording, empty where there is none.
        slots: what the template's form was filled with.
        truth: every answer that is right, the first one as it is shown; (NOT_ANSWERABLE,) where none is.
        evidence: the steps from which the truth follows, rising; of a range its first and last step where
            all of it counts.
        lo, hi: the steps asked about, inclusive, from 1.
    """

    id: str
    template: str
    ability: Ability
    text: str
    paraphrase: str = ""
    slots: dict[str, str | int] = Field(default_factory=dict)
    kind: AnswerKind = "string"
    truth: tuple[str, ...] = Field(min_length=1)
    evidence: tuple[int, ...] = ()
    lo: int = 1
    hi: int = 1

    @property
    def answerable(self) -> bool:
        """Whether the episode says."""
        return self.truth != (NOT_ANSWERABLE,)

    @property
    def asked(self) -> str:
        """The wording in which it is asked."""
        return self.paraphrase or self.text


class Exam(_Words):
    """An exam over one run: the same log, seed and settings give the same one everywhere.

    Attributes:
        exam_id: of its contents: the first 12 hex digits of a SHA-256 over all that follows.
        inventory: see Sheet. per_template: most questions of one template.
        horizon: questions and truths are of steps 1 … horizon; 0: the whole episode.
        steps: how many steps of the run can be asked about (those whose outcome was still seen).
        paraphrased: "", "model NAME" or "rewordings": who worded the paraphrases.
    """

    version: int = EXAM_VERSION
    exam_id: str
    rule_set: RuleSet
    inventory: str
    game_id: str
    run_id: int
    seed: int
    horizon: int = Field(0, ge=0)
    per_template: int = Field(2, ge=1)
    steps: int = Field(ge=0)
    paraphrased: str = ""
    questions: tuple[Question, ...] = ()

    @property
    def last_step(self) -> int:
        """The last step that is asked about; the published rules heed a horizon only here and there."""
        heeded = self.horizon and self.rule_set == "paper"
        return min(self.steps, self.horizon) if heeded else self.steps

    def sheet(self, *, worded: Literal["asked", "declared"] = "asked") -> Sheet:
        """The questions without truths. `declared`: in the templates' own words, paraphrases aside."""
        return Sheet(
            exam_id=self.exam_id,
            game_id=self.game_id,
            run_id=self.run_id,
            inventory=self.inventory,
            last_step=self.last_step,
            rule_set=self.rule_set,
            questions=tuple(
                SheetQuestion(id=question.id, text=question.asked if worded == "asked" else question.text)
                for question in self.questions
            ),
        )
