"""Reads MCAP recordings of others: each chunk within bounds, and a cut-off recording as far as it is whole.

The file is first passed over record by record, without unpacking anything, so nothing depends on its index;
then its messages are read in order of time.
"""

from __future__ import annotations

import heapq
import io
import os
import struct
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.errors import DamagedFile
from pitwall_exchange.mcap_chunk import HEAD, MOST_BYTES, records_in
from pitwall_exchange.mcap_file import NOT_INSTALLED

_MAGIC = b"\x89MCAP0\r\n"
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _STATISTICS, _METADATA, _DATA_END = (
    0x03,
    0x04,
    0x05,
    0x06,
    0x0B,
    0x0C,
    0x0F,
)
_CHUNK_HEAD_BYTES = 44
"""Length of a chunk's head with the name of its compression."""
_MOST_WAITING_BYTES = 1024 * 1024 * 1024
"""Most bytes of messages whose turn by time has not come."""
_MOST_SMALL_BYTES = 16 * 1024 * 1024
"""Largest record of another kind that is read."""
_FAULTS = (
    ValueError,
    LookupError,
    TypeError,
    ArithmeticError,
    EOFError,
    RuntimeError,
    struct.error,
    OSError,
    MemoryError,
)
RECOVER = "Try MCAP's own tool: mcap recover {name} -o mended.mcap"
_EXPECTED = "an MCAP recording"


@dataclass(frozen=True, slots=True, order=True)
class _Piece:
    """A chunk, or a message outside of chunks."""

    at_ns: int
    offset: int
    bytes: int
    is_chunk: bool
    cut: bool = False


@dataclass(frozen=True, slots=True)
class McapMessage:
    """A message: its topic, the time of its log, and its bytes."""

    topic: str
    at_ns: int
    data: bytes


