"""The columns of the table of demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitwall.console.kit.table.model import Column
from pitwall.core.quantities import byte_size, duration_text, local_time
from pitwall.demonstrations.folder import Kept

_KINDS = {"correction": "corrections by", "imported": "imported, by"}


def state_of(kept: Kept) -> str:
    """Return how a demonstration came about, or what is wrong with it."""
    manifest = kept.manifest
    if manifest is None:
        return "cannot be read"
    if kept.recording:
        return "being recorded"
    return f"{_KINDS.get(manifest.kind, 'by')} {manifest.who}" if manifest.complete else "broken off"


def columns() -> Sequence[Column[Kept]]:
    """Return the columns of the table."""
    return (
        Column(
            "Game",
            lambda kept: kept.manifest.title if kept.manifest else kept.id,
            stretch=2,
            width=110,
            bold=True,
            lower=_lower,
            cell_tip=lambda kept: kept.fault or (kept.manifest.note if kept.manifest else "") or kept.id,
        ),
        Column(
            "When",
            lambda kept: local_time(kept.manifest.started_at) if kept.manifest else "–",
            sort=lambda kept: kept.id,
            descends=True,
        ),
        Column(
            "Length",
            lambda kept: duration_text(kept.manifest.kept_seconds) if kept.manifest else "–",
            number=True,
            sort=lambda kept: kept.manifest.kept_seconds if kept.manifest else None,
            tip="Without trimmed parts",
        ),
        Column("Episodes", _count("episodes"), number=True, sort=_number("episodes"), least_room=500),
        Column("Presses", _count("presses"), number=True, sort=_number("presses"), least_room=420),
        Column(
            "Size",
            lambda kept: byte_size(kept.manifest.size_bytes) if kept.manifest else "–",
            number=True,
            sort=_number("size_bytes"),
            least_room=560,
        ),
    )


def _lower(kept: Kept) -> tuple[str, str]:
    tags = kept.manifest.tags if kept.manifest else ()
    words = [state_of(kept), *(f"#{tag}" for tag in tags)]
    return "  ".join(filter(None, words)), "stop" if kept.manifest is None else "dim"


def _number(name: str) -> Callable[[Kept], float | None]:
    return lambda kept: getattr(kept.manifest, name) if kept.manifest else None


def _count(name: str) -> Callable[[Kept], str]:
    return lambda kept: f"{getattr(kept.manifest, name):,}" if kept.manifest else "–"
