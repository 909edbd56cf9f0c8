"""Varies the numbers of a game's detectors: thresholds, tolerances, least sizes, confidence."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.profile import Profile
from pitwall.gsm.version_record import VersionRecord

_NUMBERS = {
    "colour": ("tolerance", "least_px", "join_px"),
    "template": ("threshold",),
    "motion": ("threshold", "least_px", "join_px"),
    "onnx": ("confidence",),
}
_REACH = 0.25
"""Standard deviation of a change, as a share of the number."""
_DETECTOR: TypeAdapter[Detector] = TypeAdapter(Detector)


def detectors_of(profile: Profile, about: VersionRecord) -> tuple[Detector, ...]:
    """List the game's detectors as a version sees with them."""
    changed = {detector.name: detector for detector in about.detectors}
    return tuple(changed.get(detector.name, detector) for detector in profile.detectors)


def draw_detector(detectors: Sequence[Detector], chance: random.Random) -> tuple[Detector, str] | None:
    """Draw a detector with another number, and describe it; None if the draw changes nothing."""
    detector = chance.choice(detectors)
    names = _NUMBERS.get(detector.kind, ())
    if not names:
        return None
    name = chance.choice(names)
    old = getattr(detector, name)
    value = chance.gauss(old, _REACH * max(abs(old), 1 if isinstance(old, int) else 0))
    new = round(value) if isinstance(old, int) else round(value, 2)
    try:
        varied = _DETECTOR.validate_python({**detector.model_dump(), name: new})
    except ValidationError:  # beyond its bounds
        return None
    if new == old:
        return None
    return varied, f"detector {detector.name}, {name}: {old:g} → {new:g}"
