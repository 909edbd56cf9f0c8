"""Leads a game out of its menus, end screens and pauses by the profile's [[passages]]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from pitwall.core.actions import ResolvedAction, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.keys import canonical_key
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.trigger.descriptor import Descriptor, change, describe
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.actions import ActionBinding, Controls
from pitwall.games.schema.passages import Passage, PassageStep
from pitwall.games.schema.profile import Profile

_GAP_NS = 350 * NS_PER_MS
"""Between two presses, even where the next screen is seen at once."""
_OUT_NS = 250 * NS_PER_MS
"""So long play has to be seen before a passage counts as taken: screens fade."""
_MOST_ROUNDS = 3
"""After so many rounds in vain another passage of the same status is tried,"""
_REST_NS = 5_000 * NS_PER_MS
"""and after the last of them the agent plays, for so long."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A passage with what it takes to follow it."""

    passage: Passage
    leaves: GameStatus
    when: Condition | None
    screens: tuple[Descriptor | None, ...]

    def unlike(self, at: int, seen: Descriptor) -> float:
        """How unlike a step's screen a picture is, as a share of what is allowed; 9 without a screen."""
        screen = self.screens[at]
        return change(seen, screen) / self.passage.steps[at].unlike if screen is not None else 9.0

    def nearest(self, seen: Descriptor) -> tuple[float, int]:
        """The step whose screen is most like a picture, with how unlike it is."""
        return min((self.unlike(at, seen), at) for at in range(len(self.screens)))


