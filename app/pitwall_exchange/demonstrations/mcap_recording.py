"""Writes and reads MCAP recordings: pictures in Foxglove's schema, events and moments as JSON."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from pitwall.core.bounded_reading import open_regular
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile
from pitwall.demonstrations.manifest import DemonstratedEvent, Demonstration, Moment
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall_exchange.demonstrations.steady import encoded_png
from pitwall_exchange.mcap_file import (
    NOT_INSTALLED,
    NUMBER,
    PICTURE_SCHEMA,
    SCREEN,
    TEXT,
    WHOLE,
    written_mcap,
)

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
_PARSE_FAULTS = (ValueError, LookupError, TypeError, EOFError, RuntimeError, OverflowError)


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


def read_mcap(file: Path, begin: Begin) -> Demonstration:
    """Import a recording with pictures on `/screen` and events on `/input`.

    Args:
        begin: makes the writer from the recording's manifest (empty without one) and the pictures' size.

    Raises:
        FileNotFoundError: it does not exist. DamagedFile: it is not such a recording. PitwallError: the
            library
        is not installed.
    """
    try:
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
        from zstandard import ZstdError
    except ImportError:
        raise NOT_INSTALLED from None
    writer: DemonstrationWriter | None = None
    with open_regular(file) as stream:
        try:
            reader = make_reader(stream)
            manifest: dict[str, Any] = {}
            for record in reader.iter_metadata():
                if record.name == MANIFEST:
                    manifest = json.loads(record.metadata.get("manifest", "{}"))
            held: list[tuple[str, int, dict[str, Any]]] = []
            for _, channel, message in reader.iter_messages(topics=[*_SCHEMAS]):
                body = json.loads(message.data)
                if writer is None and channel.topic != SCREEN:
                    held.append((channel.topic, message.log_time, body))
                    continue
                if writer is None:
                    height, width = _decoded(body).shape[:2]
                    writer = begin(manifest if isinstance(manifest, dict) else {}, (width, height))
                    for event in held:
                        _take(writer, *event)
                _take(writer, channel.topic, message.log_time, body)
        except (McapError, ZstdError, struct.error, *_PARSE_FAULTS) as error:
            if writer is not None:
                writer.close()
            fault = " ".join(str(error).split())[:160] or type(error).__name__
            raise DamagedFile(file, f"is damaged: {fault}", expected="an MCAP recording") from None
    if writer is None:
        raise DamagedFile(file, "holds no pictures", expected=f"foxglove.CompressedImage as JSON on {SCREEN}")
    return writer.close()


def _take(writer: DemonstrationWriter, topic: str, at_ns: int, body: dict[str, Any]) -> None:
    if topic == SCREEN:
        writer.picture(at_ns, _decoded(body))
    elif topic == INPUT:
        writer.demonstrated(DemonstratedEvent(at_ns=at_ns, **body))
    else:
        writer.kept_moment(Moment(at_ns=at_ns, **body))


def _decoded(body: dict[str, Any]) -> Any:
    content = np.frombuffer(base64.b64decode(body["data"], validate=True), np.uint8)
    pixels = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
    if pixels is None:
        raise ValueError("a picture cannot be decoded")
    return pixels


def _without_time(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "at_ns"}


def _wall_ns(manifest: Demonstration) -> int:
    try:
        return int(datetime.fromisoformat(manifest.started_at).timestamp() * NS_PER_S)
    except ValueError:
        return 0
