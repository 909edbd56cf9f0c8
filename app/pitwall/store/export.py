"""Exports a run: a folder of files with a manifest of their hashes, which appears only when complete."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, select

from pitwall.core import rail
from pitwall.core.bounded_reading import read_json
from pitwall.core.errors import DamagedFile, suggestion
from pitwall.core.paths import DataFolder, sha256_of
from pitwall.core.runs import EXPORT_VERSION
from pitwall.store.export_formats import write_csv, write_jsonl
from pitwall.store.export_source import ExportError, ExportFormat, Source
from pitwall.store.run_reader import RunReader, RunRow
from pitwall.store.schema import calls, steps

__all__ = [
    "ExportCancelled",
    "ExportError",
    "ExportResult",
    "export_formats",
    "export_run",
    "verify_export",
]

_RUN_JSONL = (
    "One JSON object a line, in order of time; v is the version of the format. type names its kind: run (the "
    "conditions it was played under), step, event, call (a model call; prompt_hash and grammar_hash name its "
    "prompt and grammar), prompt and grammar (these texts, each once, before the first call that names them; "
    "a prompt is its messages, each span with the layer it came from), retrieval (a question to the memory, "
    "and its answer with every figure), reflex (a learned module's decision on a frame), episode (a summary "
    "of the run in words), summary (the figures). Skip types and keys that you do not know."
)
_STEPS_CSV = "One row a step. Units are in the headers; field_NAME is the state reader's value."
_CALLS_CSV = (
    "One row a model call. Units are in the headers; tokens_LAYER are prompt tokens by layer, template the "
    "tokens of the chat template. The prompts are in run.jsonl."
)
_CORE = {
    "jsonl": ExportFormat(
        title="JSON lines: one versioned event a line", write=write_jsonl, files={"run.jsonl": _RUN_JSONL}
    ),
    "csv": ExportFormat(
        title="CSV: a table a file, for spreadsheets",
        write=write_csv,
        files={"steps.csv": _STEPS_CSV, "calls.csv": _CALLS_CSV},
    ),
}


@cache
def export_formats() -> dict[str, ExportFormat]:
    """Return the formats by name: those of the core, then those of the packages beside it."""
    return _CORE | rail.load_all(rail.EXPORTS)


MANIFEST = "manifest.json"
_KIND = "pitwall-export"

Progress = Callable[[int, int], bool | None]
"""Called with (done, total); returning False cancels."""


class ExportCancelled(ExportError):
    """The export was cancelled and removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """The written files.

    Attributes:
        files: path relative to `folder`, with forward slashes → SHA-256 in hexadecimal.
        manifest: the file that holds these hashes.
    """

    folder: Path
    files: dict[str, str]
    manifest: Path


