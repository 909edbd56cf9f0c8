"""Writes MCAP recordings: pictures in Foxglove's schema, everything else as JSON with its schema."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.store.strict_json import to_json

SCREEN = "/screen"
TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": ["number", "null"]}
WHOLE: dict[str, Any] = {"type": "integer"}
NOT_INSTALLED = PitwallError("mcap is not installed.", "Install it: installer/extra exchange")
_TIME = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
PICTURE_SCHEMA: tuple[str, dict[str, Any]] = (
    "foxglove.CompressedImage",
    {
        "timestamp": _TIME,
        "frame_id": TEXT,
        "data": {"type": "string", "contentEncoding": "base64"},
        "format": TEXT,
    },
)
Schemas = Mapping[str, tuple[str, dict[str, Any]]]
"""Topic → the name of what is told there, and the properties of its JSON."""


class McapFile:
    """A recording that is being written; made by `written_mcap`.

    Attributes:
        counts: topic → how many messages were written.
    """

    def __init__(self, writer: Any, schemas: Schemas) -> None:
        self._writer = writer
        self._channels = {}
        self.counts = dict.fromkeys(schemas, 0)
        for topic, (name, properties) in schemas.items():
            schema = {"title": name, "type": "object", "properties": properties}
            number = writer.register_schema(name, "jsonschema", json.dumps(schema).encode())
            self._channels[topic] = writer.register_channel(topic, "json", number)

    def add(self, topic: str, at_ns: int, body: Mapping[str, Any]) -> None:
        """Write one message; at_ns: on the wall clock."""
        data = to_json(body).encode()
        self._writer.add_message(self._channels[topic], at_ns, data, at_ns, self.counts[topic])
        self.counts[topic] += 1

    def add_picture(self, at_ns: int, encoded: bytes, form: str) -> None:
        """Write a picture in its encoding ("png", "jpeg")."""
        seconds, rest = divmod(at_ns, NS_PER_S)
        stamp, data = {"sec": seconds, "nsec": rest}, base64.b64encode(encoded).decode()
        self.add(SCREEN, at_ns, {"timestamp": stamp, "frame_id": "window", "data": data, "format": form})


@contextmanager
def written_mcap(file: Path, schemas: Schemas, metadata: Mapping[str, str]) -> Iterator[McapFile]:
    """Write a recording; it is complete when the block ends.

    Args:
        metadata: texts in the file under the name "pitwall".

    Raises:
        PitwallError: the library is not installed. OSError: the file cannot be written.
    """
    try:
        from mcap.writer import Writer
    except ImportError:
        raise NOT_INSTALLED from None
    with file.open("wb") as stream:
        writer = Writer(stream)
        writer.start(profile="", library="pitwall")
        writer.add_metadata("pitwall", dict(metadata))
        yield McapFile(writer, schemas)
        writer.finish()  # type: ignore[no-untyped-call]
