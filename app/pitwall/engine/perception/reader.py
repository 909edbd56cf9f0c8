"""The state reader: reads every field that a profile declares from one frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.observations import Detection, Reading, Value
from pitwall.engine.perception.colour_fields import (
    read_bar,
    read_blob,
    read_cells,
    read_change,
    read_colour,
    read_gap,
)
from pitwall.engine.perception.detection.detected_fields import read_detected
from pitwall.engine.perception.detection.detectors import Boxes, Detectors
from pitwall.engine.perception.digits import DigitsReader
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView
from pitwall.engine.perception.picture_fields import SpriteReader, TemplateReader
from pitwall.engine.perception.plugin_fields import PluginFields
from pitwall.engine.perception.sign_shapes import SignReader
from pitwall.games.schema import fields
from pitwall.games.schema.profile import Profile

_NO_TEXTS: Mapping[str, Reading] = {}
_NO_VALUES: Mapping[str, Value] = {}
_READ_AGAIN = (fields.TextField, fields.DerivedField, fields.ChangeField, fields.CellsField)
"""Fields whose reading may change while the frame stays the same."""
_Read = Callable[[FrameView], FieldResult]


class StateReader:
    """Reads frames of one game.

    Args:
        folder: the game's folder, with its pictures.
        plugin: reads the fields of the game's own code; None: they are not read.
        detectors: of the profile; None: made here, without models.

    Attributes:
        detections: all boxes of the detectors in the last frame.

    Raises:
        TemplateError: a picture is missing or unusable; names the file and the manifest's key.
        ConditionError: a derived field's calculation does not parse.
    """

    def __init__(
        self,
        profile: Profile,
        folder: Path,
        plugin: PluginFields | None = None,
        detectors: Detectors | None = None,
    ) -> None:
        self._screen = profile.screen
        self._plugin = plugin
        self._detectors = detectors or Detectors(profile.detectors, folder, profile.screen)
        self._given: Mapping[str, Value] = _NO_VALUES
        self._last: tuple[Frame, dict[str, Reading]] | None = None
        self.detections: tuple[Detection, ...] = ()
        self._fields = profile.fields
        self._reads = {field.name: _reader(field, folder) for field in profile.fields}
        self._derived: dict[str, Condition] = {
            field.name: parse_condition(field.value)
            for field in profile.fields
            if isinstance(field, fields.DerivedField)
        }

    def read(
        self, frame: Frame, reference: Pixels | None, texts: Mapping[str, Reading] = _NO_TEXTS
    ) -> dict[str, Reading]:
        """Read every field.

        When a frame is read again, because text or boxes came later, only these fields are read again, and
        those that depend on them or on the reference.

        Args:
            reference: a copy of the previous step's pixels, for fields of change; None at first.
            texts: the text reader's readings; a missing field was not read.

        Returns:
            Field name → reading, in the manifest's order. A field that cannot be read has value None and
            confidence 0.
        """
        look = FrameView(frame.pixels, reference, self._screen)
        boxes = self._detectors.boxes(frame, look)
        before = self._last[1] if self._last is not None and self._last[0] is frame else None
        if before is None:
            self._given = self._plugin.read(frame.pixels) if self._plugin is not None else _NO_VALUES
        readings: dict[str, Reading] = {}
        values: dict[str, Value] = {}
        for field in self._fields:
            if isinstance(field, fields.PythonField):
                reading = _given(field, self._given)
            elif isinstance(field, fields.DetectedField):
                reading = _detected(field, boxes, look)
            elif before is not None and not isinstance(field, _READ_AGAIN):
                reading = before[field.name]
            else:
                reading = texts.get(field.name) or self._reading(field, look, values)
            readings[field.name] = reading
            values[field.name] = reading.value
        self._last = (frame, readings)
        self.detections = tuple(box for result in boxes.values() for box in result.boxes)
        return readings

    def faults(self) -> list[PitwallError]:
        """Return the faults in the game's own code since the last call."""
        return self._plugin.faults() if self._plugin is not None else []

    def _reading(self, field: fields.ReaderField, look: FrameView, values: Mapping[str, Value]) -> Reading:
        if isinstance(field, fields.DerivedField):
            value = self._derived[field.name].value(values)
            return Reading(
                name=field.name, value=value, unit=field.unit, confidence=0.0 if value is None else 1.0
            )
        area = field.within if isinstance(field, fields.SpriteField) else field.box
        box = look.rect(area)
        result = self._reads[field.name](look) if box.width and box.height else UNREADABLE
        return Reading(
            name=field.name,
            value=result.value,
            unit=field.unit,
            confidence=result.confidence,
            box=None if area is None else box,
            found=result.place,
        )


def _detected(field: fields.DetectedField, boxes: Boxes, look: FrameView) -> Reading:
    detected = boxes.get(field.detector)
    result = read_detected(field, detected, look)
    return Reading(
        name=field.name,
        value=result.value,
        unit=field.unit,
        confidence=result.confidence,
        box=None if field.box is None else look.rect(field.box),
        found=result.place,
        age_ms=0.0 if detected is None else detected.age_ms,
    )


def _given(field: fields.PythonField, given: Mapping[str, Value]) -> Reading:
    value = given.get(field.name)
    return Reading(name=field.name, value=value, unit=field.unit, confidence=0.0 if value is None else 1.0)


def _reader(field: fields.ReaderField, folder: Path) -> _Read:
    match field:
        case fields.BarField():
            return partial(read_bar, field)
        case fields.DigitsField(ink=tuple()):
            return SignReader(field, folder).read
        case fields.DigitsField():
            return DigitsReader(field, folder).read
        case fields.ColourField():
            return partial(read_colour, field)
        case fields.TemplateField():
            return TemplateReader(field, folder).read
        case fields.SpriteField():
            return SpriteReader(field, folder).read
        case fields.ChangeField():
            return partial(read_change, field)
        case fields.BlobField():
            return partial(read_blob, field)
        case fields.GapField():
            return partial(read_gap, field)
        case fields.CellsField():
            return partial(read_cells, field)
        case fields.TextField() | fields.DerivedField() | fields.DetectedField() | fields.PythonField():
            return lambda _: UNREADABLE
