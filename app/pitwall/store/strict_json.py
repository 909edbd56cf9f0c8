"""Writes JSON that every reader accepts.

Two things that neither JSON nor a database can hold are mended: half of a UTF-16 pair becomes U+FFFD, and a
number that is not finite becomes null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pitwall.core.bounded_reading import valid_text


def to_json(value: Any) -> str:
    """Return compact JSON that every reader accepts; the module's docstring says what is mended."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (ValueError, TypeError):
        text = json.dumps(mended(value), ensure_ascii=False, separators=(",", ":"), default=str)
    return text


def mended(value: Any, plain: Callable[[Any], Any] | None = None) -> Any:
    """Return a value with valid texts, and None for numbers that are not finite.

    Args:
        plain: turns other values into values that JSON has; without it they stay as they are.
    """
    match value:
        case str():
            return valid_text(value)
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {valid_text(str(key)): mended(inner, plain) for key, inner in value.items()}
        case Sequence() | set() | frozenset():
            return [mended(inner, plain) for inner in value]
        case None | bool() | int():
            return value
    return value if plain is None else mended(plain(value), plain)
