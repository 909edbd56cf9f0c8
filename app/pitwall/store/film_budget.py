"""Keeps the films of all runs within a size: the oldest films of ordinary runs go first."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file

MIB = 1024 * 1024


def film_is_kept(data: DataFolder, run_id: int) -> bool:
    """Return whether a run's film stays whatever its size."""
    return data.film_mark(run_id).is_file()


def keep_film(data: DataFolder, run_id: int, keep: bool) -> None:
    """Mark a run's film as one that stays, or as an ordinary one.

    Raises:
        DataFolderError: the folder is read-only or full.
    """
    if keep:
        write_file(data.film_mark(run_id), "")
    else:
        data.film_mark(run_id).unlink(missing_ok=True)


def drop_old_films(data: DataFolder, most_bytes: int, recorded: int) -> list[int]:
    """Delete the oldest ordinary films until all films fit; step images and records stay.

    Args:
        recorded: the run that is being recorded; its film stays.

    Returns:
        The runs whose films were deleted.
    """
    films = sorted(data.runs.glob(f"*/{data.video(recorded).name}"))
    sizes = {film: _size(film) for film in films}
    dropped = []
    for film in films:
        run_id = int(film.parent.name) if film.parent.name.isdecimal() else recorded
        if sum(sizes.values()) <= most_bytes:
            break
        if run_id == recorded or film_is_kept(data, run_id):
            continue
        with contextlib.suppress(OSError):  # another program shows it
            film.unlink()
            del sizes[film]
            dropped.append(run_id)
    return dropped


def _size(film: Path) -> int:
    with contextlib.suppress(OSError):
        return film.stat().st_size
    return 0