def export_run(
    data: DataFolder,
    run_id: int,
    formats: Sequence[str],
    out: Path,
    *,
    frames: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> ExportResult:
    """Write a run to the folder `out`: run.jsonl; steps.csv, calls.csv; run.sqlite; frames/; manifest.json.

    All files show the same moment of a run that is still being played. They are written to a temporary
    folder, which becomes `out` when all are complete.

    Args:
        formats: any of `export_formats`.
        frames: include the step images that the run kept, and the pictures that were sent to models.
        force: replace an earlier export in `out`; any other folder with content is refused.

    Raises:
        UnknownRun: there is no such run.
        ExportError: unknown format, `out` is taken or cannot be written.
        ExportCancelled: `progress` returned False.
        DataFolderError: the run log cannot be read.
    """
    chosen = _known_formats(formats)
    out = out.resolve()
    reader = RunReader(data)
    with reader.snapshot(run_id) as connection, _named(out):
        row = reader.row_in(connection, run_id)
        _require_free(out, force=force)
        pictures = run_pictures(connection, row, data.run(run_id)) if frames else []
        counts = {"steps": _count(connection, steps, run_id), "calls": _count(connection, calls, run_id)}
        counter = _Counter(sum(counts.values()) * len(chosen) + len(pictures), progress)
        aside = out.with_name(f".{out.name}.partial-{os.getpid()}")
        try:
            if aside.exists():
                shutil.rmtree(aside)
            aside.mkdir(parents=True)
            source = Source(connection, row, data.run(run_id), counter.advance)
            for name in chosen:
                export_formats()[name].write(source, aside)
            missing = _copy_pictures(pictures, data.run(run_id), aside, counter)
            files = _write_manifest(aside, row, {"formats": chosen, **counts, "missing_frames": missing})
            _publish(aside, out, force=force)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return ExportResult(folder=out, files=files, manifest=out / MANIFEST)


def verify_export(folder: Path) -> list[str]:
    """Compare an export with its manifest.

    Returns:
        A sentence for each difference; empty when every file is unchanged.
    """
    try:
        listed = _read_manifest(folder)["files"]
        expected = {str(name): str(entry["sha256"]) for name, entry in listed.items()}
    except FileNotFoundError:
        return [f"{folder / MANIFEST} is missing."]
    except (DamagedFile, KeyError, TypeError, AttributeError):
        return [f"{folder / MANIFEST} is not a manifest of an export."]
    present = set(_files(folder))
    kept = [name for name in expected if name in present]
    faults = [f"{name} is missing." for name in expected if name not in present]
    faults += [f"{name} is not in the manifest." for name in sorted(present - set(expected))]
    return faults + [f"{name} was changed." for name in kept if sha256_of(folder / name) != expected[name]]


class _Counter:
    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done = 0
        self._total = total
        self._progress = progress

    def advance(self, count: int) -> None:
        self._done += count
        if self._progress is not None and self._progress(self._done, self._total) is False:
            raise ExportCancelled("the export was cancelled; nothing was written.")


def _known_formats(formats: Sequence[str]) -> list[str]:
    known = export_formats()
    if not formats:
        raise ExportError("no format was named.", f"Name one or more of {', '.join(known)}.")
    for name in formats:
        if name not in known:
            hint = suggestion(name, known, f"Formats: {', '.join(known)}.")
            raise ExportError(f"{name!r} is no export format.", hint)
    return list(dict.fromkeys(formats))


def _require_free(out: Path, *, force: bool) -> None:
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not out.is_dir():
        raise ExportError(f"{out} is a file.", "Name a folder.")
    try:
        exported = _read_manifest(out)["kind"] == _KIND
    except (FileNotFoundError, DamagedFile, KeyError, TypeError):
        exported = False
    if not exported:
        raise ExportError(f"{out} holds other files.", "Name a folder that is new or empty.")
    if not force:
        raise ExportError(f"{out} already holds an export.", "Name another folder, or replace it: --force")


def _publish(aside: Path, out: Path, *, force: bool) -> None:
    _require_free(out, force=force)
    if not out.exists():
        aside.rename(out)
        return
    old = aside.with_name(f"{aside.name}-old")
    out.rename(old)
    aside.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _count(connection: Connection, table: Table, run_id: int) -> int:
    wanted = select(func.count()).select_from(table).where(table.c.run_id == run_id)
    return int(connection.execute(wanted).scalar_one())


def run_pictures(connection: Connection, row: RunRow, folder: Path) -> list[str]:
    """Return the names of a run's pictures inside its folder, step images first."""
    inside = folder.resolve()
    refs: list[str] = []
    for number, ref in ((steps.c.step, steps.c.frame_ref), (calls.c.call, calls.c.image_ref)):
        wanted = select(ref).where(ref.table.c.run_id == row.run_id, ref != "").order_by(number)
        refs += connection.execute(wanted).scalars()
    return [ref for ref in dict.fromkeys(refs) if (folder / ref).resolve().is_relative_to(inside)]


def _copy_pictures(pictures: Sequence[str], folder: Path, aside: Path, counter: _Counter) -> list[str]:
    missing = []
    for name in pictures:
        target = aside / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(folder / name, target)
        except FileNotFoundError:
            missing.append(name)
        counter.advance(1)
    return missing


def _write_manifest(aside: Path, row: RunRow, content: Mapping[str, object]) -> dict[str, str]:
    files = {name: sha256_of(aside / name) for name in _files(aside)}
    about = {file: text for known in export_formats().values() for file, text in known.files.items()}
    manifest = {
        "v": EXPORT_VERSION,
        "kind": _KIND,
        "run_id": row.run_id,
        "game_id": row.manifest.game_id,
        "outcome": row.summary.outcome,
        "finished": row.finished,
        **content,
        "about": {name: about[name] for name in files if name in about},
        "exported_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": {
            name: {"sha256": digest, "bytes": (aside / name).stat().st_size} for name, digest in files.items()
        },
    }
    (aside / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return files


def _read_manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = read_json(folder / MANIFEST)
    return content


def _files(folder: Path) -> list[str]:
    everything = sorted(path for path in folder.rglob("*") if path.is_file())
    names = (path.relative_to(folder).as_posix() for path in everything)
    return [name for name in names if name != MANIFEST]


@contextmanager
def _named(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"{out} cannot be written: {error.strerror or error}.", "Choose another folder with --out."
        ) from error
