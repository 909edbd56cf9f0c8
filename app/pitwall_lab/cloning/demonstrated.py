"""A game sense module beside a recorded demonstration: what it would press, compared with the person."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import repeat

import cv2
import numpy as np

from pitwall.core.actions import InputEvent, ResolvedAction, SemanticAction
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.keys import canonical_key
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.manifest import DemonstratedEvent
from pitwall.demonstrations.reader import DemonstrationReader, Episode
from pitwall.engine.action.executor import Executor
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.replaying.replay import named_agent
from pitwall.games.actions.computer_use import vocabulary_of
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.gsm.agreement import PressComparison
from pitwall.gsm.playable import module_of
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.host_client import HostClient


class DemonstrationShadow:
    """A module beside a demonstration: what it would press frame by frame, and how far that agrees.

    Args:
        comparison: continues this one; None: a new one. host: runs a pixel policy.

    Attributes:
        comparison: of every episode followed so far.

    Raises:
        UnknownModule, BadPolicy, DamagedFile: something is missing or damaged.
    """

    def __init__(
        self,
        reader: DemonstrationReader,
        folder: ModuleFolder,
        version: str,
        *,
        comparison: PressComparison | None = None,
        host: HostClient | None = None,
    ) -> None:
        self.reader, self.game, self.version = reader, folder.game, version
        about = folder.about(version)
        self._module = module_of(folder, about, host=host)()
        self._sees = about.learned is not None and about.learned.vision is not None
        self.comparison = comparison or PressComparison()
        self._space = vocabulary_of(self.game.profile, "", "semantic")
        self.episodes = self.reader.episodes()
        self._size = self.reader.manifest.window_size

    @classmethod
    def named(cls, data: DataFolder, demonstration: str, agent: str) -> DemonstrationShadow:
        """Put an agent beside a demonstration.

        Args:
            demonstration: its id, or the first letters of it. agent: MODULE or MODULE@VERSION.

        Raises:
            UnknownDemonstration, UnknownGame: there is none.
            PitwallError: the agent is no module: other agents need to see what their own presses bring.
        """
        reader = DemonstrationReader(DemonstrationFolder(data).path(demonstration))
        game: Game = Registry(data).load(reader.manifest.game)
        named = named_agent(agent, game)
        if not named.module:
            raise PitwallError(
                f"{named.text} decides on what its own presses bring, which a demonstration does not show.",
                "Name a game sense module, like MODULE@v2; or play beside it: pitwall shadow --game GAME "
                f"--agent {named.text}",
            )
        folder = ModuleFolder(data, game, named.module)
        return cls(reader, folder, named.version or folder.must_drive())

    def follow(self, episode: Episode) -> None:
        """Go through one episode."""
        executor, reflex = Executor(), ReflexController(self._space, step_ms=1_000)
        person = deque(episode.events)
        for moment, seen in zip(episode.moments, self._seen(episode), strict=False):
            at_ns = moment.at_ns
            self._pass(person, executor, at_ns)
            values = {**moment.fields, "status": moment.status or "playing"}
            if not reflex.running and not self._module.ended(values):
                reflex.start(self._module, now_ns=at_ns)
            wanted = reflex.frame(values, at_ns, seen)
            executor.hold([self._resolved(action) for action in reflex.held], at_ns)
            if wanted is not None and not wanted.stays:
                executor.begin(self._resolved(wanted.action), at_ns)
        self._pass(person, executor, episode.end_ns)
        self.comparison.rest(episode.end_ns)

    def _seen(self, episode: Episode) -> Iterable[Pixels | None]:
        """Return the moments' pictures for a module that uses them."""
        if not self._sees:
            return repeat(None)
        return (
            np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA), np.uint8) for _, pixels in episode.pictures()
        )

    def _pass(self, person: deque[DemonstratedEvent], executor: Executor, until_ns: int) -> None:
        """Advance the time; person and module press what is due, in order."""
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
            key=canonical_key(event.key) if event.key else "",
            button=event.button or "left",  # type: ignore[arg-type]
            x=None if event.x is None else round(event.x * width),
            y=None if event.y is None else round(event.y * height),
            dx=event.dx,
            dy=event.dy,
        )

    def _resolved(self, action: SemanticAction) -> ResolvedAction:
        return self._space.resolve(action, width=self._size[0], height=self._size[1])
