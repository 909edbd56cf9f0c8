"""The conformance checker's part for detectors and the fields that read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pitwall.core.bounded_reading import read_bytes
from pitwall.core.errors import DamagedFile, Fault, nearest
from pitwall.games.checks.actions import PartChecker
from pitwall.games.schema.detectors import Detector, OnnxDetector, TemplateDetector, labels_of
from pitwall.games.schema.fields import DetectedField

_LARGEST_SCALE = 8.0
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM")


class DetectorChecker(PartChecker):
    """Checks [[detectors]] and `kind = "detected"` fields."""

    def faults(self) -> Iterator[Fault]:
        for detector in self._profile.detectors:
            key = f"detectors.{detector.name}"
            if detector.box is not None:
                yield from self._blame.outside(f"{key}.box", detector.box, self._profile.screen)
            yield from self._labels(key, detector)
            match detector:
                case TemplateDetector():
                    yield from self._templates(key, detector)
                case OnnxDetector():
                    yield from self._model(key, detector)
        for field in self._profile.fields:
            if isinstance(field, DetectedField):
                yield from self._field(f"fields.{field.name}", field)

    def _labels(self, key: str, detector: Detector) -> Iterator[Fault]:
        for label, count in Counter(labels_of(detector)).items():
            if not label.strip():
                yield self._blame.fault(f"{key}.labels", "a label is empty", "a word")
            elif count > 1:
                yield self._blame.fault(f"{key}.labels", f"{label!r} stands {count} times", "each label once")

    def _templates(self, key: str, detector: TemplateDetector) -> Iterator[Fault]:
        for label, name in detector.templates.items():
            faults = list(self._file_there(f"{key}.templates.{label}", name))
            yield from faults
            if not faults and not _is_picture(self._folder / name):
                yield self._blame.fault(
                    f"{key}.templates.{label}", f"{name!r} is no picture that can be read", "a PNG"
                )
        if not detector.scales:
            yield self._blame.fault(f"{key}.scales", "is empty", "[1.0]")
        for scale in detector.scales:
            if not 0 < scale <= _LARGEST_SCALE:
                yield self._blame.fault(f"{key}.scales", f"found {scale:g}", f"0 … {_LARGEST_SCALE:g}")

    def _model(self, key: str, detector: OnnxDetector) -> Iterator[Fault]:
        if detector.in_folder:
            yield from self._file_there(f"{key}.model", detector.model)
        elif not detector.model or "/" in detector.model or "\\" in detector.model:
            yield self._blame.fault(
                f"{key}.model", f"found {detector.model!r}", "a file NAME.onnx, or a model of the registry"
            )

    def _field(self, key: str, field: DetectedField) -> Iterator[Fault]:
        named = {detector.name: detector for detector in self._profile.detectors}
        detector = named.get(field.detector)
        if detector is None:
            if field.detector not in self._dropped:
                if named:
                    yield self._blame.unknown(f"{key}.detector", field.detector, "detector", named)
                else:
                    yield self._blame.fault(
                        f"{key}.detector", f"there is no detector {field.detector!r}", "[[detectors]]"
                    )
            return
        known = labels_of(detector)
        if field.label and field.label not in known:
            yield self._blame.fault(
                f"{key}.label",
                f"{detector.name} finds no {field.label!r}",
                f"one of {', '.join(known)}",
                nearest(field.label, known),
            )


def _is_picture(file: Path) -> bool:
    """Return whether a file begins like a picture; decoding is tested when it is loaded."""
    try:
        start = read_bytes(file)[:12]
    except (DamagedFile, FileNotFoundError):
        return False
    return start.startswith(_PICTURES) or (start.startswith(b"RIFF") and start.endswith(b"WEBP"))
