"""Detectors by model: frames go to the host process, boxes are used when they come.

Nothing here waits. One request at most is on its way for each detector, with the newest frame as it was
sent; until its boxes come the last ones stand. What fails is told once and tried again, later each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS, ms_between
from pitwall.core.errors import PitwallError
from pitwall.core.fault_log import FaultLog
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.detection.detected_fields import DetectorResult
from pitwall.games.schema.detectors import OnnxDetector
from pitwall.games.schema.profile import Screen
from pitwall.models.host_access import HostAccess
from pitwall.models.host_requests import Detect, Detected, FoundBox, HostFault, HostReply
from pitwall.models.spec import ModelSpec

_FIRST_BACK_OFF_MS = 1_000
_LONGEST_BACK_OFF_MS = 60_000
_PATIENCE_MS = 60_000
"""A big model from a slow disk takes this long before its first boxes."""
_NO_HOST_MS = 100
_DEATHS = 2
"""Of the host in a row, while this detector's request was on its way: it is the one that kills it."""


@dataclass(frozen=True, slots=True)
class _Flight:
    """A request on its way.

    Attributes:
        rect: what was cut out of the frame. size: width and height of what was sent of it.
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
        link: the way to the host process, shared by the detectors of a game.
        resolve: the model that the detector names; asked when it is first needed, and after a fault.
        numbers: of requests; the detectors that share a link share them.
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

    def found(self, now: int) -> DetectorResult | None:
        """The boxes that came last; None before the first, and after a fault."""
        if self._boxes is None:
            return None
        age_ms = max(0.0, ms_between(self._boxes_ns, now))
        return DetectorResult(tuple(replace(one, age_ms=age_ms) for one in self._boxes), age_ms)

    def take(self, replies: Sequence[HostReply], now: int) -> bool:
        """Take an answer that is among these; whether what is known changed."""
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
        """Send a frame that was not sent yet, where the detector is due."""
        if self._flight is not None or frame is self._asked or now < self._not_before_ns:
            return
        spec = self._model(now)
        if spec is None:
            return
        self._asked = frame
        one = self._detector
        rect = _rect(one, frame, screen)
        if not rect.width or not rect.height:
            return
        picture = self._shrunk(frame.pixels[rect.y : rect.bottom, rect.x : rect.right])
        if self._boxes is not None and self._sent is not None and np.array_equal(picture, self._sent):
            self._boxes_ns = frame.captured_ns  # nothing changed where it looks
            return
        height, width = picture.shape[:2]
        request = Detect(
            request_id=next(self._numbers),
            model=spec,
            width=width,
            height=height,
            labels=tuple(one.labels),
            confidence=one.confidence,
            iou=one.iou,
            most=one.most,
        )
        if not self._link.send(request, picture.tobytes()):
            self._asked = None  # there is no host now: the same frame may still be asked about
            self._not_before_ns = now + _NO_HOST_MS * NS_PER_MS
            return
        self._sent = picture
        self._not_before_ns = now + one.every_ms * NS_PER_MS
        self._flight = _Flight(
            request.request_id, self._link.generation, now, frame.captured_ns, rect, (width, height)
        )

    def faults(self) -> list[PitwallError]:
        """Return the faults since the last call; each is told once."""
        return self._faults.take()

    def _shrunk(self, crop: Pixels) -> Pixels:
        """A crop as BGR, no larger than the model looks at it."""
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
        """The host died with the request; the link itself tells of the death."""
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
        """No boxes are known; it is tried again after a while, with whatever frame there is then."""
        known = self._boxes is not None
        self._boxes = self._sent = self._asked = None
        self._not_before_ns = now + self._back_off_ms * NS_PER_MS
        self._back_off_ms = min(2 * self._back_off_ms, _LONGEST_BACK_OFF_MS)
        return known


def _rect(detector: OnnxDetector, frame: Frame, screen: Screen) -> Rect:
    whole = Rect(0, 0, frame.width, frame.height)
    if detector.box is None:
        return whole
    scaled = Rect(*detector.box).scaled(frame.width / screen.width, frame.height / screen.height)
    return scaled.clipped(frame.width, frame.height)
