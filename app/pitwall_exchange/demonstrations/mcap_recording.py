"""Writes and reads MCAP recordings: pictures in Foxglove's schema, events and moments as JSON."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pitwall.core.bounded_reading import open_regular, parse_json, valid_text
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile
from pitwall.core.frames import Pixels
from pitwall.core.quantities import duration_text
from pitwall.core.validation import first_fault
from pitwall.demonstrations.manifest import DemonstratedEvent, Demonstration, Moment
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall_exchange.demonstrations.lerobot_tables import decoded_picture
from pitwall_exchange.demonstrations.steady import encoded_png, notches
from pitwall_exchange.mcap_file import (
    NUMBER,
    PICTURE_SCHEMA,
    SCREEN,
    TEXT,
    WHOLE,
    written_mcap,
)
from pitwall_exchange.mcap_reading import RECOVER, McapMessage, McapRecording

INPUT, MOMENT, MANIFEST = "/input", "/moment", "pitwall"
_SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    SCREEN: PICTURE_SCHEMA,
    INPUT: (
        "pitwall.InputEvent",
        {name: TEXT for name in ("kind", "key", "button", "action", "would")}
        | {"x": NUMBER, "y": NUMBER, "dx": WHOLE, "dy": WHOLE},
    ),
    MOMENT: ("pitwall.Moment", {"episode": WHOLE, "status": TEXT, "fields": {"type": "object"}}),
}
Begin = Callable[[dict[str, Any], tuple[int, int]], DemonstrationWriter]
_EXPECTED = {
    SCREEN: "foxglove.CompressedImage as JSON",
    INPUT: "pitwall.InputEvent as JSON",
    MOMENT: "pitwall.Moment as JSON",
}
_EVENTS, _MOMENTS = TypeAdapter(DemonstratedEvent), TypeAdapter(Moment)
_MOST_PICTURE_BYTES = 64 * 1024 * 1024
_MOST_TOPICS = 12


def write_mcap(reader: DemonstrationReader, file: Path) -> dict[str, int]:
    """Write a demonstration as one recording, on the wall clock of its beginning.

    Raises:
        PitwallError: the library is not installed. OSError: the file cannot be written.
    """
    manifest = reader.manifest
    began = _wall_ns(manifest) - manifest.began_ns
    whole = manifest.model_dump_json(by_alias=True, exclude={"files", "trims"})
    with written_mcap(file, _SCHEMAS, {"manifest": whole}) as out:
        for moment in reader.moments():
            out.add(MOMENT, moment.at_ns + began, _without_time(asdict(moment)))
        for event in reader.events():
            out.add(INPUT, event.at_ns + began, _without_time(asdict(event)))
        for at_ns, pixels in reader.pictures():
            out.add_picture(at_ns + began, encoded_png(pixels), "png")
    return {topic.strip("/"): count for topic, count in out.counts.items()}


def read_mcap(file: Path, begin: Begin) -> DemonstrationWriter:
    """Import a recording with pictures on `/screen` and events on `/input`.

    Args:
        begin: makes the writer from the recording's manifest (empty without one) and the pictures' size. The
            manifest's `note` says how much of a cut-off recording was whole.

    Raises:
        FileNotFoundError: it does not exist. DamagedFile: it is not such a recording. PitwallError: the
            library is not installed.
    """
    with open_regular(file) as stream:
        recording = McapRecording(file, stream)
        manifest = _manifest_in(recording, file)
        writer: DemonstrationWriter | None = None
        held: list[tuple[McapMessage, Any]] = []
        for message in recording.messages([*_SCHEMAS]):
            try:
                content = _TAKEN[message.topic](message)
            except (ValueError, RecursionError, MemoryError) as error:
                at = f"{message.topic}, message at {message.at_ns} ns"
                raise DamagedFile(file, _problem(error), key=at, expected=_EXPECTED[message.topic]) from None
            if writer is None and message.topic != SCREEN:
                held.append((message, content))
                continue
            if writer is None:
                height, width = content.shape[:2]
                writer = begin(manifest, (width, height))
                for earlier in held:
                    _take(writer, *earlier)
            _take(writer, message, content)
        if writer is None:
            topics = ", ".join(recording.topics()[:_MOST_TOPICS])
            cut = "was cut off, and " if recording.cut else ""
            raise DamagedFile(
                file,
                f"{cut}holds no pictures; " + (f"its topics are {topics}" if topics else "it has no topics"),
                expected=f"{_EXPECTED[SCREEN]} on {SCREEN}",
                fix=RECOVER.format(name=file.name) if recording.cut else "",
            )
        if recording.cut:
            seconds = duration_text(writer.seconds)
            writer.note(
                f"The recording {file.name} was cut off: {seconds} of it were whole and are taken in."
            )
        return writer


def _manifest_in(recording: McapRecording, file: Path) -> dict[str, Any]:
    """Return the demonstration's manifest that a recording of Pitwall holds; empty without one."""
    text = recording.metadata.get(MANIFEST, {}).get("manifest", "{}")
    manifest = parse_json(text, f"{file}, metadata {MANIFEST}")
    return manifest if isinstance(manifest, dict) else {}


def _take(writer: DemonstrationWriter, message: McapMessage, content: Any) -> None:
    if message.topic == SCREEN:
        writer.picture(message.at_ns, content)
    elif message.topic == INPUT:
        writer.demonstrated(content)
    else:
        writer.kept_moment(content)


def _picture(message: McapMessage) -> Pixels:
    data = _object(message, _MOST_PICTURE_BYTES).get("data")
    pixels = decoded_picture(base64.b64decode(data, validate=True)) if isinstance(data, str) else None
    if pixels is None:
        raise ValueError("its picture cannot be decoded")
    return pixels


def _event(message: McapMessage) -> DemonstratedEvent:
    row = {name: value for name, value in _object(message).items() if value is not None}
    event = _EVENTS.validate_python(row | {"at_ns": message.at_ns})
    return replace(event, dx=notches(event.dx), dy=notches(event.dy))


def _moment(message: McapMessage) -> Moment:
    moment = _MOMENTS.validate_python(_object(message) | {"at_ns": message.at_ns})
    if not -1 <= moment.episode < 1 << 31:
        raise ValueError(f"its episode is {moment.episode}")
    return moment


def _object(message: McapMessage, most_bytes: int = 1 << 20) -> dict[str, Any]:
    """Return a message's JSON object; numbers that are not finite are null."""
    if len(message.data) > most_bytes:
        raise ValueError(f"it has {len(message.data):,} bytes, more than {most_bytes:,}")
    body = json.loads(message.data, parse_constant=lambda _: None, parse_float=_finite)
    if not isinstance(body, dict):
        raise ValueError("it is no JSON object")
    return {name: valid_text(value) if isinstance(value, str) else value for name, value in body.items()}


def _finite(text: str) -> float | None:
    return value if math.isfinite(value := float(text)) else None


def _problem(error: Exception) -> str:
    if isinstance(error, ValidationError):
        where, problem = first_fault(error)
        return f"{where}: {problem}" if where else problem
    return " ".join(str(error).split())[:160] or type(error).__name__


def _without_time(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "at_ns"}


def _wall_ns(manifest: Demonstration) -> int:
    try:
        return int(datetime.fromisoformat(manifest.started_at).timestamp() * NS_PER_S)
    except ValueError:
        return 0


_TAKEN: dict[str, Callable[[McapMessage], Any]] = {SCREEN: _picture, INPUT: _event, MOMENT: _moment}
