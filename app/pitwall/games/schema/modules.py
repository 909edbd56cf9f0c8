"""Game sense modules as a manifest declares them: [[modules]], their rules, what they learn, their trials."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from pitwall.games.schema.fields import Box, Identifier, Table


class Rule(Table):
    """[[modules.rules]]: the first rule that holds acts."""

    when: str
    action: str
    cooldown_ms: int = Field(0, ge=0, le=60_000)


class StateInput(Table):
    """modules.learned.state: a state-reader field as a number that a policy reads.

    A number is scaled so that `low` … `high` become −1 … 1, and cut at −1.5 and 1.5; a truth value becomes
    0 or 1; with `choices` a text becomes one input for each of them. A field that was not read is 0, and
    with `optional` one more input says whether it was read.
    """

    field: Identifier
    low: float = 0.0
    high: float = 1.0
    choices: list[str] = Field(default_factory=list)
    optional: bool = False

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.high <= self.low:
            raise ValueError("high must be above low")
        return self


class VisionInput(Table):
    """[modules.learned.vision]: pixels that a policy sees, as a stack of the newest frames."""

    box: Box | None = Field(None, description="None: the whole frame")
    width: int = Field(84, ge=8, le=256)
    height: int = Field(84, ge=8, le=256)
    frames: int = Field(4, ge=1, le=8)


class Recipe(Table):
    """[modules.learned.training]: how a policy is trained; every value can be changed for one training.

    Attributes:
        steps: decisions over all environments. environments: side by side.
        n_step: rewards summed before the estimate. tau: share of the soft target update.
        train_every: decisions (over all environments) for each gradient step.
        epsilon_steps: decisions over which exploration falls from `epsilon_from` to `epsilon_to`.
        delay_ms: between a frame and the effect of what was decided on it, as on the screen; `jitter_ms` up
            and down. noise: field → standard deviation of what reading it adds, in the field's unit.
        drop: share of decisions that never reach the game (a late frame).
        evaluate_every: decisions between two evaluations on held-out seeds; `evaluate_runs` each.
    """

    steps: int = Field(300_000, ge=100, le=1_000_000_000)
    environments: int = Field(16, ge=1, le=4096)
    scenarios: list[str] = Field(default_factory=list, description="Empty: the game as it is")
    gamma: float = Field(0.99, gt=0, lt=1)
    n_step: int = Field(3, ge=1, le=20)
    learning_rate: float = Field(7e-4, gt=0, le=1)
    learning_rate_to: float = Field(0.0, ge=0, le=1, description="Falls to this in a straight line; 0: stays")
    batch: int = Field(128, ge=1, le=8192)
    replay: int = Field(100_000, ge=100, le=10_000_000, description="Transitions that are remembered")
    learn_from: int = Field(2_000, ge=1, description="Transitions before the first gradient step")
    train_every: int = Field(16, ge=1)
    tau: float = Field(0.005, gt=0, le=1)
    epsilon_from: float = Field(1.0, ge=0, le=1)
    epsilon_to: float = Field(0.02, ge=0, le=1)
    epsilon_steps: int = Field(60_000, ge=1)
    hidden: list[int] = Field(default_factory=lambda: [64, 64])
    delay_ms: float = Field(0.0, ge=0, le=1_000)
    jitter_ms: float = Field(0.0, ge=0, le=1_000)
    noise: dict[str, float] = Field(default_factory=dict)
    drop: float = Field(0.0, ge=0, lt=1)
    evaluate_every: int = Field(25_000, ge=100)
    evaluate_runs: int = Field(20, ge=1, le=1_000)


class Learned(Table):
    """[modules.learned]: what a policy sees, may do, and is rewarded for (SPEC §8).

    Attributes:
        actions: action texts of the vocabulary it chooses from; "" begins nothing new.
        history: how many of its own past actions it sees (the LSTM branch); 0 for none.
        decide_every_ms: it decides on the first frame after this time; 0: on every frame.
        reward: file of the folder with `def reward(…)`, the first reward function.
        twin: Python file of the folder with `make_twin` (see gsm.twin); runs only where that is trusted.
        policy: folder of a policy that is shipped (see gsm.versions); empty: none.
    """

    state: list[StateInput] = Field(default_factory=list)
    vision: VisionInput | None = None
    actions: list[str] = Field(min_length=2)
    history: int = Field(8, ge=0, le=64)
    decide_every_ms: float = Field(0.0, ge=0, le=10_000)
    reward: str
    twin: str = ""
    policy: str = ""
    training: Recipe = Recipe()

    @model_validator(mode="after")
    def _sees(self) -> Self:
        if not self.state and self.vision is None:
            raise ValueError("a policy must see something: give state, vision or both")
        return self


class Trial(Table):
    """[[modules.trials]]: how the module is judged, from the game's true state.

    Attributes:
        scenario: the game's scenario it is played in; empty: as it is.
        score: dotted path inside the true state. success: a run succeeds with at least this score.
        cap: a run ends as soon as its score reaches this; None: at the game's end.
        seconds: longest run. first_seed: held-out seeds count up from here; training never uses them.
        higher: whether more is better.
    """

    name: Identifier
    scenario: str = ""
    score: str
    unit: str = ""
    success: float
    cap: float | None = None
    seconds: float = Field(120.0, gt=0, le=7_200)
    first_seed: int = Field(900_001, ge=0)
    higher: bool = True


class Module(Table):
    """[[modules]]: a game sense module, run at frame rate.

    With rules alone it plays by them. With `learned` it plays by its promoted policy, and by its rules where
    there is none.
    """

    name: Identifier
    description: str = ""
    ends: str = Field(description="Condition that ends it")
    rules: list[Rule] = Field(default_factory=list)
    learned: Learned | None = None
    trials: list[Trial] = Field(default_factory=list)

    @model_validator(mode="after")
    def _acts(self) -> Self:
        if not self.rules and self.learned is None:
            raise ValueError("a module needs rules, learned, or both")
        return self

    @property
    def judged_in(self) -> Learned | None:
        """The space and the twin in which it is judged without a screen; None: it has none."""
        return self.learned

    @property
    def judged_as(self) -> str:
        """The name under which its twin knows it."""
        return self.name


class Scenario(Table):
    """[[scenarios]]: a way the game can be begun: words added to its launch command."""

    name: Identifier
    description: str = ""
    arguments: list[str] = Field(default_factory=list)


ModuleKind = Literal["rules", "policy"]
