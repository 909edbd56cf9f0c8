"""Reads the parts of a GGUF header, never more of them than the file can hold.

Whatever counts and lengths claim, nothing larger than the limits below is allocated or walked through:
arrays of numbers are jumped over, a vocabulary's strings are only stepped over by their lengths.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from pitwall.core.errors import BadModelFile
from pitwall.models.files.wrong_file import AGAIN

Value = int | float | bool | str | tuple[int | float | bool, ...] | None
"""A value of the metadata; None for values of no use here (the strings of a vocabulary)."""

LONGEST_KEY = 65_535
LONGEST_TEXT = 1 << 20
"""Longest text that is kept, in bytes; longer texts (a whole tokeniser as JSON) are skipped."""
LONGEST_HEADER = 256 << 20
"""Most bytes before the tensors' descriptions; real files have some 10 MiB."""
MOST_STRINGS = 2_000_000
"""Most strings in all arrays of a file together; real files have half a million."""
MOST_KEPT = 4_096
"""Longest array of numbers that is kept; longer arrays are only counted."""
_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
_CHUNK = 1 << 20


class GgufReader:
    """A place in a GGUF file that moves forward as things are read.

    Args:
        path: for the errors.
        file: open for reading, unbuffered.
        size: of the file, in bytes.
    """

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self.path = path
        self.size = size
        self._file = file
        self._buffer = b""
        self._start = 0
        self._at = 0
        self._strings_left = MOST_STRINGS
        file.seek(0)

    @property
    def place(self) -> int:
        """Return the offset from the beginning of the file."""
        return self._start + self._at

    @property
    def left(self) -> int:
        """Return the bytes left to the end of the file."""
        return self.size - self.place

    def damaged(self, problem: str, *, expected: str = "") -> BadModelFile:
        """Return the error for a file that breaks the format here."""
        return BadModelFile(str(self.path), f"is damaged: {problem}", expected=expected, fix=AGAIN)

    def cut_off(self, place: str) -> BadModelFile:
        """Return the error for a file that ends too early."""
        return BadModelFile(
            str(self.path), f"is cut off: it ends inside {place}, after {self.size:,} bytes", fix=AGAIN
        )

    def take(self, count: int, place: str) -> bytes:
        """Return the next `count` bytes (few: larger parts are skipped by `jump`).

        Raises:
            BadModelFile: the file ends before.
        """
        if count > self.left:
            raise self.cut_off(place)
        if len(self._buffer) - self._at < count:
            self._refill(count)
        if len(self._buffer) - self._at < count:
            raise self.cut_off(place)
        taken = self._buffer[self._at : self._at + count]
        self._at += count
        return taken

    def jump(self, count: int, place: str) -> None:
        """Go on `count` bytes further without reading them.

        Raises:
            BadModelFile: the file ends before.
        """
        if count > self.left:
            raise self.cut_off(place)
        self._at += count
        if self._at > len(self._buffer):
            self._start, self._buffer, self._at = self.place, b"", 0

    def uint32(self, place: str) -> int:
        """Return the next 32-bit number."""
        return int.from_bytes(self.take(4, place), "little")

    def uint64(self, place: str) -> int:
        """Return the next 64-bit number."""
        return int.from_bytes(self.take(8, place), "little")

    def text(self, place: str, *, longest: int) -> str:
        """Return the next string.

        Raises:
            BadModelFile: longer than `longest` bytes, cut off, or no UTF-8.
        """
        length = self.uint64(place)
        if length > longest:
            raise self.damaged(f"{place} is {length:,} bytes long", expected=f"at most {longest:,}")
        return self._decoded(length, place)

    def value(self, key: str) -> tuple[Value, int]:
        """Return the value of a key, and how many entries it has (1 unless it is an array).

        Raises:
            BadModelFile: an unknown type, or cut off.
        """
        place = f"the value of {key}"
        kind = self.uint32(place)
        if self.place > LONGEST_HEADER:
            raise self.damaged(f"its header is longer than {LONGEST_HEADER:,} bytes")
        if kind == _STRING:
            return self._kept_text(place), 1
        if kind == _ARRAY:
            return self._array(key, place)
        number = self._number(kind, place)
        result: int | float | bool = number.unpack(self.take(number.size, place))[0]
        return result, 1

    def _kept_text(self, place: str) -> str | None:
        length = self.uint64(place)
        if length > LONGEST_TEXT:
            self.jump(length, place)
            return None
        return self._decoded(length, place)

    def _decoded(self, length: int, place: str) -> str:
        try:
            return self.take(length, place).decode()
        except UnicodeDecodeError:
            raise self.damaged(f"{place} is no text") from None

    def _array(self, key: str, place: str) -> tuple[Value, int]:
        kind = self.uint32(place)
        count = self.uint64(place)
        if kind == _STRING:
            if count > self._strings_left:
                raise self.damaged(f"{key} has {count:,} entries", expected=f"at most {self._strings_left:,}")
            self._strings_left -= count
            self._step_over_strings(count, place)
            return None, count
        number = self._number(kind, place)
        if count > MOST_KEPT:
            self.jump(count * number.size, place)
            return None, count
        return tuple(value for (value,) in number.iter_unpack(self.take(count * number.size, place))), count

    def _number(self, kind: int, place: str) -> struct.Struct:
        if kind not in _NUMBERS:
            raise self.damaged(f"{place} has the type {kind}", expected="one of GGUF's thirteen")
        return _NUMBERS[kind]

    def _step_over_strings(self, count: int, place: str) -> None:
        """Step over strings by their lengths; a vocabulary of 150,000 takes some 50 ms."""
        length_of = struct.Struct("<Q").unpack_from
        while count:
            if len(self._buffer) - self._at < 8:
                self._refill(8)
            buffer, at, end = self._buffer, self._at, len(self._buffer) - 8
            if at > end:
                raise self.cut_off(place)
            while count and at <= end:
                at += 8 + length_of(buffer, at)[0]
                count -= 1
            self.jump(at - self._at, place)
            if self.place > LONGEST_HEADER:
                raise self.damaged(f"its header is longer than {LONGEST_HEADER:,} bytes")

    def _refill(self, count: int) -> None:
        rest = self._buffer[self._at :]
        self._start += self._at
        self._at = 0
        self._file.seek(self._start + len(rest))
        try:
            self._buffer = rest + (self._file.read(max(_CHUNK, count - len(rest))) or b"")
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise BadModelFile(str(self.path), f"cannot be read: {why}") from error
