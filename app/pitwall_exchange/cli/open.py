"""`pitwall open`: shows a bundle that somebody made, read-only."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import require_reachable_screen
from pitwall.console.shell.beginning import begun
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted, duration_text
from pitwall.core.settings import Settings, load_settings, save_settings
from pitwall.memory.reader import MemoryReader
from pitwall.store.lease import FileLock, memory_lock_file
from pitwall_exchange.sharing.contents import Contents
from pitwall_exchange.sharing.opening import unpack_bundle


def open(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle, as pitwall bundle makes it.")],
    to: Annotated[
        Path | None, typer.Option(help="Unpack it into this data folder, for other commands, and stop there.")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Check a bundle's hashes and show its run in the console; with --json or --to no window is opened."""
    report = Reporter(json)
    if json or to is not None:
        with tempfile.TemporaryDirectory(prefix="pitwall-open-") as aside:
            contents = unpack_bundle(file, to or Path(aside) / "data", progress=report.progress)
        report.end_progress()
        report.result(
            {"file": file, "folder": to, "verified": True, **contents.model_dump(mode="json")},
            _lines(contents, to),
        )
        return
    require_reachable_screen()
    settings = load_settings(data_folder(data).settings)
    with tempfile.TemporaryDirectory(prefix="pitwall-open-") as aside:
        folder = DataFolder(Path(aside) / "data")
        contents = unpack_bundle(file, folder.root, progress=report.progress)
        report.end_progress()
        for line in _lines(contents, None):
            report.line(line)
        _show(folder, settings, contents, file)


def _show(folder: DataFolder, settings: Settings, contents: Contents, file: Path) -> None:
    """Open the console on the unpacked bundle, with its memory locked so that nothing can be edited."""
    from pitwall.console.shell.bundle_view import ShownBundle
    from pitwall.console.shell.program import run_console  # Qt only where a window can be shown

    seen = settings.console.model_copy(update={"tour_done": True, "preflight_done": True})
    save_settings(folder.settings, Settings(console=seen, hotkeys=settings.hotkeys))
    shown = ShownBundle(
        run_id=contents.run_id,
        game=contents.game_name,
        file=file.name,
        made=contents.made_at,
        by=contents.versions.get("pitwall", ""),
        files=len(contents.files),
        content_hash=contents.sha256,
        memory=any(MemoryReader(folder).counts("").values()),
    )
    subject = f"the memory of {file.name}"
    with FileLock(memory_lock_file(folder), role="bundle", subject=subject), begun(folder) as early:
        run_console(folder, early, bundle=shown)


def _lines(contents: Contents, to: Path | None) -> list[str]:
    memory = {"begin": "as the run found it", "now": "as it stood when the bundle was made", "none": "none"}
    profile = "the one it was played with" if contents.profile == contents.profile_now else "a later one"
    lines = [
        f"run {contents.run_id}: {contents.game_name}, {contents.outcome.replace('_', ' ')} after "
        f"{duration_text(contents.seconds)}, {counted(contents.steps, 'step')}; made {contents.made_at} by "
        f"Pitwall {contents.versions.get('pitwall', '')}",
        f"  {len(contents.files):,} files, every hash is right: content {contents.sha256}",
        f"  memory: {memory.get(contents.memory_of, 'none')} {contents.memory}".rstrip(),
        f"  game profile: {profile if contents.profile_now else 'none'}",
    ]
    if contents.missing:
        lines.append(f"  {len(contents.missing):,} pictures of the run were gone when it was made")
    if to is not None:
        lines.append(f"Unpacked. Look: pitwall runs {contents.run_id} --data {to}")
    return lines
