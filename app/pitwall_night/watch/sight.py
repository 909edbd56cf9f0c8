"""Describes the present play and the newest night to watchers: words, numbers and a small picture."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import cv2

from pitwall.console.kit.format import phase_badge
from pitwall.console.state.view_state import Phase
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import ProtocolError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import clock, counted, duration_text, score_text
from pitwall.core.signals import WEIGHED
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import EngineState, FrameNote
from pitwall.link.frame_ring import FrameRingReader
from pitwall.link.watch_point import Seen, look
from pitwall_night.digest import figures
from pitwall_night.record import nights

_WIDEST_PX, _QUALITY = 640, 70
_LOOK_S, _PICTURE_S = 0.25, 0.5
_NIGHT_EVENTS = 6
_BACK_S = 43_200.0
"""A night whose last event is older is not shown any more."""
Translate = Callable[[str], str]


class Sight:
    """Looks at a data folder at a low rate, however many watchers there are.

    Not safe for several threads at once.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._seen: Seen | None = None
        self._seen_at_s = self._picture_at_s = 0.0
        self._ring: FrameRingReader | None = None
        self._ring_name = ""
        self._picture = b""

    def state(self, translate: Translate = str) -> dict[str, Any]:
        """Return the state in words, translated."""
        seen = self._look()
        return _state(seen, translate) | {"night": _night(self._data, translate)}

    def picture(self) -> bytes:
        """Return the newest frame as JPEG, at most 640 pixels wide; empty: there is none."""
        seen = self._look()
        name = seen.ring if seen is not None else ""
        if name != self._ring_name:
            self._open(name)
        if self._ring is None or time.monotonic() - self._picture_at_s < _PICTURE_S:
            return self._picture
        self._picture_at_s = time.monotonic()
        frame = self._ring.newest()
        if frame is not None:
            height, width = frame.pixels.shape[:2]
            scale = min(1.0, _WIDEST_PX / width)
            size = (max(1, round(width * scale)), max(1, round(height * scale)))
            small = cv2.resize(frame.pixels[:, :, :3], size, interpolation=cv2.INTER_AREA)
            _, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            self._picture = jpeg.tobytes()
        return self._picture

    def close(self) -> None:
        """Let the frame ring go."""
        self._open("")

    def _look(self) -> Seen | None:
        if time.monotonic() - self._seen_at_s >= _LOOK_S:
            self._seen = look(self._data)
            self._seen_at_s = time.monotonic()
        return self._seen

    def _open(self, name: str) -> None:
        if self._ring is not None:
            self._ring.close()
        self._ring, self._ring_name, self._picture = None, name, b""
        if name:
            with contextlib.suppress(ProtocolError):  # replaced by a newer one just now
                self._ring = FrameRingReader(name)


def _state(seen: Seen | None, translate: Translate) -> dict[str, Any]:
    if seen is None:
        nothing = translate("Nothing is played at the moment.")
        return {"live": False, "sign": "○", "tone": "neutral", "state": nothing}
    engine = seen.state
    phase = Phase(engine.state.value) if engine is not None else Phase.OPENING
    badge = phase_badge(phase, engine.cause if engine is not None else "")
    lines = (
        (engine.text, engine.fix) if engine is not None and engine.state is not EngineState.PLAYING else ()
    )
    fault = seen.fault.what if seen.fault is not None else ""
    return {
        "live": True,
        "game": seen.game.name if seen.game is not None else "",
        "sign": badge.sign,
        "tone": badge.tone,
        "state": translate(badge.word),
        "text": " ".join(translate(line) for line in lines if line),
        "fault": translate(fault),
        "run": seen.run_id,
        "figures": [translate(figure) for figure in _figures(seen)],
        "decisions": [_decisions(steps, translate) for steps in _alike(seen)],
        "signals": list(_signals(seen, translate)),
        "frame": seen.note.frame_id if seen.note is not None else None,
    }


def _figures(seen: Seen) -> Iterator[str]:
    """Yield score, run, time and steps in words."""
    field = seen.game.score_field if seen.game is not None else ""
    readings = seen.note.readings if seen.note is not None else ()
    values = (reading.value for reading in readings if reading.name == field)
    score = next((score_text(value) for value in values if isinstance(value, int | float)), "")
    best = score_text(seen.best) if seen.best is not None else score
    if score:
        yield f"Score {score}" if score == best else f"Score {score} · best {best}"
    if seen.run_id is not None:
        yield f"Run {seen.run_id}"
        yield clock((now_ns() - seen.run_ns) / NS_PER_S)
        yield counted(seen.budgets.steps, "step") if seen.budgets is not None else ""


def _alike(seen: Seen) -> Iterator[list[StepRecord]]:
    """Yield the last steps, newest first; steps in a row with one route and reason together."""
    newest = (note.step for note in reversed(seen.steps))
    for _, steps in groupby(newest, key=lambda step: (step.route, step.why)):
        yield list(steps)


def _decisions(steps: Sequence[StepRecord], translate: Translate) -> dict[str, Any]:
    newest = steps[0]
    return {
        "step": newest.step,
        "at": clock(newest.at_ns / NS_PER_S),
        "tone": newest.route.value,
        "route": translate(newest.route.value),
        "action": ", ".join(str(step.action) for step in reversed(steps)),
        "why": translate(newest.why),
        "effect": translate(newest.effect.value),
    }


def _signals(seen: Seen, translate: Translate) -> Iterator[dict[str, Any]]:
    """Yield each signal's course over the last minute, as shares of its chart's height."""
    limits: Mapping[str, float] = seen.game.thresholds.model_dump() if seen.game is not None else {}
    for name, signal in WEIGHED.items():
        values = [_value(note, name) for note in seen.signals]
        top = max(signal.chart_top, *values, limits.get(signal.setting, 0.0)) if values else signal.chart_top
        yield {
            "title": translate(signal.title),
            "now": translate(signal.text(values[-1])) if values else "",
            "limit": limits.get(signal.setting, 0.0) / top,
            "points": [round(value / top, 3) for value in values],
        }


def _value(note: FrameNote, name: str) -> float:
    return float(getattr(note.signals, name))


def _night(data: DataFolder, translate: Translate) -> dict[str, Any] | None:
    """Sum the newest night up; None: there is none, or it is over for long."""
    newest = next(reversed(nights(data)), None)
    events = newest.events() if newest is not None else []
    if newest is None or not events or time.time() - events[-1].at_s > _BACK_S:
        return None
    sums = figures(newest)
    words = (
        counted(sums["runs"], "run"),
        duration_text(sums["played_s"]),
        counted(sums["crashes"], "crash", "crashes"),
        counted(sums["restarts"], "restart"),
        *(() if sums["best"] is None else (f"best score {score_text(sums['best'])}",)),
    )
    return {
        "number": newest.number,
        "title": f"{translate('Night')} {newest.number} · {sums['game']}",
        "sums": " · ".join(translate(word) for word in words),
        "events": [
            {
                "at": time.strftime("%H:%M", time.localtime(event.at_s)),
                "kind": translate(event.kind),
                "text": translate(event.text),
                "bad": event.kind in ("crashed", "needs-you"),
            }
            for event in reversed(events[-_NIGHT_EVENTS:])
        ],
    }
