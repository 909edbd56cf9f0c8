"""The demonstrations of a data folder: each has a folder under `demonstrations/`."""

from __future__ import annotations

import contextlib
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile, DataFolderError, PitwallError, suggestion
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.manifest import MOST_TAGS, Demonstration, Span, id_of, joined
from pitwall.demonstrations.reader import DemonstrationReader, read_manifest
from pitwall.demonstrations.writer import COPY_CHUNK_NS, DemonstrationWriter, write_manifest, writer_of
from pitwall.store.folder_errors import folder_error


class UnknownDemonstration(PitwallError):
    """No demonstration has this id, or several begin with it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A demonstration of the data folder; `fault` says why its manifest is missing."""

    id: str
    manifest: Demonstration | None
    fault: str = ""
    recording: bool = False


class DemonstrationFolder:
    """Lists, finds, changes and deletes the demonstrations of a data folder."""

    def __init__(self, data: DataFolder) -> None:
        self.root = data.demonstrations

    def all(self) -> list[Kept]:
        """List every demonstration, the newest first; damaged ones with their fault."""
        return [self._kept(folder) for folder in reversed(self._folders())]

    def path(self, demonstration: str) -> Path:
        """Return the folder of a demonstration, named by its id or by the first letters of it.

        Raises:
            UnknownDemonstration: there is none, or several.
        """
        known = [folder.name for folder in self._folders()]
        begun = [name for name in known if demonstration and name.startswith(demonstration)]
        if demonstration in known or len(begun) == 1:
            return self.root / (demonstration if demonstration in known else begun[0])
        shown = demonstration[:100]
        if begun:
            raise UnknownDemonstration(
                f"several demonstrations begin with {shown!r}: {', '.join(begun[:8])}.", "Name it in full."
            )
        hint = suggestion(shown, known, f"There are: {', '.join(known[-8:])}." if known else "")
        raise UnknownDemonstration(
            f"there is no demonstration {shown!r}.", hint or "Record one: pitwall teach record --game GAME"
        )

    def open(self, demonstration: str) -> DemonstrationReader:
        """Open a demonstration for reading.

        Raises:
            UnknownDemonstration: there is none. DamagedFile: its manifest is damaged.
        """
        return DemonstrationReader(self.path(demonstration))

    def free_id(self, started_at: str, title: str) -> str:
        """Return an id that no demonstration has."""
        plain = free = id_of(started_at, title)
        number = 1
        while (self.root / free).exists():
            number += 1
            free = f"{plain}-{number}"
        return free

    def change(self, demonstration: str, changed: Callable[[Demonstration], Demonstration]) -> Demonstration:
        """Change a demonstration's manifest; return the new one.

        Raises:
            UnknownDemonstration, DamagedFile: as `open`. DataFolderError: it is being recorded, or its folder
            cannot be written.
        """
        folder = self.at_rest(demonstration)
        manifest = changed(read_manifest(folder))
        write_manifest(folder, manifest)
        return manifest

    def delete(self, demonstration: str) -> None:
        """Delete a demonstration with its pictures.

        Raises:
            UnknownDemonstration: there is none. DataFolderError: it is being recorded, or cannot be deleted.
        """
        folder = self.at_rest(demonstration)
        aside = folder.with_name(f".{folder.name}")
        try:
            folder.rename(aside)
            shutil.rmtree(aside)
        except OSError as error:
            raise folder_error(error, folder) from error

    def at_rest(self, demonstration: str) -> Path:
        """Return the folder of a demonstration that nobody writes.

        Raises:
            UnknownDemonstration: there is none. DataFolderError: it is being recorded.
        """
        folder = self.path(demonstration)
        if holder := writer_of(folder):
            raise DataFolderError(
                f"the demonstration {folder.name} is being written by {holder}.", "Wait until it has ended."
            )
        return folder

    def _folders(self) -> list[Path]:
        try:
            return sorted(
                path for path in self.root.iterdir() if path.is_dir() and not path.name.startswith(".")
            )
        except OSError:
            return []

    def _kept(self, folder: Path) -> Kept:
        recording = writer_of(folder) is not None
        try:
            return Kept(folder.name, read_manifest(folder), recording=recording)
        except DamagedFile as fault:
            return Kept(folder.name, None, str(fault), recording)