class Passages:
    """Knows the screens that are not play, and what to press on the present one.

    Args:
        folder: the game's, for the pictures of its screens.

    Attributes:
        said: what happened at the last `turn` that is worth an event; empty: nothing.
    """

    def __init__(self, profile: Profile, folder: Path) -> None:
        self._ways = [_way(passage, folder) for passage in profile.passages]
        steps = [step for passage in profile.passages for step in passage.steps]
        self.keys = frozenset(canonical_key(key) for step in steps for key in step.keys)
        self.clicks = any(step.click is not None for step in steps)
        self._vocabulary = _vocabulary(profile, self._ways) if self._ways else None
        self._way: _Way | None = None
        self._at = self._presses = self._tried = 0
        self._last, self._fitting = -1, 1
        self._pressed_ns = self._out_ns = self._rest_until_ns = 0
        self.said = ""

    @property
    def any(self) -> bool:
        return bool(self._ways)

    @property
    def busy(self) -> bool:
        """Whether a passage is being taken: nobody else presses anything."""
        return self._way is not None

    def status(self, phase: GameStatus, values: Mapping[str, Value], seen: Descriptor) -> GameStatus:
        """The phase as the passages' own signs have it, where the profile's rules see play."""
        if phase is not GameStatus.PLAYING:
            return phase
        told = [way for way in self._ways if way.when is not None and way.when.holds(values)]
        alike = min(((way.nearest(seen)[0], at) for at, way in enumerate(self._ways)), default=(9.0, 0))
        if alike[0] <= 1.0:
            told.append(self._ways[alike[1]])
        return told[0].leaves if told else phase

    def drop(self) -> None:
        """The play is held back: whatever is under way begins anew."""
        self._way = None

    def turn(
        self,
        status: GameStatus,
        values: Mapping[str, Value],
        seen: Descriptor,
        now: int,
        size: tuple[int, int],
    ) -> ResolvedAction | None:
        """What to press now; None for nothing.

        Args:
            size: width and height of the game's picture, in pixels.
        """
        self.said = ""
        if self._way is None:
            self._begin(status, values, seen, now)
        way = self._way
        if way is None:
            return None
        here = status is way.leaves
        self._out_ns = now if here else self._out_ns
        at = self._due(way, seen, now, here=here)
        if at is None:
            if not here and self._is_out(way, now):
                self.said = f"{way.leaves.value.capitalize()} left by {way.passage.name}."
                self._way, self._tried = None, 0
            return None
        return self._press(way, at, now, size)

    def _begin(self, status: GameStatus, values: Mapping[str, Value], seen: Descriptor, now: int) -> None:
        fitting = [
            way for way in self._ways if way.leaves is status and (not way.when or way.when.holds(values))
        ]
        if not fitting:
            self._tried = self._rest_until_ns = 0
        if not fitting or now < self._rest_until_ns:
            return
        fitting.sort(key=lambda way: (way.when is None, way.nearest(seen)[0]))
        self._way, self._fitting = fitting[self._tried % len(fitting)], len(fitting)
        unlike, at = self._way.nearest(seen)
        self._at = at if unlike <= 1.0 else 0
        self._last, self._presses, self._pressed_ns, self._out_ns = -1, 0, 0, now

    def _due(self, way: _Way, seen: Descriptor, now: int, *, here: bool) -> int | None:
        """The step to do now: the next one once its screen is seen, another whose screen is seen in its
        place, or the next one after its wait."""
        since, steps = now - self._pressed_ns, way.passage.steps
        if not here and self._at == 0 and self._last >= 0:
            return None  # every step is done, and play is seen
        nearest = way.nearest(seen)
        known = self._at if way.unlike(self._at, seen) <= 1.0 else nearest[1] if nearest[0] <= 1.0 else None
        if known is not None and known != self._last:
            return known if since >= _GAP_NS else None
        if not here and way.screens[self._at] is not None:
            return None
        next_one = self._at if known is None else known
        waited = self._last < 0 or since >= steps[self._last].wait_ms * NS_PER_MS
        return next_one if waited else None

    def _is_out(self, way: _Way, now: int) -> bool:
        """Whether play is seen for good: after the last step for a moment, before it for its wait."""
        wait_ns = way.passage.steps[self._at].wait_ms * NS_PER_MS
        return now - self._out_ns >= (_OUT_NS if self._at == 0 else wait_ns)

    def _press(self, way: _Way, at: int, now: int, size: tuple[int, int]) -> ResolvedAction:
        step: PassageStep = way.passage.steps[at]
        if not self._presses:
            self.said = f"{way.leaves.value.capitalize()}: {step.words}, by {way.passage.name}."
        self._presses += 1
        self._last, self._at, self._pressed_ns = at, (at + 1) % len(way.passage.steps), now
        if self._presses >= _MOST_ROUNDS * len(way.passage.steps):
            self.said = (
                f"{way.leaves.value.capitalize()} not left by {way.passage.name}: {self._presses} presses."
            )
            self._way, self._tried = None, self._tried + 1
            all_tried = self._tried % self._fitting == 0
            self._rest_until_ns = now + (_REST_NS if all_tried else _GAP_NS)
        assert self._vocabulary is not None
        named = SemanticAction(name=_binding_name(way.passage, at))
        return self._vocabulary.resolve(named, width=size[0], height=size[1])


def _way(passage: Passage, folder: Path) -> _Way:
    screens = tuple(_screen(folder / step.screen) if step.screen else None for step in passage.steps)
    when = parse_condition(passage.when) if passage.when else None
    return _Way(passage, GameStatus(passage.leaves), when, screens)


def _screen(file: Path) -> Descriptor | None:
    """The descriptor of a picture; None where it cannot be read (the checker says so)."""
    pixels = cv2.imread(str(file))
    return (
        describe(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA), np.uint8))
        if pixels is not None
        else None
    )


def _binding_name(passage: Passage, at: int) -> str:
    return f"{passage.name}_{at + 1}"


def _vocabulary(profile: Profile, ways: list[_Way]) -> Vocabulary:
    """What the passages press, as actions of nobody's."""
    bindings = [
        ActionBinding(
            name=_binding_name(way.passage, at),
            keys=step.keys,
            click=step.click,
            button=step.button,
            hold_ms=step.hold_ms,
            duration_ms=max(20, step.hold_ms),
        )
        for way in ways
        for at, step in enumerate(way.passage.steps)
    ]
    keys = sorted({key for one in bindings for key in one.keys})
    controls = Controls(keys=keys, mouse=True, hold_ms=(10, 5_000))
    return Vocabulary(profile.model_copy(update={"actions": bindings, "controls": controls, "roles": []}))
