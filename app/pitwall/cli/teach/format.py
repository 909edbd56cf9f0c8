"""Words for demonstrations on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall.core.quantities import byte_size, counted, duration_text, tally
from pitwall.demonstrations.folder import Kept
from pitwall.demonstrations.manifest import Demonstration

_MOST_COUNTS = 12


def kept_line(kept: Kept) -> str:
    """A demonstration of the list in one line."""
    one = kept.manifest
    if one is None:
        return f"{kept.id}  {kept.fault}"
    state = "being recorded" if kept.recording else "" if one.complete else "broken off"
    length = duration_text(one.kept_seconds) + (" (trimmed)" if one.trims else "")
    parts = (
        f"{length}, {counted(one.episodes, 'episode')}, {counted(one.presses, 'press', 'presses')}, "
        f"{byte_size(one.size_bytes)}",
        one.kind if one.kind != "play" else "",
        state,
        " ".join(f"#{tag}" for tag in one.tags),
    )
    return f"{one.id}  " + "  ".join(filter(None, parts))


def manifest_lines(one: Demonstration) -> Iterator[str]:
    """What a manifest says, for a person."""
    yield f"{one.id}: {one.title}, {one.kind} by {one.who}, {one.started_at[:19].replace('T', ' ')} UTC"
    width, height = one.picture_size
    yield (
        f"{duration_text(one.seconds)}, of them {duration_text(one.kept_seconds)} kept; "
        f"{counted(one.episodes, 'episode')}, "
        f"{counted(one.pictures, 'picture')} of {width} × {height} pixels at up to "
        f"{one.rate_fps:g} a second, {byte_size(one.size_bytes)} in {counted(len(one.files), 'file')}"
    )
    yield f"Actions: {tally(one.actions, 'none named', most=_MOST_COUNTS)}"
    yield f"Keys and buttons: {tally(one.keys, 'none pressed', most=_MOST_COUNTS)}"
    if one.dropped:
        yield f"{counted(one.dropped, 'event')} lost while recording."
    if one.trims:
        yield "Left out: " + ", ".join(f"{span.from_s:g} to {span.to_s:g} s" for span in one.trims)
    if one.tags:
        yield f"Tags: {', '.join(one.tags)}"
    if one.note:
        yield one.note
    if not one.complete:
        yield "It was not closed: it holds what was on the disk by then."