Progress = Callable[[float, float, str], None]
_BETWEEN_NS = NS_PER_S
"""Pause between two merged demonstrations."""


class BadTrim(PitwallError):
    """A trim or a merge asks for what a demonstration does not have."""


def trimmed(manifest: Demonstration, from_s: float, to_s: float, *, cut: bool = False) -> Demonstration:
    """Keep only the part between two times, or with `cut` leave it out; earlier trims stay.

    Args:
        from_s, to_s: seconds since the beginning.

    Raises:
        BadTrim: they lie outside the demonstration, or nothing would be left.
    """
    end_s = manifest.seconds
    if not 0 <= from_s < to_s or from_s >= end_s:
        raise BadTrim(
            f"{manifest.id} cannot be trimmed from {from_s:g} s to {to_s:g} s: it lasts {end_s:g} s.",
            "Give two times within it, the earlier one first.",
        )
    last_s = end_s + 0.001  # the last picture is left out with its second
    left_out = [(from_s, min(to_s, last_s))] if cut else [(0.0, from_s), (to_s, last_s)]
    spans = [Span(from_s=start, to_s=end) for start, end in left_out if end > start]
    now = manifest.model_copy(update={"trims": joined([*manifest.trims, *spans])})
    if not now.kept_seconds:
        raise BadTrim(f"nothing of {manifest.id} would be left.", "Trim less, or delete it.")
    return now


