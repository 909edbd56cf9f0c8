"""Describes what a policy that was cloned from demonstrations sees and presses; a kind of `Learned`."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pitwall.games.schema.fields import Table
from pitwall.games.schema.modules import Learned, StateInput

SELDOM_SHARE = 0.25
"""Where pictures change seldom, a new one is decided on so much of a period after the one before."""
_CLOSE_MS = 70.0


class CloningRecipe(Table):
    """Says how a policy is cloned; every value can be changed for one training."""

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
    """Says how a place in the window becomes the two arguments of a click.

    Attributes:
        x, y: names of the arguments. box: where they count, in screen pixels.
        columns, rows: of a board in that box; 0: the arguments are pixels.
    """

    x: str
    y: str
    box: tuple[int, int, int, int]
    columns: int = 0
    rows: int = 0


class Press(Table):
    """Says when one action is taken, and how.

    Attributes:
        threshold: of its probability. tap: it ends by itself; else it stays down while it is chosen.
        rest_ms: after a tap it cannot be chosen for so long: the person never did either.
        pointer: its place is the policy's to choose.
    """

    threshold: float = Field(0.5, ge=0, le=1)
    tap: bool = False
    rest_ms: float = Field(0.0, ge=0)
    pointer: Pointer | None = None


class ClonedSpace(Learned):
    """What a clone sees and does. Its outputs: a logit for each action, "" first; x and y where it points.

    Attributes:
        presses: of each action after the first, which is "".
        states: newest state vectors that it sees side by side.
        knots: steps into which each number of the newest one is parted, so that small differences tell.
        told: fields that a policy of pictures learns to say beside, which no one asks it for as it plays.
        at_once: most actions that the person did at once.
        demonstrations: what it was cloned from. reaction_ms: of the person.
        lead_ms: how much sooner than the person it begins to hold something.
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
        """How much later than a moment the person did what is learned for it: the machine's delay, and where
        the clone shall be sooner than the person the reaction time too."""
        return self.cloning.delay_ms + (self.reaction_ms if self.cloning.sooner else 0.0)

    @property
    def close(self) -> bool:
        """Whether decisions are so close that what a press did is not seen by the next one."""
        return self.decide_every_ms <= _CLOSE_MS

    @property
    def by_picture(self) -> bool:
        """Whether it decides on each new picture, for they change seldom; else by its period alone."""
        return not self.close

    @property
    def goes_on(self) -> bool:
        """Whether a clone begins with an earlier one's weights: what fields say is soon learned anew."""
        return not self.state if self.cloning.goes_on is None else self.cloning.goes_on

    @property
    def points(self) -> bool:
        """Whether the policy also says a place."""
        return any(one.pointer is not None for one in self.presses)


def state_vectors(learned: Learned) -> int:
    """Return how many state vectors a policy of this space sees at once."""
    return learned.states if isinstance(learned, ClonedSpace) else 1


def output_size(learned: Learned) -> int:
    """Return how many numbers a policy of this space gives."""
    return len(learned.actions) + 2 * (isinstance(learned, ClonedSpace) and learned.points)
