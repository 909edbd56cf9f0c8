"""Fields of the settings, read off core.settings: nothing is declared twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from annotated_types import Ge, Le
from pydantic import BaseModel

from pitwall.console.kit.form.fields import Field, Kind, declared_field, options_of
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.setting_labels import (
    BASIC_SETTINGS,
    SECTION_WORDS,
    SETTING_LABELS,
    choice_words,
)
from pitwall.core.errors import SettingsError
from pitwall.core.input_settings import HotkeySettings
from pitwall.core.settings import Settings

Scalar = bool | int | float | str
_UNBOUNDED = 1_000_000_000.0
_NOTED = ("live_layout", "pane_layout", "last_game", "tour_done", "preflight_done")
"""Settings of the console in which the window notes by itself how it was left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """A declared setting.

    Attributes:
        section, name: its place in `Settings`. field: edits it in a form; its key is "section.name".
        bounded: whether it is a number with the field's `least` and `most` as bounds.
    """

    section: str
    name: str
    field: Field
    bounded: bool = False

    @property
    def key(self) -> str:
        return self.field.key

    @property
    def label(self) -> str:
        """Return the declared description with its choices as shown, in the console's language.

        It is translated here, because the sentence with replaced choices is in no catalogue.
        """
        text = spoken(self.field.label)
        for value in self.choices:
            text = text.replace(f"{value}: ", f"{spoken(choice_words(self.key, value))}: ")
        return text

    @property
    def title(self) -> str:
        """Return its name for a player."""
        return SETTING_LABELS.get(self.key, self.label)

    @property
    def basic(self) -> bool:
        """Return whether it is shown among the basic settings."""
        return self.key in BASIC_SETTINGS

    @property
    def unit(self) -> str:
        return self.field.unit

    @property
    def default(self) -> Scalar:
        value: Scalar = self.field.default
        return value

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(option.value for option in options_of(self.field.options))

    def form_field(self, **changes: Any) -> Field:
        """Return the form field that edits it; `changes` replace parts of it, for example the label."""
        return replace(self.field, **changes)

    def with_unit(self, value: Scalar) -> str:
        """Write a value for the operator: `60 Hz`, `on`, `Shift+F1`, `Automatic`."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if self.choices:
            return choice_words(self.key, str(value))
        text = f"{value:,}" if isinstance(value, int | float) else value
        return f"{text} {self.unit}".strip()

    @property
    def fits(self) -> str:
        """Describe the valid values in a phrase."""
        if self.choices:
            return " · ".join(choice_words(self.key, value) for value in self.choices)
        return f"{self.field.least:,.9g} … {self.field.most:,.9g} {self.unit}".strip() if self.bounded else ""

    def matches(self, words: str) -> bool:
        """Return whether every word of a search occurs in its key, label, unit or choices."""
        text = " ".join(
            (
                self.key.replace("_", " "),
                self.key,
                self.title,
                self.label,
                self.unit,
                *self.choices,
                self.fits,
            )
        ).lower()
        return all(word in text for word in words.lower().split())


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSection:
    """A group of settings; `summary` describes it."""

    name: str
    title: str
    summary: str
    fields: tuple[SettingField, ...]


def declared_sections() -> tuple[SettingSection, ...]:
    """Return every section of core.settings in its declared order."""
    return tuple(_sections())


def value_of(settings: Settings, field: SettingField) -> Scalar:
    """Return the setting's present value."""
    value: Scalar = getattr(getattr(settings, field.section), field.name)
    return value


def is_changed(settings: Settings, field: SettingField) -> bool:
    """Return whether somebody changed the value from the declared default."""
    return field.name not in _NOTED and value_of(settings, field) != field.default


def with_checked(settings: Settings, field: SettingField, value: Scalar) -> Settings:
    """Return a copy with one changed setting.

    Raises:
        SettingsError: the value does not fit; the sentence says what would.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_bounds(field, value)
    try:
        changed = settings.with_value(field.section, field.name, value)
    except SettingsError as error:
        reason = error.what.removeprefix(f"{field.key}: ")
        raise SettingsError(f"{reason[:1].upper()}{reason[1:]}") from None
    if field.field.kind == "chord":
        _check_own_chord(changed, field)
    return changed


def _sections() -> Iterator[SettingSection]:
    for name, info in Settings.model_fields.items():
        model = info.annotation
        assert isinstance(model, type) and issubclass(model, BaseModel)
        yield SettingSection(
            name=name,
            title=SECTION_WORDS[name][0],
            summary=SECTION_WORDS[name][1],
            fields=tuple(_field(name, key, model) for key in model.model_fields),
        )


def _field(section: str, name: str, model: type[BaseModel]) -> SettingField:
    info = model.model_fields[name]
    key = f"{section}.{name}"
    field = declared_field(model, name, key=key, name=info.description or name)
    options = tuple((option.value, choice_words(key, option.value)) for option in options_of(field.options))
    field = replace(field, options=options)
    rules = [type(rule) for rule in info.metadata]
    if Ge not in rules:
        field = replace(field, least=-_UNBOUNDED)
    if field.kind == "text":
        kind: Kind = "chord" if issubclass(model, HotkeySettings) else "text"
        field = replace(field, kind=kind, hint=str(field.default) if kind == "text" else "")
    return SettingField(section=section, name=name, field=field, bounded=Ge in rules and Le in rules)


def _check_bounds(field: SettingField, value: float) -> None:
    if value < field.field.least:
        least = field.with_unit(type(value)(field.field.least))
        raise SettingsError(f"{field.with_unit(value)} is less than the least, {least}.")
    if value > field.field.most:
        most = field.with_unit(type(value)(field.field.most))
        raise SettingsError(f"{field.with_unit(value)} is more than the most, {most}.")


def _check_own_chord(settings: Settings, field: SettingField) -> None:
    chord = value_of(settings, field)
    for name, info in HotkeySettings.model_fields.items():
        if name != field.name and getattr(settings.hotkeys, name) == chord:
            raise SettingsError(f"{chord} is taken: {info.description}.", "Choose another key.")
