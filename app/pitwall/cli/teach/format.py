"""Words for demonstrations on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pitwall.core.quantities import counted
from pitwall.demonstrations.folder import Kept
from pitwall.demonstrations.manifest import Demonstration

_MOST_COUNTS = 12


def kept_line(kept: Kept) -> str:
    """A demonstration of the list in one line."""
    one = kept.manifest
    if one is None:
        return f"{kept.id}  {kept.fault}"
    state = "being recorded" if kept.recording else "" if one.complete else "broken off"
    length = f"{one.kept_seconds / 60:.1f} min" + (" (trimmed)" if one.trims else "")
    parts = (
        f"{length}, {counted(one.episodes, 'episode')}, {counted(one.presses, 'press', 'presses')}, "
        f"{one.size_bytes / 2**20:.1f} MiB",
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
        f"{one.seconds:.1f} s, of them {one.kept_seconds:.1f} s kept; {counted(one.episodes, 'episode')}, "
        f"{counted(one.pictures, 'picture')} of {width} × {height} pixels at up to "
        f"{one.rate_fps:g} a second, {one.size_bytes / 2**20:.1f} MiB in {counted(len(one.files), 'file')}"
    )
    yield f"Actions: {counts_text(one.actions) or 'none named'}"
    yield f"Keys and buttons: {counts_text(one.keys) or 'none pressed'}"
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


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts in words, the most frequent first: "flap 41, duck 2"."""
    ordered = sorted(counts.items(), key=lambda one: -one[1])
    more = f", and {len(ordered) - _MOST_COUNTS} more" if len(ordered) > _MOST_COUNTS else ""
    return ", ".join(f"{name} {count}" for name, count in ordered[:_MOST_COUNTS]) + more
