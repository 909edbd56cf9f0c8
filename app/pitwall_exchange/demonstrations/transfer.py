"""Exports demonstrations into other programs' formats, and imports their files."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.validation import first_fault
from pitwall.demonstrations.folder import DemonstrationFolder, Progress, made_whole, take_in
from pitwall.demonstrations.manifest import MANIFEST, Demonstration
from pitwall.demonstrations.reader import DemonstrationReader, read_manifest
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.store.folder_errors import folder_error
from pitwall_exchange.demonstrations import Form
from pitwall_exchange.demonstrations.lerobot_form import INFO
from pitwall_exchange.demonstrations.lerobot_reader import LerobotDataset
from pitwall_exchange.demonstrations.lerobot_writer import write_lerobot
from pitwall_exchange.demonstrations.mcap_recording import read_mcap, write_mcap
from pitwall_exchange.demonstrations.pixel2play import ANNOTATION, Pixel2PlayRecording, write_pixel2play
from pitwall_exchange.demonstrations.steady import SteadyFrame, write_steady

Begin = Callable[[dict[str, Any]], DemonstrationWriter]
_SHAPES = (
    "a LeRobot dataset (a folder with meta/info.json), an MCAP recording (a file .mcap), Open Pixel2Play's "
    "folders (with annotation.proto), or a demonstration's own folder (with manifest.json)"
)


def export_demonstrations(
    readers: Sequence[DemonstrationReader], form: Form, out: Path, progress: Progress, fps: float = 0.0
) -> dict[str, int]:
    """Write demonstrations; return the counts of what was written.

    Args:
        out: a folder that does not exist yet; for MCAP it gets a file for each demonstration.
        fps: frames a second of a LeRobot dataset; 0: as the first was recorded.

    Raises:
        PitwallError: the folder exists, pictures differ in size, or a demonstration is damaged.
    """
    if out.exists():
        raise PitwallError(f"{out} is there already.", "Name a folder that is not there yet.")
    sizes = {reader.manifest.picture_size for reader in readers}
    if form == "lerobot" and len(sizes) > 1:
        listed = ", ".join(f"{width} × {height}" for width, height in sorted(sizes))
        raise PitwallError(
            f"one dataset has pictures of one size; these have {listed} pixels.", "Export them apart."
        )
    try:
        out.mkdir(parents=True)
        if form == "lerobot":
            progress(0, 1, "writing the dataset …")
            return write_lerobot(readers, out, fps or readers[0].manifest.rate_fps)
        counts: dict[str, int] = {}
        for at, reader in enumerate(readers):
            progress(at, len(readers), f"{reader.manifest.id} …")
            written = (
                write_mcap(reader, out / f"{reader.manifest.id}.mcap")
                if form == "mcap"
                else write_pixel2play(reader, out)
            )
            counts = {name: counts.get(name, 0) + count for name, count in written.items()}
    except BaseException as error:
        shutil.rmtree(out, ignore_errors=True)
        if isinstance(error, OSError):
            raise folder_error(error, out) from error
        raise
    return counts


def import_demonstration(
    kept: DemonstrationFolder, path: Path, progress: Progress, *, game: str = ""
) -> Demonstration:
    """Import the data at a path in whatever known format it has; nothing remains of damaged data.

    Args:
        game: id of its game; empty: as the data says.

    Raises:
        PitwallError: the path holds no known format, or it is damaged.
    """
    if (path / MANIFEST).is_file():
        return take_in(kept, path)
    try:
        with contextlib.ExitStack() as stack:

            def begin(start: dict[str, Any]) -> DemonstrationWriter:
                begun = _begun(kept, start, path, game)
                return stack.enter_context(made_whole(kept.root / begun.id, begun))

            folder = _imported(path, begin, progress).folder
        return read_manifest(folder)
    except FileNotFoundError:
        raise PitwallError(f"{path} cannot be imported.", f"Name {_SHAPES}.") from None
    except MemoryError:
        raise DamagedFile(path, "does not fit into the memory") from None
    except (OSError, ValueError, OverflowError) as error:
        raise DamagedFile(path, f"cannot be imported: {' '.join(str(error).split())[:200]}") from error


def _imported(path: Path, begin: Begin, progress: Progress) -> DemonstrationWriter:
    """Write the data at a path with the writer that `begin` makes."""
    if path.is_file():
        return read_mcap(path, lambda manifest, size: begin(_manifest_of(path, manifest, size)))
    if (path / INFO).is_file():
        dataset = LerobotDataset(path)
        start = _start(dataset.title, dataset.size, dataset.fps) | {"note": dataset.note}
        return _written(begin(start), dataset.episodes(), dataset.fps, progress)
    recordings = sorted(file.parent for file in (*path.glob(ANNOTATION), *path.glob(f"*/{ANNOTATION}")))
    if not recordings:
        raise FileNotFoundError(path)
    first = Pixel2PlayRecording(recordings[0])
    start = _start(first.title, first.size, first.fps) | {"instruction": first.instruction[:2000]}
    frames = (Pixel2PlayRecording(recording).frames() for recording in recordings)
    return _written(begin(start), frames, first.fps, progress)


def _written(
    writer: DemonstrationWriter, episodes: Iterator[Iterator[SteadyFrame]], fps: float, progress: Progress
) -> DemonstrationWriter:
    at_ns = NS_PER_S
    for number, frames in enumerate(episodes):
        progress(number, number + 1, f"episode {number + 1} …")
        last_ns = write_steady(writer, frames, number, at_ns)
        at_ns = last_ns + NS_PER_S + round(NS_PER_S / fps)
    return writer


def _start(title: str, size: tuple[int, int], fps: float) -> dict[str, Any]:
    return {"window": title[:200], "picture_size": size, "window_size": size, "rate_fps": fps}


def _manifest_of(file: Path, manifest: dict[str, Any], size: tuple[int, int]) -> dict[str, Any]:
    about = ("game", "window", "profile_hash", "profile_version", "who", "instruction", "started_at")
    known = {
        name: manifest[name]
        for name in (*about, "note", "tags", "window_size", "rate_fps")
        if name in manifest
    }
    return _start(file.stem, size, 60) | known


def _begun(kept: DemonstrationFolder, start: dict[str, Any], path: Path, game: str) -> Demonstration:
    """Return the manifest at the beginning of an import, with an id that is free; raises DamagedFile."""
    start = {"started_at": datetime.now(UTC).isoformat(timespec="seconds"), **start, "kind": "imported"}
    if game:
        start["game"] = game
    try:
        begun = Demonstration.model_validate({"schema": 1, "id": "new", **start})
    except ValidationError as error:
        where, problem = first_fault(error)
        raise DamagedFile(path, problem, key=where) from None
    return begun.model_copy(update={"id": kept.free_id(begun.started_at, begun.title)})
