"""Reads the steps of recorded runs as a module's decisions, whether a skill, a model or chance decided them.

A step counts if it did one of the module's actions (or nothing, if the module may do nothing) while the game
was being played. The game's menus and its end, as recognised by the profile's signs, end an episode; any
other step cuts it off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Route
from pitwall.core.steps import ReflexRecord, StepRecord
from pitwall.games.schema.modules import Learned
from pitwall.games.schema.profile import Screen
from pitwall.gsm.policy_module import ENDED
from pitwall.gsm.vision import PixelStack

_PLAYED = (GameStatus.PLAYING, GameStatus.READY)
_VERSION = "steps"
_NOTHING = ""


class StepDecisions:
    """Turns the steps of runs, one run after another, into decision records.

    Args:
        screen: the size in which boxes are given.

    Attributes:
        read: steps looked at. outside, unplayed, unseen: steps skipped because of another action, because the
            game was in a menu or at an end, or because a module that sees has no picture of them.
    """

    def __init__(self, data: DataFolder, module: str, learned: Learned, screen: Screen) -> None:
        self._data, self._module = data, module
        self._actions = {text: number for number, text in enumerate(learned.actions)}
        self._eyes = PixelStack(learned.vision, screen) if learned.vision is not None else None
        self._run, self._start = 0, 0
        self._going = False
        self._frames: dict[int, str] = {}
        self.read = self.outside = self.unplayed = self.unseen = 0

    def begin(self, run: int) -> None:
        """Begin a run, whose steps come next."""
        self._run, self._going = run, False
        self._frames.clear()

    def records(self, steps: Sequence[StepRecord]) -> Iterator[ReflexRecord]:
        """Yield records of further steps in order; their starts count down from −1, unlike a module's own."""
        self._frames = {step: ref for step, ref in self._frames.items() if step == steps[0].step - 1}
        for step in steps:
            self._frames[step.step] = step.frame_ref
            if step.route is Route.REFLEX:
                self._going = False
                continue
            self.read += 1
            action = self._action(step)
            if action is None:
                self._going = False
                continue
            if not self._going:
                if action == ENDED:
                    continue
                self._start -= 1
            self._going = action != ENDED
            yield ReflexRecord(
                step=step.step,
                at_ns=step.at_ns,
                module=self._module,
                version=_VERSION,
                start=self._start,
                action=action,
                values={**step.fields, "status": step.status.value},
            )

    def _action(self, step: StepRecord) -> int | None:
        """Return the index of a step's action; ENDED if the game was not played, None to skip the step."""
        if self._eyes is not None and not step.frame_ref:
            self.unseen += 1
            return None
        if step.status not in _PLAYED:
            self.unplayed += 1
            return ENDED
        nothing = not any(sent.event.kind in ("key_down", "mouse_down") for sent in step.sent)
        known = self._actions.get(str(step.action), self._actions.get(_NOTHING) if nothing else None)
        self.outside += known is None
        return known

    def picture(self, record: ReflexRecord) -> NDArray[np.uint8] | None:
        """Return the picture of a record for a policy that sees, (1, height, width); None without vision."""
        if self._eyes is None:
            return None
        file = self._data.run(self._run) / self._frames.get(record.step, "")
        seen = cv2.imread(str(file), cv2.IMREAD_COLOR) if file.is_file() else None
        if seen is None:
            vision = self._eyes.shape
            return np.zeros((1, *vision), np.uint8)
        return self._eyes.shrink(np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGR2RGB), np.uint8), "rgb")[None]

    @property
    def account(self) -> str:
        """Describe how many steps were used and skipped, for an operator whose training learned nothing."""
        parts = [
            (self.outside, "did another action than the module's"),
            (self.unplayed, "stood in a menu, a pause or at an end"),
            (self.unseen, "kept no picture (recording.step_frames)"),
        ]
        reasons = "; ".join(f"{count:,} {reason}" for count, reason in parts if count)
        return f"{self.read:,} recorded steps were read{': ' + reasons if reasons else ''}"
