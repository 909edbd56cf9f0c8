"""An exam with its truths: for its maker, the scorer and the pages that show marks; never for an answerer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall_exam.questions.abilities import Ability, AnswerKind
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, RuleSet, Sheet, SheetQuestion

__all__ = ["EXAM_VERSION", "Exam", "Question", "RuleSet"]

EXAM_VERSION = 1


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(_Words):
    """A question with its truth.

    Attributes:
        id: within the exam, like "017".
        template: name of its template, like "A_occ_action".
        ability: the template's ability; adversarial if its precondition was broken on purpose.
        text: the template's words; paraphrase: another wording, or empty.
        slots: the values that filled the template's form.
        truth: every right answer, the first as it is shown; (NOT_ANSWERABLE,) if there is none.
        evidence: the steps from which the truth follows, rising; for a range that counts as a whole, its
            first and last step.
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
        """Return whether the episode contains the answer."""
        return self.truth != (NOT_ANSWERABLE,)

    @property
    def asked(self) -> str:
        """Return the wording in which the question is asked."""
        return self.paraphrase or self.text


class Exam(_Words):
    """An exam over one run: the same log, seed and settings give the same exam everywhere.

    Attributes:
        exam_id: the first 12 hex digits of a SHA-256 over all the other fields.
        inventory: see Sheet. per_template: most questions of one template.
        horizon: questions and truths cover steps 1 … horizon; 0: the whole episode.
        steps: how many steps of the run can be asked about (those with a known outcome).
        paraphrased: who worded the paraphrases: "", "model NAME" or "rewordings".
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
        """Return the last step asked about; the published rules apply a horizon only to some questions."""
        heeded = self.horizon and self.rule_set == "paper"
        return min(self.steps, self.horizon) if heeded else self.steps

    def sheet(self, *, worded: Literal["asked", "declared"] = "asked") -> Sheet:
        """Return the questions without truths. `declared`: in the templates' words, not in paraphrases."""
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
