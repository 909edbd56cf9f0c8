"""Game sense modules as a manifest declares them: [[modules]], their rules, what they learn, their trials."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from pitwall.games.schema.fields import Box, Identifier, Table


class Rule(Table):
    """[[modules.rules]]: the first rule that holds acts."""

    when: str = Field(description="Condition under which it acts")
    action: str = Field(description="Action text of the vocabulary")
    cooldown_ms: int = Field(0, ge=0, le=60_000, description="Time before it may act again")


class StateInput(Table):
    """modules.learned.state: a state-reader field as a number that a policy reads.

    A number is scaled so that `low` … `high` become −1 … 1, and cut at −1.5 and 1.5; a truth value becomes 0
    or 1; with `choices` a text becomes one input for each choice. A field that was not read is 0, and with
    `optional` one more input is 1 while the field was read. A board, a text whose rows are separated by "/",
    is read from the cell `at`: for each of the four directions whether it is free, how much of the board
    stays in reach, and the distance to each of the `choices`.
    """

    field: Identifier = Field(description="Field that is read")
    minus: Identifier | None = Field(None, description="Another field, taken from it: how far they are apart")
    low: float = Field(0.0, description="Value that becomes −1")
    high: float = Field(1.0, description="Value that becomes 1")
    choices: list[str] = Field(default_factory=list, description="Texts of which each becomes an input")
    optional: bool = Field(False, description="One more input says whether the field was read")
    at: tuple[Identifier, Identifier] | None = Field(
        None, description="The field is a board of signs; these are the column and row one stands in, from 0"
    )
    entered: str = Field("", description="Signs of the board's cells that can be entered")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.high <= self.low:
            raise ValueError("high must be above low")
        return self


class VisionInput(Table):
    """[modules.learned.vision]: pixels that a policy sees, as a stack of the newest frames."""

    box: Box | None = Field(None, description="None: the whole frame")
    width: int = Field(84, ge=8, le=256, description="Width to which it is shrunk")
    height: int = Field(84, ge=8, le=256, description="Height to which it is shrunk")
    frames: int = Field(4, ge=1, le=8, description="Newest frames that are seen")


class Recipe(Table):
    """[modules.learned.training]: how a policy is trained; every value can be changed for one training."""

    algorithm: Literal["double_dqn", "ppo"] = Field(
        "double_dqn",
        description="double_dqn: from all that is remembered; ppo: from the policy's newest play",
    )
    steps: int = Field(300_000, ge=100, le=1_000_000_000, description="Decisions over all environments")
    environments: int = Field(16, ge=1, le=4096, description="Environments side by side")
    scenarios: list[str] = Field(default_factory=list, description="Empty: the game as it is")
    gamma: float = Field(0.99, gt=0, lt=1, description="Discount of later rewards")
    n_step: int = Field(3, ge=1, le=20, description="Rewards summed before the estimate")
    learning_rate: float = Field(7e-4, gt=0, le=1, description="Adam's learning rate")
    learning_rate_to: float = Field(0.0, ge=0, le=1, description="Falls to this in a straight line; 0: stays")
    batch: int = Field(128, ge=1, le=8192, description="Transitions of one gradient step")
    replay: int = Field(100_000, ge=100, le=10_000_000, description="Transitions that are remembered")
    learn_from: int = Field(2_000, ge=1, description="Transitions before the first gradient step")
    train_every: int = Field(16, ge=1, description="Decisions (over all environments) for each gradient step")
    tau: float = Field(0.005, gt=0, le=1, description="Share of the soft target update")
    imagined: float = Field(
        0.0,
        ge=0,
        le=0.9,
        description="Share of a gradient step's transitions that are imagined in a world learned from play",
    )
    critics: int = Field(
        1,
        ge=1,
        le=10,
        description="double_dqn: networks that value actions; a target takes the smaller value of two",
    )
    dropout: float = Field(
        0.0,
        ge=0,
        le=0.5,
        description="double_dqn: share of units left out in learning, with layer norm; 0: neither",
    )
    reset_every: int = Field(
        0,
        ge=0,
        description="double_dqn: gradient steps between resets that renew the networks in part; 0: never",
    )
    epsilon_from: float = Field(1.0, ge=0, le=1, description="Share of random decisions at the beginning")
    epsilon_to: float = Field(0.02, ge=0, le=1, description="Share of random decisions at the end")
    epsilon_steps: int = Field(60_000, ge=1, description="Decisions over which that share falls")
    horizon: int = Field(128, ge=2, le=10_000, description="ppo: decisions of each environment an update")
    passes: int = Field(4, ge=1, le=100, description="ppo: times that an update learns from each decision")
    clip: float = Field(
        0.1, gt=0, le=1, description="ppo: largest change of a probability in an update, as a share"
    )
    gae_lambda: float = Field(0.95, ge=0, le=1, description="ppo: λ of the advantage estimate")
    entropy: float = Field(0.01, ge=0, le=1, description="ppo: weight of the entropy bonus")
    hidden: list[int] = Field(default_factory=lambda: [64, 64], description="Widths of the hidden layers")
    delay_ms: float = Field(
        0.0,
        ge=0,
        le=1_000,
        description="Time between a frame and the effect of what was decided on it, as on the screen",
    )
    jitter_ms: float = Field(0.0, ge=0, le=1_000, description="Deviation of that time, up and down")
    noise: dict[str, float] = Field(
        default_factory=dict,
        description="Field → standard deviation of what reading it adds, in the field's unit",
    )
    drop: float = Field(
        0.0, ge=0, lt=1, description="Share of decisions that never reach the game (a late frame)"
    )
    evaluate_every: int = Field(
        25_000, ge=100, description="Decisions between two evaluations on held-out seeds"
    )
    evaluate_runs: int = Field(20, ge=1, le=1_000, description="Runs of each evaluation")


ON_POLICY = frozenset({"horizon", "passes", "clip", "gae_lambda", "entropy"})
"""Values of a recipe that only ppo uses."""
LATER = frozenset({"critics", "dropout", "reset_every"})
"""Values that older checkpoints do not know; at their defaults they change nothing."""


class Learned(Table):
    """[modules.learned]: what a policy sees, may do, and is rewarded for (SPEC §8)."""

    state: list[StateInput] = Field(
        default_factory=list, description="Fields that the policy sees as numbers"
    )
    vision: VisionInput | None = Field(None, description="Pixels that it sees")
    actions: list[str] = Field(
        min_length=2, description='Action texts of the vocabulary it chooses from; "" begins nothing new'
    )
    history: int = Field(
        8, ge=0, le=64, description="How many of its own past actions it sees (the LSTM branch); 0 for none"
    )
    decide_every_ms: float = Field(
        0.0, ge=0, le=10_000, description="It decides on the first frame after this time; 0: on every frame"
    )
    reward: str = Field(description="File of the folder with `def reward(…)`, the first reward function")
    twin: str = Field(
        "", description="Python file of the folder with `make_twin`; runs only where the folder is trusted"
    )
    policy: str = Field("", description="Folder of a policy that is shipped; empty: none")
    training: Recipe = Field(Recipe(), description="How it is trained")

    @model_validator(mode="after")
    def _sees(self) -> Self:
        if not self.state and self.vision is None:
            raise ValueError("a policy must see something: give state, vision or both")
        return self


class Trial(Table):
    """[[modules.trials]]: how the module is judged, from the game's true state."""

    name: Identifier = Field(description="Name of the trial")
    scenario: str = Field("", description="Scenario it is played in; empty: as the game is")
    score: str = Field(description="Dotted path inside the true state")
    unit: str = Field("", description="Unit of the score")
    success: float = Field(description="A run succeeds with at least this score")
    cap: float | None = Field(
        None, description="A run ends as soon as its score reaches this; not given: at the game's end"
    )
    seconds: float = Field(120.0, gt=0, le=7_200, description="Longest run")
    first_seed: int = Field(
        900_001, ge=0, description="Held-out seeds count up from here; training never uses them"
    )
    higher: bool = Field(True, description="Whether more is better")


