"""Computes the state reader's fields from a flight, without a picture.

The bird is drawn tilted by its speed, the same at every height.
"""

from __future__ import annotations

from collections.abc import Sequence

from flappy_rules import BIRD_X, SCROLL, WIDTH, Flight, Pipe

NONE = float("nan")
_BODY = (14.7, 14.7, 14.7, 14.6, 14.3, 14.0, 13.9, 13.7, 13.7,
         12.8, 13.0, 12.9, 12.7, 12.6, 12.3, 12.2, 11.9, 11.8, 11.5, 11.2)  # fmt: skip
"""Middle of the body's colour below the bird's top edge, for speeds −9 … 10."""
_BEAK = (10.3, 10.9, 11.5, 12.1, 12.6, 13.2, 13.9, 14.5, 15.1,
         15.1, 16.1, 16.7, 17.3, 17.8, 18.4, 18.8, 19.3, 19.8, 20.2, 20.6)  # fmt: skip
"""Middle of the beak, likewise."""
_SLOWEST, _FASTEST = -9, 10
_HIDDEN_Y = -15
"""Height above which too little of the bird is in the picture to be seen."""
_RIM, _EDGE, _BIRD_SIDE, _NEXT_LEFT = 2, 4, 56, 184
FIELDS = (
    "score", "bird_y", "beak_y", "speed", "low", "gap_bottom", "gap_right", "next_gap_bottom",
    "frames_left", "coast", "drop", "above",
)  # fmt: skip


def seen(flight: Flight) -> dict[str, float]:
    """Return every field of a flight; NaN where there is nothing to read."""
    body = beak = speed = low = NONE
    if flight.y >= _HIDDEN_Y:
        tilt = min(flight.speed, _FASTEST) - _SLOWEST  # faster only after a crash
        body, beak = flight.y + _BODY[tilt], flight.y + _BEAK[tilt]
        speed = (beak - body - 2.35) * 1.36
        low = body + 11.2 + 1.17 * speed
    shown = [pipe for pipe in flight.pipes if pipe.right > BIRD_X + 3 and pipe.x + _EDGE < WIDTH]
    bottom, right, after = _gaps(shown)
    left = (right - _BIRD_SIDE) / SCROLL
    return {
        "score": float(flight.score),
        "bird_y": body,
        "beak_y": beak,
        "speed": speed,
        "low": low,
        "gap_bottom": bottom,
        "gap_right": right,
        "next_gap_bottom": after,
        "frames_left": left,
        "coast": low - speed + left * speed + left * (left + 1) / 2,
        "drop": after - bottom,
        "above": bottom - low,
    }


def _gaps(shown: Sequence[Pipe]) -> tuple[float, float, float]:
    """Return the pipes as the reader sees them: the first one's gap and right edge, and the next gap."""
    if not shown:
        return NONE, NONE, NONE
    after = [pipe for pipe in shown if pipe.right - _EDGE > _NEXT_LEFT]
    return (
        float(shown[0].gap_bottom + _RIM),
        float(min(shown[0].right - _EDGE, WIDTH)),
        float(after[0].gap_bottom + _RIM) if after else NONE,
    )