class McapRecording:
    """A recording that is read from an open file.

    Attributes:
        cut: the file ends before the recording's end mark. metadata: the newest texts by name.

    Raises:
        DamagedFile: it is no MCAP recording, or a record of it is damaged. PitwallError: the library is not
            installed.
    """

    def __init__(self, file: Path, stream: io.BufferedReader) -> None:
        try:
            from mcap import records
            from mcap.data_stream import ReadDataStream
            from mcap.exceptions import McapError
            from zstandard import ZstdError
        except ImportError:
            raise NOT_INSTALLED from None
        self._records, self._open = records, ReadDataStream
        self._faults: tuple[type[BaseException], ...] = (McapError, ZstdError, *_FAULTS)
        self._file, self._stream = file, stream
        self._pieces: list[_Piece] = []
        self._topics: dict[int, tuple[str, int]] = {}
        self._schemas: dict[int, str] = {}
        self._promised: dict[int, int] | None = None
        self._read: Counter[int] = Counter()
        self.metadata: dict[str, dict[str, str]] = {}
        self.cut = True
        try:
            self._scan(os.fstat(stream.fileno()).st_size)
        except self._faults as error:
            raise self._damaged(error, stream.tell()) from None

    def topics(self) -> list[str]:
        """List the topics with their schemas, as far as they are known by now."""
        return sorted(
            f"{topic} ({self._schemas.get(schema) or 'no schema'})" for topic, schema in self._topics.values()
        )

    def messages(self, topics: Collection[str]) -> Iterator[McapMessage]:
        """Yield the messages of topics in order of time.

        Raises:
            DamagedFile: a chunk is damaged or too big, times go backwards, or the file's statistics count
                other messages.
        """
        waiting: list[tuple[int, int, McapMessage]] = []
        number = waiting_bytes = last_ns = 0
        for piece in (*sorted(self._pieces), None):
            while waiting and (piece is None or waiting[0][0] < piece.at_ns):
                at_ns, _, first = heapq.heappop(waiting)
                if at_ns < last_ns or at_ns >= 1 << 63:
                    raise self._unordered(f"has a message at {at_ns} ns after {last_ns} ns")
                last_ns = at_ns
                waiting_bytes -= len(first.data)
                yield first
            try:
                loaded = self._loaded(piece) if piece else []
            except self._faults as error:
                raise self._damaged(error, piece.offset if piece else 0) from None
            for message in loaded:
                self._read[message.channel_id] += 1
                topic = self._topics.get(message.channel_id, ("", 0))[0]
                if topic in topics:
                    number += 1
                    waiting_bytes += len(message.data)
                    heapq.heappush(
                        waiting,
                        (message.log_time, number, McapMessage(topic, message.log_time, message.data)),
                    )
            if waiting_bytes > _MOST_WAITING_BYTES:
                raise self._unordered(f"has {waiting_bytes:,} bytes of messages at overlapping times")
        self._check_counts()

    def _unordered(self, problem: str) -> DamagedFile:
        fix = f"Order it with MCAP's own tool: mcap sort {self._file.name} -o sorted.mcap"
        return DamagedFile(self._file, problem, expected="messages in order of time", fix=fix)

    def _scan(self, size: int) -> None:
        """Find the chunks, the messages outside of them, channels and metadata."""
        stream = self._stream
        if (head := stream.read(len(_MAGIC))) != _MAGIC:
            problem = "is empty" if not head else "is damaged: it does not begin as an MCAP recording"
            raise DamagedFile(self._file, problem, expected=_EXPECTED)
        stream.seek(max(len(_MAGIC), size - len(_MAGIC)))
        ended = stream.read() == _MAGIC
        stream.seek(len(_MAGIC))
        while len(head := stream.read(HEAD.size)) == HEAD.size:
            opcode, length = HEAD.unpack(head)
            offset = stream.tell()
            if 0x0F < opcode < 0x80:
                raise ValueError(f"record {opcode} at byte {offset} is of no known kind")
            if opcode == 0 or offset + length > size:
                if ended:
                    raise ValueError(f"the record at byte {offset} does not fit into the file")
                if opcode == _CHUNK and size - offset > _CHUNK_HEAD_BYTES:
                    at_ns = struct.unpack("<Q", stream.read(8))[0]
                    self._pieces.append(_Piece(at_ns, offset, size - offset, is_chunk=True, cut=True))
                return  # a disk that lost power leaves zeros
            self._note(opcode, offset, length)
            stream.seek(offset + length)

    def _note(self, opcode: int, offset: int, length: int) -> None:
        """Note a record by its kind."""
        if opcode == _DATA_END:
            self.cut = False
        elif opcode == _CHUNK:
            self._pieces.append(_Piece(struct.unpack("<Q", self._stream.read(8))[0], offset, length, True))
        elif opcode == _MESSAGE:
            _, _, at_ns = struct.unpack("<HIQ", self._stream.read(14))
            self._pieces.append(_Piece(at_ns, offset, length, False))
        elif opcode in (_SCHEMA, _CHANNEL, _STATISTICS, _METADATA):
            record = self._record(opcode, offset, length)
            if opcode == _METADATA:
                self.metadata[record.name] = dict(record.metadata)
            elif opcode == _STATISTICS:
                self._promised = dict(record.channel_message_counts)
            else:
                self._name(record)

    def _record(self, opcode: int, offset: int, length: int) -> Any:
        if length > (MOST_BYTES if opcode in (_CHUNK, _MESSAGE) else _MOST_SMALL_BYTES):
            raise ValueError(f"the record at byte {offset} has {length:,} bytes")
        self._stream.seek(offset)
        return self._parsed(opcode, self._stream.read(length))

    def _parsed(self, opcode: int, content: bytes) -> Any:
        stream = self._open(io.BytesIO(content))
        if opcode == _MESSAGE:
            return self._records.Message.read(stream, len(content))
        kinds: dict[int, Any] = {
            _SCHEMA: self._records.Schema,
            _CHANNEL: self._records.Channel,
            _CHUNK: self._records.Chunk,
            _STATISTICS: self._records.Statistics,
            _METADATA: self._records.Metadata,
        }
        return kinds[opcode].read(stream)

    def _name(self, record: Any) -> None:
        if isinstance(record, self._records.Channel):
            self._topics[record.id] = (record.topic, record.schema_id)
        elif isinstance(record, self._records.Schema):
            self._schemas[record.id] = record.name

    def _loaded(self, piece: _Piece) -> list[Any]:
        """Return the messages of a piece."""
        if not piece.is_chunk:
            return [self._record(_MESSAGE, piece.offset, piece.bytes)]
        messages: list[Any] = []
        chunk = self._record(_CHUNK, piece.offset, piece.bytes)
        for kind, content in records_in(chunk, cut=piece.cut):
            if kind in (_MESSAGE, _SCHEMA, _CHANNEL):
                record = self._parsed(kind, content)
                (messages.append if kind == _MESSAGE else self._name)(record)
        return messages

    def _check_counts(self) -> None:
        if self._promised is None or self.cut:
            return
        for channel, promised in self._promised.items():
            if self._read[channel] != promised:
                topic = self._topics.get(channel, (f"channel {channel}", 0))[0]
                raise DamagedFile(
                    self._file,
                    f"holds {self._read[channel]:,} messages",
                    key=topic,
                    expected=f"{promised:,}, as its statistics say",
                    fix=RECOVER.format(name=self._file.name),
                )

    def _damaged(self, error: BaseException, offset: int) -> DamagedFile:
        message = " ".join(str(error).split())[:200] or type(error).__name__
        if isinstance(error, MemoryError):
            message = "a record does not fit into the memory"
        return DamagedFile(
            self._file,
            f"is damaged near byte {offset:,}: {message}",
            expected=_EXPECTED,
            fix=RECOVER.format(name=self._file.name),
        )
