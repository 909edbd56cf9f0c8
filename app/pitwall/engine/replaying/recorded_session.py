"""A recorded run in place of a game: each step's fields and picture as they were, without a window."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Observation, Reading
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.signals import Thresholds
from pitwall.core.steps import StepRecord
from pitwall.engine.inference.model_manager import settled
from pitwall.engine.session.game_session import PerceivedFrame
from pitwall.engine.session.moments import SceneSnapshot
from pitwall.engine.trigger.descriptor import describe
from pitwall.games.actions.computer_use import vocabulary_of
from pitwall.games.schema.profile import Game
from pitwall.store.run_reader import RunRow


class RecordedSession:
    """A recorded run as decisions see it; a `SeenGame`.

    Args:
        settings: in force for the agent that decides now.

    Attributes:
        pictured: whether the shown step's picture was kept.
    """

    def __init__(self, data: DataFolder, game: Game, run: RunRow, settings: Settings) -> None:
        self.game = game
        self.settings = settled(settings, game.profile)
        self.thresholds = Thresholds.model_validate(run.manifest.thresholds)
        self.role = run.manifest.role
        self.seed = run.manifest.seed
        role = self.role if game.profile.roles else ""
        self.vocabulary = vocabulary_of(game.profile, role, self.settings.control.interface)
        self.seen: PerceivedFrame | None = None
        self.pictured = False
        self._folder = data.run(run.run_id)
        self._width, self._height = run.manifest.screen
        self._change = 0.0

    def show(self, step: StepRecord) -> PerceivedFrame:
        """Show a step as it was when it was decided; a picture that was not kept is black."""
        pixels = self._picture(step.frame_ref)
        self.pictured = pixels is not None
        if pixels is None:
            pixels = np.zeros((self._height, self._width, 4), np.uint8)
        self._change = step.signals.change
        self.seen = PerceivedFrame(
            frame=Frame(
                frame_id=step.frame_id,
                captured_ns=step.at_ns,
                ready_ns=step.at_ns,
                pixels=pixels,
                window=Rect(0, 0, pixels.shape[1], pixels.shape[0]),
            ),
            observation=Observation(
                frame_id=step.frame_id,
                captured_ns=step.at_ns,
                status=step.status,
                readings={name: Reading(name=name, value=value) for name, value in step.fields.items()},
            ),
            values={**step.fields, "status": step.status.value},
        )
        return self.seen

    def change(self) -> float:
        """Return d as it was when the step was decided."""
        return self._change

    def moment(self) -> SceneSnapshot:
        """Return the scene of the shown step."""
        assert self.seen is not None
        return SceneSnapshot(self.seen.observation.status, describe(self.seen.frame.pixels))

    def change_since(self, moment: SceneSnapshot) -> float:  # noqa: ARG002
        """Return 0: a recorded step does not change while an agent thinks."""
        return 0.0

    def descriptor(self) -> NDArray[np.float32] | None:
        """Return the shown picture's visual descriptor; None if no picture was kept."""
        return describe(self.seen.frame.pixels) if self.seen is not None and self.pictured else None

    def _picture(self, reference: str) -> Pixels | None:
        file = self._folder / reference
        if not reference or not file.is_file():
            return None
        seen = cv2.imread(str(file), cv2.IMREAD_COLOR)
        return None if seen is None else np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGR2BGRA), np.uint8)
