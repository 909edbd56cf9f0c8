"""Finds in a page's own sources whether it reads a key's letter or its place."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pitwall.core.bounded_reading import open_regular
from pitwall.core.errors import DamagedFile
from pitwall.core.keys import KeyMeaning

_MOST_BYTES = 4_000_000
_MOST_FILES = 60
_SCRIPT = re.compile(
    r"""<script[^>]*\ssrc\s*=\s*["']([^"']+)|(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+\.m?js)["']"""
)
_READS_PLACE = re.compile(r"""\.code\b|["'](?:Key[A-Z]|Digit\d)["']|\b(?:Key[A-Z]|Digit\d)\s*:""")
_READS_LETTER = re.compile(r"\b(?:e|ev|evt|event)\.key\b")
_READS_NUMBER = re.compile(r"\bkeyCode\b|\.(?:charCode|which)\b")


def meaning_on_page(url: str) -> KeyMeaning:
    """Return what a page on this machine reads of a key, by its scripts.

    Returns:
        "auto" for a page elsewhere, a page that reads both, or a page of which nothing can be seen.
    """
    address = urlsplit(url)
    if address.scheme != "file":
        return "auto"
    text = _sources(Path(unquote(address.path)))
    place, letter = _READS_PLACE.search(text), _READS_LETTER.search(text)
    if _READS_NUMBER.search(text) or bool(place) == bool(letter):
        return "auto"
    return "place" if place else "letter"


def _sources(page: Path) -> str:
    """Return the texts of a page and of the scripts that it loads from beside it."""
    texts: list[str] = []
    waiting, seen, left = [page], {page}, _MOST_BYTES
    while waiting and len(texts) < _MOST_FILES:
        file = waiting.pop(0)
        try:
            with open_regular(file) as stream:
                text = stream.read(left).decode("utf-8", "replace")
        except (DamagedFile, OSError):
            continue
        left -= len(text)
        texts.append(text)
        for match in _SCRIPT.finditer(text):
            name = unquote(urlsplit(match[1] or match[2]).path)
            if not name or "\0" in name:
                continue
            script = (file.parent / name).resolve()
            if script not in seen:
                seen.add(script)
                waiting.append(script)
    return "\n".join(texts)
