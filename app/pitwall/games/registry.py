"""Lists the games: bundled, the operator's own, and those of installed packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pitwall.core.bounded_reading import real_path
from pitwall.core.errors import ManifestError, UnknownGame, suggestion
from pitwall.core.paths import DataFolder, bundled_games_dir
from pitwall.core.rail import named_folders
from pitwall.core.settings import Settings
from pitwall.games.checks.cache import faults_of_folder
from pitwall.games.invented_modules import with_inventions
from pitwall.games.launcher import lacking_words, missing_programs
from pitwall.games.manifest import MANIFEST, load_profile, manifest_hash
from pitwall.games.measured_turns import with_measured_turn
from pitwall.games.own_names import own_names
from pitwall.games.schema.profile import Game, Profile
from pitwall.games.seat_checks import SeatCheck, seat_check
from pitwall.games.trust import is_trusted, trusted_copy
from pitwall.games.watched_modules import with_watched

ENTRY_POINTS = "pitwall.games"
Source = Literal["bundled", "user", "entry-point", "path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEntry:
    """A known game, playable or not.

    Attributes:
        fault: why its manifest cannot be read; empty for none.
        playable: whether every program it needs is installed. lacking: missing programs, in words.
        seat: whether the agent's own keyboard and pointer reach it; None: not tried yet.
    """

    game_id: str
    name: str
    summary: str
    source: Source
    folder: Path
    fault: str = ""
    playable: bool = True
    lacking: str = ""
    trusted: bool = True
    genre: str = ""
    seat: SeatCheck | None = None


class Registry:
    """The games of one data folder.

    An operator's own game with a bundled game's id replaces it. Modules that were invented for a game, or
    learned by watching it, are added here.

    Args:
        settings: the switches that apply; None: the data folder's.
    """

    def __init__(self, data: DataFolder, settings: Settings | None = None) -> None:
        self._data = data
        self._settings = settings

    def games(self) -> list[GameEntry]:
        """List every game, by name, without running any code of their folders."""
        entries: dict[str, GameEntry] = {}
        for folder, source in self._folders():
            entry = self._entry(folder, source)
            entries[entry.game_id] = entry
        return sorted(entries.values(), key=lambda entry: (bool(entry.fault), entry.name.casefold()))

    def load(self, wanted: str) -> Game:
        """Load a game by its id, or by the path of its folder.

        Raises:
            UnknownGame: there is no such game; names the nearest, and all known ids.
            ManifestError: its manifest has faults.
            DataFolderError: the private copy of a trusted game cannot be made.
        """
        path = Path(wanted)
        if _has_manifest(path) or len(path.parts) > 1:
            return self._load(real_path(path) or path, "path")
        game: Game | None = None
        faulty: ManifestError | None = None
        ids: list[str] = []
        for folder, source in self._folders():
            try:
                profile = load_profile(folder)
            except ManifestError as error:
                faulty = error if folder.name == wanted else faulty
                continue
            ids.append(profile.game.id)
            if profile.game.id == wanted:
                game = self._load(folder, source)
        if game is not None:
            return game
        if faulty is not None:
            raise faulty
        hint = suggestion(wanted, ids, f"Games: {', '.join(sorted(ids))}.")
        raise UnknownGame(f"there is no game {wanted!r}.", hint)

    def _load(self, folder: Path, source: Source, *, listed: bool = False) -> Game:
        """Load a game; with `listed` no private copy is made to run it from."""
        faults = faults_of_folder(folder)
        if faults:
            raise ManifestError(str(folder / MANIFEST), faults)
        bundled = folder.resolve().parent == bundled_games_dir().resolve()
        copy = None if bundled or listed else trusted_copy(self._data, folder)
        declared = Game(
            profile=self._named(load_profile(copy or folder)),
            folder=copy or folder,
            origin=folder if copy is not None else None,
            profile_hash=manifest_hash(copy or folder),
            trusted=bundled or copy is not None or (listed and is_trusted(self._data, folder)),
            source="bundled" if bundled else source,
        )
        return with_inventions(with_watched(declared, self._data), self._data, self._settings)

    def _named(self, profile: Profile) -> Profile:
        """Return a profile under the operator's name for its game, and with the operator's measurements."""
        profile = with_measured_turn(profile, self._data)
        name = own_names(self._data).get(profile.game.id)
        if name is None:
            return profile
        return profile.model_copy(update={"game": profile.game.model_copy(update={"name": name})})

    def _entry(self, folder: Path, source: Source) -> GameEntry:
        try:
            game = self._load(folder, source, listed=True)
        except ManifestError as error:
            first = str(error.faults[0])
            return GameEntry(
                game_id=folder.name, name=folder.name, summary="", source=source, folder=folder, fault=first
            )
        return GameEntry(
            game_id=game.game_id,
            name=game.profile.game.name,
            summary=game.profile.game.summary,
            source=source,
            folder=folder,
            playable=not (missing := missing_programs(game)),
            lacking=lacking_words(missing),
            trusted=game.trusted,
            genre=game.profile.game.genre,
            seat=seat_check(self._data, game.game_id),
        )

    def _folders(self) -> Iterator[tuple[Path, Source]]:
        yield from ((folder, "bundled") for folder in _with_manifest(bundled_games_dir()))
        for _, folder in named_folders(ENTRY_POINTS):
            if _has_manifest(folder):
                yield folder, "entry-point"
        yield from ((folder, "user") for folder in _with_manifest(self._data.games))


def _with_manifest(parent: Path) -> list[Path]:
    try:
        folders = sorted(parent.iterdir())
    except OSError:
        return []
    # a leading dot marks a folder that is being written
    return [folder for folder in folders if not folder.name.startswith(".") and _has_manifest(folder)]


def _has_manifest(folder: Path) -> bool:
    """Return whether anything has the manifest's name; if it is no file, that is a fault to show."""
    return os.path.lexists(folder / MANIFEST)
