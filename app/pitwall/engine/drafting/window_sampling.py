"""Watches a real window for a while: frames and fields to the watcher, progress to who asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from pitwall.core.clock import now_ns
from pitwall.core.errors import WindowLost
from pitwall.core.frames import Frame
from pitwall.core.geometry import WindowHealth
from pitwall.core.observations import Value
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser
from pitwall.engine.drafting.threshold_suggestions import Suggestion, ThresholdWatcher
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.fields import BarField, BlobField, DigitsField, TextField

_FRAME_S = 1 / 30
_TELL_S = 0.5


def counted_fields(draft: Draft) -> tuple[str, ...]:
    """Fields whose change is progress: numbers, and what a task asks for."""
    wanted = {task.score for task in draft.tasks}
    return tuple(
        field.name
        for field in draft.fields
        if isinstance(field, DigitsField)
        or (isinstance(field, TextField) and field.number)
        or (field.name in wanted and isinstance(field, BarField | BlobField))
    )


def watch(
    view: GameView,
    draft: Draft,
    seconds: float,
    *,
    recogniser: Recogniser | None,
    progress: Callable[[float, float], None],
) -> Suggestion:
    """Watch for so many seconds from the first picture on.

    Args:
        progress: told seconds watched, and of how many.

    Raises:
        WindowLost: the window went away meanwhile.
        PitwallError: the game never came into view.
    """
    counted = counted_fields(draft)
    watcher, reader = ThresholdWatcher(counted), DraftReader(draft, recogniser)
    if view.source is None:
        view.begin()
    while not view.look(now_ns()):
        time.sleep(0.02)
    frame = _fresh(view)
    began_s = tell_s = time.monotonic()
    while (at_s := time.monotonic()) - began_s < seconds:
        values: Mapping[str, Value] = {}
        if counted:
            values = {name: reading.value for name, reading in reader.read(frame).items()}
        watcher.take(at_s, frame.pixels, values)
        if at_s >= tell_s:
            tell_s = at_s + _TELL_S
            progress(at_s - began_s, seconds)
        time.sleep(max(0.0, _FRAME_S - (time.monotonic() - at_s)))
        frame = _fresh(view)
    return watcher.suggest(draft.thresholds)


def _fresh(view: GameView) -> Frame:
    frame = view.fresh()
    until = time.monotonic() + 5.0
    while frame is None:  # minimised: wait for it to come back
        if view.health is WindowHealth.GONE or time.monotonic() > until:
            raise WindowLost("The window shows no picture any more.", "Bring it back, then watch again.")
        time.sleep(0.05)
        view.take()
        frame = view.fresh()
    return frame
