"""Detectors by model: frames go to the host process, and boxes are used when they come.

Nothing here waits. Each detector has at most one request open, with the newest frame at that time; the last
boxes are used until the next ones come. A fault is reported once, and retried after a growing back-off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS, ms_between
from pitwall.core.errors import BadModelFile, FaultLog, PitwallError, UnknownModel
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.core.paths import DataFolder
from pitwall.engine.perception.detection.detected_fields import DetectorResult
from pitwall.games.schema.detectors import OnnxDetector
from pitwall.games.schema.profile import Game, Screen
from pitwall.models.files.integrity import sha256_of, stamp_of
from pitwall.models.host_access import HostAccess
from pitwall.models.host_requests import Detect, Detected, FoundBox, HostFault, HostReply
from pitwall.models.registry import ModelRegistry
from pitwall.models.spec import ModelSpec

_FIRST_BACK_OFF_MS = 1_000
_LONGEST_BACK_OFF_MS = 60_000
_PATIENCE_MS = 60_000
"""Longest wait for boxes: a big model from a slow disk takes long to load."""
_NO_HOST_MS = 100
_DEATHS = 2
"""Deaths of the host in a row, with this detector's request open, after which the detector is blamed."""


@dataclass(frozen=True, slots=True)
class _Flight:
    """An open request.

    Attributes:
        rect: the crop of the frame. size: width and height of the picture sent.
    """

    number: int
    generation: int
    asked_ns: int
    captured_ns: int
    rect: Rect
    size: tuple[int, int]


