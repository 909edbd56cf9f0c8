"""Writes the manual's page of the games that come with Pitwall, and its contact sheet.

QT_QPA_PLATFORM=offscreen python -m workshop.games_page resources/manual
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from pitwall.core.paths import bundled_games_dir
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile

PAGE, SHEET = "games.md", Path("pictures", "games.png")
_COLUMNS, _TILE, _GAP, _LINE = 6, 176, 14, 24
_PAPER, _INK = "#15171c", "#e8e8ec"
_HEAD = """# The games that come with Pitwall

{count} games with {tasks} tasks, each in a folder of its own under `plugins/`.
`pitwall demo --game GAME` shows one; `pitwall task list` lists the tasks.

![One picture of each game](pictures/games.png)

| game | kind | tasks | what it is |
|---|---|---|---|
"""


def bundled_profiles() -> list[tuple[Path, Profile]]:
    """Return the folder and the profile of each bundled game, by name."""
    folders = [file.parent for file in bundled_games_dir().glob("*/plugin.toml")]
    games = [(folder, load_profile(folder)) for folder in folders]
    return sorted(games, key=lambda entry: entry[1].game.name.casefold())


def page(games: Sequence[tuple[Path, Profile]]) -> str:
    """Return the page's Markdown."""
    rows = [
        f"| **{profile.game.name}** `{profile.game.id}` | {profile.game.genre}, level {profile.game.level} "
        f"| {len(profile.tasks)} | {profile.game.summary} |\n"
        for _, profile in games
    ]
    tasks = sum(len(profile.tasks) for _, profile in games)
    return _HEAD.format(count=len(games), tasks=tasks) + "".join(rows)


def contact_sheet(games: Sequence[tuple[Path, Profile]]) -> QImage:
    """Draw every game's picture with its name below."""
    rows = -(-len(games) // _COLUMNS)
    width = _COLUMNS * (_TILE + _GAP) + _GAP
    sheet = QImage(width, rows * (_TILE + _LINE + _GAP) + _GAP, QImage.Format.Format_RGB32)
    sheet.fill(QColor(_PAPER))
    painter = QPainter(sheet)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setPen(QColor(_INK))
    font = painter.font()
    font.setPixelSize(14)
    painter.setFont(font)
    for number, (folder, profile) in enumerate(games):
        row, column = divmod(number, _COLUMNS)
        x, y = _GAP + column * (_TILE + _GAP), _GAP + row * (_TILE + _LINE + _GAP)
        painter.drawImage(QRect(x, y, _TILE, _TILE), QImage(str(folder / "picture.png")))
        below = QRect(x, y + _TILE, _TILE, _LINE)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, profile.game.name)
    painter.end()
    return sheet


def main() -> None:
    """Write the page and its picture into the manual's folder."""
    application = QGuiApplication(sys.argv[:1])
    manual, games = Path(sys.argv[1]), bundled_profiles()
    (manual / PAGE).write_text(page(games), encoding="utf-8")
    contact_sheet(games).save(str(manual / SHEET))
    del application


if __name__ == "__main__":
    main()
