"""The frame ring: shared memory with one writer, sequence-numbered, newest wins.

Layout (little endian): header `magic u32, version u32, slots u32, slot_bytes u64, newest u64`, then
per slot `seq u64, frame_id u64, captured_ns u64, width u32, height u32` padded to 64 bytes, then
the slots' pixels (BGRX rows without padding). A slot's seq is odd while it is written; a reader
that sees it change has read a torn frame and takes the newest again. No locks: a dead or frozen
reader costs the writer nothing, and a dead writer leaves the last frame readable.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import sys
from dataclasses import dataclass
from multiprocessing import shared_memory
from pathlib import Path

import numpy as np

from pitwall.core.errors import DataFolderError, ProtocolError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.quantities import byte_size

_MAGIC = 0x50495457
_VERSION = 1
_HEADER = struct.Struct("<IIIxxxxQQ")
_NEWEST = struct.Struct("<Q")
_NEWEST_AT = _HEADER.size - _NEWEST.size
_SLOT = struct.Struct("<QQQII")
_SEQ = struct.Struct("<Q")
_SLOT_BYTES = 64
_HEADER_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class RingFrame:
    """A frame read from the ring.

    Attributes:
        pixels: (height, width, 4) uint8 BGRX, a copy that belongs to the reader.
    """

    frame_id: int
    captured_ns: int
    pixels: Pixels


class FrameRingWriter:
    """The engine's end.

    Args:
        width, height: largest frame this ring takes; a larger one needs a new ring.

    Raises:
        DataFolderError: shared memory is full.
    """

    def __init__(self, width: int, height: int, slots: int = 3) -> None:
        self._slot_bytes = (width * height * 4 + 4095) // 4096 * 4096
        self._slots = slots
        size = _HEADER_BYTES + slots * (_SLOT_BYTES + self._slot_bytes)
        try:
            self._memory = shared_memory.SharedMemory(create=True, size=size)
            if sys.platform == "linux":
                with Path(f"/dev/shm/{self._memory.name}").open("r+b") as file:
                    os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            with contextlib.suppress(AttributeError, OSError):
                self._memory.unlink()
            raise DataFolderError(
                f"shared memory has no room for {byte_size(size)} of frames ({error.strerror}).",
                "Free space in /dev/shm.",
            ) from error
        self.name = self._memory.name
        self._buffer = self._memory.buf
        assert self._buffer is not None
        _HEADER.pack_into(self._buffer, 0, _MAGIC, _VERSION, slots, self._slot_bytes, 0)
        self._count = 0

    def fits(self, width: int, height: int) -> bool:
        return width * height * 4 <= self._slot_bytes

    def write(self, frame: Frame) -> None:
        """Copy a frame in; about 0.1 ms a megabyte. The frame must fit."""
        self._count += 1
        slot = self._count % self._slots
        meta = _HEADER_BYTES + slot * _SLOT_BYTES
        start = _HEADER_BYTES + self._slots * _SLOT_BYTES + slot * self._slot_bytes
        buffer = self._buffer
        assert buffer is not None
        _SEQ.pack_into(buffer, meta, 2 * self._count - 1)
        height, width = frame.pixels.shape[:2]
        target = np.frombuffer(buffer, np.uint8, height * width * 4, start)
        target.reshape(height, width, 4)[:] = frame.pixels
        _SLOT.pack_into(buffer, meta, 2 * self._count - 1, frame.frame_id, frame.captured_ns, width, height)
        _SEQ.pack_into(buffer, meta, 2 * self._count)
        _NEWEST.pack_into(buffer, _NEWEST_AT, self._count)

    def close(self) -> None:
        """Unmap and remove it; readers that still map it keep the last frames."""
        self._buffer = None
        with contextlib.suppress(BufferError):
            self._memory.close()
        with contextlib.suppress(FileNotFoundError):
            self._memory.unlink()


class FrameRingReader:
    """The console's end.

    Raises:
        ProtocolError: the memory is gone or is no ring of this version.
    """

    def __init__(self, name: str) -> None:
        self._memory: mmap.mmap | shared_memory.SharedMemory
        try:
            buffer = self._map(name)
        except (OSError, ValueError) as error:
            raise ProtocolError(f"the frame ring {name} is gone.") from error
        magic, version, self._slots, self._slot_bytes, _ = _HEADER.unpack_from(buffer, 0)
        if (magic, version) != (_MAGIC, _VERSION):
            raise ProtocolError(f"{name} is no frame ring of version {_VERSION}.")
        self._buffer = buffer
        self._seen = 0

    def _map(self, name: str) -> memoryview:
        if sys.platform == "linux":
            # SharedMemory would start a resource tracker here that removes the writer's memory at our exit.
            with Path(f"/dev/shm/{name}").open("rb") as file:
                self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return memoryview(self._memory)
        else:  # noqa: RET505
            self._memory = shared_memory.SharedMemory(name=name)
            assert self._memory.buf is not None
            return self._memory.buf

    def newest(self) -> RingFrame | None:
        """Return the newest frame, if it was not returned before; else None."""
        buffer = self._buffer
        for _ in range(4):
            (count,) = _NEWEST.unpack_from(buffer, _NEWEST_AT)
            if count == self._seen:
                return None
            slot = count % self._slots
            meta = _HEADER_BYTES + slot * _SLOT_BYTES
            seq, frame_id, captured_ns, width, height = _SLOT.unpack_from(buffer, meta)
            size = width * height * 4
            if seq != 2 * count or size > self._slot_bytes:
                continue
            start = _HEADER_BYTES + self._slots * _SLOT_BYTES + slot * self._slot_bytes
            pixels = np.frombuffer(buffer, np.uint8, size, start).reshape(height, width, 4).copy()
            if _SEQ.unpack_from(buffer, meta)[0] == seq:
                self._seen = count
                return RingFrame(frame_id=frame_id, captured_ns=captured_ns, pixels=pixels)
        return None

    def close(self) -> None:
        del self._buffer
        with contextlib.suppress(BufferError):
            self._memory.close()
