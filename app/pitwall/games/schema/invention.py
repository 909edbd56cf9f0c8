"""Invented modules: rule-based modules that the game's author did not declare.

The set of modules is the game's (SPEC §8): models that could invent modules made many bad ones, so inventing
is off until the operator switches it on (gsm.invent_modules). A proposal holds no more than a declared module
of rules. It has no trials of its own: a declared module's trials and twin judge it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError, Fault, PitwallError, nearest
from pitwall.core.validation import first_fault
from pitwall.games.schema.fields import Identifier, Table
from pitwall.games.schema.modules import Learned, Module, Rule

MOST_BYTES = 65_536
"""Longest proposal, in characters; longer proposals are refused."""
MOST_RULES = 24
CONDITION_LENGTH, ACTION_LENGTH = 400, 200
DESCRIPTION_LENGTH, WHY_LENGTH = 200, 400


class InventionRefused(PitwallError):
    """A proposed module cannot be accepted."""


class ProposedModule(Table):
    """A proposed module: from an operator's file, or from a model's reply.

    Attributes:
        judged_by: the declared module whose trials judge it; empty: the first that has trials.
    """

    name: Identifier
    description: Annotated[str, Field(min_length=1, max_length=DESCRIPTION_LENGTH)]
    ends: Annotated[str, Field(min_length=1, max_length=CONDITION_LENGTH)]
    rules: list[Rule] = Field(min_length=1, max_length=MOST_RULES)
    judged_by: str = Field("", max_length=60)
    why: str = Field("", max_length=WHY_LENGTH)

    @field_validator("description", "why")
    @classmethod
    def _shown(cls, text: str) -> str:
        if not text.isprintable():
            raise ValueError("it holds characters that cannot be shown, or several lines")
        return text

    @field_validator("rules")
    @classmethod
    def _short(cls, rules: list[Rule]) -> list[Rule]:
        for number, rule in enumerate(rules, start=1):
            if not rule.when or not rule.action:
                raise ValueError(f"rule {number} needs a condition and an action")
            if len(rule.when) > CONDITION_LENGTH:
                raise ValueError(
                    f"the condition of rule {number} has more than {CONDITION_LENGTH} characters"
                )
            if len(rule.action) > ACTION_LENGTH:
                raise ValueError(f"the action of rule {number} has more than {ACTION_LENGTH} characters")
        return rules

    def module(self) -> Module:
        """Convert the proposal to a table of rules."""
        return Module(name=self.name, description=self.description, ends=self.ends, rules=self.rules)


class Invention(Table):
    """`invented.json` beside a module's versions: the accepted module, and where it came from.

    Attributes:
        by: who proposed it. model: which model; empty for the operator. at: seconds since 1970.
        prompt: the model's whole prompt.
        plays: the game's skills start it in place of its judge (in a trial's own data folder, where nothing
            else is to play).
    """

    module: ProposedModule
    by: Literal["operator", "model"]
    model: str = ""
    at: float
    prompt: str = ""
    plays: bool = False


class InventedModule(Module):
    """An invented module of a game; in the manifest's form it is a module like any other.

    Attributes:
        invention: its stored record.
        judge: the declared module whose trials judge it; empty: no module has trials.
        space: the judge's learned space; None: it has none.
        at_rest: why it is not in force; empty: it is in force.
    """

    invention: Invention = Field(exclude=True)
    judge: str = Field("", exclude=True)
    space: Learned | None = Field(None, exclude=True)
    at_rest: str = Field("", exclude=True)

    @property
    def judged_in(self) -> Learned | None:
        """See `Module.judged_in`."""
        return self.space

    @property
    def judged_as(self) -> str:
        """See `Module.judged_as`."""
        return self.judge or self.name

    @property
    def author(self) -> str:
        """Return the proposer, in words."""
        by = self.invention
        return f"the model {by.model}" if by.by == "model" else "the operator"


def read_proposal(text: str, file: str) -> ProposedModule:
    """Parse a proposal from JSON.

    Args:
        file: name of the proposal in the refusal.

    Raises:
        InventionRefused: it is too long, is no JSON, or a value does not fit.
    """
    if len(text) > MOST_BYTES:
        raise InventionRefused(
            f"{file} is longer than {MOST_BYTES:,} characters.", "Propose a smaller module."
        )
    try:
        return ProposedModule.model_validate_json(text)
    except ValidationError as error:
        where, problem = first_fault(error, "the text")
        raise InventionRefused(
            f"{file}: {where[:80]}: {problem[:300]}.",
            "Expected: name, description, ends, and rules with when, action and cooldown_ms; "
            "judged_by and why where you like.",
        ) from None


def faults_of_end(proposed: ProposedModule, file: str) -> list[Fault]:
    """Check that a module's end reads a field: otherwise it would never end, or end at once."""
    try:
        fields = parse_condition(proposed.ends).fields
    except ConditionError:
        return []
    if fields:
        return []
    key = f"modules.{proposed.name}.ends"
    return [Fault(file=file, key=key, problem="it looks at no field", expected="like status != 'playing'")]


def judge_of(
    proposed: ProposedModule, declared: list[Module], file: str
) -> tuple[Module | None, list[Fault]]:
    """Return the declared module whose trials judge a proposal, or the fault of its `judged_by`."""
    judges = [module for module in declared if module.trials]
    judge = next((judge for judge in judges if proposed.judged_by in ("", judge.name)), None)
    if judge is not None or not proposed.judged_by:
        return judge, []
    names = [judge.name for judge in judges]
    problem = f"there is no declared module {proposed.judged_by!r} with trials"
    expected = f"one of {', '.join(names)}" if names else "nothing: the game has none"
    near = nearest(proposed.judged_by, names)
    return None, [Fault(file=file, key="judged_by", problem=problem, expected=expected, nearest=near)]
