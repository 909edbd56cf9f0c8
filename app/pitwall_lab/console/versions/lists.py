"""The left column's lists: modules and what drives them, versions as a tree with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QPainter, QPen

from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.theme import SMALL_PX, STEP, Look
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import RULES
from pitwall_lab.console.format import (
    NO_SCORE,
    PLACES,
    ScorePlace,
    at_rest,
    invented_words,
    module_sign,
    module_words,
    origin,
    score_sentence,
    score_words,
    version_sign,
    version_title,
)
from pitwall_lab.console.view_model import ModuleKey, ModuleViewModel, VersionViewModel

_MODULE_HEIGHT = 30
_VERSION_HEIGHT = 44
_INDENT = 13
_DEEPEST = 4
"""Deepest indentation, because the column is narrow."""


@dataclass(frozen=True, slots=True)
class VersionBranch:
    """One row of the tree.

    Attributes:
        rails: for each level above, whether its line continues below this row.
        last: no sibling follows.
    """

    version: VersionViewModel
    rails: tuple[bool, ...] = ()
    last: bool = True

    @property
    def depth(self) -> int:
        return len(self.rails)


def branches(versions: Sequence[VersionViewModel]) -> list[VersionBranch]:
    """Return the rows from top to bottom; a version whose parent is missing is at the left edge."""
    names = {version.name for version in versions}
    children: dict[str, list[VersionViewModel]] = {}
    for version in versions:
        children.setdefault(_parent(version, names), []).append(version)
    rows: list[VersionBranch] = []
    seen: set[str] = set()

    def add(group: Sequence[VersionViewModel], rails: tuple[bool, ...]) -> None:
        for at, version in enumerate(group):
            if version.name in seen:  # a damaged file can make a version its own ancestor
                continue
            seen.add(version.name)
            last = at == len(group) - 1
            rows.append(VersionBranch(version, rails, last))
            deeper = (*rails, not last) if len(rails) < _DEEPEST else rails
            add(children.get(version.name, []), deeper)

    add(children.get("", []), ())
    add([version for version in versions if version.name not in seen], ())
    return rows


def _parent(version: VersionViewModel, names: set[str]) -> str:
    if version.name == RULES or not version.about.parent:
        return ""
    return version.about.parent if version.about.parent in names else ""


class ModulesList(RowList):
    """The game sense modules and what drives them. Signals: chosen(key): a `ModuleKey`."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Game sense modules", _MODULE_HEIGHT, most=9)
        self.setAccessibleDescription("Arrow keys choose a module; its versions are listed below.")

    def show_modules(self, modules: Sequence[ModuleViewModel], chosen: ModuleKey | None) -> None:
        """Show these modules, and mark the chosen one."""
        self.show_rows([_module_row(module) for module in modules], chosen)

    def names(self) -> list[str]:
        return [row.data.title for row in self.rows]


class VersionTree(RowList):
    """Versions below the versions they were made from. Signals: chosen(name), menu_wanted(point)."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Versions", _VERSION_HEIGHT, most=8, under=self._draw_rails)
        self.setAccessibleDescription("Arrow keys choose a version; the menu key shows what can be done.")
        self._look = look

    def show_versions(self, versions: Sequence[VersionViewModel], chosen: str, where: ScorePlace) -> None:
        """Show these versions as a tree with the scores of one place, and mark the chosen one."""
        self.show_rows([_version_row(branch, where) for branch in branches(versions)], chosen)

    def names(self) -> list[str]:
        return self.keys

    def spoken(self) -> list[str]:
        """Return each row's text for a screen reader."""
        return [row.words for row in self.rows]

    def _draw_rails(self, painter: QPainter, room: QRect, row: ListRow) -> None:
        """Draw the lines from a version to its parent."""
        branch: VersionBranch = row.data
        painter.setPen(QPen(self._look.colour("faint"), 1))
        top, bottom = room.top() - STEP, room.bottom() + STEP
        middle = room.top() + room.height() / 4 + 2
        for level, goes_on in enumerate(branch.rails):
            x = room.left() + _INDENT * level + 3.5
            if level < branch.depth - 1:
                if goes_on:
                    painter.drawLine(QPointF(x, top), QPointF(x, bottom))
                continue
            painter.drawLine(QPointF(x, top), QPointF(x, middle))
            painter.drawLine(QPointF(x, middle), QPointF(x + 6, middle))
            if not branch.last:
                painter.drawLine(QPointF(x, middle), QPointF(x, bottom))


def _module_row(module: ModuleViewModel) -> ListRow:
    sign, driving = module_sign(module), module_words(module)
    left = (Words(sign.sign, sign.tone, width=22), Words(module.title, bold=True))
    spoken = f"{module.title}, {driving}"
    return ListRow(
        module.key, (Line(left, Words(driving, "dim", SMALL_PX)),), spoken, _module_tip(module), data=module
    )


def _version_row(branch: VersionBranch, where: ScorePlace) -> ListRow:
    version = branch.version
    score, sign = version.about.score(where), version_sign(version)
    faded = version.about.standing is VersionStatus.ROLLED_BACK
    tone = "faint" if faded else "text"
    number = Words(score_words(score, unit=False), "faint", SMALL_PX)
    if score is not None:
        number = Words(number.text, tone, bold=not faded)
    standing = [Words(str(sign), "faint" if faded else sign.tone, SMALL_PX)]
    if version.drives:
        standing.append(Words("◆ drives", "reflex", SMALL_PX))
    unit = f"{score.unit} · {score.runs} runs" if score is not None and score.unit else ""
    lines = (
        Line((Words(version_title(version.about), tone, bold=not faded),), number),
        Line(tuple(standing), Words(unit, "dim", SMALL_PX)),
    )
    return ListRow(
        version.name,
        lines,
        _spoken(version, where),
        _version_tip(version),
        indent=_INDENT * branch.depth,
        ground="reflex_soft" if version.live else "hover",
        data=branch,
    )


def _module_tip(module: ModuleViewModel) -> str:
    declared = module.declared
    parts = [declared.description, f"{module.driving} drives" if module.driving else ""]
    parts += [invented_words(declared), at_rest(declared)]
    parts += [fault.what for fault in module.faults]
    return "\n".join(filter(None, parts))


def _spoken(version: VersionViewModel, where: ScorePlace) -> str:
    score = version.about.score(where)
    parts = [
        version_title(version.about),
        version_sign(version).word,
        f"iteration {version.about.iteration}" if version.learned else "",
        f"{score_words(score)} {PLACES[where]}" if score is not None else NO_SCORE,
        "drives" if version.drives else "",
    ]
    return ", ".join(filter(None, parts))


def _version_tip(version: VersionViewModel) -> str:
    newest: dict[tuple[str, str], str] = {}
    for score in sorted(version.about.scores, key=lambda score: score.at):
        newest[score.where, score.trial] = score_sentence(score)
    lines = [origin(version.about), *newest.values(), version.about.note]
    return "\n".join(filter(None, lines))
