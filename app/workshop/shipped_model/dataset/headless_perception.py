"""Presents a headless world as the engine sees a game: fields, status and change from pixels."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.core.actions import ResolvedAction, TimedEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.games.plugin_loader import World
from pitwall.games.schema.profile import Game

FRAME_NS = 1_000_000_000 // 30


class HeadlessPerception:
    """Reads one world, frame by frame, with the game's own state reader.

    Attributes:
        values: the newest frame's fields, `status` among them. now_ns: the world's clock.
    """

    def __init__(self, game: Game, world: World) -> None:
        self._game, self._world = game, world
        self._reader = StateReader(game.profile, game.folder, plugin_fields(game))
        self._descriptor = describe(world.pixels)
        self._before: Pixels | None = None
        self._due: list[tuple[int, TimedEvent]] = []
        self._frames = 0
        self.now_ns = 0
        self.values: dict[str, Value] = {}
        self.look()

    @property
    def status(self) -> GameStatus:
        return GameStatus(str(self.values["status"]))

    @property
    def size(self) -> tuple[int, int]:
        """Return the height and width of the picture."""
        height, width = self._pixels.shape[:2]
        return height, width

    def look(self) -> None:
        """Read every field of the present picture."""
        pixels = self._world.pixels
        height, width = pixels.shape[:2]
        self._frames += 1
        frame = Frame(
            frame_id=self._frames,
            captured_ns=self.now_ns,
            ready_ns=self.now_ns,
            pixels=pixels,
            window=Rect(0, 0, width, height),
        )
        readings = self._reader.read(frame, self._before)
        self.values = {name: reading.value for name, reading in readings.items()}
        self.values["status"] = status(self._game.profile.status, self.values).value
        self._pixels = pixels

    def change(self) -> float:
        """Return the visual change d since the step before."""
        return change(describe(self._pixels), self._descriptor)

    def mark_step(self) -> None:
        """Keep the present picture for comparison with the next step."""
        self._descriptor = describe(self._pixels)
        self._before = self._pixels

    def press(self, resolved: ResolvedAction) -> None:
        """Begin an action's events."""
        self._due += [(self.now_ns + int(event.at_ms * NS_PER_MS), event) for event in resolved.events]
        self._due.sort(key=lambda due: due[0])
        self._send()

    def pass_time(self, until_ns: int, on_frame: Callable[[], None] | None = None) -> None:
        """Let frames pass; read each of them if a callback wants it."""
        while self.now_ns < until_ns:
            self.now_ns += FRAME_NS
            self._send()
            self._world.frame()
            if on_frame is not None:
                self.look()
                on_frame()
        self._send()

    def _send(self) -> None:
        while self._due and self._due[0][0] <= self.now_ns:
            event = self._due.pop(0)[1].event
            if event.kind == "key_down":
                self._world.down(event.key)
            elif event.kind == "key_up":
                self._world.up(event.key)