class ModelFinder:
    """Runs one detector by model.

    Args:
        link: the connection to the host process, shared by the detectors of a game.
        resolve: returns the detector's model; called at its first use, and after a fault.
        numbers: request numbers, shared by the detectors that share a link.
    """

    def __init__(
        self,
        detector: OnnxDetector,
        link: HostAccess,
        resolve: Callable[[OnnxDetector], ModelSpec],
        numbers: Iterator[int],
    ) -> None:
        self._detector = detector
        self._link = link
        self._resolve = resolve
        self._numbers = numbers
        self._spec: ModelSpec | None = None
        self._flight: _Flight | None = None
        self._asked: Frame | None = None
        self._sent: Pixels | None = None
        self._not_before_ns = 0
        self._back_off_ms = _FIRST_BACK_OFF_MS
        self._fits: dict[tuple[int, int], tuple[int, int]] = {}
        self._boxes: tuple[Detection, ...] | None = None
        self._boxes_ns = 0
        self._deaths = 0
        self._faults = FaultLog()

    def latest(self, now: int) -> DetectorResult | None:
        """Return the last boxes; None before the first, and after a fault."""
        if self._boxes is None:
            return None
        age_ms = max(0.0, ms_between(self._boxes_ns, now))
        return DetectorResult(tuple(replace(box, age_ms=age_ms) for box in self._boxes), age_ms)

    def take(self, replies: Sequence[HostReply], now: int) -> bool:
        """Take an answer if it is among these; return whether the known boxes changed."""
        flight = self._flight
        if flight is None:
            return False
        for reply in replies:
            if reply.request_id != flight.number:
                continue
            if isinstance(reply, Detected):
                return self._arrived(flight, reply)
            if isinstance(reply, HostFault):
                self._flight = None
                return self._failed(PitwallError(reply.what, reply.fix), now)
        if flight.generation != self._link.generation or self._link.fileno() is None:
            self._flight = None
            return self._died(now)
        if now - flight.asked_ns > _PATIENCE_MS * NS_PER_MS:
            self._flight = None
            return self._failed(
                PitwallError(f"no boxes came within {_PATIENCE_MS // 1000} s.", "Use a smaller model."), now
            )
        return False

    def ask(self, frame: Frame, screen: Screen, now: int) -> None:
        """Send a new frame, if the detector is due."""
        if self._flight is not None or frame is self._asked or now < self._not_before_ns:
            return
        spec = self._model(now)
        if spec is None:
            return
        self._asked = frame
        detector, rect = self._detector, Rect(0, 0, frame.width, frame.height)
        if detector.box is not None:
            scaled = Rect(*detector.box).scaled(frame.width / screen.width, frame.height / screen.height)
            rect = scaled.clipped(frame.width, frame.height)
        if not rect.width or not rect.height:
            return
        picture = self._shrunk(frame.pixels[rect.y : rect.bottom, rect.x : rect.right])
        if self._boxes is not None and self._sent is not None and np.array_equal(picture, self._sent):
            self._boxes_ns = frame.captured_ns  # its crop did not change
            return
        height, width = picture.shape[:2]
        request = Detect(
            request_id=next(self._numbers),
            model=spec,
            width=width,
            height=height,
            labels=tuple(detector.labels),
            confidence=detector.confidence,
            iou=detector.iou,
            most=detector.most,
        )
        if not self._link.send(request, picture.tobytes()):
            self._asked = None  # without a host: the same frame may be sent later
            self._not_before_ns = now + _NO_HOST_MS * NS_PER_MS
            return
        self._sent = picture
        self._not_before_ns = now + detector.every_ms * NS_PER_MS
        self._flight = _Flight(
            request.request_id, self._link.generation, now, frame.captured_ns, rect, (width, height)
        )

    def faults(self) -> list[PitwallError]:
        """Return the faults since the last call, each once."""
        return self._faults.take()

    def _shrunk(self, crop: Pixels) -> Pixels:
        """Return a crop as BGR, no larger than the model's input."""
        height, width = crop.shape[:2]
        fit = self._fits.get((width, height), (width, height))
        size = (min(width, fit[0]), min(height, fit[1]))
        if size != (width, height):
            crop = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_LINEAR), np.uint8)
        return np.asarray(cv2.cvtColor(crop, cv2.COLOR_BGRA2BGR), np.uint8)

    def _arrived(self, flight: _Flight, reply: Detected) -> bool:
        self._flight = None
        self._deaths = 0
        self._back_off_ms = _FIRST_BACK_OFF_MS
        self._faults.forget()
        if (flight.rect.width, flight.rect.height) == flight.size:
            self._fits = {flight.size: (max(1, reply.fit_width), max(1, reply.fit_height))}
        self._boxes = tuple(self._box(flight, box) for box in reply.boxes)
        self._boxes_ns = flight.captured_ns
        return True

    def _box(self, flight: _Flight, box: FoundBox) -> Detection:
        rect, (width, height) = flight.rect, flight.size
        x, y = rect.width / width, rect.height / height
        left, top = round(box.left * x), round(box.top * y)
        return Detection(
            detector=self._detector.name,
            label=box.label,
            confidence=box.confidence,
            box=Rect(
                rect.x + left,
                rect.y + top,
                max(1, round(box.right * x) - left),
                max(1, round(box.bottom * y) - top),
            ),
        )

    def _model(self, now: int) -> ModelSpec | None:
        if self._spec is None:
            try:
                self._spec = self._resolve(self._detector)
            except PitwallError as error:
                self._failed(error, now)
        return self._spec

    def _died(self, now: int) -> bool:
        """Note that the host died with the request; the link itself reports the death."""
        self._deaths += 1
        if self._deaths < _DEATHS:
            return self._unknown(now)
        return self._failed(
            PitwallError("the model host dies when it is asked.", "Export or download the model again."), now
        )

    def _failed(self, fault: PitwallError, now: int) -> bool:
        name = self._detector.name
        self._faults.add(PitwallError(f"detector {name}: {fault.what}", fault.fix), fault.what)
        self._spec = None
        return self._unknown(now)

    def _unknown(self, now: int) -> bool:
        """Drop the boxes, and try again after a while with the then newest frame."""
        known = self._boxes is not None
        self._boxes = self._sent = self._asked = None
        self._not_before_ns = now + self._back_off_ms * NS_PER_MS
        self._back_off_ms = min(2 * self._back_off_ms, _LONGEST_BACK_OFF_MS)
        return known


class DetectorModels:
    """Returns the models of a game's detectors: files of the game's folder, or models of the registry.

    A file of the game's folder is hashed at its first use; the host must load the same content.
    """

    def __init__(self, game: Game, data: DataFolder) -> None:
        self._game = game
        self._registry = ModelRegistry(data)
        self._hashed: dict[Path, ModelSpec] = {}

    def resolve(self, detector: OnnxDetector) -> ModelSpec:
        """Return the model that a detector names.

        Raises:
            BadModelFile: the file is missing, or no ONNX model.
            UnknownModel, DataFolderError: the registry has none of that name, or cannot be read.
        """
        if detector.in_folder:
            return self._file(detector.model)
        try:
            spec = self._registry.get(detector.model).spec
        except UnknownModel as error:
            fix = f"Add it: pitwall models add FILE --name {detector.model}"
            raise UnknownModel(error.what, fix) from None
        if spec.kind != "onnx":
            raise BadModelFile(spec.path or spec.url, f"is a {spec.kind} model", expected="an ONNX detector")
        return spec

    def _file(self, name: str) -> ModelSpec:
        file = self._game.folder / name
        known = self._hashed.get(file)
        if known is None:
            size, changed = stamp_of(file)
            known = self._hashed[file] = ModelSpec(
                name=f"{self._game.game_id}/{name}",
                kind="onnx",
                path=str(file),
                size_bytes=size,
                mtime_ns=changed,
                sha256=sha256_of(file),
            )
        return known
