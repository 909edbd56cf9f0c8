"""The state reader: every field that a profile declares, read from one frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.observations import Detection, Reading, Value
from pitwall.engine.perception.bars import read_bar
from pitwall.engine.perception.detection.detected_fields import read_detected
from pitwall.engine.perception.detection.detectors import Boxes, Detectors
from pitwall.engine.perception.digits import DigitsReader
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView
from pitwall.engine.perception.patches import read_blob, read_cells, read_change, read_colour, read_gap
from pitwall.engine.perception.picture_fields import SpriteReader, TemplateReader
from pitwall.engine.perception.plugin_fields import PluginFields
from pitwall.engine.perception.sign_shapes import SignReader
from pitwall.games.schema import fields
from pitwall.games.schema.profile import Profile

_NO_TEXTS: Mapping[str, Reading] = {}
_NOTHING_GIVEN: Mapping[str, Value] = {}
_AFRESH = (fields.TextField, fields.DerivedField, fields.ChangeField, fields.CellsField)
"""Fields that may read otherwise on the same frame."""
_Read = Callable[[FrameView], FieldResult]


class StateReader:
    """Reads frames of one game.

    Args:
        folder: the game's folder, where its pictures lie.
        plugin: reads the fields that the game's own code gives; None: they read none.
        detectors: of the profile; None: made here, without a way to models.

    Attributes:
        detections: everything that the detectors found in the frame read last.

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
        self._given: Mapping[str, Value] = _NOTHING_GIVEN
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

        Of a frame that is read again, because text or boxes came later, only these are new, and what is
        reckoned from them or against the reference.

        Args:
            reference: a copy of the previous step's pixels, for fields of change; None at first.
            texts: text fields as the text reader has them; one that is missing reads as none.

        Returns:
            Field name → reading, in the manifest's order. What cannot be read has value None and
            confidence 0.
        """
        look = FrameView(frame.pixels, reference, self._screen)
        boxes = self._detectors.boxes(frame, look)
        before = self._last[1] if self._last is not None and self._last[0] is frame else None
        if before is None:
            self._given = self._plugin.read(frame.pixels) if self._plugin is not None else _NOTHING_GIVEN
        readings: dict[str, Reading] = {}
        values: dict[str, Value] = {}
        for field in self._fields:
            if isinstance(field, fields.PythonField):
                reading = _given(field, self._given)
            elif isinstance(field, fields.DetectedField):
                reading = _detected(field, boxes, look)
            elif before is not None and not isinstance(field, _AFRESH):
                reading = before[field.name]
            else:
                reading = texts.get(field.name) or self._reading(field, look, values)
            readings[field.name] = reading
            values[field.name] = reading.value
        self._last = (frame, readings)
        self.detections = tuple(one for looked in boxes.values() for one in looked.found)
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
        found = self._reads[field.name](look) if box.width and box.height else UNREADABLE
        return Reading(
            name=field.name,
            value=found.value,
            unit=field.unit,
            confidence=found.confidence,
            box=None if area is None else box,
            found=found.found,
        )


def _detected(field: fields.DetectedField, boxes: Boxes, look: FrameView) -> Reading:
    looked = boxes.get(field.detector)
    found = read_detected(field, looked, look)
    return Reading(
        name=field.name,
        value=found.value,
        unit=field.unit,
        confidence=found.confidence,
        box=None if field.box is None else look.rect(field.box),
        found=found.found,
        age_ms=0.0 if looked is None else looked.age_ms,
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
            return _unread


def _unread(_: FrameView) -> FieldResult:
    return UNREADABLE