def tagged(manifest: Demonstration, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Demonstration:
    """Add and remove tags.

    Raises:
        BadTrim: a tag is empty or too long, or there are too many.
    """
    tags = dict.fromkeys([tag for tag in manifest.tags if tag not in remove] + [tag.strip() for tag in add])
    if any(not 0 < len(tag) <= 60 for tag in tags) or len(tags) > MOST_TAGS:
        raise BadTrim(f"tags of {manifest.id}: at most {MOST_TAGS}, each of 1 to 60 characters.")
    return manifest.model_copy(update={"tags": tuple(tags)})


def purge(kept: DemonstrationFolder, demonstration: str) -> Demonstration:
    """Delete trimmed parts from the disk; an episode cut in two becomes two episodes.

    Raises:
        PitwallError: there is no such demonstration, it is being recorded, or a file is damaged; nothing
        changed.
    """
    folder = kept.at_rest(demonstration)
    reader = DemonstrationReader(folder)
    aside = folder.with_name(f".{folder.name}.purged")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        with DemonstrationWriter(aside, reader.manifest, COPY_CHUNK_NS) as writer:
            _copy(reader, writer, 0, _numbered(reader, 0))
        old = folder.with_name(f".{folder.name}.old")
        folder.rename(old)
        aside.rename(folder)
        shutil.rmtree(old)
    except OSError as error:
        raise folder_error(error, folder) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return kept.change(
        demonstration, lambda manifest: manifest.model_copy(update={"seconds": reader.manifest.seconds})
    )


def merge(kept: DemonstrationFolder, demonstrations: Sequence[str], progress: Progress) -> Demonstration:
    """Make one demonstration of several, one after the other, without trimmed parts; the originals stay.

    Raises:
        BadTrim: fewer than two, or their pictures differ in size. PitwallError: one cannot be read.
    """
    readers = [kept.open(name) for name in dict.fromkeys(demonstrations)]
    if len(readers) < 2:
        raise BadTrim("merging takes two demonstrations or more.", "Name them: pitwall teach list")
    first = readers[0].manifest
    for reader in readers[1:]:
        if (other := reader.manifest).picture_size != first.picture_size:
            raise BadTrim(
                f"{first.id} has pictures of {_size(first)} pixels, {other.id} of {_size(other)}.",
                "Merge demonstrations of one picture size.",
            )
    started = datetime.now(UTC).isoformat(timespec="seconds")
    name = kept.free_id(started, f"{first.title}-merged")
    with made_whole(kept.root / name, _merged(name, started, readers)) as writer:
        at_ns, episodes = first.began_ns, 0
        for number, reader in enumerate(readers):
            progress(number, len(readers), f"{reader.manifest.id} …")
            stretches = _numbered(reader, episodes)
            episodes += len(stretches)
            _copy(reader, writer, at_ns - reader.manifest.began_ns, stretches)
            at_ns += round(reader.manifest.seconds * NS_PER_S) + _BETWEEN_NS
    return read_manifest(kept.root / name)


@contextlib.contextmanager
def made_whole(folder: Path, begun: Demonstration) -> Iterator[DemonstrationWriter]:
    """Write a demonstration of data that exists already; nothing of it stays behind if that fails.

    Raises:
        DataFolderError: the folder cannot be written.
    """
    writer = DemonstrationWriter(folder, begun, COPY_CHUNK_NS)
    try:
        with writer:
            yield writer
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _merged(name: str, started: str, readers: Sequence[DemonstrationReader]) -> Demonstration:
    parts = [reader.manifest for reader in readers]
    first = parts[0]

    def shared(field: str) -> str:
        return getattr(first, field) if len({getattr(part, field) for part in parts}) == 1 else ""

    return first.model_copy(
        update={
            "id": name,
            "started_at": started,
            "game": shared("game"),
            "window": shared("window") or f"{len(parts)} merged",
            "profile_hash": shared("profile_hash"),
            "profile_version": shared("profile_version"),
            "kind": shared("kind") or "play",
            "who": shared("who") or "several",
            "run": first.run if len({part.run for part in parts}) == 1 else None,
            "rate_fps": max(part.rate_fps for part in parts),
            "dropped": sum(part.dropped for part in parts),
            "tags": tuple(dict.fromkeys(tag for part in parts for tag in part.tags))[:MOST_TAGS],
            "note": f"Merged from {', '.join(part.id for part in parts)}."[:2000],
            "trims": (),
        }
    )


def _copy(
    reader: DemonstrationReader, writer: DemonstrationWriter, shift_ns: int, stretches: dict[int, int]
) -> None:
    """Copy every part that is not trimmed; `stretches`: beginning of an episode → its number."""
    for at_ns, content in reader.compressed_pictures():
        writer.compressed_picture(at_ns + shift_ns, content)
    for event in reader.events():
        writer.demonstrated(replace(event, at_ns=event.at_ns + shift_ns))
    starts = sorted(stretches)
    for moment in reader.moments():
        episode = stretches[starts[bisect_right(starts, moment.at_ns) - 1]] if moment.episode >= 0 else -1
        writer.kept_moment(replace(moment, at_ns=moment.at_ns + shift_ns, episode=episode))


def _numbered(reader: DemonstrationReader, first: int) -> dict[int, int]:
    return {episode.start_ns: first + at for at, episode in enumerate(reader.episodes())}


def _size(manifest: Demonstration) -> str:
    return "{} × {}".format(*manifest.picture_size)


def take_in(kept: DemonstrationFolder, folder: Path) -> Demonstration:
    """Copy a demonstration from another data folder, checking every file.

    Raises:
        DamagedFile: a file of it is damaged or missing; nothing was copied.
    """
    reader = DemonstrationReader(folder)
    for fault in reader.check():
        raise fault
    manifest = reader.manifest
    name = kept.free_id(manifest.started_at, manifest.title)
    aside = kept.root / f".{name}"
    try:
        aside.mkdir(parents=True, exist_ok=True)
        for file in (*(file.name for file in manifest.files), "manifest.json"):
            shutil.copyfile(folder / file, aside / file)
        aside.rename(kept.root / name)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise folder_error(error, kept.root / name) from error
    return kept.change(name, lambda manifest: manifest.model_copy(update={"id": name}))
