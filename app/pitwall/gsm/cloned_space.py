"""The inputs and presses of a policy that was cloned from demonstrations; a kind of `Learned`."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pitwall.games.schema.fields import Table
from pitwall.games.schema.modules import Learned, StateInput

SELDOM_SHARE = 0.25
"""Part of a period between two decisions on new pictures, where pictures change seldom."""
_CLOSE_MS = 70.0


class CloningRecipe(Table):
    """How a policy is cloned; every value can be changed for one training."""

    minutes: float = Field(5.0, gt=0, le=600, description="Longest training, in minutes")
    epochs: int = Field(60, ge=1, le=10_000, description="Most passes over the demonstrations")
    patience: int = Field(
        8, ge=1, le=1_000, description="Passes without a better held-out loss before it ends"
    )
    batch: int = Field(64, ge=1, le=8192, description="Decisions of one gradient step")
    learning_rate: float = Field(1e-3, gt=0, le=1, description="AdamW's learning rate, falling to a tenth")
    hidden: list[int] = Field(default_factory=lambda: [128, 128], description="Widths of the hidden layers")
    past_dropout: float = Field(
        0.6, ge=0, le=1, description="Share of decisions that learn without their own past actions"
    )
    correction_weight: float = Field(
        4.0, ge=1, le=100, description="How many times as much a correction weighs as other play"
    )
    goes_on: bool | None = Field(
        None,
        description="After an earlier clone: go on from its weights, or learn anew from all of the play; "
        "not given: pictures go on, fields learn anew",
    )
    held_out: float = Field(0.2, gt=0, lt=0.6, description="Share of the play that is kept for judging")
    reaction_ms: float | None = Field(
        None, ge=0, le=1_000, description="The person's reaction time; not given: estimated, 0 … 400 ms"
    )
    sooner: bool = Field(
        False,
        description="Press a reaction time sooner than the person: where play reacts and foresees nothing",
    )
    lead_ms: float | None = Field(
        None,
        ge=0,
        le=1_000,
        description="How much sooner than the person a hold begins; not given: told by play, 0 … 400 ms",
    )
    delay_ms: float = Field(
        10.0, ge=0, le=1_000, description="Time from a frame to the press that answers it, as on this machine"
    )


class Pointer(Table):
    """Converts a place in the window to the two arguments of a click.

    Attributes:
        x, y: names of the arguments. box: the area of the place, in screen pixels.
        columns, rows: of a board in that box; 0: the arguments are pixels.
    """

    x: str
    y: str
    box: tuple[int, int, int, int]
    columns: int = 0
    rows: int = 0


class Press(Table):
    """When one action is taken, and how.

    Attributes:
        threshold: of its probability. tap: it ends at once; otherwise it stays down while it is chosen.
        rest_ms: time after a tap in which it cannot be chosen, because the person never tapped faster.
        pointer: set where the policy chooses a place for it.
    """

    threshold: float = Field(0.5, ge=0, le=1)
    tap: bool = False
    rest_ms: float = Field(0.0, ge=0)
    pointer: Pointer | None = None


class ClonedSpace(Learned):
    """Inputs and outputs of a clone: a logit for each action, "" first, then x and y where it points.

    Attributes:
        presses: one for each action after the first, which is "".
        states: number of newest state vectors that it sees side by side.
        knots: steps into which each number of the newest vector is divided, so that small differences count.
        told: fields that a policy of pictures also learns to predict; nothing reads the prediction in play.
        at_once: most actions that the person took at once.
        demonstrations: the demonstrations it was cloned from. reaction_ms: of the person.
        lead_ms: how much earlier than the person it starts to hold an action.
    """

    reward: str = ""
    presses: list[Press]
    states: int = Field(1, ge=1, le=16)
    knots: int = Field(0, ge=0, le=64)
    told: list[StateInput] = Field(default_factory=list)
    at_once: int = Field(1, ge=1)
    demonstrations: list[str] = Field(default_factory=list)
    reaction_ms: float = 0.0
    lead_ms: float = 0.0
    cloning: CloningRecipe = CloningRecipe()

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        if self.actions[0] or len(self.presses) != len(self.actions) - 1:
            raise ValueError('actions begin with "", and every other one has its press')
        return self

    @property
    def shift_ms(self) -> float:
        """Time between a moment and the person's action that is learned for it: the machine's delay, and the
        reaction time where the clone is to act earlier than the person.
        """
        return self.cloning.delay_ms + (self.reaction_ms if self.cloning.sooner else 0.0)

    @property
    def close(self) -> bool:
        """Return whether decisions are so close that a press shows no effect before the next decision."""
        return self.decide_every_ms <= _CLOSE_MS

    @property
    def by_picture(self) -> bool:
        """Return whether it decides on each new picture, as pictures change seldom, not by its period."""
        return not self.close

    @property
    def goes_on(self) -> bool:
        """Return whether a clone starts from an earlier clone's weights; by default pixel policies do."""
        return not self.state if self.cloning.goes_on is None else self.cloning.goes_on

    @property
    def points(self) -> bool:
        """Return whether the policy also outputs a place."""
        return any(press.pointer is not None for press in self.presses)


def state_vectors(learned: Learned) -> int:
    """Return the number of state vectors that a policy of this space sees at once."""
    return learned.states if isinstance(learned, ClonedSpace) else 1


def output_size(learned: Learned) -> int:
    """Return the number of outputs of a policy of this space."""
    return len(learned.actions) + 2 * (isinstance(learned, ClonedSpace) and learned.points)
