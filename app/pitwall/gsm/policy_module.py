"""Learned game sense modules: they play by a trained policy."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.conditions import parse_condition
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Screen
from pitwall.gsm.contract import Provenance
from pitwall.gsm.state_space import StateSpace, encode_history
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.vision import PixelStack

ENDED = -1
"""Action index in the record of the frame on which a module ended."""
EARLY_SHARE = 0.25
"""Share of the period by which a decision may be early, because the next frame would be late."""


class PolicyRunner(Protocol):
    """Runs a policy (gsm.inference.Policy)."""

    def q(self, inputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Return the value of every action."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A policy's decision on one frame.

    Attributes:
        start: number of the module's start. action: index in its actions; ENDED where it ended.
        at_ns: time. q: the value of every action, empty where it ended. explored: chosen by chance.
        seen: the newest picture as the policy sees it, (height, width), of a module that explores and sees.
    """

    start: int
    action: int
    at_ns: int
    values: Mapping[str, Value]
    q: tuple[float, ...] = ()
    explored: bool = False
    seen: NDArray[np.uint8] | None = None


class PolicyModule:
    """Plays by a policy: on each frame that is due it takes the action of the highest value.

    Args:
        module: as the manifest declares it: its name and its end.
        about: the version; its `learned` is the space that the policy was trained in.
        policy: runs it.
        screen: the size that boxes are given in.
        on_decision: called with every decision, and with the frame on which it ended.
        explore: share of decisions that are taken by chance, for a trainer that learns from live play.
        seed: of that chance.

    Raises:
        ConditionError: the end condition does not parse.
        ValueError: the version has no learned space.
    """

    def __init__(
        self,
        module: Module,
        about: VersionRecord,
        policy: PolicyRunner,
        *,
        screen: Screen,
        fields: frozenset[str] | None = None,
        on_decision: Callable[[Decision], object] = lambda _: None,
        explore: float = 0.0,
        seed: int = 0,
    ) -> None:
        if about.learned is None:
            raise ValueError(f"version {about.version} of {module.name} has no learned space")
        self.name = module.name
        self.learned = learned = about.learned
        self.actions = tuple(dict.fromkeys(text for text in learned.actions if text))
        self.provenance = Provenance(kind="policy", origin=about.version, version=about.policy_sha256[:12])
        self._ends = parse_condition(module.ends, fields)
        self._space = StateSpace(learned.state)
        self.fields = (self._space.fields | self._ends.fields) - {"status"}
        self._policy = policy
        self._eyes = PixelStack(learned.vision, screen) if learned.vision is not None else None
        self._period_ns = int(learned.decide_every_ms * NS_PER_MS)
        self._on_decision = on_decision
        self._explore = explore
        self._chance = random.Random(seed)
        self._seen: NDArray[np.uint8] | None = None
        self._past: deque[tuple[int, ...]] = deque(maxlen=max(1, learned.history))
        self._by_clock = about.explore is not None
        self._due_ns = 0
        self._start = 0
        self._running = False
        self.held: tuple[str, ...] = ()
        self.problem: PitwallError | None = None

    @property
    def ready(self) -> bool:
        """See `GameSenseModule.ready`. It answers at once; what was learned by playing decides by the clock.

        So a screen that stands still (an end screen, a board) is not the end of its play.
        """
        late_ns = now_ns() - self._due_ns
        return self._by_clock and self._running and late_ns > self._period_ns > 0

    def begin(self) -> None:
        """Forget the actions and pictures of an earlier start."""
        self._past.clear()
        self.held = ()
        if self._eyes is not None:
            self._eyes.forget()
        self._due_ns = 0
        self._start += 1
        self._running = True

    def is_version_of(self, other: PolicyModule) -> bool:
        """Return whether another module plays the same version, maybe by a newer policy."""
        return (self.name, self.provenance.origin) == (other.name, other.provenance.origin)

    def follow_on(self, earlier: PolicyModule) -> None:
        """Continue an earlier module of the same space in mid-start: its actions, pictures and rhythm."""
        self._past, self._eyes, self._chance = earlier._past, earlier._eyes, earlier._chance
        self._due_ns, self._start, self._running = earlier._due_ns, earlier._start, earlier._running
        self.held = earlier.held

    def act(self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None) -> str | None:
        """See `GameSenseModule.act`. Frames between two decisions are skipped."""
        if not self._is_due(now_ns):
            return None
        q = self._policy.q(self.inputs(values, pixels))
        explored = self._explore > 0 and self._chance.random() < self._explore
        action = self._chance.randrange(len(q)) if explored else int(np.argmax(q))
        self._past.append((action,))
        self._tell(action, q, values, now_ns, explored=explored)
        return self.learned.actions[action] or None

    def _is_due(self, now_ns: int) -> bool:
        """Return whether this frame is due; the next decision is then due a period later."""
        if now_ns < self._due_ns - int(self._period_ns * EARLY_SHARE):
            return False
        on_time = self._due_ns and now_ns - self._due_ns < self._period_ns
        self._due_ns = (self._due_ns if on_time else now_ns) + self._period_ns
        return True

    def _tell(
        self,
        action: int,
        q: NDArray[np.float32],
        values: Mapping[str, Value],
        now_ns: int,
        *,
        explored: bool = False,
    ) -> None:
        action_values = tuple(float(number) for number in q)
        self._on_decision(
            Decision(
                start=self._start,
                action=action,
                at_ns=now_ns,
                values=values,
                q=action_values,
                explored=explored,
                seen=self._seen if self._explore else None,
            )
        )

    def _state(self, values: Mapping[str, Value]) -> NDArray[np.float32]:
        """Return the state vector of the fields."""
        return self._space.encode(values)

    def inputs(self, values: Mapping[str, Value], pixels: Pixels | None) -> dict[str, NDArray[Any]]:
        """Return the policy's present inputs, and add the picture to the stack."""
        inputs: dict[str, NDArray[Any]] = {}
        if self.learned.state:
            inputs["state"] = self._state(values)[None]
        if self.learned.history:
            inputs["history"] = encode_history(tuple(self._past), self.learned)[None]
        if self._eyes is not None and self.learned.vision is not None:
            if pixels is None:
                raise ValueError(f"module {self.name} sees: it needs the frame's pixels")
            stack = self._eyes.see(pixels, "bgrx")
            inputs["vision"], self._seen = stack[None], stack[-1]
        return inputs

    def ended(self, values: Mapping[str, Value]) -> bool:
        """Return whether its end condition holds; `on_decision` is called once."""
        ended = self._ends.holds(values)
        if ended:
            self.held = ()
        if ended and self._running:
            self._running = False
            self._on_decision(Decision(start=self._start, action=ENDED, at_ns=self._due_ns, values=values))
        return ended
