"""Writes and reads Open Pixel2Play's public data: a folder with `annotation.proto` and a video each.

It has 20 frames a second of 192 × 192 pixels. Each frame holds the keys and buttons that are down, the
pointer, the wheel and the exact events, in the messages of elefant-ai/open-p2p (`video_annotation.proto`,
version 5).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import cv2

from pitwall.core.actions import Button
from pitwall.core.bounded_reading import read_bytes
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile
from pitwall.core.frames import Pixels
from pitwall.core.keys import canonical_key
from pitwall.core.quantities import counted
from pitwall.demonstrations.manifest import DemonstratedEvent
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.store.film import Film
from pitwall.store.film_writer import FilmWriter
from pitwall.store.folder_errors import write_file
from pitwall_exchange.demonstrations import wire
from pitwall_exchange.demonstrations.steady import Held, SteadyFrame, notches, steady_frames

ANNOTATION = "annotation.proto"
FPS, SIDE = 20, 192
_VIDEO = f"{SIDE}x{SIDE}.mp4"
_VERSION = 5
_BUTTONS: tuple[Button, ...] = ("left", "right", "middle")
"""Mouse buttons in the order of their numbers in the format."""
_NAMES = {
    "ArrowLeft": "LeftArrow",
    "ArrowRight": "RightArrow",
    "ArrowUp": "UpArrow",
    "ArrowDown": "DownArrow",
    "Shift": "LeftShift",
    "Control": "LeftControl",
    "Alt": "LeftAlt",
    "AltGraph": "RightAlt",
    "Meta": "LeftWin",
    "ContextMenu": "Menu",
    "-": "Minus",
    "=": "Equal",
    "[": "LeftBracket",
    "]": "RightBracket",
    ";": "Semicolon",
    "'": "Apostrophe",
    ",": "Comma",
    ".": "Period",
    "/": "Slash",
    "\\": "Backslash",
    "`": "GraveAccent",
}
_KEYS = {theirs: ours for ours, theirs in _NAMES.items()} | {
    "RightShift": "Shift",
    "RightControl": "Control",
    "RightWin": "Meta",
    "BackQuote": "`",
    **{name: f"Numpad{name}" for name in ("Add", "Subtract", "Multiply", "Divide", "Decimal")},
}


def write_pixel2play(reader: DemonstrationReader, folder: Path) -> dict[str, int]:
    """Write a demonstration with a folder for each episode; return the counts of episodes and frames.

    Raises:
        DataFolderError: the folder cannot be written. DamagedFile: the demonstration is damaged.
    """
    frames = episodes = 0
    for episode in reader.episodes():
        place = folder / f"{reader.manifest.id}-{episodes:03d}"
        place.mkdir(parents=True, exist_ok=True)
        parts = [_metadata(reader, place.name)]
        pointer: tuple[float, float] | None = None
        with FilmWriter(place / _VIDEO, FPS, (SIDE, SIDE)) as film:
            for frame in steady_frames(reader, episode, FPS):
                square = cv2.resize(frame.pixels, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
                film.add(cv2.cvtColor(square, cv2.COLOR_BGR2BGRA), frame.at_ns)  # type: ignore[arg-type]
                text = reader.manifest.instruction if frame.at_ns == episode.start_ns else ""
                seconds = (episode.end_ns - episode.start_ns) / NS_PER_S
                parts.append(_frame(reader, frame, episode.start_ns, pointer, (text, seconds)))
                pointer = frame.pointer
        parts.append(wire.number(6, _VERSION))
        write_file(place / ANNOTATION, b"".join(parts))
        frames += len(parts) - 2
        episodes += 1
    return {"episodes": episodes, "frames": frames}


def _metadata(reader: DemonstrationReader, name: str) -> bytes:
    manifest = reader.manifest
    width, height = manifest.window_size
    window = (wire.number(1, width), wire.number(2, height), wire.texts(5, [manifest.window]))
    return wire.message(
        2,
        wire.texts(1, [name]),
        wire.texts(3, [manifest.who]),
        wire.texts(4, [manifest.instruction]),
        wire.floating(5, FPS),
        wire.message(6, wire.texts(1, ["pitwall"]), wire.texts(2, [manifest.title])),
        wire.message(10, wire.message(3, *window)),
    )


def _frame(
    reader: DemonstrationReader,
    frame: SteadyFrame,
    began_ns: int,
    before: tuple[float, float] | None,
    description: tuple[str, float],
) -> bytes:
    size = reader.manifest.window_size
    now = frame.pointer
    moved = (now[0] - before[0], now[1] - before[1]) if now and before else (0.0, 0.0)
    mouse = [
        wire.message(1, *_pixels(now, size)) if now else b"",
        wire.message(3, *_pixels(moved, size)),
        wire.message(4, wire.number(1, frame.wheel[0]), wire.number(2, frame.wheel[1])),
        wire.texts(9, [str(_BUTTONS.index(name)) for name in sorted(_held(frame.held, "mouse"))]),
    ]
    keys = wire.texts(1, [_NAMES.get(name, name) for name in sorted(_held(frame.held, "key"))])
    action = wire.message(
        1, wire.message(2, keys) if keys else b"", wire.number(3, 1), wire.message(4, *mouse)
    )
    texts = (
        wire.message(7, wire.texts(1, [description[0]]), wire.floating(3, description[1]))
        if description[0]
        else b""
    )
    events = b"".join(_event(event, began_ns, size) for event in frame.events)
    return wire.message(3, action, texts, wire.number(8, frame.at_ns - began_ns), events)


def _event(event: DemonstratedEvent, began_ns: int, size: tuple[int, int]) -> bytes:
    place = (event.x, event.y) if event.x is not None and event.y is not None else None
    pressed = wire.number(2, int(event.kind.endswith("down")))
    match event.kind:
        case "key_down" | "key_up":
            body = wire.message(2, wire.texts(1, [_NAMES.get(event.key, event.key)]), pressed)
        case "mouse_down" | "mouse_up":
            number = _BUTTONS.index(event.button) if event.button in get_args(Button) else 0
            body = wire.message(1, wire.texts(1, [str(number)]), pressed)
        case "mouse_move" if place:
            body = wire.message(3, *_pixels(place, size))
        case "scroll":
            body = wire.message(4, wire.number(1, event.dx), wire.number(2, event.dy))
        case _:
            return b""
    return wire.message(9, body, wire.number(6, event.at_ns - began_ns))


def _held(held: Held, kind: str) -> list[str]:
    return [name for device, name in held if device == kind]


def _pixels(place: tuple[float, float], size: tuple[int, int]) -> tuple[bytes, bytes]:
    return wire.number(1, round(place[0] * size[0])), wire.number(2, round(place[1] * size[1]))


# ---- read


class Pixel2PlayRecording:
    """One recording's folder.

    Attributes:
        title, instruction: the game, and the task. size: of its pictures. fps: frames a second.

    Raises:
        FileNotFoundError: it has no annotation. DamagedFile: it is damaged, or without a video.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / ANNOTATION
        films = [file for file in (folder / _VIDEO, folder / "video.mp4") if file.is_file()]
        films = films or sorted(folder.glob("*.mp4"))
        content = read_bytes(self._file)
        if not films:
            raise DamagedFile(folder, "has no video", expected=_VIDEO)
        self._film = films[0]
        try:
            whole = wire.parsed(content)
            about = wire.inner(whole, 2)
            game = wire.inner(about, 6)
            window = wire.inner(wire.inner(about, 10), 3)
            self._frames = [part for part in whole.get(3, ()) if isinstance(part, bytes)]
        except ValueError as error:
            raise self._damaged(str(error)) from None
        rate = next((part for part in about.get(5, ()) if isinstance(part, bytes) and len(part) == 4), b"")
        self.fps = struct.unpack("<f", rate)[0] if rate else float(FPS)
        if not 0 < self.fps <= 1000:
            raise self._damaged(f"{self.fps:g} frames a second")
        self.title = " ".join(filter(None, (wire.text(game, 1), wire.text(game, 2)))) or folder.name
        self.instruction = wire.text(about, 4)
        self._window = (max(1, wire.whole(window, 1)), max(1, wire.whole(window, 2)))
        if not self._frames:
            raise self._damaged("it holds no frames")
        with Film(self._film) as film:
            self.size = film.size

    def frames(self) -> Iterator[SteadyFrame]:
        """Yield the annotated frames with the video's pictures; raises DamagedFile."""
        with Film(self._film) as film:
            for at, content in enumerate(self._frames):
                pixels = film.read()
                if pixels is None:
                    raise DamagedFile(
                        self._film,
                        f"ends or is damaged after {counted(at, 'picture')}",
                        expected=f"{len(self._frames):,}, as {self._file.name} has frames",
                    )
                try:
                    fields = wire.parsed(content)
                    action = wire.inner(fields, 1)
                    if not wire.whole(action, 3):
                        action = wire.inner(fields, 6)
                    frame = self._frame(at, pixels, action)
                except (ValueError, KeyError) as error:
                    raise self._damaged(f"frame {at + 1}: {error}") from None
                yield frame
            if film.read() is not None and film.read() is not None:  # a recorder may film one picture more
                raise self._damaged(
                    f"it ends after {counted(len(self._frames), 'frame')}, but the video goes on"
                )

    def _frame(self, at: int, pixels: Pixels, action: wire.Fields) -> SteadyFrame:
        mouse = wire.inner(action, 4)
        held = {("key", key) for text in _texts(wire.inner(action, 2), 1) if (key := _key(text))}
        numbers = [int(text) for text in _texts(mouse, 9) if text.isdecimal()]
        held |= {("mouse", _BUTTONS[button]) for button in numbers if button < len(_BUTTONS)}
        place, wheel = wire.inner(mouse, 1), wire.inner(mouse, 4)
        x, y = (wire.whole(place, axis) / self._window[axis - 1] for axis in (1, 2))
        return SteadyFrame(
            at_ns=round(at * NS_PER_S / self.fps),
            pixels=pixels,
            held=frozenset(held),
            pointer=(x, y) if mouse.get(1) and 0 <= x <= 1 and 0 <= y <= 1 else None,
            wheel=(notches(wire.whole(wheel, 1)), notches(wire.whole(wheel, 2))),
            status="playing" if wire.whole(action, 3) else "",
        )

    def _damaged(self, fault: str) -> DamagedFile:
        return DamagedFile(self._file, f"is damaged: {fault}", expected="an annotation of Open Pixel2Play")


def _texts(fields: wire.Fields, field: int) -> list[str]:
    return [value.decode("utf-8", "replace") for value in fields.get(field, ()) if isinstance(value, bytes)]


def _key(name: str) -> str:
    try:
        return canonical_key(_KEYS.get(name, name))
    except KeyError:  # a key that Pitwall does not know
        return ""
