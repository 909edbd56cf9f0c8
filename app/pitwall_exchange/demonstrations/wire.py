"""Reads and writes protobuf's wire format, as far as Open Pixel2Play's annotations use it."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable

Fields = dict[int, list[int | bytes]]
"""Values by field number: unsigned numbers; floats, texts and messages as their bytes."""
_WHOLE, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5


def number(field: int, value: int) -> bytes:
    """Encode a whole number; 0 is left out, as in proto3."""
    return _varint(field << 3 | _WHOLE) + _varint(value & (1 << 64) - 1) if value else b""


def floating(field: int, value: float) -> bytes:
    """Encode a 32-bit float."""
    return _varint(field << 3 | _FLOAT) + struct.pack("<f", value)


def message(field: int, *parts: bytes) -> bytes:
    """Encode a message inside another."""
    content = b"".join(parts)
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def texts(field: int, values: Iterable[str]) -> bytes:
    """Encode texts, one after the other."""
    return b"".join(message(field, value.encode()) for value in values)


def parsed(content: bytes) -> Fields:
    """Decode a message's fields.

    Raises:
        ValueError: it is not a message.
    """
    fields: Fields = defaultdict(list)
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
        fields[tag >> 3].append(value)
    return fields


def inner(fields: Fields, field: int) -> Fields:
    """Return the last message of a field; an empty message without one.

    Raises:
        ValueError: it is not a message.
    """
    values = [value for value in fields.get(field, ()) if isinstance(value, bytes)]
    return parsed(values[-1]) if values else defaultdict(list)


def text(fields: Fields, field: int) -> str:
    """Return the last text of a field; empty without one."""
    values = [value for value in fields.get(field, ()) if isinstance(value, bytes)]
    return values[-1].decode("utf-8", "replace") if values else ""


def whole(fields: Fields, field: int) -> int:
    """Return the last number of a field, signed; 0 without one."""
    values = [value for value in fields.get(field, ()) if isinstance(value, int)]
    value = values[-1] if values else 0
    return value - (1 << 64) if value >> 63 else value


def _varint(value: int) -> bytes:
    number = bytearray()
    while value > 0x7F:
        number.append(value & 0x7F | 0x80)
        value >>= 7
    number.append(value)
    return bytes(number)


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
