"""The demonstrations of a data folder: each has a folder under `demonstrations/`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import DamagedFile, DataFolderError, PitwallError, nearest
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.manifest import Demonstration, id_of
from pitwall.demonstrations.reader import DemonstrationReader, read_manifest
from pitwall.demonstrations.writer import write_manifest, writer_of
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
        near = nearest(shown, known)
        hint = f"Did you mean {near!r}?" if near else f"There are: {', '.join(known[-8:])}." if known else ""
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
