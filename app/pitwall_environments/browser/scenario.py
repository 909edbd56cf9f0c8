"""Passes the words of a scenario to a page: in its query, and in the configuration of `gameAPI.init`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from pitwall.games.schema.launching import Browser

Value = bool | int | float | str


def configuration(seed: int, words: Sequence[str]) -> dict[str, Value]:
    """Build the argument of `gameAPI.init`: the seed, and `level=2` as level: 2; a bare word is true."""
    config: dict[str, Value] = {"seed": seed}
    for word in words:
        name, equals, value = word.partition("=")
        config[name] = _value(value) if equals else True
    return config


def address(browser: Browser, folder: Path, words: Sequence[str]) -> str:
    """Return the page's address with its scenario in the query."""
    base = browser.url or (folder / browser.page).resolve().as_uri()
    if not words:
        return base
    query = urlencode([(name, value or "1") for name, _, value in (word.partition("=") for word in words)])
    return f"{base}{'&' if '?' in base else '?'}{query}"


def _value(text: str) -> Value:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float | str) else text
