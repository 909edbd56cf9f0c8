"""What is wrong first in a text that does not fit its form: where, and what was expected."""

from __future__ import annotations

from pydantic import ValidationError


def first_fault(error: ValidationError, whole: str = "") -> tuple[str, str]:
    """Where the first fault lies, as keys joined by dots, and what it is.

    Args:
        whole: named in place of a key, where the whole text is at fault.
    """
    first = error.errors()[0]
    return ".".join(map(str, first["loc"])) or whole, first["msg"]
