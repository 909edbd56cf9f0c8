"""A headless twin with the disturbances of a screen: delay, noise, lost decisions.

A twin is exact, and the seed of its reset decides its game (pitwall_lab.environments.twin). The disturbances
come from a random generator with the same seed. So an episode repeats whoever plays it, and a lane can be
restored by resetting its twin and repeating its actions.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PluginFailed
from pitwall.core.observations import GameStatus, Value
from pitwall.games.plugin_loader import MakeTwin, load_twin
from pitwall.games.schema.modules import Learned, Module, Recipe, Trial
from pitwall.games.schema.profile import Game, Screen
from pitwall.gsm.state_space import StateSpace
from pitwall.gsm.vision import PixelStack
from pitwall_lab.environments.twin import values_of

_MS = 1000.0
_HELD_OUT = 1_000_000
"""Number of seeds from a trial's first that are reserved for judging."""
_LONGEST_S = 120.0
_SEEDS = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """The differences between playing on the screen and playing the exact twin.

    Attributes:
        delay_ms: from a frame to the effect of the decision on it, varied evenly by up to `jitter_ms`. It
            counts in steps of the twin; a fraction of a step is the probability of one more step.
        noise: field → standard deviation of its reading error.
        drop: share of decisions that never reach the game.
    """

    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    noise: dict[str, float] = field(default_factory=dict)
    drop: float = 0.0

    @classmethod
    def of(
        cls, recipe: Recipe, delay_ms: float | None = None, *, learned: Learned | None = None
    ) -> Disturbance:
        """Take the disturbance from a recipe; another delay limits the jitter to that delay.

        Args:
            learned: noise applies only to the fields of its state, because no other field is used.
        """
        jitter_ms = recipe.jitter_ms if delay_ms is None else min(recipe.jitter_ms, delay_ms)
        delay_ms = recipe.delay_ms if delay_ms is None else delay_ms
        read = None if learned is None else {state.field for state in learned.state}
        noise = {name: spread for name, spread in recipe.noise.items() if read is None or name in read}
        return cls(delay_ms=delay_ms, jitter_ms=jitter_ms, noise=noise, drop=recipe.drop)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentSpec:
    """Describes one lane; it can be sent to a worker process or another machine.

    Attributes:
        actions: texts; a decision is an index into them.
        cap: score at which an episode is cut; None: no limit.
        seconds: longest episode, in the game's time.
        held_out: first seeds of trials, which no training episode may use.
        seed: of the sequence of episodes. `TwinEnvironment.begin` also takes a seed for a single episode.
        pictures: the twin draws, for a policy that sees or for a clip.
    """

    game: Game
    module: Module
    learned: Learned
    actions: tuple[str, ...]
    scenario: str = ""
    disturbance: Disturbance = Disturbance()
    cap: float | None = None
    seconds: float = _LONGEST_S
    held_out: tuple[int, ...] = ()
    seed: int = 0
    pictures: bool = False


def training_spec(
    game: Game, module: Module, learned: Learned, recipe: Recipe, *, number: int, seed: int
) -> EnvironmentSpec:
    """Describe a training lane by its number: its scenario, and the limits of that scenario's trials."""
    scenario = recipe.scenarios[number % len(recipe.scenarios)] if recipe.scenarios else ""
    trials = [trial for trial in module.trials if trial.scenario == scenario] or module.trials
    caps = [trial.cap for trial in trials if trial.cap is not None]
    return EnvironmentSpec(
        game=game,
        module=module,
        learned=learned,
        actions=tuple(learned.actions),
        scenario=scenario,
        disturbance=Disturbance.of(recipe, learned=learned),
        cap=max(caps) if trials and len(caps) == len(trials) else None,
        seconds=max((trial.seconds for trial in trials), default=_LONGEST_S),
        held_out=tuple(trial.first_seed for trial in module.trials),
        seed=int(np.random.SeedSequence((seed, number)).generate_state(1)[0]),
        pictures=learned.vision is not None,
    )


