"""Writes a demonstration as it comes, chunk by chunk: a crash loses at most the open chunk."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.demonstrations import plain_tables
from pitwall.demonstrations.manifest import (
    LONGEST_NOTE,
    MANIFEST,
    PRESSES,
    DemonstratedEvent,
    Demonstration,
    KeptFile,
    Moment,
    Table,
)
from pitwall.store.folder_errors import write_file
from pitwall.store.lease import FileLock, Holder, holder_of
from pitwall.store.strict_json import to_json

_LOCK = "writer.lock"
_CHUNK_NS = 5 * NS_PER_S
COPY_CHUNK_NS = 60 * NS_PER_S
"""Length of a chunk where a demonstration is made of files: a crash loses nothing that is not there."""
_CHUNK_BYTES = 32 * 1024 * 1024


class DemonstrationWriter:
    """Keeps a demonstration in a folder; the manifest names each chunk once it is on the disk.

    Not for several threads at once. Times of each kind must not go backwards.

    Args:
        folder: the demonstration's own; made here.
        begun: the manifest at the beginning; sizes and times are added later.
        chunk_ns: length of a chunk; each costs a sync of the disk and a new manifest.

    Attributes:
        dropped: events that never reached the writer; whoever lost them counts them here.
        window_size: the window's present size; pointer positions are fractions of it.

    Raises:
        DataFolderError: another writer uses this folder, or it cannot be written.
    """

    def __init__(self, folder: Path, begun: Demonstration, chunk_ns: int = _CHUNK_NS) -> None:
        self.folder = folder
        self._lock = FileLock(folder / _LOCK, role="recording", subject=f"the demonstration {begun.id}")
        self._lock.acquire()
        self._begun, self._most_ns = begun, chunk_ns
        self.dropped = begun.dropped
        self.window_size = begun.window_size
        self._files: list[KeptFile] = []
        self._rows: dict[Table, list[dict[str, Any]]] = {"events": [], "moments": [], "pictures": []}
        self._held_bytes = self._chunk = self._pictures = 0
        self._tables: ModuleType | None = None  # packs the open chunk
        self._first_ns = self._last_ns = self._chunk_ns = 0
        self._actions: Counter[str] = Counter()
        self._keys: Counter[str] = Counter()
        self._episodes: set[int] = set()
        self._write_manifest(complete=False)

    @property
    def size_bytes(self) -> int:
        """Return the size on the disk once the open chunk is written."""
        return sum(file.bytes for file in self._files) + self._held_bytes

    @property
    def seconds(self) -> float:
        """Return the time between its first and its last row."""
        return max(0, self._last_ns - self._first_ns) / NS_PER_S

    def note(self, text: str) -> None:
        """Add a sentence to the manifest's note."""
        note = f"{self._begun.note}\n{text}".strip()[-LONGEST_NOTE:]
        self._begun = self._begun.model_copy(update={"note": note})

    def picture(self, at_ns: int, pixels: Pixels) -> None:
        """Keep a picture, resized to the demonstration's size.

        Args:
            pixels: (height, width, 3 or more) uint8, BGR first.

        Raises:
            DataFolderError: a full chunk cannot be written; written chunks are not lost.
        """
        size = self._begun.picture_size
        bgr = pixels[:, :, :3]
        if (bgr.shape[1], bgr.shape[0]) != size:
            import cv2  # here: the console changes manifests, and must not load OpenCV

            bgr = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        self._make_room(at_ns)
        self._keep_picture(at_ns, self._packer().compressed(bgr))

    def compressed_picture(self, at_ns: int, content: bytes) -> None:
        """Keep a picture that `arrow_tables.compressed` made; raises as `picture`."""
        self._make_room(at_ns)
        self._keep_picture(at_ns, content)

    def _keep_picture(self, at_ns: int, content: bytes) -> None:
        self._add("pictures", at_ns, {"pixels": content})
        self._held_bytes += len(content)
        self._pictures += 1

    def event(self, at_ns: int, event: InputEvent, action: str = "", would: str = "") -> None:
        """Keep an input event of the person, its place in pixels of the window; raises as `picture`."""
        x = None if event.x is None else event.x / self.window_size[0]
        y = None if event.y is None else event.y / self.window_size[1]
        mouse = event.kind in ("mouse_down", "mouse_up")
        self.demonstrated(
            DemonstratedEvent(
                at_ns=at_ns,
                kind=event.kind,
                key=event.key,
                button=event.button if mouse else "",
                x=x,
                y=y,
                dx=event.dx,
                dy=event.dy,
                action=action,
                would=would,
            )
        )

    def demonstrated(self, event: DemonstratedEvent) -> None:
        """Keep an event in a demonstration's own form; raises as `picture`."""
        self._add("events", event.at_ns, asdict(event))
        if event.kind in PRESSES:
            self._keys[event.pressed] += 1
            if event.action:
                self._actions[event.action] += 1

    def moment(self, at_ns: int, episode: int, status: str, fields: Mapping[str, Any]) -> None:
        """Keep the game's state at a kept picture; raises as `picture`.

        Args:
            episode: its number; −1 outside of play.
        """
        if episode >= 0:
            self._episodes.add(episode)
        self._add("moments", at_ns, {"episode": episode, "status": status, "fields": to_json(dict(fields))})

    def kept_moment(self, moment: Moment) -> None:
        """Keep a moment of another demonstration; raises as `picture`."""
        self.moment(moment.at_ns, moment.episode, moment.status, moment.fields)

    def close(self) -> Demonstration:
        """Write the open chunk and the manifest; the folder is released in any case.

        Raises:
            DataFolderError: they cannot be written; earlier chunks can still be read.
        """
        try:
            self._write_chunk()
            return self._write_manifest(complete=True)
        finally:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._lock.release()

    def _add(self, table: Table, at_ns: int, row: dict[str, Any]) -> None:
        self._make_room(at_ns)
        self._last_ns = max(self._last_ns, at_ns)
        self._rows[table].append({**row, "at_ns": at_ns})

    def _make_room(self, at_ns: int) -> None:
        """Write the open chunk where a row of this time begins another."""
        if not self._first_ns:
            self._first_ns = self._begun.began_ns or at_ns
            self._chunk_ns = at_ns
        if at_ns - self._chunk_ns >= self._most_ns or self._held_bytes >= _CHUNK_BYTES:
            self._write_chunk()
            self._write_manifest(complete=False)
            self._chunk_ns = at_ns

    def _packer(self) -> ModuleType:
        """Return what packs the open chunk: `arrow_tables`, or `plain_tables` while pyarrow is not there."""
        if self._tables is None:
            try:
                from pitwall.demonstrations import arrow_tables  # slow to import
            except ImportError:
                self._tables = plain_tables
            else:
                self._tables = arrow_tables
        return self._tables

    def _write_chunk(self) -> None:
        for table, rows in self._rows.items():
            if rows:
                self._files.append(self._write_rows(table, rows))
                rows.clear()
        self._held_bytes = 0
        self._chunk += 1
        self._tables = None

    def _write_rows(self, table: Table, rows: list[dict[str, Any]]) -> KeptFile:
        packer = self._packer()
        content = packer.packed_rows(table, rows)
        name = f"{table}-{self._chunk:04d}.{packer.SUFFIX}"
        write_file(self.folder / name, content.getvalue(), sync=True)
        return KeptFile(
            name=name,
            sha256=hashlib.sha256(content.getbuffer()).hexdigest(),
            bytes=content.getbuffer().nbytes,
            rows=len(rows),
            first_ns=rows[0]["at_ns"],
            last_ns=rows[-1]["at_ns"],
        )

    def _write_manifest(self, *, complete: bool) -> Demonstration:
        now = self._begun.model_copy(
            update={
                "began_ns": self._first_ns,
                "seconds": round(self.seconds, 3),
                "pictures": self._pictures,
                "episodes": len(self._episodes),
                "actions": dict(self._actions.most_common()),
                "keys": dict(self._keys.most_common()),
                "dropped": self.dropped,
                "files": tuple(self._files),
                "complete": complete,
            }
        )
        write_manifest(self.folder, now)
        return now


def write_manifest(folder: Path, manifest: Demonstration) -> None:
    """Write a demonstration's manifest whole.

    Raises:
        DataFolderError: the folder is read-only or full; the old manifest is still whole.
    """
    text = manifest.model_dump_json(indent=1, by_alias=True)
    write_file(folder / MANIFEST, text, sync=True)


def writer_of(folder: Path) -> Holder | None:
    """Return the process that is recording into a demonstration's folder; None if no process is."""
    return holder_of(folder / _LOCK)
