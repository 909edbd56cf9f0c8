"""The [[detectors]] of a profile: each looks once at a frame, however many fields read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol

from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame
from pitwall.core.observations import Detection
from pitwall.engine.perception.detection.detected_fields import DetectorResult
from pitwall.engine.perception.detection.model_detector import ModelFinder
from pitwall.engine.perception.detection.shape_detectors import ColourFinder, MotionFinder
from pitwall.engine.perception.detection.template_detector import TemplateFinder
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.detectors import (
    ColourDetector,
    Detector,
    MotionDetector,
    OnnxDetector,
    TemplateDetector,
    labels_of,
)
from pitwall.games.schema.profile import Screen
from pitwall.models.host_access import HostAccess
from pitwall.models.spec import ModelSpec

Boxes = Mapping[str, DetectorResult]
"""Detector → what it found; one that has not looked, or could not, is missing."""


class Finds(Protocol):
    """A detector that answers at once."""

    def find(self, look: FrameView) -> tuple[Detection, ...] | None:
        """Return the boxes found in a frame, in frame pixels; None if it cannot tell yet."""
        ...


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """Holds the means to run models for detectors.

    Attributes:
        resolve: the model that a detector names. Raises PitwallError: there is none.
    """

    link: HostAccess
    resolve: Callable[[OnnxDetector], ModelSpec]


class Detectors:
    """Every detector of a game.

    Args:
        folder: the game's folder, where pictures lie.
        screen: the size that boxes were drawn at.
        host: runs models; None: detectors by model find nothing.

    Raises:
        TemplateError: a picture is missing or unusable; names the file and the manifest's key.
    """

    def __init__(
        self, declared: Sequence[Detector], folder: Path, screen: Screen, host: ModelAccess | None = None
    ) -> None:
        self._declared = tuple(declared)
        self._folder = folder
        self._screen = screen
        self._host = host
        self._inside = {one.name: one for one in declared}
        self._finders: dict[str, Finds] = {}
        self._models: dict[str, ModelFinder] = {}
        self._numbers = count(1)
        self._faults: list[PitwallError] = []
        self._seen: tuple[Frame, dict[str, DetectorResult]] | None = None
        for one in declared:
            if isinstance(one, OnnxDetector):
                self._add_model(one)
            else:
                self._finders[one.name] = self._finder(one)

    def adopt(self, changed: Sequence[Detector]) -> None:
        """From the next frame on these take the place of the declared ones of their names, and no others.

        Raises:
            TemplateError: as the constructor; then everything stays as it was.
        """
        instead = {one.name: one for one in changed}
        wanted = {one.name: instead.get(one.name, one) for one in self._declared}
        made = {name: one for name, one in wanted.items() if one != self._inside[name]}
        fresh = {name: self._finder(one) for name, one in made.items() if not isinstance(one, OnnxDetector)}
        for name, one in made.items():
            self._inside[name] = one
            self._finders.pop(name, None)
            self._drop_model(name)
            if isinstance(one, OnnxDetector):
                self._add_model(one)
            else:
                self._finders[name] = fresh[name]
        if made:
            self._seen = None

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """Detector in force → what it can find."""
        return {name: labels_of(one) for name, one in self._inside.items()}

    def boxes(self, frame: Frame, look: FrameView) -> Boxes:
        """Return every detector's boxes in a frame; models' boxes are those that came last.

        A frame that is asked about again (because of boxes that came later) is not searched again.
        """
        if self._seen is None or self._seen[0] is not frame:
            found = {name: one.find(look) for name, one in self._finders.items()}
            self._seen = (
                frame,
                {name: DetectorResult(boxes) for name, boxes in found.items() if boxes is not None},
            )
        boxes = dict(self._seen[1])
        now = now_ns()
        for name, model in self._models.items():
            if (late := model.found(now)) is not None:
                boxes[name] = late
        return boxes

    def pump(self, frame: Frame | None, now: int) -> bool:
        """Take models' answers, and send the frame to those that are due. Never waits.

        Args:
            frame: the newest one; None: only take answers.

        Returns:
            Whether boxes came, or stopped being known, since the last call.
        """
        if self._host is None or not self._models:
            return False
        replies = self._host.link.pump()
        renewed = False
        for model in self._models.values():
            renewed |= model.take(replies, now)
        if frame is not None:
            for model in self._models.values():
                model.ask(frame, self._screen, now)
        return renewed

    def faults(self) -> list[PitwallError]:
        """Return the faults since the last call; each is told once."""
        faults, self._faults = self._faults, []
        for model in self._models.values():
            faults += model.faults()
        return faults

    def _add_model(self, one: OnnxDetector) -> None:
        if self._host is not None:
            self._models[one.name] = ModelFinder(one, self._host.link, self._host.resolve, self._numbers)

    def _drop_model(self, name: str) -> None:
        model = self._models.pop(name, None)
        if model is not None:
            self._faults += model.faults()

    def _finder(self, one: ColourDetector | TemplateDetector | MotionDetector) -> Finds:
        match one:
            case ColourDetector():
                return ColourFinder(one)
            case TemplateDetector():
                return TemplateFinder(one, self._folder)
            case MotionDetector():
                return MotionFinder(one)
