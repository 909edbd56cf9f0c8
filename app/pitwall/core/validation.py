"""Numbers within bounds, and what is wrong first in a text that does not fit its form."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError


def first_fault(error: ValidationError, whole: str = "") -> tuple[str, str]:
    """Return the place of the first fault, as keys joined by dots, and its description.

    Args:
        whole: named in place of a key, where the whole text is at fault.
    """
    first = error.errors()[0]
    return ".".join(map(str, first["loc"])) or whole, first["msg"]


def bounded_number(default: float, least: float, most: float, description: str, unit: str = "") -> Any:
    """A model's field for a number within bounds, in a unit."""
    return Field(default, ge=least, le=most, description=description, json_schema_extra={"unit": unit})
