"""Reads a demonstration within its manifest's bounds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitwall.core.bounded_reading import read_bytes, read_model
from pitwall.core.errors import DamagedFile
from pitwall.core.frames import Pixels
from pitwall.demonstrations.manifest import (
    KINDS,
    MANIFEST,
    DemonstratedEvent,
    Demonstration,
    KeptFile,
    Moment,
)

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_CHUNK_BYTES = 256 * 1024 * 1024
_FIX = "Delete this demonstration, or import it again: pitwall teach list"


@dataclass(frozen=True, slots=True)
class Episode:
    """One stretch of play without a gap or a trim; a trim inside an episode splits it in two.

    Attributes:
        number: as the recording counted it. moments: one for each kept picture.
        events: from its first moment until the next stretch begins.
        pictures: returns (at_ns, (height, width, 3) BGR) of its moments, decoded one by one.
    """

    number: int
    start_ns: int
    end_ns: int
    moments: tuple[Moment, ...]
    events: tuple[DemonstratedEvent, ...]
    pictures: Callable[[], Iterator[tuple[int, Pixels]]]


class DemonstrationReader:
    """Reads one demonstration's folder.

    Raises:
        DamagedFile: its manifest is missing or damaged; a damaged table raises it when it is read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        self._table = lru_cache(maxsize=2)(self._read_table)

    def pictures(self, from_ns: int = 0, to_ns: int | None = None) -> Iterator[tuple[int, Pixels]]:
        """Yield (at_ns, (height, width, 3) BGR uint8, read-only) between two times, without trimmed parts."""
        for file in self.manifest.of("pictures"):
            if file.last_ns < from_ns or (to_ns is not None and file.first_ns >= to_ns):
                continue
            for at, at_ns in enumerate(self._column(file, "at_ns")):
                if from_ns <= at_ns and (to_ns is None or at_ns < to_ns) and not self.manifest.trimmed(at_ns):
                    yield at_ns, self._picture(file, at)

    def compressed_pictures(self) -> Iterator[tuple[int, bytes]]:
        """Yield every picture compressed as by `arrow_tables.compressed`, without trimmed parts."""
        for file in self.manifest.of("pictures"):
            table = self._table(file)
            for at_ns, content in zip(table["at_ns"].to_pylist(), table["pixels"].to_pylist(), strict=True):
                if not self.manifest.trimmed(at_ns):
                    yield at_ns, content

    def picture_at(self, at_ns: int) -> tuple[int, Pixels] | None:
        """Return the picture that was shown at a time (the last one by then), trimmed or not."""
        chunks = self.manifest.of("pictures")
        file = next(
            (chunk for chunk in reversed(chunks) if chunk.first_ns <= at_ns), chunks[0] if chunks else None
        )
        if file is None:
            return None
        times = self._column(file, "at_ns")
        at = max((place for place, time in enumerate(times) if time <= at_ns), default=0)
        return times[at], self._picture(file, at)

    @cached_property
    def all_events(self) -> tuple[DemonstratedEvent, ...]:
        """Return every event in order of time, trimmed ones too."""
        return tuple(sorted(self._rows("events", _event), key=lambda event: event.at_ns))

    @cached_property
    def all_moments(self) -> tuple[Moment, ...]:
        """Return every moment in order of time, trimmed ones too."""
        return tuple(sorted(self._rows("moments", _moment), key=lambda moment: moment.at_ns))

    def events(self) -> Iterator[DemonstratedEvent]:
        """Yield the events that are not trimmed."""
        return (event for event in self.all_events if not self.manifest.trimmed(event.at_ns))

    def moments(self) -> Iterator[Moment]:
        """Yield the moments that are not trimmed."""
        return (moment for moment in self.all_moments if not self.manifest.trimmed(moment.at_ns))

    def episodes(self) -> list[Episode]:
        """List the stretches of play, without trimmed parts."""
        stretches: list[Episode] = []
        stretch: list[Moment] = []
        for moment in self.all_moments:
            if moment.episode < 0 or self.manifest.trimmed(moment.at_ns):
                self._close(stretch, moment.at_ns, stretches)
                continue
            if stretch and stretch[-1].episode != moment.episode:
                self._close(stretch, moment.at_ns, stretches)
            stretch.append(moment)
        last = self.all_moments[-1].at_ns if self.all_moments else 0
        ends = max(last, self.all_events[-1].at_ns if self.all_events else 0)
        self._close(stretch, ends + 1, stretches)
        return stretches

    def check(self) -> list[DamagedFile]:
        """Hash and read every file; return the faults in the order of the manifest's files."""
        faults: list[DamagedFile] = []
        for kept in self.manifest.files:
            file = self.folder / kept.name
            try:
                content = read_bytes(file, most_bytes=_MOST_CHUNK_BYTES, fix=_FIX)
                if hashlib.sha256(content).hexdigest() != kept.sha256:
                    raise DamagedFile(file, "is damaged: its SHA-256 is not the manifest's", fix=_FIX)
                table = self._read_table(kept)
                if kept.table == "pictures":
                    for at in range(table.num_rows):
                        self._decoded(kept, table, at)
                elif kept.table == "events":
                    self._parsed(kept, table, _event)
                else:
                    self._parsed(kept, table, _moment)
            except FileNotFoundError:
                faults.append(DamagedFile(file, "is not there", expected="a file of the manifest", fix=_FIX))
            except DamagedFile as fault:
                faults.append(fault)
        return faults

    def _close(self, stretch: list[Moment], end_ns: int, episodes: list[Episode]) -> None:
        if not stretch:
            return
        moments, start_ns = tuple(stretch), stretch[0].at_ns
        stretch.clear()
        episodes.append(
            Episode(
                moments[0].episode,
                start_ns,
                end_ns,
                moments,
                tuple(event for event in self.all_events if start_ns <= event.at_ns < end_ns),
                lambda: self.pictures(start_ns, end_ns),
            )
        )

    def _column(self, kept: KeptFile, name: str) -> list[int]:
        values: list[int] = self._table(kept)[name].to_pylist()
        return values

    def _picture(self, kept: KeptFile, at: int) -> Pixels:
        return self._decoded(kept, self._table(kept), at)

    def _decoded(self, kept: KeptFile, table: pa.Table, at: int) -> Pixels:
        from pitwall.demonstrations.arrow_tables import decompressed

        try:
            return decompressed(table["pixels"][at].as_py(), self.manifest.picture_size)
        except ValueError as error:
            raise DamagedFile(self.folder / kept.name, str(error), key=f"row {at + 1}", fix=_FIX) from None

    def _rows(self, name: Any, make: Callable[[dict[str, Any]], Any]) -> list[Any]:
        return [row for kept in self.manifest.of(name) for row in self._parsed(kept, self._table(kept), make)]

    def _parsed(self, kept: KeptFile, table: pa.Table, make: Callable[[dict[str, Any]], Any]) -> list[Any]:
        parsed = []
        for at, row in enumerate(table.to_pylist()):
            try:
                parsed.append(make(row))
            except (ValueError, TypeError, RecursionError) as error:
                raise DamagedFile(
                    self.folder / kept.name, str(error), key=f"row {at + 1}", fix=_FIX
                ) from None
        return parsed

    def _read_table(self, kept: KeptFile) -> pa.Table:
        file = self.folder / kept.name
        try:
            content = read_bytes(file, most_bytes=_MOST_CHUNK_BYTES, fix=_FIX)
        except FileNotFoundError:
            raise DamagedFile(file, "is not there", expected="a file of the manifest", fix=_FIX) from None
        from pitwall.demonstrations.arrow_tables import unpacked_table  # slow to import

        return unpacked_table(file, content, kept.table, fix=_FIX)


def read_manifest(folder: Path) -> Demonstration:
    """Read a demonstration's manifest.

    Raises:
        DamagedFile: it is missing or damaged.
    """
    try:
        return read_model(Demonstration, folder / MANIFEST, fix=_FIX)
    except FileNotFoundError:
        raise DamagedFile(folder, f"has no {MANIFEST}", fix=_FIX) from None


def _event(row: dict[str, Any]) -> DemonstratedEvent:
    if row["kind"] not in KINDS:
        raise ValueError(
            f"is no kind of event: {str(row['kind'])[:40]!r}; expected one of {', '.join(KINDS)}"
        )
    texts = {name: row[name] or "" for name in ("key", "button", "action", "would")}
    return DemonstratedEvent(**{**row, **texts, "dx": row["dx"] or 0, "dy": row["dy"] or 0})


def _moment(row: dict[str, Any]) -> Moment:
    fields = json.loads(row["fields"] or "{}")
    if not isinstance(fields, dict):
        raise ValueError("its fields are no JSON object")
    return Moment(at_ns=row["at_ns"], episode=row["episode"], status=row["status"] or "", fields=fields)
