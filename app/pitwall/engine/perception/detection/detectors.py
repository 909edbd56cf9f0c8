"""The [[detectors]] of a profile: each searches a frame once, however many fields read its boxes."""

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
"""Detector → its boxes; a detector that has not searched, or could not, is missing."""


class Finds(Protocol):
    """A detector that answers at once."""

    def find(self, look: FrameView) -> tuple[Detection, ...] | None:
        """Return the boxes in a frame, in frame pixels; None if it cannot tell yet."""
        ...


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The means to run models for detectors.

    Attributes:
        resolve: returns the model that a detector names; raises PitwallError if there is none.
    """

    link: HostAccess
    resolve: Callable[[OnnxDetector], ModelSpec]


class Detectors:
    """Every detector of a game.

    Args:
        folder: the game's folder, with its pictures.
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
        self._in_force = {detector.name: detector for detector in declared}
        self._finders: dict[str, Finds] = {}
        self._models: dict[str, ModelFinder] = {}
        self._numbers = count(1)
        self._faults: list[PitwallError] = []
        self._seen: tuple[Frame, dict[str, DetectorResult]] | None = None
        for detector in declared:
            if isinstance(detector, OnnxDetector):
                self._add_model(detector)
            else:
                self._finders[detector.name] = self._finder(detector)

    def adopt(self, changed: Sequence[Detector]) -> None:
        """Replace the declared detectors of these names, and no others, from the next frame on.

        Raises:
            TemplateError: as the constructor; then everything stays as it was.
        """
        replaced = {detector.name: detector for detector in changed}
        wanted = {detector.name: replaced.get(detector.name, detector) for detector in self._declared}
        new = {name: detector for name, detector in wanted.items() if detector != self._in_force[name]}
        finders = {
            name: self._finder(detector)
            for name, detector in new.items()
            if not isinstance(detector, OnnxDetector)
        }
        for name, detector in new.items():
            self._in_force[name] = detector
            self._finders.pop(name, None)
            if model := self._models.pop(name, None):
                self._faults += model.faults()
            if isinstance(detector, OnnxDetector):
                self._add_model(detector)
            else:
                self._finders[name] = finders[name]
        if new:
            self._seen = None

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """Return the labels that each detector in force can find."""
        return {name: labels_of(detector) for name, detector in self._in_force.items()}

    def boxes(self, frame: Frame, look: FrameView) -> Boxes:
        """Return every detector's boxes in a frame; a model's boxes are its last ones.

        The same frame is not searched twice.
        """
        if self._seen is None or self._seen[0] is not frame:
            finds = {name: finder.find(look) for name, finder in self._finders.items()}
            results = {name: DetectorResult(boxes) for name, boxes in finds.items() if boxes is not None}
            self._seen = (frame, results)
        results, now = dict(self._seen[1]), now_ns()
        for name, model in self._models.items():
            if (latest := model.latest(now)) is not None:
                results[name] = latest
        return results

    def pump(self, frame: Frame | None, now: int) -> bool:
        """Take models' answers, and send the frame to those that are due. Never waits.

        Args:
            frame: the newest frame; None: only take answers.

        Returns:
            Whether boxes came or were dropped since the last call.
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
        """Return the faults since the last call, each once."""
        faults, self._faults = self._faults, []
        for model in self._models.values():
            faults += model.faults()
        return faults

    def _add_model(self, detector: OnnxDetector) -> None:
        if self._host is not None:
            finder = ModelFinder(detector, self._host.link, self._host.resolve, self._numbers)
            self._models[detector.name] = finder

    def _finder(self, detector: ColourDetector | TemplateDetector | MotionDetector) -> Finds:
        match detector:
            case ColourDetector():
                return ColourFinder(detector)
            case TemplateDetector():
                return TemplateFinder(detector, self._folder)
            case MotionDetector():
                return MotionFinder(detector)
