"""Lists the programs that run on this machine, with what they were started from and what they have loaded."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_WINE_LOADERS = ("wine", "wine64", "wine-preloader", "wine64-preloader")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class RunningProgram:
    """One process, as far as this user may look.

    Attributes:
        name: of its program's file, without its folder; under Wine the Windows program's.
        arguments: what follows the program in its command line.
        folders: where its program lies and where it works, most telling first.
    """

    pid: int
    name: str
    arguments: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()


def file_name(path: str) -> str:
    """The last part of a path of either kind, Windows' or ours."""
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


if sys.platform == "win32":
    from pitwall.link.mswindows_programs import loaded_drivers as loaded_drivers
    from pitwall.link.mswindows_programs import loaded_files as loaded_files
    from pitwall.link.mswindows_programs import process_images

    def running_programs() -> Iterator[RunningProgram]:
        """Every program that runs; of those that may not be looked at, the name alone."""
        for pid, name, image in process_images():
            yield RunningProgram(pid, name, folders=(Path(image).parent,) if image else ())

    def running_program(pid: int) -> RunningProgram | None:
        """The program of one process; None where it does not run."""
        return next((one for one in running_programs() if one.pid == pid), None)

else:

    def running_programs() -> Iterator[RunningProgram]:
        """Every program that runs, without its folders; none without /proc."""
        for entry in os.listdir("/proc") if Path("/proc").is_dir() else ():  # noqa: PTH208  (thrice as fast)
            if entry.isdigit() and (words := _command(int(entry))):
                yield RunningProgram(int(entry), file_name(words[0]), tuple(words[1:]))

    def running_program(pid: int) -> RunningProgram | None:
        """The program of one process, with its folders; None where it does not run."""
        words = _command(pid)
        if not words:
            return None
        return RunningProgram(
            pid, file_name(words[0]), tuple(words[1:]), tuple(_folders(Path("/proc") / str(pid), words[0]))
        )

    def loaded_files(pid: int) -> frozenset[str]:
        """Names of the files that a process has mapped; empty where that may not be seen."""
        try:
            maps = (Path("/proc") / str(pid) / "maps").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return frozenset()
        return frozenset(file_name(line.split(maxsplit=5)[5]) for line in maps.splitlines() if "/" in line)

    def loaded_drivers() -> frozenset[str]:
        """Kernel drivers guard games on Windows alone: none here."""
        return frozenset()

    def _command(pid: int) -> list[str]:
        """The words of a command line, from the Windows program on where Wine's loader leads."""
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123  (every process, every two seconds)
                raw = file.read(4096)
        except OSError:
            return []
        words = raw.decode("utf-8", "replace").rstrip("\0").split("\0")
        return words[1:] if len(words) > 1 and file_name(words[0]) in _WINE_LOADERS else words

    def _folders(process: Path, program: str) -> Iterator[Path]:
        if _DRIVE.match(program):
            yield _unix_path(process, program).parent
        for link in ("exe", "cwd"):
            try:
                there = (process / link).readlink()
            except OSError:
                continue
            yield there.parent if link == "exe" else there

    def _unix_path(process: Path, windows_path: str) -> Path:
        """Where a path of a Windows program lies, by the drives of its own Wine prefix."""
        prefix = Path.home() / ".wine"
        try:
            for variable in (process / "environ").read_bytes().split(b"\0"):
                if variable.startswith(b"WINEPREFIX="):
                    prefix = Path(os.fsdecode(variable.partition(b"=")[2]))
        except OSError:
            pass
        drive, rest = windows_path[0].lower(), windows_path[3:].replace("\\", "/")
        return Path("/") / rest if drive == "z" else prefix / "dosdevices" / f"{drive}:" / rest
