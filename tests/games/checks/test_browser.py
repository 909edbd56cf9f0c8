"""[browser] of a manifest: every fault is found and told with what was expected."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pitwall.games.checks.folder import check_game

CASES: list[tuple[str, str, str, str, str]] = [
    # what is replaced, by what, the key that is blamed, a part of the sentence, the nearest name
    ('page = "index.html"', 'page = "indx.html"', "browser.page", "no file", "index.html"),
    ('page = "index.html"', 'page = "../index.html"', "browser.page", "outside", ""),
    ('page = "index.html"', 'page = "plugin.toml"', "browser.page", "no page", ""),
    ('page = "index.html"', "", "browser", "neither page nor url", ""),
    ('page = "index.html"', 'page = "index.html"\nurl = "chrome://dino"', "browser", "both", ""),
    ('page = "index.html"', 'url = "chrme://dino"', "browser.url", "chrme", "chrome"),
    ("[browser]\n", '[launch]\ncommand = ["true"]\n\n[browser]\n', "browser", "beside [launch]", ""),
    (
        "ready_timeout_s = 60",
        'state = { "game_stat.score" = "1" }',
        "browser.state.game_stat.score",
        "game_stat",
        "game_state",
    ),
    (
        "ready_timeout_s = 60",
        'state = { "game_state..x" = "1" }',
        "browser.state.game_state..x",
        "no path",
        "",
    ),
    ("ready_timeout_s = 60", 'state = { "status.x" = "1" }', "browser.state.status.x", "one value", ""),
    ("ready_timeout_s = 60", 'state = { status = " " }', "browser.state.status", "is empty", ""),
    ("ready_timeout_s = 60", "ready_timeot_s = 10", "browser.ready_timeot_s", "", "ready_timeout_s"),
    ('"late=300"', '"--late=300"', "scenarios.late.arguments", "--late=300", ""),
    ('kind = "file"', 'kind = "output"', "truth.kind", "output", "file"),
]


@pytest.fixture
def page_folder(tmp_path: Path, project_root: Path) -> Path:
    folder = tmp_path / "ticker"
    shutil.copytree(project_root / "tests" / "pitwall_environments" / "browser" / "pages" / "ticker", folder)
    return folder


def test_a_sound_folder_has_no_faults(page_folder: Path) -> None:
    assert check_game(page_folder) == []


@pytest.mark.parametrize(("old", "new", "key", "part", "near"), CASES, ids=[case[1][:40] for case in CASES])
def test_each_fault_is_found(page_folder: Path, old: str, new: str, key: str, part: str, near: str) -> None:
    manifest = page_folder / "plugin.toml"
    text = manifest.read_text(encoding="utf-8")
    assert old in text
    manifest.write_text(text.replace(old, new), encoding="utf-8")
    faults = check_game(page_folder)
    blamed = [fault for fault in faults if fault.key == key and part in str(fault)]
    assert blamed, [str(fault) for fault in faults]
    if near:
        assert blamed[0].nearest == near


def test_a_page_that_is_started_by_nobody_is_told(page_folder: Path) -> None:
    manifest = page_folder / "plugin.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("[browser]\npage", "[launches]\npage"), encoding="utf-8")
    assert any(fault.key == "launches" for fault in check_game(page_folder))
