"""Unpacks a chunk of an MCAP recording: never to more than it promises, a cut-off chunk as far as it goes."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from typing import Any

HEAD = struct.Struct("<BQ")
"""Head of a record: its kind, and the length of its content."""
MOST_BYTES = 256 * 1024 * 1024
"""Largest chunk that is unpacked; recorders write chunks of about one to eight MiB."""
_PIECE_BYTES = 1 << 16


def records_in(chunk: Any, *, cut: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the content of each whole record in a chunk (`mcap.records.Chunk`).

    Args:
        cut: the file ends within the chunk.

    Raises:
        ValueError: it is damaged, too big, or packed in an unknown way. zstandard.ZstdError: it is damaged.
    """
    data = _unpacked(chunk, cut=cut)
    if not cut and len(data) != chunk.uncompressed_size:
        raise ValueError(f"a chunk promises {chunk.uncompressed_size:,} bytes and unpacks to {len(data):,}")
    if not cut and chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise ValueError("the checksum of a chunk is wrong")
    stream = io.BytesIO(data)
    while len(head := stream.read(HEAD.size)) == HEAD.size:
        kind, length = HEAD.unpack(head)
        content = stream.read(length) if length <= len(data) else b""
        if len(content) == length:
            yield kind, content
        elif not cut:
            raise ValueError("a record ends beyond its chunk")


def _unpacked(chunk: Any, *, cut: bool) -> bytes:
    from zstandard import ZstdDecompressor, ZstdError

    promised = int(chunk.uncompressed_size)
    if promised > MOST_BYTES:
        raise ValueError(
            f"a chunk of {len(chunk.data):,} bytes claims to unpack to {promised:,}; "
            f"at most {MOST_BYTES:,} are unpacked"
        )
    if not chunk.compression:
        return bytes(chunk.data)
    if chunk.compression != "zstd":
        raise ValueError(
            f"its chunks are packed with {chunk.compression[:20]}; expected zstd or none "
            "(mcap compress --compression zstd)"
        )
    unpacked = io.BytesIO()
    with ZstdDecompressor().stream_reader(chunk.data) as stream:
        try:
            while unpacked.tell() <= promised and (piece := stream.read(_PIECE_BYTES)):
                unpacked.write(piece)
        except ZstdError:
            if not cut:
                raise
    return unpacked.getvalue()
