"""Finds out whether an anti-cheat service guards a game. The services are listed in `anti_cheat.toml`.

Pitwall is for one's own, local, single-player games. Where a guard is found it neither captures nor presses.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from pitwall.core.bounded_reading import parse_toml, read_text
from pitwall.core.errors import DamagedFile, GuardedGame
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.core.validation import first_fault
from pitwall.desktops.here import processes
from pitwall.desktops.process_contract import RunningProgram, file_name

_PARENTS = 3
"""Number of folders above its program that may belong to a game (Game/Binaries/Win64/Game.exe has three)."""
_SHOPS = ("common", "games", "epic games", "gog games", "riot games")
"""Folders in which shops keep a folder for each game: that folder is searched."""
_DEPTH, _MOST_NAMES = 4, 20_000
_SYSTEM = ("/usr", "/bin", "/lib", "/sbin", "/opt/wine", "/proc", "/nix", "/snap", "c:\\windows")
_CLOSE_IT = "Close the game that it guards, then try again."
_WHAT_FOR = "Pitwall is for your own, local, single-player games: choose one that nothing guards."


class Guard(BaseModel):
    """An anti-cheat service, in lower case; the head of `anti_cheat.toml` explains the keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    processes: frozenset[str] = frozenset()
    drivers: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    games: frozenset[str] = frozenset()
    unless: str = ""
    resident: frozenset[str] = frozenset()

    @field_validator("processes", "drivers", "files", "games", "resident")
    @classmethod
    def _lower(cls, names: frozenset[str]) -> frozenset[str]:
        if not all(name.strip("/ ") for name in names):
            raise ValueError("a name is empty")
        return frozenset(name.lower() for name in names)


class _List(BaseModel):
    model_config = ConfigDict(extra="forbid")
    guard: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class GuardFound:
    """A guard, and the sign by which it was found.

    Attributes:
        sign: the rest of a sentence: "its process … runs (process id 4711)".
        fix: what the operator can do.
    """

    guard: Guard
    sign: str
    fix: str = _WHAT_FOR

    def error(self) -> GuardedGame:
        """Return the error that refuses the game."""
        return GuardedGame(
            f"{self.guard.name} is on guard: {self.sign}. Input that a program sends can cost you the "
            "account and breaks the rules of others' play, so Pitwall neither captures nor presses.",
            self.fix,
        )


def known_guards(data: Path | None = None) -> tuple[Guard, ...]:
    """Read the bundled list of guards, and the data folder's own `anti_cheat.toml`.

    Raises:
        DamagedFile: names the wrong field.
    """
    own = DataFolder(data).anti_cheat if data is not None else None
    files = [resources_dir() / "fair_play" / "anti_cheat.toml", *([own] if own and own.exists() else [])]
    return tuple(guard for file in files for guard in _read(file))


def _read(file: Path) -> tuple[Guard, ...]:
    try:
        return _List.model_validate(parse_toml(read_text(file), file)).guard
    except FileNotFoundError:
        raise DamagedFile(file, "is not there", fix="Install Pitwall anew.") from None
    except ValidationError as error:
        where, problem = first_fault(error)
        raise DamagedFile(file, problem, key=where, fix="Mend or remove it.") from None


def guard_on_machine(guards: Iterable[Guard]) -> GuardFound | None:
    """Return a guard that is running now: it watches every program, whichever window was chosen."""
    by_process = {name: guard for guard in guards for name in guard.processes}
    for program in processes().programs():
        if runs := by_process.get(program.name.lower()):
            return GuardFound(runs, f"its process {program.name} runs (process id {program.pid})", _CLOSE_IT)
    drivers = {name.lower() for name in processes().loaded_drivers()}
    for guard in guards:
        for name in sorted(guard.drivers & drivers):
            return GuardFound(guard, f"its driver {name} is loaded", _CLOSE_IT)
    return None


def guard_of_process(pid: int, guards: Iterable[Guard]) -> GuardFound | None:
    """Return the guard of a process's game, found by its program, the files it has loaded, or its folder."""
    program = processes().program(pid) if pid else None
    if program is None:
        return None
    guards = tuple(guards)
    return guard_of_program(program, guards) or _loaded_guard(program, guards)


def guard_of_program(program: RunningProgram, guards: Iterable[Guard]) -> GuardFound | None:
    """Return the guard of a program, found by the program's name or by files in its game's folder."""
    guards = tuple(guards)
    for guard in guards:
        if program.name.lower() in guard.games and (
            not guard.unless or guard.unless not in program.arguments
        ):
            fix = f"Started with {guard.unless} it joins no guarded server. " if guard.unless else ""
            return GuardFound(guard, f"it guards {program.name}", f"{fix}{_WHAT_FOR}")
    by_file = {name: guard for guard in guards for name in guard.files}
    for path, is_folder in _names_around(program.folders):
        name = path.name.lower()
        if lying := by_file.get(f"{name}/" if is_folder else name):
            return GuardFound(lying, f"{path.name} lies in the game's folder {path.parent}")
    return None


def resident_guards(guards: Iterable[Guard]) -> dict[str, str]:
    """Return the guards that start with the machine, by name, with their process or driver."""
    there = {program.name.lower() for program in processes().programs()}
    there |= {name.lower() for name in processes().loaded_drivers()}
    return {guard.name: sorted(running)[0] for guard in guards if (running := guard.resident & there)}


def _loaded_guard(program: RunningProgram, guards: tuple[Guard, ...]) -> GuardFound | None:
    loaded = {file_name(name).lower() for name in processes().loaded_files(program.pid)}
    for guard in guards:
        for name in sorted(guard.files & loaded):
            return GuardFound(guard, f"{program.name} has loaded {name}")
    return None


# ---- a game's folder


def _names_around(folders: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Yield the entries beside a game's program and above it; of a shop's game its whole folder."""
    seen: set[Path] = set()
    for folder in folders:
        for place in (folder, *list(folder.parents)[:_PARENTS]):
            if _is_broad(place):
                break
            if place not in seen:
                seen.add(place)
                yield from _entries(place)
            if place.parent.name.lower() in _SHOPS:
                yield from _all_inside(place)
                break


def _is_broad(folder: Path) -> bool:
    """Return whether a folder holds more than one game: the system's, a shop's, or a person's home."""
    text = str(folder).lower()
    return (
        len(folder.parts) <= 2
        or folder == Path.home()
        or folder.name.lower() in _SHOPS
        or any(text == top or text.startswith(f"{top}{os.sep}") for top in _SYSTEM)
    )


def _all_inside(top: Path) -> Iterator[tuple[Path, bool]]:
    """Yield the entries of a folder down to a fixed depth, up to a fixed number."""
    level, count = [top], 0
    for _ in range(_DEPTH):
        below: list[Path] = []
        for folder in level:
            for path, is_folder in _entries(folder):
                count += 1
                if count > _MOST_NAMES:
                    return
                yield path, is_folder
                if is_folder:
                    below.append(path)
        level = below


def _entries(folder: Path) -> Iterator[tuple[Path, bool]]:
    try:
        with os.scandir(folder) as entries:
            yield from [(Path(entry.path), entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return
