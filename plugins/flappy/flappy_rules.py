"""The rules of Flappy, without a screen: the window plays them, tests and training run them headless.

The classic constants at 30 Hz on 288×512: gravity 1, flap −9, fastest fall 10, scroll 4 px a frame,
gap 100 px, a pipe each 144 px, gap position uniform over 142 px. Lengths are pixels, speeds pixels a
frame. One seed gives one course, whoever flies it. A steep course is for practice: most of its gaps are far
above or far below the gap before, which is rare on a plain course.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

VERSION = "1.0.0"
FRAMES_PER_SECOND = 30
WIDTH, HEIGHT = 288, 512
GROUND_Y = 404
GRAVITY, FLAP_SPEED, FASTEST_FALL = 1, -9, 10
SCROLL = 4
GAP, PIPE_EVERY, PIPE_WIDTH = 100, 144, 52
HIGHEST_GAP, GAP_RANGE = 80, 142
STEEP_SHARE, STEEP_RANGE = 0.7, 40
BIRD_X, BIRD_WIDTH, BIRD_HEIGHT = 57, 34, 24
START_Y = 244
FIRST_PIPE_X = WIDTH + 100
CEILING_Y = -2 * BIRD_HEIGHT


@dataclass(slots=True)
class Pipe:
    """A pair of pipes: left edge, and the top edge of the gap between them."""

    x: int
    gap_top: int
    passed: bool = False

    @property
    def right(self) -> int:
        return self.x + PIPE_WIDTH

    @property
    def gap_bottom(self) -> int:
        return self.gap_top + GAP


@dataclass(slots=True)
class Flight:
    """One flight from the first flap to the crash.

    Attributes:
        y: top edge of the bird. speed: positive downwards.
        score: pipes passed. frame: frames flown.
        cause: the reason of its end ("pipe", "ground", "cap"); empty while it flies.
        cap: flight ends in success after this many pipes; 0 for never.
        steep: the course is steep.
    """

    seed: int
    cap: int = 0
    steep: bool = False
    y: int = START_Y
    speed: int = 0
    score: int = 0
    frame: int = 0
    cause: str = ""
    pipes: list[Pipe] = field(default_factory=list)
    _course: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._course = random.Random(self.seed)
        self._grow()

    @property
    def over(self) -> bool:
        return bool(self.cause)

    @property
    def bottom(self) -> int:
        """Bottom edge of the bird."""
        return self.y + BIRD_HEIGHT

    def step(self, flap: bool) -> None:
        """Fly one frame; do nothing once the flight is over."""
        if self.over:
            return
        self.frame += 1
        self._fly(flap)
        self._scroll()
        if self.bottom >= GROUND_Y:
            self.cause = "ground"
        elif any(self._hits(pipe) for pipe in self.pipes):
            self.cause = "pipe"
        elif self.cap and self.score >= self.cap:
            self.cause = "cap"

    def _fly(self, flap: bool) -> None:
        if flap and self.y > CEILING_Y:
            self.speed = FLAP_SPEED
        else:
            self.speed = min(self.speed + GRAVITY, FASTEST_FALL)
        self.y = min(self.y + self.speed, GROUND_Y - BIRD_HEIGHT)

    def _scroll(self) -> None:
        for pipe in self.pipes:
            pipe.x -= SCROLL
            if not pipe.passed and pipe.x + PIPE_WIDTH // 2 <= BIRD_X + BIRD_WIDTH // 2:
                pipe.passed = True
                self.score += 1
        if self.pipes[0].right <= 0:
            del self.pipes[0]
        self._grow()

    def _grow(self) -> None:
        while not self.pipes or self.pipes[-1].x + PIPE_EVERY <= WIDTH + PIPE_EVERY:
            x = self.pipes[-1].x + PIPE_EVERY if self.pipes else FIRST_PIPE_X
            self.pipes.append(Pipe(x, HIGHEST_GAP + self._next_gap()))

    def _next_gap(self) -> int:
        """Choose the place of the next gap, counted down from the highest possible one."""
        if not self.steep or self._course.random() >= STEEP_SHARE:
            return self._course.randrange(GAP_RANGE)
        below = self.pipes and self.pipes[-1].gap_top - HIGHEST_GAP < GAP_RANGE // 2
        return self._course.randrange(STEEP_RANGE) + (GAP_RANGE - STEEP_RANGE if below else 0)

    def _hits(self, pipe: Pipe) -> bool:
        centre_x, half_x, half_y = BIRD_X + BIRD_WIDTH / 2, BIRD_WIDTH / 2, BIRD_HEIGHT / 2
        beside = min(max(centre_x, pipe.x), pipe.right) - centre_x
        if abs(beside) >= half_x:
            return False
        reach = half_y * math.sqrt(1 - (beside / half_x) ** 2)
        centre_y = self.y + half_y
        return centre_y - reach < pipe.gap_top or centre_y + reach > pipe.gap_bottom
