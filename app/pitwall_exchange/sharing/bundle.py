"""Makes a bundle: one file with a run, its pictures, prompts and first memory, and the game's profile."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pitwall import __version__
from pitwall.core.bounded_reading import read_text
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import DataFolder, sha256_of
from pitwall.games.manifest import MANIFEST, manifest_hash
from pitwall.games.registry import Registry
from pitwall.memory.database.faults import UnknownSnapshot
from pitwall.memory.migrations import REVISIONS as MEMORY_REVISIONS
from pitwall.memory.reader import ExportReport, MemoryReader
from pitwall.store.export import ExportCancelled, Progress, run_pictures
from pitwall.store.export_source import ExportError, Source
from pitwall.store.folder_errors import folder_error
from pitwall.store.migrations import REVISIONS as RUN_REVISIONS
from pitwall.store.run_reader import RunReader, RunRow
from pitwall_exchange.runs.sqlite_export import write_sqlite
from pitwall_exchange.sharing.contents import (
    CONTENTS,
    KIND,
    MEMORY,
    PROFILE,
    RUN_LOG,
    SUFFIX,
    VERSION,
    Contents,
    PackedFile,
    hash_of_files,
    may_contain,
)

_STORED = (".jpg", ".jpeg", ".png", ".mkv", ".mp4", ".avi")
"""Suffixes of files that are already compressed."""
_BESIDE = ("score.jsonl", "truth.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A finished bundle, with its own SHA-256 and its contents."""

    file: Path
    sha256: str
    bytes: int
    contents: Contents


def write_bundle(
    data: DataFolder,
    run_id: int,
    out: Path,
    *,
    video: bool = True,
    force: bool = False,
    progress: Progress | None = None,
) -> Bundle:
    """Write a run as one file, completely or not at all.

    Args:
        video: include the run's video, if one was recorded. force: replace an existing file.
        progress: called with the files done and their number; returning False cancels.

    Raises:
        UnknownRun: there is no such run.
        ExportError: `out` exists, or cannot be written. ExportCancelled: `progress` cancelled.
    """
    out = (out if out.suffix else out.with_suffix(SUFFIX)).resolve()
    if out.exists() and not force:
        raise ExportError(f"{out} is there already.", "Choose another name, or replace it with --force.")
    reader = RunReader(data)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="pitwall-bundle-") as made, reader.snapshot(run_id) as log:
            row = reader.row_in(log, run_id)
            folder = Path(made)
            write_sqlite(Source(log, row, data.run(run_id), lambda _: None), folder)
            (folder / "run.sqlite").rename(folder / RUN_LOG)
            memory, memory_of = _write_memory(data, row, folder / MEMORY)
            profile = _write_profile(data, row, folder / PROFILE)
            pictures = run_pictures(log, row, data.run(run_id))
            packed = dict(_made(folder))
            packed |= _kept(data, run_id, [*pictures, *_BESIDE, *(["video.mkv"] if video else [])])
            missing = [ref for ref in pictures if f"runs/{run_id:06d}/{ref}" not in packed]
            return _pack(out, row, packed, (memory, memory_of), profile, missing, progress)
    except OSError as error:
        raise folder_error(error, out) from error


def _pack(
    out: Path,
    row: RunRow,
    packed: dict[str, Path],
    memory: tuple[str, str],
    profile: str,
    missing: list[str],
    progress: Progress | None,
) -> Bundle:
    files: dict[str, PackedFile] = {}
    report = _counted(len(packed) * 2, progress)
    for name, file in sorted(packed.items()):
        files[name] = PackedFile(sha256=sha256_of(file), bytes=file.stat().st_size)
        report()
    contents = Contents(
        v=VERSION,
        kind=KIND,
        run_id=row.run_id,
        game_id=row.manifest.game_id,
        game_name=row.manifest.game_name,
        outcome=row.summary.outcome,
        steps=row.summary.steps,
        seconds=row.summary.seconds,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"pitwall": __version__, "run log": RUN_REVISIONS[-1], "memory": MEMORY_REVISIONS[-1]},
        played_with=row.manifest.versions,
        profile=row.manifest.profile_hash,
        profile_now=profile,
        memory=memory[0],
        memory_of=memory[1],
        missing=tuple(missing),
        files=files,
        sha256=hash_of_files(files),
    )
    aside = out.with_name(f".{out.name}.partial-{os.getpid()}")
    try:
        with zipfile.ZipFile(aside, "w") as archive:
            archive.writestr(CONTENTS, contents.model_dump_json(indent=2) + "\n", zipfile.ZIP_DEFLATED)
            for name, file in sorted(packed.items()):
                stored = file.suffix in _STORED
                archive.write(file, name, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
                report()
        aside.replace(out)
    finally:
        aside.unlink(missing_ok=True)
    return Bundle(file=out, sha256=sha256_of(out), bytes=out.stat().st_size, contents=contents)


def _counted(total: int, progress: Progress | None) -> Callable[[], None]:
    done = 0

    def report() -> None:
        nonlocal done
        done += 1
        if progress is not None and progress(done, total) is False:
            raise ExportCancelled("the bundle was cancelled; nothing was written.")

    return report


def _made(folder: Path) -> Iterator[tuple[str, Path]]:
    for name in (RUN_LOG, MEMORY, PROFILE):
        if (folder / name).is_file():
            yield name, folder / name


def _kept(data: DataFolder, run_id: int, names: list[str]) -> dict[str, Path]:
    """Return the existing files of the run's folder that can be packed."""
    folder = data.run(run_id)
    files = {f"runs/{run_id:06d}/{name}": folder / name for name in names}
    return {
        name: file
        for name, file in files.items()
        if may_contain(name, run_id) and file.is_file() and not file.is_symlink()
    }


def _write_memory(data: DataFolder, row: RunRow, file: Path) -> tuple[str, str]:
    """Write the entries that the run began with, else today's; return their hash, and which they are."""
    reader = MemoryReader(data)
    try:
        if row.manifest.memory:
            try:
                return _undated(reader.export(file, "jsonl", snapshot=row.manifest.memory)), "begin"
            except UnknownSnapshot:
                file.unlink(missing_ok=True)
        if not sum(reader.counts(row.manifest.game_id).values()):
            return "", "none"
        return _undated(reader.export(file, "jsonl", game_id=row.manifest.game_id)), "now"
    finally:
        reader.close()


def _undated(written: ExportReport) -> str:
    """Remove the time of writing from a memory's file, so equal entries give equal bytes; return its hash."""
    aside = written.path.with_suffix(".undated")
    with written.path.open(encoding="utf-8") as source, aside.open("w", encoding="utf-8") as out:
        head = json.loads(source.readline())
        head.pop("exported_at", None)
        out.write(json.dumps(head, ensure_ascii=False) + "\n")
        shutil.copyfileobj(source, out)
    aside.replace(written.path)
    return written.content_hash


def _write_profile(data: DataFolder, row: RunRow, file: Path) -> str:
    """Write the game's manifest; return its hash, empty if the game is not known here any more."""
    for entry in Registry(data).games():
        if entry.game_id == row.manifest.game_id:
            try:
                text = read_text(entry.folder / MANIFEST)
                digest = manifest_hash(entry.folder)
            except (FileNotFoundError, DamagedFile, PitwallError):
                return ""
            file.parent.mkdir()
            file.write_text(text, encoding="utf-8")
            return digest
    return ""