def trial_spec(
    game: Game,
    module: Module,
    learned: Learned,
    actions: Sequence[str],
    trial: Trial,
    how: Disturbance,
    *,
    pictures: bool = False,
) -> EnvironmentSpec:
    """Describe a lane for judging a version. pictures: draw even if the policy does not see."""
    return EnvironmentSpec(
        game=game,
        module=module,
        learned=learned,
        actions=tuple(actions),
        scenario=trial.scenario,
        disturbance=how,
        cap=trial.cap,
        seconds=trial.seconds,
        pictures=pictures or learned.vision is not None,
    )


@dataclass(slots=True)
class StepResult:
    """The result of one decision, or the beginning of an episode.

    Attributes:
        values: the true fields, `status` among them. read: the fields as the state reader would read them.
        state: the policy's vector of `read`. picture: (height, width) grey, if the policy sees.
        fresh: an episode begins here. over: it ended here. terminal: for good, not cut.
        score: the trial's.
    """

    values: dict[str, Value]
    read: dict[str, Value]
    state: NDArray[np.float32]
    picture: NDArray[np.uint8] | None
    fresh: bool
    over: bool = False
    terminal: bool = False
    score: float = 0.0


class TwinEnvironment:
    """A lane: one twin with its disturbances.

    Raises:
        PitwallError: the module has no twin. UntrustedPlugin, PluginFailed: its code may not or cannot run.
    """

    def __init__(self, order: EnvironmentSpec, make: MakeTwin | None = None) -> None:
        self.order = order
        make = make or load_twin(order.game, order.module)
        try:
            self._twin: Any = make(
                module=order.module.judged_as,
                scenario=order.scenario,
                actions=order.actions,
                render=order.pictures,
            )
            self.step_ms = float(self._twin.metadata["step_ms"])
        except Exception as error:
            raise self._failed(error) from error
        how = order.disturbance
        self._delay, self._jitter = how.delay_ms / self.step_ms, how.jitter_ms / self.step_ms
        self._noise = tuple((name, spread) for name, spread in how.noise.items() if spread > 0)
        self._nothing = order.actions.index("") if "" in order.actions else None
        self._space = StateSpace(order.learned.state)
        self._eyes = _eyes(order.learned, order.game.profile.screen)
        self._longest = max(1, round(order.seconds * _MS / self.step_ms))
        self._course = random.Random(order.seed)
        self._chance = random.Random()
        self._seed = 0
        self._applied: list[int] = []
        self._pending: deque[tuple[int, int]] = deque()
        self._moment: StepResult | None = None

    def begin(self, seed: int | None = None) -> StepResult:
        """Begin an episode with a seed, or the next episode of the lane's own sequence."""
        self._seed = self._next_seed() if seed is None else seed
        self._chance = random.Random(self._seed)
        self._applied, self._pending = [], deque()
        values = self._reset()
        self._moment = self._seen(values, fresh=True)
        return self._moment

    def step(self, action: int) -> StepResult:
        """Apply one decision; if the episode is over, begin the next instead."""
        if self._moment is None or self._moment.over:
            return self.begin()
        applied = self._effect(action)
        values, terminal, cut, score = self._play(applied)
        capped = self.order.cap is not None and score >= self.order.cap
        moment = self._seen(values, fresh=False)
        moment.over = terminal or cut or capped or len(self._applied) >= self._longest
        moment.terminal, moment.score = terminal and not capped, score
        self._moment = moment
        return moment

    def render(self) -> NDArray[np.uint8] | None:
        """Return the game's picture now, RGB (height, width, 3); None if the twin draws none."""
        picture = self._twin.render()
        return None if picture is None else np.asarray(picture, np.uint8)

    def close(self) -> None:
        """Close the twin."""
        self._twin.close()

    # ---- disturbances

    def _effect(self, decided: int) -> int:
        """Return the action that reaches the game now. Decisions take effect in the order they were made."""
        now, how, chance = len(self._applied), self.order.disturbance, self._chance
        if not (how.drop and chance.random() < how.drop):
            late = self._delay
            if self._jitter:
                late = max(0.0, late + self._jitter * (2.0 * chance.random() - 1.0))
            whole = int(late)
            if late > whole and chance.random() < late - whole:
                whole += 1
            due = now + whole
            if self._pending:
                due = max(due, self._pending[-1][0])
            self._pending.append((due, decided))
        begun = self._nothing
        while self._pending and self._pending[0][0] <= now:
            action = self._pending.popleft()[1]
            if action != self._nothing:
                begun = action
        if begun is not None:
            return begun
        return self._applied[-1] if self._applied else decided  # without "", the last action continues

    def _read(self, values: dict[str, Value]) -> dict[str, Value]:
        """Read the fields as the state reader would."""
        if not self._noise:
            return values
        read = dict(values)
        for name, spread in self._noise:
            value = read.get(name)
            if isinstance(value, float):
                read[name] = value + self._chance.gauss(0.0, spread)
        return read

    def _seen(self, values: dict[str, Value], *, fresh: bool) -> StepResult:
        read = self._read(values)
        picture = None
        if self._eyes is not None:
            drawn = self.render()
            if drawn is None:
                raise self._failed(ValueError("render() gave no picture"))
            picture = self._eyes.shrink(drawn, "rgb")
        return StepResult(values, read, self._space.encode(read), picture, fresh)

    # ---- the twin

    def _next_seed(self) -> int:
        while True:
            seed = self._course.randrange(_SEEDS)
            if not any(first <= seed < first + _HELD_OUT for first in self.order.held_out):
                return seed

    def _reset(self) -> dict[str, Value]:
        try:
            observation, _ = self._twin.reset(seed=self._seed)
            return self._values(observation, over=False)
        except Exception as error:
            raise self._failed(error) from error

    def _play(self, applied: int) -> tuple[dict[str, Value], bool, bool, float]:
        """Step the twin once: values, whether it ended for good, whether it was cut, score."""
        self._applied.append(applied)
        try:
            observation, _, terminal, cut, info = self._twin.step(applied)
            values = self._values(observation, over=bool(terminal))
            return values, bool(terminal), bool(cut), float(info.get("score", 0.0))
        except Exception as error:
            raise self._failed(error) from error

    def _values(self, observation: Any, *, over: bool) -> dict[str, Value]:
        values = values_of(observation)
        values.setdefault("status", (GameStatus.TERMINAL if over else GameStatus.PLAYING).value)
        return values

    def _failed(self, error: Exception) -> PluginFailed:
        twin = self.order.learned.twin or "the twin"
        return PluginFailed(f"{self.order.game.own_folder / twin}: {type(error).__name__}: {error}.")

    # ---- saving and restoring

    def save(self) -> dict[str, Any]:
        """Return the state of the environment as plain numbers and texts."""
        assert self._moment is not None
        moment = {name: value for name, value in asdict(self._moment).items() if name not in _BULKY}
        return {
            "course": self._course.getstate(),
            "chance": self._chance.getstate(),
            "seed": self._seed,
            "applied": list(self._applied),
            "pending": list(self._pending),
            "moment": moment,
        }

    def restore(self, saved: dict[str, Any]) -> StepResult:
        """Restore a saved state by replaying the episode up to it."""
        self._seed = saved["seed"]
        self._reset()
        self._applied = []
        for action in saved["applied"]:
            self._play(action)
        self._pending = deque((due, action) for due, action in saved["pending"])
        self._course.setstate(_tuples(saved["course"]))
        moment = StepResult(
            **saved["moment"], state=self._space.encode(saved["moment"]["read"]), picture=None
        )
        if self._eyes is not None:
            drawn = self.render()
            moment.picture = None if drawn is None else self._eyes.shrink(drawn, "rgb")
        self._chance.setstate(_tuples(saved["chance"]))
        self._moment = moment
        return moment


_BULKY = ("state", "picture")


def _eyes(learned: Learned, screen: Screen) -> PixelStack | None:
    return PixelStack(learned.vision, screen) if learned.vision is not None else None


def _tuples(state: Any) -> Any:
    """Turn a random generator's state from plain lists back into tuples."""
    return tuple(_tuples(part) for part in state) if isinstance(state, list | tuple) else state
