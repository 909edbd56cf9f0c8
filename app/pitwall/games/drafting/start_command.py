"""Reads the command that started a window's program, so that a closed game can be started again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pitwall.desktops.here import processes
from pitwall.desktops.process_contract import WINE_LOADERS, file_name

_BROWSERS = ("chrome", "chromium", "firefox", "brave", "msedge", "opera", "vivaldi", "epiphany")
"""Browsers: their command opens no particular page, so a page's game is known by its address instead."""
_KEPT = ("LD_LIBRARY_PATH", "PYTHONPATH", "SteamAppId")
"""Variables that a program may need to start, where they differ from ours."""
_KEPT_FOR_WINE = ("WINEPREFIX", "WINEARCH", "WINEDLLOVERRIDES")
_PRELOADER, _DELETED = "-preloader", " (deleted)"
_WINE_DESKTOP = "explorer.exe"
"""The owner of Wine's virtual desktop: its command line does not say which game was started in it."""
UNKNOWN_COMMAND = (
    "Nobody can tell how it was started: give its command, or start it yourself before each run."
)


def start_command(pid: int) -> list[str]:
    """Return the command that starts a process's program again; empty where it cannot be known.

    A program whose arguments are relative paths is started in its own folder, by `env -C`. A Windows program
    is started by its own Wine in its own prefix. A program that wrote something else over its command line
    counts as unknown.
    """
    words = [word for word in processes().command_words(pid) if word]
    if pid <= 0 or not words or file_name(words[0]).casefold().startswith(_BROWSERS):
        return []
    try:
        process = Path(f"/proc/{pid}")
        folder, program = (
            Path(str((process / name).readlink()).removesuffix(_DELETED)) for name in ("cwd", "exe")
        )
    except OSError:
        return []  # another user's
    variables = processes().environment(pid)
    if program.name in WINE_LOADERS:
        words = _of_wine(words, program)
    else:
        words = _of_program(words, program, folder, variables)
    if not words:
        return []
    needs_folder = any(not word.startswith("/") and (folder / word).exists() for word in words)
    wants_folder = folder not in (Path("/"), Path.home())
    kept = [name for name in _KEPT if variables.get(name) != os.environ.get(name)]
    kept += _KEPT_FOR_WINE if program.name in WINE_LOADERS else ()
    settings = [f"{name}={variables[name]}" for name in kept if variables.get(name)]
    place = ["-C", str(folder)] if needs_folder or wants_folder else []
    command = ["env", *place, *settings, *words] if place or settings else words
    return command if all(map(_is_text, command)) else []


def _is_text(word: str) -> bool:
    """Return whether a text file can hold a word that came as bytes."""
    return not any(letter == "\ufffd" or "\ud800" <= letter <= "\udfff" for letter in word)


def _of_program(words: list[str], program: Path, folder: Path, variables: Mapping[str, str]) -> list[str]:
    """Return the command of a program, if its command line still names it; else none."""
    if (sandbox := variables.get("FLATPAK_ID")) and (flatpak := shutil.which("flatpak")):
        return [flatpak, "run", sandbox, *words[1:]]
    image, unpacked = variables.get("APPIMAGE", ""), variables.get("APPDIR", "/nowhere")
    if image and program.is_relative_to(unpacked):
        return [image, *words[1:]]  # it is unpacked anew at each start
    named = folder / words[0] if "/" in words[0] else Path(shutil.which(words[0]) or "/nowhere")
    if named.is_file():
        return words
    known = named.name == program.name or words[0] == program.name
    return [str(program), *words[1:]] if known and program.is_file() else []


def _of_wine(words: list[str], program: Path) -> list[str]:
    """Return the command of a Windows program: its command line names the program, not Wine."""
    while words and file_name(words[0]) in WINE_LOADERS:
        words = words[1:]
    if not words or file_name(words[0]).casefold() == _WINE_DESKTOP:
        return []
    loader = program.with_name(program.name.removesuffix(_PRELOADER))
    system = program.is_relative_to("/usr") and shutil.which("wine") is not None
    return ["wine" if system else str(loader), *words]
