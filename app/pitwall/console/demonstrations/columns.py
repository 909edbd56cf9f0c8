"""The table of demonstrations: its columns and their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitwall.console.kit.table.model import Column
from pitwall.core.quantities import byte_size, duration_text, local_time
from pitwall.demonstrations.folder import Kept

_KINDS = {"correction": "corrections by", "imported": "imported, by"}


def state_of(kept: Kept) -> str:
    """How a demonstration came about, or what is the matter with it."""
    one = kept.manifest
    if one is None:
        return "cannot be read"
    if kept.recording:
        return "being recorded"
    return f"{_KINDS.get(one.kind, 'by')} {one.who}" if one.complete else "broken off"


def columns() -> Sequence[Column[Kept]]:
    """Columns of the table."""
    return (
        Column("Game", _title, stretch=2, width=110, bold=True, lower=_lower, cell_tip=_tip),
        Column("When", _when, sort=lambda one: one.id, descends=True),
        Column(
            "Length",
            lambda one: duration_text(one.manifest.kept_seconds) if one.manifest else "–",
            number=True,
            sort=lambda one: one.manifest.kept_seconds if one.manifest else None,
            tip="Without what trims leave out",
        ),
        Column("Episodes", _count("episodes"), number=True, sort=_number("episodes"), least_room=500),
        Column("Presses", _count("presses"), number=True, sort=_number("presses"), least_room=420),
        Column(
            "Size",
            lambda one: byte_size(one.manifest.size_bytes) if one.manifest else "–",
            number=True,
            sort=_number("size_bytes"),
            least_room=560,
        ),
    )


def _title(one: Kept) -> str:
    return one.manifest.title if one.manifest else one.id


def _lower(one: Kept) -> tuple[str, str]:
    tags = one.manifest.tags if one.manifest else ()
    words = [state_of(one), *(f"#{tag}" for tag in tags)]
    return "  ".join(filter(None, words)), "stop" if one.manifest is None else "dim"


def _tip(one: Kept) -> str:
    return one.fault or (one.manifest.note if one.manifest else "") or one.id


def _when(one: Kept) -> str:
    return local_time(one.manifest.started_at) if one.manifest else "–"


def _number(name: str) -> Callable[[Kept], float | None]:
    return lambda one: getattr(one.manifest, name) if one.manifest else None


def _count(name: str) -> Callable[[Kept], str]:
    return lambda one: f"{getattr(one.manifest, name):,}" if one.manifest else "–"
