"""Plays a pixel policy: it sees the window at its own rate, and its answers are pressed or held."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Screen
from pitwall.gsm.cloned_module import ClonedModule
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.pixel_manifest import Inputs, Picture, PixelPolicy, PixelSpace
from pitwall.gsm.pixels.runner import Arrays, PixelRunner
from pitwall.gsm.pixels.space import numbers_of
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.vision import part_of

_STALE_NS = 500 * NS_PER_MS
"""Time without an answer after which all held actions are released."""
_MIDDLE = (0.5, 0.5)
_COLOUR = {"rgb": cv2.COLOR_BGRA2RGB, "bgr": cv2.COLOR_BGRA2BGR, "grey": cv2.COLOR_BGRA2GRAY}


class PixelInputs:
    """The inputs of successive decisions: pictures, recurrent states, the instruction."""

    def __init__(self, policy: PixelPolicy, screen: Screen) -> None:
        self._policy, self._screen = policy, screen
        self._newest: deque[NDArray[np.uint8]] = deque(maxlen=policy.picture.frames)
        self._inputs = policy.first_inputs()

    def forget(self) -> None:
        """Go back to the first inputs, because an episode begins."""
        self._newest.clear()
        self._inputs = self._policy.first_inputs()

    def see(self, pixels: Pixels) -> Inputs:
        """Take in a frame, (height, width, 4) BGRX, and return the inputs of its decision."""
        seen = self._policy.picture
        small = cv2.resize(
            part_of(pixels, seen.box, self._screen), (seen.width, seen.height), interpolation=cv2.INTER_AREA
        )
        picture = np.asarray(cv2.cvtColor(small, _COLOUR[seen.colour]), np.uint8)
        missing = seen.frames - len(self._newest)
        self._newest.extend([picture.reshape(seen.height, seen.width, seen.channels)] * max(1, missing))
        return {**self._inputs, seen.input: laid_out(seen, list(self._newest))}

    def keep(self, outputs: Arrays) -> None:
        """Keep the recurrent states of an answer for the next decision.

        Raises:
            BadPolicy: one is missing, of another shape, or not finite.
        """
        for state in self._policy.state:
            given = outputs.get(state.output)
            if given is None or list(given.shape) != state.shape:
                there = "missing" if given is None else list(given.shape)
                raise BadPolicy(
                    f"its state {state.output!r} is {there}, not {state.shape}.", "Mend its manifest."
                )
            if not np.isfinite(given).all():
                raise BadPolicy(f"its state {state.output!r} holds what is no number.")
            self._inputs[state.input] = np.asarray(given, np.float32)


def laid_out(seen: Picture, pictures: list[NDArray[np.uint8]]) -> NDArray[Any]:
    """Arrange pictures, (height, width, channels) each, oldest first, as the policy takes them."""
    stack: NDArray[Any] = np.stack(pictures)  # (frames, height, width, channels)
    if seen.numbers != "bytes":
        stack = stack.astype(np.float32) / 255.0
        stack = stack * 2.0 - 1.0 if seen.numbers == "signed" else stack
        stack = stack - np.asarray(seen.mean or 0.0, np.float32)
        stack = stack / np.asarray(seen.std or 1.0, np.float32)
    behind = seen.layout == "nhwc"
    stack = np.concatenate(list(stack), axis=-1) if behind else stack.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stack.reshape(seen.shape))


class PixelModule(ClonedModule):
    """Plays by a pixel policy that the host runs. A `GameSenseModule`; arguments as of `PolicyModule`.

    A frame that is due is sent; its answer takes effect on a later frame, once it has arrived.

    Attributes:
        problem: why it cannot play any more; None: it plays.
    """

    learned: PixelSpace

    def __init__(self, module: Module, about: VersionRecord, runner: PixelRunner, **options: Any) -> None:
        super().__init__(module, about, _NoPolicy(), **options)
        self._runner = runner
        self._sight = PixelInputs(self.learned.pixels, options["screen"])
        self._eyes = None
        self._place = _MIDDLE
        self._answered_ns: int | None = None
        self._asked_values: Mapping[str, Value] = {}

    @property
    def ready(self) -> bool:
        """Return whether an answer has arrived that has not taken effect yet."""
        return self.problem is None and self._runner.answered

    def begin(self) -> None:
        """See `GameSenseModule.begin`."""
        super().begin()
        self._runner.drop()
        self._sight.forget()
        self._place, self._answered_ns = _MIDDLE, None

    def act(self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None) -> str | None:
        """See `GameSenseModule.act`."""
        if self.problem is not None:
            return None
        try:
            tapped = self._take(now_ns)
            if pixels is not None and not self._runner.busy and self._is_due(now_ns):
                self._asked_values = values
                self._runner.ask(self._sight.see(pixels))
                tapped = tapped or self._take(now_ns)
        except PitwallError as error:
            self.problem = BadPolicy(f"{self.learned.pixels.name}: {error.what}", error.fix)
            self.held = ()
            return None
        if self._answered_ns is not None and now_ns - self._answered_ns > _STALE_NS:
            self.held = ()
        return tapped

    def ended(self, values: Mapping[str, Value]) -> bool:
        """See `GameSenseModule.ended`; a module with a problem has ended."""
        return super().ended(values) or self.problem is not None

    def _take(self, now_ns: int) -> str | None:
        outputs = self._runner.answer()
        if outputs is None:
            return None
        self._answered_ns = now_ns
        numbers = numbers_of(self.learned.pixels, outputs, self._place)
        self._sight.keep(outputs)
        if self.learned.pixels.pointer is not None:
            self._place = float(numbers[-2]), float(numbers[-1])
        return self._press(numbers, self._asked_values, now_ns)


class _NoPolicy:
    """Placeholder for the loop's own policy, because a pixel policy runs in the host."""

    def q(self, inputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        raise AssertionError(f"a pixel policy is not run in the loop: {', '.join(inputs)}")
