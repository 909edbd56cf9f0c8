"""Turns a demonstration into frames at a constant rate, as datasets need them, and back into events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import cv2

from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.demonstrations.manifest import DemonstratedEvent
from pitwall.demonstrations.reader import DemonstrationReader, Episode
from pitwall.demonstrations.writer import DemonstrationWriter

Held = frozenset[tuple[str, str]]
"""Keys and buttons that are down: ("key", "Space"), ("mouse", "left")."""
_MOST_NOTCHES = 1 << 15


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyFrame:
    """One frame at a constant rate.

    Attributes:
        at_ns: its begin. pixels: (height, width, 3) BGR at that time. held: keys and buttons that were down
            at any time until the next frame, taps too. pointer: fractions of the window; None if unknown.
        wheel: notches right and down. events: until the next frame. fields, status: known at its begin.
    """

    at_ns: int
    pixels: Pixels
    held: Held = frozenset()
    pointer: tuple[float, float] | None = None
    wheel: tuple[int, int] = (0, 0)
    events: tuple[DemonstratedEvent, ...] = ()
    status: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


def notches(value: float) -> int:
    """Return the whole notches of a wheel, within the range that a demonstration can hold."""
    return round(max(-_MOST_NOTCHES, min(value, _MOST_NOTCHES)))


def encoded_png(pixels: Pixels) -> bytes:
    """Encode a BGR picture as PNG."""
    fine, content = cv2.imencode(".png", pixels, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    if not fine:
        raise ValueError("the picture could not be encoded")
    return bytes(content)


def steady_frames(reader: DemonstrationReader, episode: Episode, fps: float) -> Iterator[SteadyFrame]:
    """Yield an episode's frames at a constant rate, beginning with its first picture."""
    pictures = episode.pictures()
    shown = next(pictures, None)
    coming = next(pictures, None)
    before = [event for event in reader.all_events if event.at_ns < episode.start_ns]
    down, pointer = _after(before, set(), None)
    moment = at = number = 0
    last_ns = episode.moments[-1].at_ns
    while shown is not None:
        start_ns = episode.start_ns + round(number * NS_PER_S / fps)
        end_ns = episode.start_ns + round((number + 1) * NS_PER_S / fps)
        if start_ns > last_ns:
            return
        while coming is not None and coming[0] <= start_ns:
            shown, coming = coming, next(pictures, None)
        while moment + 1 < len(episode.moments) and episode.moments[moment + 1].at_ns <= start_ns:
            moment += 1
        first = at
        while at < len(episode.events) and episode.events[at].at_ns < end_ns:
            at += 1
        events = episode.events[first:at]
        held = frozenset(down) | {
            key for event in events if (key := _pressed(event)) and event.kind.endswith("down")
        }
        down, pointer = _after(events, down, pointer)
        yield SteadyFrame(
            at_ns=start_ns,
            pixels=shown[1],
            held=held,
            pointer=pointer,
            wheel=(sum(event.dx for event in events), sum(event.dy for event in events)),
            events=events,
            status=episode.moments[moment].status,
            fields=episode.moments[moment].fields,
        )
        number += 1


def write_steady(
    writer: DemonstrationWriter, frames: Iterator[SteadyFrame], episode: int, began_ns: int
) -> int:
    """Write frames into a demonstration, with events for the keys that are pressed and released between them.

    Args:
        began_ns: added to the frames' times.

    Returns:
        Time of the last frame; `began_ns` without any.
    """
    down: Held = frozenset()
    pointer: tuple[float, float] | None = None
    at_ns = began_ns
    for frame in frames:
        at_ns = began_ns + frame.at_ns
        writer.picture(at_ns, frame.pixels)
        writer.moment(at_ns, episode, frame.status, frame.fields)
        x, y = frame.pointer or (None, None)
        made = [_change(at_ns, control, True, (x, y)) for control in sorted(frame.held - down)]
        made += [_change(at_ns, control, False, (x, y)) for control in sorted(down - frame.held)]
        if frame.pointer and frame.pointer != pointer:
            made.insert(0, DemonstratedEvent(at_ns=at_ns, kind="mouse_move", x=x, y=y))
        if any(frame.wheel):
            made.append(DemonstratedEvent(at_ns=at_ns, kind="scroll", dx=frame.wheel[0], dy=frame.wheel[1]))
        for event in made:
            writer.demonstrated(event)
        down, pointer = frame.held, frame.pointer
    for control in sorted(down):
        writer.demonstrated(_change(at_ns, control, False, (None, None)))
    return at_ns


def _change(
    at_ns: int, control: tuple[str, str], press: bool, place: tuple[float | None, float | None]
) -> DemonstratedEvent:
    if control[0] == "key":
        return DemonstratedEvent(at_ns=at_ns, kind="key_down" if press else "key_up", key=control[1])
    x, y = place
    return DemonstratedEvent(
        at_ns=at_ns, kind="mouse_down" if press else "mouse_up", button=control[1], x=x, y=y
    )


def _pressed(event: DemonstratedEvent) -> tuple[str, str] | None:
    if event.kind in ("key_down", "key_up"):
        return "key", event.key
    return ("mouse", event.button) if event.kind in ("mouse_down", "mouse_up") else None


def _after(
    events: Any, down: set[tuple[str, str]], pointer: tuple[float, float] | None
) -> tuple[set[tuple[str, str]], tuple[float, float] | None]:
    now = set(down)
    for event in events:
        if event.x is not None and event.y is not None:
            pointer = (event.x, event.y)
        if control := _pressed(event):
            (now.add if event.kind.endswith("down") else now.discard)(control)
    return now, pointer
