"""The user's manual as text: its pages, and a search over all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.bounded_reading import read_text
from pitwall.core.paths import resources_dir

_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|[\[*`|]+")
_MOST_LETTERS = 160


@dataclass(frozen=True, slots=True)
class ManualMatch:
    """A paragraph of the manual that holds every word.

    Attributes:
        page: key of the page. title: the page's heading. section: the heading above the paragraph.
        text: the paragraph without its markup, cut where it is long.
    """

    page: str
    title: str
    section: str
    text: str


def manual_dir() -> Path:
    """Return the folder of the manual's pages."""
    return resources_dir() / "manual"


def search_manual(words: str) -> list[ManualMatch]:
    """Return the paragraphs that hold every word, those in whose heading a word stands first."""
    wanted = words.casefold().split()
    if not wanted:
        return []
    matches = [
        match
        for file in sorted(manual_dir().glob("*.md"))
        for match in _paragraphs(file.stem, read_text(file))
        if all(word in f"{match.title} {match.section} {match.text}".casefold() for word in wanted)
    ]
    matches.sort(key=lambda match: not any(word in match.section.casefold() for word in wanted))
    return [_cut(match, wanted) for match in matches]


def _paragraphs(page: str, markdown: str) -> Iterator[ManualMatch]:
    title = section = ""
    for block in re.split(r"\n\s*\n", markdown):
        heading = re.match(r"(#+) (.*)", block)
        if heading:
            section = heading[2]
            title = title or section
            block = block[heading.end() :]
        text = " ".join(_MARKUP.sub(" ", block).split())
        if text:
            yield ManualMatch(page, title, section, text)


def _cut(match: ManualMatch, words: list[str]) -> ManualMatch:
    """Return the match with the part of its text around its first word."""
    at = max(0, min((place for word in words if (place := match.text.casefold().find(word)) >= 0), default=0))
    begin = max(0, at - _MOST_LETTERS // 3)
    text = match.text[begin : begin + _MOST_LETTERS]
    before, after = "… " if begin else "", " …" if begin + _MOST_LETTERS < len(match.text) else ""
    return ManualMatch(match.page, match.title, match.section, f"{before}{text}{after}")
