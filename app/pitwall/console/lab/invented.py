"""What the lab says of invented modules, and how it notices that there are others now. No Qt."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.games.invented_modules import INVENTED
from pitwall.games.schema.invention import InventedModule
from pitwall.games.schema.modules import Module

InventionsStamp = tuple[tuple[str, int], ...]


def stamp(data: DataFolder) -> InventionsStamp:
    """Changes when a module is invented or removed, or settings change (one of them switches them on)."""
    files = [*sorted(data.modules.glob(f"*/[a-z]*/{INVENTED}")), data.settings]
    return tuple((str(file), _changed_ns(file)) for file in files)


def invented_words(module: Module) -> str:
    """ "invented by the operator"; empty for a module that its game declares."""
    return f"invented by {module.author}" if isinstance(module, InventedModule) else ""


def at_rest(module: Module) -> str:
    """Why an invented module is not in force; empty where it is, or was not invented."""
    return module.at_rest if isinstance(module, InventedModule) else ""


def _changed_ns(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
