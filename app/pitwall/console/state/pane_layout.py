"""Writes the order and sizes of named panes as one line of settings, and reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PART = re.compile(r"([a-z]+)=(~?)([0-9.,]*)")
_LEAST = 0.02


@dataclass(frozen=True, slots=True)
class PaneLayout:
    """Holds the widths and the order of panes that stand side by side.

    Attributes:
        shares: of the room, in the order in which they stand; empty: as delivered.
        turned: they stand in the opposite order.
    """

    shares: tuple[float, ...] = ()
    turned: bool = False

    @property
    def mirrored(self) -> PaneLayout:
        """Return the layout with the panes in the opposite order, each as wide as before."""
        return PaneLayout(self.shares[::-1], not self.turned)


def parse_layouts(text: str) -> dict[str, PaneLayout]:
    """Read layouts like "runs=0.21,0.79 inspector=~": "~" turns; what makes no sense is as delivered."""
    layouts = {}
    for name, turned, listed in _PART.findall(text):
        try:
            shares = tuple(float(share) for share in listed.split(",") if share)
        except ValueError:
            continue
        fits = not shares or (min(shares) >= _LEAST and abs(sum(shares) - 1) < _LEAST)
        layouts[name] = PaneLayout(shares if fits else (), bool(turned))
    return layouts


def layouts_text(layouts: Mapping[str, PaneLayout]) -> str:
    """Write layouts as one line; those as delivered are left out."""
    kept = ((name, layout) for name, layout in sorted(layouts.items()) if layout != PaneLayout())
    return " ".join(
        f"{name}={'~' if layout.turned else ''}{','.join(f'{share:.3f}' for share in layout.shares)}"
        for name, layout in kept
    )
