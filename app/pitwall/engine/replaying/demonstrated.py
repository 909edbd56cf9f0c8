"""Lets a game sense module decide on a recorded demonstration, and compares it with the person who played."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from pitwall.core.actions import InputEvent, ResolvedAction, SemanticAction
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.reader import DemonstrationReader, Episode
from pitwall.demonstrations.rows import DemonstratedEvent
from pitwall.engine.action.executor import Executor
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.replaying.named_agent import NamedAgent, named_agent
from pitwall.games.actions.computer_use import vocabulary_of
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.gsm.agreement import PressComparison
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.playable import module_of
from pitwall.gsm.versions import ModuleFolder


class DemonstrationShadow:
    """A module beside a demonstration: what it would press, frame by frame, and how far that agrees.

    Args:
        demonstration: its id, or the first letters of it. agent: MODULE or MODULE@VERSION.

    Attributes:
        version: of the module that decides. comparison: of all that was passed through so far.

    Raises:
        UnknownDemonstration, UnknownGame, UnknownModule, BadPolicy, DamagedFile: something is not there.
        PitwallError: the agent is no module: others decide on what follows from their own presses.
    """

    def __init__(self, data: DataFolder, demonstration: str, agent: str) -> None:
        self.reader = DemonstrationReader(DemonstrationFolder(data).path(demonstration))
        self.game: Game = Registry(data).load(self.reader.manifest.game)
        named = named_agent(agent, self.game)
        self._module, self.version = _module(data, self.game, named)
        self.comparison = PressComparison()
        self._space = vocabulary_of(self.game.profile, "", "semantic")
        self.episodes = self.reader.episodes()
        self._size = self.reader.manifest.window_size

    def follow(self, episode: Episode) -> None:
        """Go through one episode."""
        executor, reflex = Executor(), ReflexController(self._space, step_ms=1_000)
        person = deque(episode.events)
        for moment, (at_ns, pixels) in zip(episode.moments, episode.pictures(), strict=False):
            self._pass(person, executor, at_ns)
            values = {**moment.fields, "status": moment.status or "playing"}
            if not reflex.running and not self._module.ended(values):
                reflex.start(self._module, now_ns=at_ns)
            seen = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA), np.uint8)
            wanted = reflex.frame(values, at_ns, seen)
            executor.hold([self._resolved(one) for one in reflex.held], at_ns)
            if wanted is not None and not wanted.stays:
                executor.begin(self._resolved(wanted.action), at_ns)
        self._pass(person, executor, episode.end_ns)
        self.comparison.rest(episode.end_ns)

    def _pass(self, person: deque[DemonstratedEvent], executor: Executor, until_ns: int) -> None:
        """Let time pass: both press what they pressed by then, in order."""
        compared = self.comparison
        while True:
            theirs = person[0].at_ns if person else until_ns + 1
            now = min(theirs, executor.next_due_ns or until_ns + 1)
            if now > until_ns:
                compared.advance(until_ns)
                return
            compared.advance(now)
            for event in executor.due(now):
                compared.press(compared.agent, event, now, size=self._size)
            if theirs == now:
                compared.press(compared.person, self._input(person.popleft()), now, size=self._size)

    def _input(self, event: DemonstratedEvent) -> InputEvent:
        width, height = self._size
        return InputEvent(
            kind=event.kind,
            key=event.key,
            button=event.button or "left",  # type: ignore[arg-type]
            x=None if event.x is None else round(event.x * width),
            y=None if event.y is None else round(event.y * height),
            dx=event.dx,
            dy=event.dy,
        )

    def _resolved(self, action: SemanticAction) -> ResolvedAction:
        return self._space.resolve(action, width=self._size[0], height=self._size[1])


def _module(data: DataFolder, game: Game, named: NamedAgent) -> tuple[GameSenseModule, str]:
    if not named.module:
        raise PitwallError(
            f"{named.text} decides on what its own presses bring, which a demonstration does not show.",
            "Name a game sense module, like MODULE@v2; or play beside it: pitwall shadow --game GAME --agent "
            + named.text,
        )
    folder = ModuleFolder(data, game, named.module)
    version = named.version or folder.driving()
    if not version:
        raise PitwallError(f"{folder.name} has no version.", f"Train one: pitwall gsm train {folder.name}")
    return module_of(folder, folder.about(version))(), version
