"""Fields of the settings, read off core.settings: nothing is declared twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.fields import Kind as FieldKind
from pitwall.core.errors import SettingsError
from pitwall.core.settings import HotkeySettings, Settings

Scalar = bool | int | float | str


_WIDEST = (-1_000_000_000.0, 1_000_000_000.0)


class Kind(Enum):
    """Kind of a setting's editor."""

    SWITCH = "switch"
    CHOICE = "choice"
    WHOLE = "whole number"
    NUMBER = "number"
    CHORD = "chord"
    TEXT = "text"


_FORM_KINDS: dict[Kind, FieldKind] = {
    Kind.SWITCH: "switch",
    Kind.CHOICE: "choice",
    Kind.WHOLE: "number",
    Kind.NUMBER: "number",
    Kind.CHORD: "chord",
    Kind.TEXT: "text",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """A declared setting.

    Attributes:
        label: the declared description. unit: as declared, empty for none.
        least, most: bounds of a number, None where it has none.
    """

    section: str
    name: str
    kind: Kind
    label: str
    default: Scalar
    unit: str = ""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}"

    def form_field(self, **changes: Any) -> Field:
        """The field of a form that edits it; `changes` replace parts of it, its label for example."""
        whole = self.kind is Kind.WHOLE
        field = Field(
            key=self.key,
            label=self.label,
            kind=_FORM_KINDS[self.kind],
            name=self.label,
            default=self.default,
            hint=str(self.default) if self.kind is Kind.TEXT else "",
            unit=self.unit,
            least=_WIDEST[0] if self.least is None else self.least,
            most=_WIDEST[1] if self.most is None else self.most,
            decimals=0 if whole else 3,
            options=self.choices,
        )
        return replace(field, **changes)

    def with_unit(self, value: Scalar) -> str:
        """A value as the operator reads it: `60 Hz`, `on`, `Shift+F1`."""
        if isinstance(value, bool):
            return "on" if value else "off"
        text = f"{value:,}" if isinstance(value, int | float) else value
        return f"{text} {self.unit}".strip()

    @property
    def fits(self) -> str:
        """The values that fit, in a phrase."""
        if self.kind is Kind.CHOICE:
            return " · ".join(self.choices)
        if self.least is None or self.most is None:
            return ""
        return f"{self.least:,g} … {self.most:,g} {self.unit}".strip()

    def matches(self, words: str) -> bool:
        """Whether every word of a search occurs in its key, label, unit or choices."""
        text = " ".join((self.key.replace("_", " "), self.key, self.label, self.unit, *self.choices)).lower()
        return all(word in text for word in words.lower().split())


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSection:
    """A group of settings; `summary` is the declared docstring."""

    name: str
    title: str
    summary: str
    fields: tuple[SettingField, ...]


def declared_sections() -> tuple[SettingSection, ...]:
    """Every section of core.settings in its declared order."""
    return tuple(_sections())


def value_of(settings: Settings, field: SettingField) -> Scalar:
    """The value in force."""
    value: Scalar = getattr(getattr(settings, field.section), field.name)
    return value


def is_changed(settings: Settings, field: SettingField) -> bool:
    """Whether the value differs from the declared default."""
    return value_of(settings, field) != field.default


def with_checked(settings: Settings, field: SettingField, value: Scalar) -> Settings:
    """A copy with one setting changed.

    Raises:
        SettingsError: one sentence that says what is wrong and what fits.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_bounds(field, value)
    try:
        changed = settings.with_value(field.section, field.name, value)
    except SettingsError as error:
        raise SettingsError(_plain(error.what, field, value)) from None
    if field.kind is Kind.CHORD:
        _check_own_chord(changed, field)
    return changed


_TITLES = {"gsm": "GSM"}
"""Of sections that are no plain words."""


def _sections() -> Iterator[SettingSection]:
    for name, info in Settings.model_fields.items():
        model = info.annotation
        assert isinstance(model, type) and issubclass(model, BaseModel)
        yield SettingSection(
            name=name,
            title=_TITLES.get(name, name.capitalize()),
            summary=(model.__doc__ or "").strip(),
            fields=tuple(_field(name, key, inner, model) for key, inner in model.model_fields.items()),
        )


def _field(section: str, name: str, info: FieldInfo, model: type[BaseModel]) -> SettingField:
    choices = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    return SettingField(
        section=section,
        name=name,
        kind=_kind(info, model, bool(choices)),
        label=info.description or name,
        default=info.default,
        unit=str(extra.get("unit", "")),
        least=next((_float(rule.ge) for rule in info.metadata if isinstance(rule, Ge)), None),
        most=next((_float(rule.le) for rule in info.metadata if isinstance(rule, Le)), None),
        choices=choices,
    )


def _kind(info: FieldInfo, model: type[BaseModel], has_choices: bool) -> Kind:
    if has_choices:
        return Kind.CHOICE
    if info.annotation is bool:
        return Kind.SWITCH
    if info.annotation is int:
        return Kind.WHOLE
    if info.annotation is float:
        return Kind.NUMBER
    return Kind.CHORD if issubclass(model, HotkeySettings) else Kind.TEXT


def _float(bound: object) -> float | None:
    return float(bound) if isinstance(bound, int | float) else None


def _check_bounds(field: SettingField, value: float) -> None:
    if field.least is not None and value < field.least:
        least = field.with_unit(type(value)(field.least))
        raise SettingsError(f"{field.with_unit(value)} is less than the least, {least}.")
    if field.most is not None and value > field.most:
        most = field.with_unit(type(value)(field.most))
        raise SettingsError(f"{field.with_unit(value)} is more than the most, {most}.")


def _check_own_chord(settings: Settings, field: SettingField) -> None:
    chord = value_of(settings, field)
    for name, info in HotkeySettings.model_fields.items():
        if name != field.name and getattr(settings.hotkeys, name) == chord:
            raise SettingsError(f"{chord} is taken: {info.description}.", "Choose another key.")


def _plain(what: str, field: SettingField, value: Scalar) -> str:
    reason = what.removeprefix(f"{field.key} = {value!r}: ").removeprefix("Value error, ")
    return reason[:1].upper() + reason[1:].replace("?.", "?")
