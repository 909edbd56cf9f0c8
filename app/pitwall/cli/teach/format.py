"""Demonstrations in words for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall.core.quantities import byte_size, counted, duration_text, tally
from pitwall.demonstrations.folder import Kept
from pitwall.demonstrations.manifest import Demonstration

_MOST_COUNTS = 12


def kept_line(kept: Kept) -> str:
    """Describe a demonstration of the list in one line."""
    manifest = kept.manifest
    if manifest is None:
        return f"{kept.id}  {kept.fault}"
    state = "being recorded" if kept.recording else "" if manifest.complete else "broken off"
    length = duration_text(manifest.kept_seconds) + (" (trimmed)" if manifest.trims else "")
    presses = counted(manifest.presses, "press", "presses")
    parts = (
        f"{length}, {counted(manifest.episodes, 'episode')}, {presses}, {byte_size(manifest.size_bytes)}",
        manifest.kind if manifest.kind != "play" else "",
        state,
        " ".join(f"#{tag}" for tag in manifest.tags),
    )
    return f"{manifest.id}  " + "  ".join(filter(None, parts))


def manifest_lines(manifest: Demonstration) -> Iterator[str]:
    """Describe a manifest in lines."""
    started = manifest.started_at[:19].replace("T", " ")
    yield f"{manifest.id}: {manifest.title}, {manifest.kind} by {manifest.who}, {started} UTC"
    width, height = manifest.picture_size
    files = counted(len(manifest.files), "file")
    yield (
        f"{duration_text(manifest.seconds)}, of them {duration_text(manifest.kept_seconds)} kept; "
        f"{counted(manifest.episodes, 'episode')}, "
        f"{counted(manifest.pictures, 'picture')} of {width} × {height} pixels at up to "
        f"{manifest.rate_fps:g} a second, {byte_size(manifest.size_bytes)} in {files}"
    )
    yield f"Actions: {tally(manifest.actions, 'none named', most=_MOST_COUNTS)}"
    yield f"Keys and buttons: {tally(manifest.keys, 'none pressed', most=_MOST_COUNTS)}"
    if manifest.dropped:
        yield f"{counted(manifest.dropped, 'event')} lost while recording."
    if manifest.trims:
        yield "Left out: " + ", ".join(f"{span.from_s:g} to {span.to_s:g} s" for span in manifest.trims)
    if manifest.tags:
        yield f"Tags: {', '.join(manifest.tags)}"
    if manifest.note:
        yield manifest.note
    if not manifest.complete:
        yield "It was not closed: it holds what was on the disk by then."
