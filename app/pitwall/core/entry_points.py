"""Finds the folders that installed packages name by entry points; nothing of the packages is imported."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path


def named_folders(group: str) -> Iterator[tuple[importlib.metadata.EntryPoint, Path]]:
    """Yield each entry point `name = package.inside` or `name = package:path/inside` with its folder.

    It is looked for where Python finds packages, so that one installed to be edited (`pip install -e`) is
    found too. A folder that is nowhere is named as it would lie beside what says so.
    """
    for point in importlib.metadata.entry_points(group=group):
        inside = Path(*point.module.split("."), point.attr or "")
        places = [Path(root, inside) for root in sys.path]
        beside = [] if point.dist is None else [Path(str(point.dist.locate_file(inside.as_posix())))]
        for folder in [*(place for place in places if place.is_dir()), *beside][:1]:
            yield point, folder