class Module(Table):
    """[[modules]]: a game sense module, run at frame rate.

    A module with rules alone plays by them. A module with `learned` plays by its promoted policy, and by its
    rules until there is one.
    """

    name: Identifier = Field(description="Name by which skills start it")
    description: str = Field("", description="What it does")
    ends: str = Field(description="Condition that ends it")
    rules: list[Rule] = Field(
        default_factory=list, description="Conditions and actions: the first that holds acts"
    )
    learned: Learned | None = Field(None, description="What a policy sees, may do, and is rewarded for")
    trials: list[Trial] = Field(default_factory=list, description="How it is judged")

    @model_validator(mode="after")
    def _acts(self) -> Self:
        if not self.rules and self.learned is None:
            raise ValueError("a module needs rules, learned, or both")
        return self

    @property
    def judged_in(self) -> Learned | None:
        """Return the space and the twin in which it is judged without a screen; None: it has none."""
        return self.learned

    @property
    def judged_as(self) -> str:
        """Return the name under which its twin knows it."""
        return self.name


class Scenario(Table):
    """[[scenarios]]: a way to start the game: arguments added to its launch command."""

    name: Identifier = Field(description="Name in commands")
    description: str = Field("", description="What is different")
    arguments: list[str] = Field(
        default_factory=list, description="Words added to the launch command, or to a page's query"
    )


ModuleKind = Literal["rules", "policy"]
