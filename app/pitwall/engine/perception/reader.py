"""The state reader: every field that a profile declares, read from one frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.observations import Reading, Value
from pitwall.engine.perception.bars import read_bar
from pitwall.engine.perception.digits import DigitsReader, TemplateReader
from pitwall.engine.perception.look import UNREADABLE, Found, Look
from pitwall.engine.perception.patches import read_blob, read_change, read_colour, read_gap
from pitwall.engine.perception.plugin_fields import PluginFields
from pitwall.games.fields import (
    BarField,
    BlobField,
    ChangeField,
    ColourField,
    DerivedField,
    DigitsField,
    GapField,
    PythonField,
    ReaderField,
    TemplateField,
    TextField,
)
from pitwall.games.profile import Profile

_NO_TEXTS: Mapping[str, Reading] = {}
_NOTHING_GIVEN: Mapping[str, Value] = {}
_Read = Callable[[Look], Found]


class StateReader:
    """Reads frames of one game.

    Args:
        profile: whose fields are read.
        folder: the game's folder, where its pictures lie.
        plugin: reads the fields that the game's own code gives; None: they read none.

    Raises:
        TemplateError: a picture is missing or unusable; names the file and the manifest's key.
        ConditionError: a derived field's calculation does not parse.
    """

    def __init__(self, profile: Profile, folder: Path, plugin: PluginFields | None = None) -> None:
        self._screen = profile.screen
        self._plugin = plugin
        self._fields = profile.fields
        self._reads = {field.name: _reader(field, folder) for field in profile.fields}
        self._derived: dict[str, Condition] = {
            field.name: parse_condition(field.value)
            for field in profile.fields
            if isinstance(field, DerivedField)
        }

    def read(
        self, frame: Frame, reference: Pixels | None, texts: Mapping[str, Reading] = _NO_TEXTS
    ) -> dict[str, Reading]:
        """Read every field.

        Args:
            reference: a copy of the previous step's pixels, for fields of change; None at first.
            texts: text fields as the text reader has them; one that is missing reads as none.

        Returns:
            Field name → reading, in the manifest's order. What cannot be read has value None and
            confidence 0.
        """
        look = Look(frame.pixels, reference, self._screen)
        given = self._plugin.read(frame.pixels) if self._plugin is not None else _NOTHING_GIVEN
        readings: dict[str, Reading] = {}
        values: dict[str, Value] = {}
        for field in self._fields:
            if isinstance(field, PythonField):
                reading = _given(field, given)
            else:
                reading = texts.get(field.name) or self._reading(field, look, values)
            readings[field.name] = reading
            values[field.name] = reading.value
        return readings

    def faults(self) -> list[PitwallError]:
        """What went wrong in the game's own code since the last call."""
        return self._plugin.faults() if self._plugin is not None else []

    def _reading(self, field: ReaderField, look: Look, values: Mapping[str, Value]) -> Reading:
        if isinstance(field, DerivedField):
            value = self._derived[field.name].value(values)
            return Reading(
                name=field.name, value=value, unit=field.unit, confidence=0.0 if value is None else 1.0
            )
        box = look.rect(field.box)
        found = self._reads[field.name](look) if box.width and box.height else UNREADABLE
        return Reading(
            name=field.name,
            value=found.value,
            unit=field.unit,
            confidence=found.confidence,
            box=None if field.box is None else box,
            found=found.found,
        )


def _given(field: PythonField, given: Mapping[str, Value]) -> Reading:
    value = given.get(field.name)
    return Reading(name=field.name, value=value, unit=field.unit, confidence=0.0 if value is None else 1.0)


def _reader(field: ReaderField, folder: Path) -> _Read:
    match field:
        case BarField():
            return partial(read_bar, field)
        case DigitsField():
            return DigitsReader(field, folder).read
        case ColourField():
            return partial(read_colour, field)
        case TemplateField():
            return TemplateReader(field, folder).read
        case ChangeField():
            return partial(read_change, field)
        case BlobField():
            return partial(read_blob, field)
        case GapField():
            return partial(read_gap, field)
        case TextField() | DerivedField() | PythonField():
            return _unread


def _unread(_: Look) -> Found:
    return UNREADABLE
