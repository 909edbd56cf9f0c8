"""Draws the band below a clip's picture: route, pressed keys, signals, score and time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pitwall.core.frames import Pixels
from pitwall.core.quantities import clock_tenths, score_text
from pitwall.core.signals import WEIGHED, Route, thresholds_of
from pitwall.core.steps import StepRecord
from pitwall.store.run_track import RunTrack

LEAST_WIDTH = 480
"""Narrower pictures are enlarged by a whole number, so that the text below them fits."""
BAND_PX = 76
_GROUND, _TEXT, _DIM, _LINE = (19, 24, 31), (220, 227, 235), (154, 166, 181), (44, 55, 68)
_ROUTES = {
    Route.STRATEGIC: (167, 139, 250),
    Route.REACTIVE: (56, 189, 248),
    Route.REFLEX: (245, 165, 36),
    Route.PERSON: (63, 207, 142),
}
_RED = (240, 82, 107)
_PAD, _BIG, _SMALL = 10, 15, 12


def scale_for(width: int) -> int:
    """Return the factor by which a picture of this width is enlarged."""
    return -(-LEAST_WIDTH // width) if width < LEAST_WIDTH else 1


class ClipBand:
    """Draws the band for a moment of a run; an unchanged band is not drawn again.

    Args:
        track: the run. steps: its steps in order. width: the band's in pixels.
    """

    def __init__(self, track: RunTrack, steps: Sequence[StepRecord], width: int) -> None:
        self._track, self._steps, self._width = track, {step.step: step for step in steps}, width
        self._thresholds = thresholds_of(track.run.manifest.thresholds)
        self._big, self._small = ImageFont.load_default(_BIG), ImageFont.load_default(_SMALL)
        self._shown: tuple[str, Pixels] | None = None

    def at(self, second: float) -> Pixels:
        """Return the band, (BAND_PX, width, 3) uint8 BGR."""
        row = self._track.row_at(second)
        step = self._steps.get(int(self._track.steps[row])) if row >= 0 else None
        held = self._track.held_back_at(second)
        score = self._track.score_at(second)
        place = clock_tenths(second)
        text = f"score {score_text(score)}" if score is not None else ""
        key = f"{place} {row} {text}"
        if self._shown is None or self._shown[0] != key:
            self._shown = key, self._drawn(None if held else step, place, text, held.kind if held else "")
        return self._shown[1]

    def _drawn(self, step: StepRecord | None, place: str, score: str, held: str) -> Pixels:
        image = Image.new("RGB", (self._width, BAND_PX), _GROUND)
        draw = ImageDraw.Draw(image)
        draw.line((0, 0, self._width, 0), fill=_LINE)
        right = "   ".join(filter(None, (score, place)))
        room = self._width - _PAD - draw.textlength(right, self._big)
        draw.text((room, 8), right, _TEXT, self._big)
        if step is None:
            draw.text((_PAD, 8), held or "before the first step", _DIM, self._big)
        else:
            self._route(draw, step, room - _PAD)
            self._keys(draw, step)
            self._signals(draw, step)
        return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])

    def _route(self, draw: ImageDraw.ImageDraw, step: StepRecord, room: float) -> None:
        colour, word = _ROUTES[step.route], step.route.value
        wide = draw.textlength(word, self._big)
        draw.rounded_rectangle((_PAD, 7, _PAD + wide + 14, 27), 4, outline=colour, width=1)
        draw.text((_PAD + 7, 8), word, colour, self._big)
        reasons = f" ({', '.join(step.reasons)})" if step.reasons else ""
        text = f"step {step.step}  {step.action}{reasons}"
        left = _PAD + wide + 24
        while len(text) > 1 and draw.textlength(text, self._big) > room - left:
            text = text[:-2].rstrip() + "…"
        draw.text((left, 8), text, _TEXT, self._big)

    def _keys(self, draw: ImageDraw.ImageDraw, step: StepRecord) -> None:
        """Draw the keys and buttons pressed in this step; refused ones are red and marked in words."""
        at = float(_PAD)
        keys: dict[str, bool] = {}
        for sent in step.sent:
            if sent.event.kind in ("key_down", "mouse_down"):
                name = sent.event.key or f"{sent.event.button} button"
                keys[name] = keys.get(name, False) or sent.sent_ns is not None
        draw.text((at, 33), "keys" if keys else "no keys", _DIM, self._small)
        at += draw.textlength("no keys", self._small) + _PAD
        for name, went in keys.items():
            word = name if went else f"{name} refused"
            wide = draw.textlength(word, self._small)
            colour = _TEXT if went else _RED
            draw.rounded_rectangle((at, 31, at + wide + 12, 49), 4, outline=colour, width=1)
            draw.text((at + 6, 33), word, colour, self._small)
            at += wide + 18

    def _signals(self, draw: ImageDraw.ImageDraw, step: StepRecord) -> None:
        """Draw a bar for each signal, with a stroke at the threshold."""
        wide = (self._width - 2 * _PAD) / len(WEIGHED)
        for number, (name, signal) in enumerate(WEIGHED.items()):
            left = _PAD + number * wide
            limit, value = getattr(self._thresholds, signal.setting), getattr(step.signals, name)
            share = min(1.0, max(0.0, float(value) / (limit * 1.6))) if limit else 0.0
            reached = bool(limit) and signal.holds(step.signals, self._thresholds)
            space = "" if signal.unit == "level" else " "
            label = f"{signal.letter}{space}{signal.number(value)}"
            draw.text((left, 54), label, _RED if reached else _DIM, self._small)
            bar, end = left + 46, left + wide - 8
            if end - bar < 12:
                continue
            draw.rectangle((bar, 60, end, 64), fill=_LINE)
            draw.rectangle((bar, 60, bar + (end - bar) * share, 64), fill=_RED if reached else _DIM)
            mark = bar + (end - bar) / 1.6
            draw.line((mark, 56, mark, 68), fill=_TEXT)
