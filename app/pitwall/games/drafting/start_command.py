"""Reads the command that started a window's program, so that a closed game can be started again."""

from __future__ import annotations

import shutil
from pathlib import Path

from pitwall.desktops.here import processes

_BROWSERS = ("chrome", "chromium", "firefox", "brave", "msedge", "opera", "vivaldi", "epiphany")
"""Browsers: their command opens no particular page, so a page's game is known by its address instead."""


def start_command(pid: int) -> list[str]:
    """Return the command that starts a process's program again; empty where it cannot be read.

    A program whose arguments are relative paths is started in its own folder, by `env -C`.
    """
    words = [word for word in processes().command_words(pid) if word]
    if pid <= 0 or not words or Path(words[0]).name.casefold().startswith(_BROWSERS):
        return []
    try:
        process = Path(f"/proc/{pid}")
        folder, program = (process / "cwd").readlink(), (process / "exe").readlink()
    except OSError:
        return []  # another user's
    if "/" not in words[0] and shutil.which(words[0]) is None:
        words[0] = str(program)
    needs_folder = any(not word.startswith("/") and (folder / word).exists() for word in words)
    wants_folder = folder not in (Path("/"), Path.home())
    return ["env", "-C", str(folder), *words] if needs_folder or wants_folder else words
