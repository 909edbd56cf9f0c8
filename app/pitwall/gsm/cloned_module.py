"""Plays policies cloned from demonstrations: several actions at once, held or tapped, with places."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_MS
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module
from pitwall.gsm.cloned_space import SELDOM_SHARE, ClonedSpace, Pointer
from pitwall.gsm.policy_module import PolicyModule, PolicyRunner
from pitwall.gsm.version_record import VersionRecord

_NOTHING = (0,)
_LIKELY = 0.5
_STILL_PERIODS = 2
"""Periods after which an unchanged picture is decided on, too."""
_STANDS = 3
"""Decisions on an unchanged picture after which the surest press is done, likely or not (choice)."""


class PressChoice:
    """Chooses actions by a clone's outputs: by thresholds, rests after taps, and the number at once.

    Training judges a clone by the same choice.
    """

    def __init__(self, space: ClonedSpace) -> None:
        self._space = space
        self._thresholds = np.asarray([press.threshold for press in space.presses])
        self._rests_until_ns = [0] * len(space.presses)

    def forget(self) -> None:
        """End all rests, because an episode begins."""
        self._rests_until_ns = [0] * len(self._rests_until_ns)

    def choose(
        self,
        logits: NDArray[np.float32],
        now_ns: int,
        *,
        avoided: Set[int] = frozenset(),
        urged: bool = False,
    ) -> tuple[int, ...]:
        """Return the indices of the chosen actions, surest first; (0,) for nothing.

        Where several taps fit equally well, each stays below its threshold. If doing nothing is still less
        likely than acting, the surest tap is chosen all the same, unless decisions are so close that the next
        can tap.

        Args:
            avoided: actions that are left out. urged: press something, however unlikely.
        """
        nothing, *likely = 1.0 / (1.0 + np.exp(-np.clip(logits[: len(self._space.actions)], -30, 30)))
        sure = likely - self._thresholds
        sure[[action - 1 for action in avoided]] = -np.inf
        taps_only = all(press.tap for press in self._space.presses)
        waits = not urged and (nothing >= _LIKELY or self._space.close or not taps_only)
        chosen: list[int] = []
        for place, number in enumerate(np.argsort(-sure)):
            press = self._space.presses[number]
            unlikely = sure[number] < 0 and (place or waits)
            if len(chosen) == self._space.at_once or unlikely or np.isneginf(sure[number]):
                break
            if press.tap and now_ns < self._rests_until_ns[number]:
                continue
            if press.tap:
                self._rests_until_ns[number] = now_ns + int(press.rest_ms * NS_PER_MS)
            chosen.append(int(number) + 1)
        return tuple(chosen) or _NOTHING


class ClonedModule(PolicyModule):
    """Plays as a person played in demonstrations. A `GameSenseModule`; arguments as of `PolicyModule`."""

    learned: ClonedSpace

    def __init__(self, module: Module, about: VersionRecord, policy: PolicyRunner, **options: Any) -> None:
        super().__init__(module, about, policy, **options)
        self._choice = PressChoice(self.learned)
        self._screen = options["screen"]
        self._states: deque[NDArray[np.float32]] = deque(maxlen=self.learned.states)
        self._shown: list[Any] = []
        self._stood, self._vain = 0, set[int]()

    def begin(self) -> None:
        """See `GameSenseModule.begin`."""
        super().begin()
        self._choice.forget()
        self._states.clear()
        self._shown = []
        self._stood = 0
        self._vain.clear()

    def act(self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None) -> str | None:
        """See `GameSenseModule.act`: return the surest tap; `held` names the actions that stay down."""
        due = self._is_new(values, pixels, now_ns) if self.learned.by_picture else self._is_due(now_ns)
        return self._press(self._policy.q(self.inputs(values, pixels)), values, now_ns) if due else None

    def _is_new(self, values: Mapping[str, Value], pixels: Pixels | None, now_ns: int) -> bool:
        """Return whether a frame shows something new, where pictures change seldom.

        The policy learned from pictures that changed, so a picture that is drawn twice is decided on once.
        """
        shown: list[Any] = [values.get(name) for name in sorted(self._space.fields)]
        if self._eyes is not None and pixels is not None:
            shown.append(self._eyes.shrink(pixels, "bgrx").tobytes())
        still = shown == self._shown
        periods = _STILL_PERIODS if still else SELDOM_SHARE
        if now_ns < self._due_ns + (periods - 1) * self._period_ns:
            return False
        self._shown, self._due_ns = shown, now_ns + self._period_ns
        self._note_effect(still=still)
        return True

    def _note_effect(self, *, still: bool) -> None:
        """Avoid presses that left the picture unchanged, until it changes or nothing else is left."""
        if not still:
            self._stood = 0
            self._vain.clear()
            return
        self._stood += 1
        self._vain.update(index for index in (self._past[-1] if self._past else ()) if index)
        if len(self._vain) >= len(self.learned.presses):
            self._vain.clear()

    def _press(self, q: NDArray[np.float32], values: Mapping[str, Value], now_ns: int) -> str | None:
        """Choose by a policy's outputs: return the tap, and put the actions that stay down into `held`."""
        chosen = self._choice.choose(q, now_ns, avoided=self._vain, urged=self._stood >= _STANDS)
        self._past.append(chosen)
        taps = [index for index in chosen if index and self.learned.presses[index - 1].tap]
        self.held = tuple(self._text(index, q) for index in chosen if index and index not in taps)
        self._tell(chosen[0], q, values, now_ns)
        return self._text(taps[0], q) if taps else None

    def _state(self, values: Mapping[str, Value]) -> NDArray[np.float32]:
        newest = super()._state(values)
        missing = self.learned.states - len(self._states)
        self._states.extend([newest] * max(1, missing))
        return np.concatenate(self._states)

    def _text(self, action: int, q: NDArray[np.float32]) -> str:
        pointer = self.learned.presses[action - 1].pointer
        name = self.learned.actions[action]
        return name if pointer is None else placed(name, pointer, q[-2:])


def placed(name: str, pointer: Pointer, place: Sequence[float] | NDArray[np.float32]) -> str:
    """Return the text of a click at a place given as fractions of its box."""
    across, down = (min(1.0, max(0.0, float(share))) for share in place)
    left, top, width, height = pointer.box
    if pointer.columns:
        x, y = int(across * pointer.columns), int(down * pointer.rows)
        x, y = min(x, pointer.columns - 1), min(y, pointer.rows - 1)
    else:
        x, y = round(left + across * (width - 1)), round(top + down * (height - 1))
    return f"{name}({pointer.x}={x}, {pointer.y}={y})"


def learned_module(
    module: Module, about: VersionRecord, policy: PolicyRunner, **options: Any
) -> PolicyModule:
    """Build the module that plays a version's policy, cloned or not; arguments as of `PolicyModule`.

    Raises:
        ConditionError, ValueError: see `PolicyModule`.
    """
    kind = ClonedModule if isinstance(about.learned, ClonedSpace) else PolicyModule
    return kind(module, about, policy, **options)
