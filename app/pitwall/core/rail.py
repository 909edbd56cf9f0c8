"""The rail: how packages beside the core plug in, by the entry points of installed distributions.

Each group below is a kind of contribution; `pyproject.toml` lists those of Pitwall's own packages. The core
reads names and loads an object when it is first used. An entry point whose package is not there is passed
over, so each package can be left out and the rest works.
"""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = "pitwall.commands"
"""Commands of `pitwall`: a typer app or a function. `games.add-gym` is the command `add-gym` of `games`."""
ROLES = "pitwall.roles"
"""Processes that `pitwall NAME` runs: a function that takes the arguments and returns the exit status."""
PAGES = "pitwall.pages"
"""Pages of the console: a `Place` (`console/kit/places.py`)."""
TABLES = "pitwall.tables"
"""Tables of `plugin.toml`: a `PluginTable` (`games/schema/plugin_table.py`), named after the table's key."""
EXPORTS = "pitwall.exports"
"""Formats in which a run is exported: an `ExportFormat` (`store/export_source.py`)."""
PARTS = "pitwall.parts"
"""Parts of the core's pages, named `page.part`; each is a class or function that makes a widget:
`live.NAME` a card beside the game (`console/live/side_column.py`), `models.NAME` a section about a model
(`console/models/detail.py`), `run.NAME` a dialog about a step of a run (`console/run_view/panel.py`)."""
WORKFLOWS = "pitwall.workflows"
"""Workflows of the strategic tier by their name in `control.workflow`: a class that makes a `Workflow`
(`engine/control/model_planner.py`)."""
MEMORY_FILES = "pitwall.memory_files"
"""Formats of the memory's files beside JSONL: a `FileFormat` (`memory/transfer/files.py`)."""
DESKTOPS = "pitwall.desktops"
"""Desktops beside X11: a `Desktop` (`desktops/contract.py`)."""


@cache
def declared(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, those of missing packages included."""
    from importlib.metadata import entry_points  # small processes, as brokers, never look for packages

    points = sorted(entry_points(group=group), key=lambda point: point.name)
    return {point.name: point for point in points}


@cache
def contributions(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, without those whose package is not there."""
    return {name: point for name, point in declared(group).items() if _is_there(point)}


def load(group: str, name: str) -> Any:
    """Import the object that an entry point of `contributions` names."""
    return contributions(group)[name].load()


def load_all(group: str, prefix: str = "") -> dict[str, Any]:
    """Import the objects of a group's entry points whose name has this prefix; return them by name.

    An object that itself needs a package that is not there is passed over, too.
    """
    loaded = {}
    for name, point in contributions(group).items():
        if name.startswith(prefix):
            try:
                loaded[name] = point.load()
            except ModuleNotFoundError as error:
                if error.name not in _packages():
                    raise
    return loaded


def _packages() -> set[str]:
    """Return the top-level packages that any entry point of the rail names."""
    groups = (COMMANDS, ROLES, PAGES, TABLES, EXPORTS, PARTS, WORKFLOWS, MEMORY_FILES, DESKTOPS)
    return {point.module.partition(".")[0] for group in groups for point in declared(group).values()}


def resolve(name: str) -> Any:
    """Import the object of a name like `package.module:Class`."""
    return pkgutil.resolve_name(name)


def _is_there(point: EntryPoint) -> bool:
    return importlib.util.find_spec(point.module.partition(".")[0]) is not None


def named_folders(group: str) -> Iterator[tuple[EntryPoint, Path]]:
    """Yield each entry point `name = package.inside` or `name = package:path/inside` with its folder.

    Python's package path is searched, so packages installed with `pip install -e` are found too. A missing
    folder is returned as the path beside the package's metadata.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group=group):
        inside = Path(*point.module.split("."), point.attr or "")
        places = [Path(root, inside) for root in sys.path]
        beside = [] if point.dist is None else [Path(str(point.dist.locate_file(inside.as_posix())))]
        for folder in [*(place for place in places if place.is_dir()), *beside][:1]:
            yield point, folder
