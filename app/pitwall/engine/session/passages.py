"""Passages: the profile's ways out of menus, end screens and pauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from pitwall.core.actions import ResolvedAction, SemanticAction, TimedEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.frames import Pixels
from pitwall.core.keys import canonical_key
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.trigger.descriptor import Descriptor, change, describe
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.actions import ActionBinding, Controls
from pitwall.games.schema.passages import Passage, PassageStep
from pitwall.games.schema.profile import GameInfo, Profile, Screen

_GAP_NS = 350 * NS_PER_MS
"""Shortest time between two presses, even if the next screen is seen at once."""
_SURE_NS = 150 * NS_PER_MS
"""How long a screen has to be seen before anything is pressed on it."""
_OUT_NS = 250 * NS_PER_MS
"""How long play has to be seen before a passage counts as completed: screens fade."""
_POINT_MS = 80.0
MOST_LEVELS = 16.0
"""A screen whose cells differ by more grey levels than this on average is another screen (a darkened one)."""
_CELLS = (8, 6)
_NO_SCREEN = 9.0
_MOST_ROUNDS = 3
"""After so many rounds without success another passage of the same status is tried, once without its sign."""
_REST_NS = 5_000 * NS_PER_MS
"""How long the agent plays after the last passage failed."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A picture, (height, width, 4) uint8, with its descriptor, which ignores brightness."""

    descriptor: Descriptor
    pixels: Pixels


@dataclass(frozen=True, slots=True)
class _Way:
    """A passage, prepared for being followed."""

    passage: Passage
    leaves: GameStatus
    when: Condition | None
    screens: tuple[Sight | None, ...]

    def fits(self, status: GameStatus, values: Mapping[str, Value]) -> bool:
        """Return whether its screen is seen: by its own sign, or by the status that it leaves."""
        return self.when.holds(values) if self.when is not None else status is self.leaves

    def unlike(self, at: int, seen: Sight) -> float:
        """Return how unlike a step's screen a picture is, as a share of what is allowed."""
        screen = self.screens[at]
        if screen is None:
            return _NO_SCREEN
        unlike = change(seen.descriptor, screen.descriptor) / self.passage.steps[at].unlike
        return unlike if unlike > 1.0 else max(unlike, levels_apart(seen.pixels, screen.pixels) / MOST_LEVELS)

    def nearest(self, seen: Sight) -> tuple[float, int]:
        """Return the distance and index of the step whose screen is most like a picture."""
        return min((self.unlike(at, seen), at) for at in range(len(self.screens)))


