"""Crafter's own rules, made deterministic: one seed gives one world, in every process.

The package orders the creatures of a chunk by their addresses in memory, and draws the noise of the night
from the creatures' random generator, so that looking changes the world. Here chunks keep the order in which
creatures came, and the noise has a generator of its own, so a step looks the same however often it is drawn.
No rule is changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import crafter
import numpy as np
from crafter_light import lit, lit_by_tiles
from crafter_noise import quicken
from numpy.typing import NDArray

VERSION = "1.8.3"
VIEW_TILES = 9
MOST_STEPS = 10_000
LONG_TASK = ("collect_wood", "place_table", "make_wood_pickaxe", "collect_stone", "make_stone_pickaxe")
"""Achievements that make up the long task."""

quicken()

MATERIALS = tuple(crafter.constants.materials)
"""The package's materials, by number from 1."""
Picture = NDArray[np.uint8]
"""(height, width, 3), red, green, blue."""


class Ordered:
    """A set that is iterated in the order of its additions."""

    def __init__(self) -> None:
        self._items: dict[object, None] = {}

    def add(self, item: object) -> None:
        self._items[item] = None

    def remove(self, item: object) -> None:
        del self._items[item]

    def __iter__(self) -> Iterator[object]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


class World(crafter.engine.World):  # type: ignore[misc]  # the package has no types
    """The package's world with chunks in a fixed order."""

    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self._chunks: defaultdict[Any, Ordered] = defaultdict(Ordered)


class LocalView(crafter.engine.LocalView):  # type: ignore[misc]
    """The package's view with a night noise of its own, lit from tables.

    Attributes:
        moment: the seed of the noise: seed, world, step.
    """

    moment: tuple[int, int, int] = (0, 0, 0)

    def _light(self, canvas: NDArray[np.uint8], daylight: float) -> NDArray[np.uint8]:
        if daylight >= 0.5:
            return lit_by_tiles(canvas, float(daylight), (int(self._unit[0]), int(self._unit[1])))
        return lit(canvas, self._noise(canvas, 2 * (0.5 - daylight), 0.5), float(daylight))

    def _noise(self, canvas: NDArray[Any], amount: float, stddev: float) -> NDArray[Any]:
        random = np.random.RandomState(np.array(self.moment, np.uint32))
        noise = random.uniform(32, 127, canvas.shape[:2])[..., None]
        mask = amount * self._vignette(canvas.shape, stddev)[..., None]
        mixed: NDArray[Any] = canvas.astype(np.float64)
        mixed *= 1 - mask
        mixed += mask * noise
        return mixed


class Env(crafter.Env):  # type: ignore[misc]
    """The package's environment with the world and view above.

    Args:
        seed: of the first world; the following ones come from it.
        unit: side of a tile in pixels; the picture is 9 × 9 of them.
    """

    def __init__(self, seed: int, unit: int) -> None:
        super().__init__(seed=seed, size=(VIEW_TILES * unit,) * 2, length=MOST_STEPS)
        engine, objects = crafter.engine, crafter.objects
        item_rows = -(-len(crafter.constants.items) // VIEW_TILES)
        self._world = World(self._area, crafter.constants.materials, (12, 12))
        self._local_view = LocalView(self._world, self._textures, [VIEW_TILES, VIEW_TILES - item_rows])
        kinds = [objects.Player, objects.Cow, objects.Zombie, objects.Skeleton, objects.Arrow, objects.Plant]
        self._sem_view = engine.SemanticView(self._world, kinds)

    def render(self, size: Any = None) -> Picture:
        self._local_view.moment = (self._seed % 2**32, self._episode, self._step)
        picture: Picture = super().render(size)
        return picture


class Life:
    """One world after the other, and the achievements of each.

    Attributes:
        picture: the present picture.
        worlds: number of worlds begun.
        cause: the reason of this world's end ("death", "length"); empty while it goes on.
    """

    def __init__(self, seed: int, unit: int) -> None:
        self.seed = seed
        self.worlds = self.turns = 0
        self._env = Env(seed, unit)
        self.begin()

    def begin(self) -> None:
        """Begin a new world."""
        self.worlds += 1
        self.cause = ""
        self.picture: Picture = self._env.reset()

    def act(self, action: str) -> None:
        """Take one turn with an action of the package's; do nothing once the world has ended."""
        if self.cause:
            return
        self.turns += 1
        self.picture, _, done, _ = self._env.step(crafter.constants.actions.index(action))
        if done:
            self.cause = "death" if self.player.health <= 0 else "length"

    @property
    def player(self) -> Any:
        """The package's player: health, inventory, position, facing, sleeping, achievements."""
        return self._env._player

    @property
    def world(self) -> Any:
        """The package's world: materials and objects by position, daylight."""
        return self._env._world

    @property
    def materials(self) -> NDArray[np.uint8]:
        """Numbers of MATERIALS, (64, 64), row by row; 0 where there is none."""
        area: NDArray[np.uint8] = self._env._world._mat_map
        return area.T

    @property
    def step(self) -> int:
        """Turns of this world."""
        return int(self._env._step)

    @property
    def achievements(self) -> dict[str, int]:
        """Number of times that each achievement was reached in this world."""
        return {name: int(count) for name, count in self.player.achievements.items() if count}

    @property
    def long_task(self) -> float:
        """Share of the long task reached in this world, 0 … 1."""
        return sum(name in self.achievements for name in LONG_TASK) / len(LONG_TASK)
