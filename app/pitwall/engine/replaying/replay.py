"""A recorded run that an agent decides again: its steps, the agent, and the decisions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings
from pitwall.core.steps import ReflexRecord
from pitwall.engine.replaying.deciding_again import DecidedAgain, ModuleAgain, PlannerAgain
from pitwall.engine.replaying.recorded_session import RecordedSession
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.models.registry import check_chosen_models
from pitwall.store.run_reader import RunReader

PLANNERS = ("skills", "model", "explore", "random", "idle")


@dataclass(frozen=True, slots=True)
class NamedAgent:
    """An agent by name.

    Attributes:
        planner: one of PLANNERS; empty: a module. model: of the registry; empty: the settings'.
        module, version: a game sense module; version empty: the one that drives.
    """

    text: str
    planner: str = ""
    model: str = ""
    module: str = ""
    version: str = ""

    def settings(self, settings: Settings) -> Settings:
        """Return settings under which this agent decides, whatever it has earned."""
        if self.model:
            settings = settings.with_value("models", "strategic", self.model)
            settings = settings.with_value("models", "fast", self.model)
        settings = settings.with_value("control", "trust", "model")
        return settings.with_value("control", "planner", self.planner or "skills")


def named_agent(text: str, game: Game) -> NamedAgent:
    """Read `skills`, `model`, `model:NAME`, `explore`, `random`, `idle`, `MODULE` or `MODULE@VERSION`.

    Raises:
        PitwallError: the game has no such agent; names the nearest.
    """
    name, at, version = text.strip().partition("@")
    if name in game.module_names:
        return NamedAgent(text, module=name, version=version)
    planner, _, model = text.strip().partition(":")
    if planner in PLANNERS and not at and (not model or planner == "model"):
        return NamedAgent(text, planner=planner, model=model)
    known = (*PLANNERS, *game.module_names)
    hint = suggestion(name, known, f"There are: {', '.join(known)}.")
    raise PitwallError(f"{game.game_id} has no agent {text!r}.", f"{hint} A model: model:NAME.")


_ROWS = 10_000


class Replay:
    """A recorded run, and an agent that decides its steps again.

    Args:
        start: the first step to decide. most: how many at most; None: all that follow.

    Attributes:
        game: the run's. agent: as it was named; `version`: of the deciding module, else empty.
        settings: those under which this agent decides.
        frames: decisions of learned modules in the run, frame by frame; empty if the agent is no module.
        changed: whether the game's profile has changed since the run.

    Raises:
        UnknownRun, UnknownGame, PitwallError: there is no such run, step, game or agent.
    """

    def __init__(
        self, data: DataFolder, run_id: int, agent: str, *, start: int = 1, most: int | None = None
    ) -> None:
        with contextlib.closing(RunReader.open(data)) as reader:
            self._run = reader.run(run_id)
            reader.step(run_id, start)  # raises if there is no such step
            self._steps = reader.steps(run_id, start, most)
            self.game = Registry(data).load(self._run.manifest.game_id)
            self.agent = named_agent(agent, self.game)
            self.frames = _frames(reader, run_id) if self.agent.module else []
        self.run_id = run_id
        self.settings = self.agent.settings(load_settings(data.settings))
        check_chosen_models(self.settings, data)
        self.steps = len(self._steps)
        self.changed = self.game.profile_hash != self._run.manifest.profile_hash
        self.version = ""
        self._data = data
        self.start, self.seed = start, self._run.manifest.seed

    def decided(self) -> Iterator[DecidedAgain]:
        """Decide one moment after another; the end of the iteration closes what it needed."""
        if self.agent.module:
            session = RecordedSession(self._data, self.game, self._run, self.settings)
            again = ModuleAgain(self._data, self.game, session, self.agent.module, self.agent.version)
            self.version = again.version
            with contextlib.closing(again):
                yield from again.decide(self._steps, self.frames)
            return
        planner = PlannerAgain(self._data, self.game, self._run, self.settings)
        with contextlib.closing(planner):
            yield from planner.decide(self._steps)


def _frames(reader: RunReader, run_id: int) -> list[ReflexRecord]:
    reflexes: list[ReflexRecord] = []
    after = 0
    while rows := reader.reflexes(run_id, after=after, limit=_ROWS):
        after = rows[-1][0]
        reflexes += [record for _, record in rows]
    return reflexes
