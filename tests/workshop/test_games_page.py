"""The manual's page of games is as the games' folders say."""

from __future__ import annotations

from pathlib import Path

from workshop.games_page import PAGE, bundled_profiles, page


def test_the_page_names_every_game(project_root: Path) -> None:
    shown = (project_root / "resources" / "manual" / PAGE).read_text(encoding="utf-8")
    again = "QT_QPA_PLATFORM=offscreen python -m workshop.games_page resources/manual"
    assert shown == page(bundled_profiles()), f"make it again: {again}"