class Passages:
    """Knows the screens that are not play, and what to press on the present screen.

    Args:
        folder: the game's, for the pictures of its screens.

    Attributes:
        message: what happened at the last `turn`, for the run's events; empty for nothing.
        awaited: the game begins with a menu whose picture is known, and no screen was seen yet.
    """

    def __init__(self, profile: Profile, folder: Path) -> None:
        self._ways = [_way(passage, folder) for passage in profile.passages]
        steps = [step for passage in profile.passages for step in passage.steps]
        self.keys = frozenset(canonical_key(key) for step in steps for key in step.keys)
        self.clicks = any(step.click is not None for step in steps)
        self._screen = profile.screen
        self._way: _Way | None = None
        self._at = self._presses = self._tried = self._guesses = 0
        self._guessed = False
        self._last, self._fitting = -1, 1
        self._pressed_ns = self._out_ns = self._rest_until_ns = 0
        self.message = ""
        self.awaited = any(
            way.leaves is GameStatus.MENU and any(screen is not None for screen in way.screens)
            for way in self._ways
        )

    @property
    def any(self) -> bool:
        return bool(self._ways)

    @property
    def busy(self) -> bool:
        """Return whether a passage is under way: nothing else presses keys then."""
        return self._way is not None

    def status(self, phase: GameStatus, values: Mapping[str, Value], seen: Sight) -> GameStatus:
        """Return the status by the passages' own signs where the profile's rules see play."""
        if phase is not GameStatus.PLAYING:
            self.awaited = False
            return phase
        applicable = [way for way in self._ways if way.when is not None and way.when.holds(values)]
        alike = min(
            ((way.nearest(seen)[0], at) for at, way in enumerate(self._ways)), default=(_NO_SCREEN, 0)
        )
        if alike[0] <= 1.0:
            applicable.append(self._ways[alike[1]])
        self.awaited = self.awaited and not applicable
        return applicable[0].leaves if applicable else phase

    def drop(self) -> None:
        """Give up the passage under way because play is held back; it begins again later."""
        self._way = None

    def turn(
        self,
        status: GameStatus,
        values: Mapping[str, Value],
        seen: Sight,
        now: int,
        size: tuple[int, int],
        *,
        unanswered: bool = False,
    ) -> ResolvedAction | None:
        """Return what to press now; None for nothing.

        Args:
            size: width and height of the game's picture, in pixels.
            unanswered: play's presses have had no effect for long. The screen may look like play and not be
                it, so the next passage is tried once.
        """
        self.message = ""
        if self._way is None:
            self._begin(status, values, seen, now)
        if self._way is None and unanswered:
            self._guess(now)
        way = self._way
        if way is None:
            return None
        here = self._guessed or way.fits(status, values)
        self._out_ns = now if here else self._out_ns
        at = self._due(way, seen, now, here=here)
        if at is None:
            wait_ns = way.passage.steps[self._at].wait_ms * NS_PER_MS
            seen_for_ns = _OUT_NS if self._at == 0 or self._last < 0 else wait_ns
            if not here and now - self._out_ns >= seen_for_ns:
                if self._presses:
                    self.message = f"{way.leaves.value.capitalize()} left by {way.passage.name}."
                self._way, self._tried = None, 0
            return None
        return self._press(way, at, now, size)

    def _begin(self, status: GameStatus, values: Mapping[str, Value], seen: Sight, now: int) -> None:
        fitting = [way for way in self._ways if way.fits(status, values)]
        if not fitting:
            self._tried = self._rest_until_ns = 0
        if not fitting or now < self._rest_until_ns:
            return
        fitting.sort(key=lambda way: (way.when is None, way.nearest(seen)[0]))
        others = [way for way in self._ways if way.leaves is status and way not in fitting]
        self._fitting = len(fitting) + len(others)
        self._way = (fitting + others)[self._tried % self._fitting]
        unlike, at = self._way.nearest(seen)
        self._enter(at if unlike <= 1.0 else 0, now, guessed=self._way in others)

    def _guess(self, now: int) -> None:
        """Try the next passage without a sign of its own, restarts after an end first."""
        plain = [way for way in self._ways if way.when is None and way.leaves is not GameStatus.PAUSED]
        plain.sort(key=lambda way: way.leaves is not GameStatus.TERMINAL)
        if plain:
            self._way = plain[self._guesses % len(plain)]
            self._guesses += 1
            self._enter(0, now, guessed=True)

    def _enter(self, at: int, now: int, *, guessed: bool) -> None:
        self._at, self._guessed = at, guessed
        self._last, self._presses, self._pressed_ns, self._out_ns = -1, 0, now, now

    def _due(self, way: _Way, seen: Sight, now: int, *, here: bool) -> int | None:
        """Return the index of the step to do now, None for none.

        That is the next step once its screen is seen or its wait is over, or another whose screen is seen.
        """
        since, steps = now - self._pressed_ns, way.passage.steps
        if self._last < 0 and (not here or since < _SURE_NS):
            return None
        if not here and self._at == 0:
            return None  # every step is done, and play is seen
        nearest = way.nearest(seen)
        known = self._at if way.unlike(self._at, seen) <= 1.0 else nearest[1] if nearest[0] <= 1.0 else None
        if known is not None and known != self._last:
            return known if self._last < 0 or since >= _GAP_NS else None
        if not here and way.screens[self._at] is not None:
            return None
        next_at = self._at if known is None else known
        waited = self._last < 0 or since >= steps[self._last].wait_ms * NS_PER_MS
        return next_at if waited else None

    def _press(self, way: _Way, at: int, now: int, size: tuple[int, int]) -> ResolvedAction:
        step: PassageStep = way.passage.steps[at]
        if not self._presses:
            here = "Nothing else helps" if self._guessed else way.leaves.value.capitalize()
            self.message = f"{here}: {step.words}, by {way.passage.name}."
        self._presses += 1
        self._last, self._at, self._pressed_ns = at, (at + 1) % len(way.passage.steps), now
        if self._guessed and self._presses >= len(way.passage.steps):
            self._way, self._tried, self._rest_until_ns = None, self._tried + 1, now + _GAP_NS
        elif self._presses >= _MOST_ROUNDS * len(way.passage.steps):
            self.message = (
                f"{way.leaves.value.capitalize()} not left by {way.passage.name}: {self._presses} presses."
            )
            self._way, self._tried = None, self._tried + 1
            all_tried = self._tried % self._fitting == 0
            self._rest_until_ns = now + (_REST_NS if all_tried else _GAP_NS)
        return resolved_press(step, self._screen, size)


def _way(passage: Passage, folder: Path) -> _Way:
    screens = tuple(_screen(folder / step.screen) if step.screen else None for step in passage.steps)
    when = parse_condition(passage.when) if passage.when else None
    return _Way(passage, GameStatus(passage.leaves), when, screens)


def levels_apart(before: Pixels, other: Pixels) -> float:
    """Return the mean difference between two pictures' cells, in grey levels; sizes may differ."""
    small = [cv2.resize(each[:, :, :3], _CELLS, interpolation=cv2.INTER_AREA) for each in (before, other)]
    return float(cv2.absdiff(*small).mean())


def _screen(file: Path) -> Sight | None:
    """Return a picture of a screen; None if it cannot be read (the checker reports that)."""
    read = cv2.imread(str(file))
    if read is None:
        return None
    pixels = np.asarray(cv2.cvtColor(read, cv2.COLOR_BGR2BGRA), np.uint8)
    return Sight(describe(pixels), pixels)


def resolved_press(step: PassageStep, screen: Screen, size: tuple[int, int]) -> ResolvedAction:
    """Return a step's presses as timed events.

    Args:
        screen: its click is in this screen's pixels. size: width and height of the game's picture.
    """
    binding = ActionBinding(
        name="press",
        **step.model_dump(include={"keys", "click", "button", "hold_ms"}),
        duration_ms=max(20, step.hold_ms),
    )
    controls = Controls(keys=step.keys, mouse=True, hold_ms=(10, 5_000))
    game = GameInfo(id="press", name="press")
    profile = Profile(schema=1, game=game, screen=screen, controls=controls, actions=[binding])
    resolved = Vocabulary(profile).resolve(SemanticAction(name="press"), width=size[0], height=size[1])
    return resolved if step.click is None else _moved_to(resolved)


def _moved_to(click: ResolvedAction) -> ResolvedAction:
    """Return a click before which the pointer is seen to move: menus look for that."""
    at = click.events[0].event
    assert at.x is not None
    beside = TimedEvent(at_ms=0.0, event=replace(at, x=at.x - 1 if at.x else 1))
    later = (replace(event, at_ms=event.at_ms + _POINT_MS) for event in click.events)
    return replace(click, events=(beside, *later), duration_ms=click.duration_ms + _POINT_MS)
