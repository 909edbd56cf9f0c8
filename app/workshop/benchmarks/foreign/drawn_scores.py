"""Draws scores as games show them: thirteen fonts, with the effects that mislead a reader of text."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter, QPainterPath, QPen

from pitwall.core.frames import Pixels

WIDTH, HEIGHT = 260, 64
EVERY_S = 0.3
"""Time between two pictures, as text is read while a game is played."""
_GAINED_S, _GROWS_S = 1.0, 0.6
_OVER_S = 6.0
"""Seconds for which an end screen stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The look of a game's score, and its course.

    Attributes:
        effects: of `gain` (a floating "+4", without plus beside a label), `grow`, `move`, `over` (an end
            screen with the best score in the score's place), `busy` (a moving background).
        gains: points that a deed brings. every_s: mean time between two deeds.
    """

    name: str
    font: str
    px: int = 26
    ink: str = "#ffffff"
    ground: str = "#102040"
    outline: str = ""
    label: str = ""
    effects: frozenset[str] = frozenset()
    gains: tuple[int, ...] = (4, 8, 16)
    every_s: float = 2.0


def _all(*effects: str) -> frozenset[str]:
    return frozenset(effects)


STYLES = (
    Style(name="plain", font="DejaVu Sans", gains=(10,)),
    Style(name="floating gain", font="Inter", effects=_all("gain"), ground="#bbada0"),
    Style(
        name="outlined", font="Nimbus Sans", outline="#000000", px=30, ground="#5aa0e0", effects=_all("gain")
    ),
    Style(name="growing", font="URW Gothic", effects=_all("grow"), ink="#ffe060", gains=(1, 2, 3)),
    Style(name="moving", font="Nimbus Roman", effects=_all("move", "over"), gains=(25, 50)),
    Style(name="end screen", font="Inter Display", effects=_all("over"), label="Score ", gains=(5, 10)),
    Style(name="busy", font="P052", effects=_all("busy"), px=28, ink="#ffffff", gains=(100, 200)),
    Style(name="distance", font="DejaVu Sans Mono", gains=(1,), every_s=0.1, ink="#303030", ground="#f0f0f0"),
    Style(
        name="arcade", font="Nimbus Mono PS", px=30, effects=_all("over"), gains=(50, 100, 150), every_s=0.8
    ),
    Style(name="serif", font="URW Bookman", outline="#402000", ink="#ffd040", effects=_all("gain", "over")),
    Style(name="narrow", font="Nimbus Sans Narrow", px=22, label="PTS: ", effects=_all("busy", "gain")),
    Style(name="script", font="Z003", px=32, effects=_all("grow", "over"), gains=(7, 11)),
    Style(name="slab", font="C059", px=24, outline="#ffffff", ink="#c02020", effects=_all("move", "gain")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnScore:
    """A picture, (height, width, 3) uint8 BGR, at a time, and the true score; None where none is shown."""

    at_s: float
    picture: Pixels
    score: int | None


def drawn_scores(style: Style, seconds: float, seed: int = 1) -> Iterator[DrawnScore]:
    """Draw a style's score over some games; equal seeds give equal pictures."""
    _application()
    dice = random.Random(f"{style.name}/{seed}")
    score, gain, gained_s, over_s, next_s = 0, 0, -9.0, 0.0, dice.expovariate(1 / style.every_s)
    for number in range(int(seconds / EVERY_S)):
        at_s = number * EVERY_S
        if over_s and at_s > over_s:
            score, over_s, next_s = 0, 0.0, at_s + 1.0
        while not over_s and at_s >= next_s:
            gain, gained_s = dice.choice(style.gains), next_s
            score += gain
            next_s += max(0.05, dice.expovariate(1 / style.every_s))
        if "over" in style.effects and not over_s and score and dice.random() < EVERY_S / 25:
            over_s = at_s + _OVER_S
        yield DrawnScore(
            at_s=at_s,
            picture=_picture(style, score, gain, at_s - gained_s, over=bool(over_s), dice=dice),
            score=None if over_s else score,
        )


def _application() -> None:
    if QGuiApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        _keep.append(QGuiApplication([]))


_keep: list[QGuiApplication] = []


def _picture(
    style: Style, score: int, gain: int, since_s: float, *, over: bool, dice: random.Random
) -> Pixels:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor(style.ground))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if "busy" in style.effects:
        for _ in range(14):
            colour = QColor.fromHsv(dice.randrange(360), 120, dice.randrange(60, 170))
            painter.fillRect(dice.randrange(WIDTH), dice.randrange(HEIGHT), 40, 12, colour)
    if over:
        _write(painter, style, f"{score * 3 + 17}", style.px * 0.8, 12.0, 40.0)
    else:
        grown = 1.0 + 0.5 * max(0.0, 1 - since_s / _GROWS_S) if "grow" in style.effects else 1.0
        moved = 18 * max(0.0, 1 - since_s / _GROWS_S) if "move" in style.effects else 0.0
        text = f"{style.label}{score}"
        width = _write(painter, style, text, style.px * grown, 12.0 + moved, 42.0 - moved / 3)
        if "gain" in style.effects and since_s < _GAINED_S:
            plus = "" if style.label else "+"
            _write(painter, style, f"{plus}{gain}", style.px * 0.8, 14.0 + width, 42.0 - 14 * since_s)
    painter.end()
    raw = np.frombuffer(bytes(image.constBits()), np.uint8).reshape(HEIGHT, WIDTH, 4)
    return np.asarray(cv2.cvtColor(raw, cv2.COLOR_BGRA2BGR), np.uint8)


def _write(painter: QPainter, style: Style, text: str, px: float, x: float, y: float) -> float:
    """Write a text with its outline, and return its width in pixels."""
    font = QFont(style.font)
    font.setPixelSize(max(6, round(px)))
    font.setBold(True)
    path = QPainterPath()
    path.addText(QPointF(x, y), font, text)
    if style.outline:
        painter.strokePath(path, QPen(QColor(style.outline), 4))
    painter.fillPath(path, QColor(style.ink))
    return path.boundingRect().width()
