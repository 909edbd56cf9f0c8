"""The fields of entries' contents: how each is typed, read and written."""

from __future__ import annotations

import math

from pitwall.console.kit.form.fields import Field
from pitwall.console.memory.format import field_title, value_text

_GREATEST = 2**53


def one_line(text: str) -> str:
    return " ".join(text.split())


def action_lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def whole_number(text: str) -> int:
    try:
        number = int(text.replace(",", "").replace(" ", "") or "0")
    except ValueError:
        raise ValueError("Write a whole number.") from None
    if abs(number) > _GREATEST:
        raise ValueError("That is too large a number.")
    return number


def _decimal(text: str) -> float:
    try:
        number = float(text.strip().replace(",", ".").replace("−", "-") or "0")
    except ValueError:
        raise ValueError("Write a number.") from None
    if not math.isfinite(number):
        raise ValueError("Write a finite number.")
    return number


def line(name: str, hint: str) -> Field:
    return Field(key=name, label=field_title(name), hint=hint, read=one_line, write=str)


def text(name: str, hint: str) -> Field:
    return Field(key=name, label=field_title(name), kind="lines", hint=hint, read=str.strip, write=str)


def condition(name: str, hint: str) -> Field:
    return Field(key=name, label=field_title(name), kind="code", hint=hint, read=one_line, write=str)


def number(name: str, unit: str = "", hint: str = "") -> Field:
    label = f"{field_title(name)}, {unit}" if unit else field_title(name)
    return Field(key=name, label=label, hint=hint, read=whole_number, write=str)


def measure(name: str, hint: str = "") -> Field:
    return Field(
        key=name,
        label=field_title(name),
        hint=hint,
        read=_decimal,
        write=lambda value: value_text(name, value),
    )


def choice(name: str, *options: str) -> Field:
    return Field(key=name, label=field_title(name), kind="choice", options=options)


def fixed(name: str) -> Field:
    return Field(key=name, label=field_title(name), kind="fixed")
