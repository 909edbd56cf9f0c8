"""Reads and writes protobuf's wire format, as far as Open Pixel2Play's annotations use it."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable

Fields = dict[int, list[int | bytes]]
"""Values by field number: numbers as unsigned, floats and texts and messages as their bytes."""
_WHOLE, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5


def number(field: int, value: int) -> bytes:
    """Encode a whole number; 0 is left out, as proto3 does."""
    return _varint(field << 3 | _WHOLE) + _varint(value & (1 << 64) - 1) if value else b""


def floating(field: int, value: float) -> bytes:
    """Encode a 32-bit float."""
    return _varint(field << 3 | _FLOAT) + struct.pack("<f", value)


def message(field: int, *parts: bytes) -> bytes:
    """Encode a message that lies within another."""
    content = b"".join(parts)
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def texts(field: int, values: Iterable[str]) -> bytes:
    """Encode texts, one after the other."""
    return b"".join(message(field, value.encode()) for value in values)


def parsed(content: bytes) -> Fields:
    """Decode a message's fields.

    Raises:
        ValueError: it is no message.
    """
    found: Fields = defaultdict(list)
    at = 0
    while at < len(content):
        tag, at = _read_varint(content, at)
        kind = tag & 7
        value: int | bytes
        if kind == _WHOLE:
            value, at = _read_varint(content, at)
        else:
            size = {_DOUBLE: 8, _FLOAT: 4}.get(kind)
            if kind == _BYTES:
                size, at = _read_varint(content, at)
            if size is None or at + size > len(content):
                raise ValueError(f"no message at byte {at}")
            value, at = content[at : at + size], at + size
        found[tag >> 3].append(value)
    return found


def inner(fields: Fields, field: int) -> Fields:
    """Return the last message of a field; an empty one where there is none.

    Raises:
        ValueError: it is no message.
    """
    values = [one for one in fields.get(field, ()) if isinstance(one, bytes)]
    return parsed(values[-1]) if values else defaultdict(list)


def text(fields: Fields, field: int) -> str:
    """Return the last text of a field; empty where there is none."""
    values = [one for one in fields.get(field, ()) if isinstance(one, bytes)]
    return values[-1].decode("utf-8", "replace") if values else ""


def whole(fields: Fields, field: int) -> int:
    """Return the last number of a field, signed; 0 where there is none."""
    values = [one for one in fields.get(field, ()) if isinstance(one, int)]
    value = values[-1] if values else 0
    return value - (1 << 64) if value >> 63 else value


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(content):
            break
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise ValueError(f"no number at byte {at}")
