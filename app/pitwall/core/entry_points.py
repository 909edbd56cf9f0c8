"""Finds the folders that installed packages name by entry points; nothing of the packages is imported."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path


def named_folders(group: str) -> Iterator[tuple[importlib.metadata.EntryPoint, Path]]:
    """Yield each entry point `name = package.inside` or `name = package:path/inside` with its folder.

    Python's package path is searched, so packages installed with `pip install -e` are found too. A missing
    folder is returned as the path beside the package's metadata.
    """
    for point in importlib.metadata.entry_points(group=group):
        inside = Path(*point.module.split("."), point.attr or "")
        places = [Path(root, inside) for root in sys.path]
        beside = [] if point.dist is None else [Path(str(point.dist.locate_file(inside.as_posix())))]
        for folder in [*(place for place in places if place.is_dir()), *beside][:1]:
            yield point, folder
