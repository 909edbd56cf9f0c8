"""Finds menu, pause and game-over screens by their words, and makes signs to recognise them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import cv2
import numpy as np

from pitwall.core.geometry import Rect
from pitwall.engine.drafting.finding.numbers import png_text
from pitwall.engine.drafting.finding.played_minute import PlayedMinute, rect_box
from pitwall.engine.drafting.finding.proposal import Proposal, Role
from pitwall.games.drafting.draft import identifier
from pitwall.games.schema.fields import TemplateField

_WORDS: tuple[tuple[Role, re.Pattern[str]], ...] = (
    (
        "game_over",
        re.compile(
            r"game\s*over|you (lose|lost|die|died|win|won)|(try|play) again|final score|no moves|lost all",
            re.I,
        ),
    ),
    ("paused", re.compile(r"\bpaused?\b", re.I)),
    (
        "menu",
        re.compile(
            r"press|insert coin|new game|\bstart|\bmenu\b|\bquit\b|options|click to|continue|serves",
            re.I,
        ),
    ),
)
_SAME = 0.85
"""Least correlation at which a line of text counts as seen."""
_MARGIN = 4
_MOST_SHARE = 0.9
"""A line seen in a greater share of the stills is no sign of a status."""


def find_screens(minute: PlayedMinute) -> Iterator[list[Proposal] | None]:
    """Find at most one sign for each status; yield None at each turn, then the list."""
    best: dict[Role, Proposal] = {}
    for at, box, role, text in _telling_lines(minute):
        sign = _sign(minute, at, box, role, text)
        if sign is not None and (role not in best or sign.confidence > best[role].confidence):
            best[role] = sign
        yield None
    yield list(best.values())


def dialogs(minute: PlayedMinute) -> list[Rect]:
    """Return the places of words on screens other than play, with a line's height around them."""
    boxes = (box for _, box, _, _ in _telling_lines(minute))
    return [Rect(b.x - b.height, b.y - b.height, b.width + 2 * b.height, 3 * b.height) for b in boxes]


def _telling_lines(minute: PlayedMinute) -> Iterator[tuple[int, Rect, Role, str]]:
    """Yield each line that indicates a menu, pause or end: its still, place, status and text."""
    for at, lines in minute.lines.items():
        for line in lines:
            role = next((role for role, words in _WORDS if words.search(line.text)), None)
            if role is not None and line.confidence >= 0.6 and line.box.width >= 8 and line.box.height >= 6:
                yield at, line.box, role, line.text


def _sign(minute: PlayedMinute, at: int, box: Rect, role: Role, text: str) -> Proposal | None:
    rect = minute.clipped(box.x - 2, box.y - 2, box.right + 2, box.bottom + 2)
    picture = minute.frame(at)[rect.y : rect.bottom, rect.x : rect.right]
    if picture.reshape(-1, 3).std(axis=0).max() < 4.0:
        return None
    around = minute.clipped(rect.x - _MARGIN, rect.y - _MARGIN, rect.right + _MARGIN, rect.bottom + _MARGIN)
    window = slice(around.y, around.bottom), slice(around.x, around.right)
    scores = np.array(
        [
            float(cv2.matchTemplate(minute.frame(still)[window], picture, cv2.TM_CCOEFF_NORMED).max())
            for still in range(len(minute))
        ]
    )
    seen = scores >= _SAME
    if not seen.any() or seen.mean() > _MOST_SHARE:
        return None
    between = float(seen.mean() - (scores >= 0.6).mean())
    margin = scores[seen].min() - (scores[~seen].max() if (~seen).any() else 0.0)
    name = identifier(role)
    other = 100 * float(scores[~seen].max()) if (~seen).any() else 0.0
    file = f"templates/{name}.png"
    stood = np.diff(minute.at_s, append=minute.at_s[-1])
    rests = bool(stood[seen].mean() >= 0.8 * stood[~seen].mean())  # screens are not animated
    times = int((np.diff(seen.astype(np.int8), prepend=0) == 1).sum())
    return Proposal(
        role=role,
        name=name,
        box=rect_box(around),
        confidence=float(np.clip(0.6 + margin + between, 0.3, 0.95)) * (1.0 if rests else 0.8),
        why=f"“{text.strip()[:40]}” is seen in {int(seen.sum())} of {len(minute)} pictures, "
        f"{'once' if times == 1 else f'{times} times'}; others match it by "
        f"{other:.0f} % at most, these by {100 * float(scores[seen].min()):.0f} %.",
        field=TemplateField(kind="template", name=name, box=rect_box(around), template=file, threshold=_SAME),
        pictures={file: png_text(np.ascontiguousarray(picture))},
    )
