"""Versions as a tree: each under the one it was made from. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pitwall.console.lab.view_model import VersionViewModel
from pitwall.gsm.versions import RULES

_DEEPEST = 4
"""Deeper ones stand under one another: the column is narrow."""


@dataclass(frozen=True, slots=True)
class VersionBranch:
    """One row of the tree.

    Attributes:
        rails: for each level above it, whether a line goes on below this row.
        last: nothing of the same parent follows.
    """

    version: VersionViewModel
    rails: tuple[bool, ...] = ()
    last: bool = True

    @property
    def depth(self) -> int:
        return len(self.rails)


def branches(versions: Sequence[VersionViewModel]) -> list[VersionBranch]:
    """Rows from top to bottom; a version whose parent is gone stands at the left edge."""
    names = {one.name for one in versions}
    children: dict[str, list[VersionViewModel]] = {}
    for one in versions:
        children.setdefault(_parent(one, names), []).append(one)
    rows: list[VersionBranch] = []
    seen: set[str] = set()

    def add(group: Sequence[VersionViewModel], rails: tuple[bool, ...]) -> None:
        for at, one in enumerate(group):
            if one.name in seen:  # parents in a circle: a damaged file
                continue
            seen.add(one.name)
            last = at == len(group) - 1
            rows.append(VersionBranch(one, rails, last))
            deeper = (*rails, not last) if len(rails) < _DEEPEST else rails
            add(children.get(one.name, []), deeper)

    add(children.get("", []), ())
    add([one for one in versions if one.name not in seen], ())
    return rows


def _parent(version: VersionViewModel, names: set[str]) -> str:
    if version.name == RULES or not version.about.parent:
        return ""
    return version.about.parent if version.about.parent in names else ""
