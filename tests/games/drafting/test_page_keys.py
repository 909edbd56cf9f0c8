"""A page's own scripts tell whether it reads a key's letter or its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.keys import KeyMeaning
from pitwall.core.paths import bundled_games_dir
from pitwall.games.drafting.draft import draft_of_page
from pitwall.games.drafting.page_keys import meaning_on_page
from pitwall.games.drafting.toml_writer import manifest_text
from pitwall.games.manifest import load_profile


@pytest.mark.parametrize(
    ("script", "meaning"),
    [
        ('onkeydown = (e) => e.code === "KeyW" && up()', "place"),
        ("const KEYS = { KeyA: left, KeyD: right }", "place"),
        ('onkeydown = (event) => { if (event.key == "w") up() }', "letter"),
        ("addEventListener('keydown', (e) => go(e.keyCode))", "auto"),
        ("onkeydown = (e) => go(e.key, e.code)", "auto"),
        ("let score = 0", "auto"),
    ],
)
def test_a_page_s_scripts_are_read_also_through_imports(
    tmp_path: Path, script: str, meaning: KeyMeaning
) -> None:
    page = tmp_path / "a page.html"
    page.write_text("<script type=module src='game.js?v=1'></script>", encoding="utf-8")
    (tmp_path / "game.js").write_text('import { play } from "./keys.mjs"', encoding="utf-8")
    (tmp_path / "keys.mjs").write_text(script, encoding="utf-8")
    draft = draft_of_page(str(page))
    assert draft.keys_mean == meaning
    written = manifest_text(draft.changed(actions=[{"name": "up", "keys": ["w"], "hold_ms": 60}]))
    assert (f'keys_mean = "{meaning}"' in written) is (meaning != "auto")


def test_a_page_elsewhere_or_with_lost_scripts_reads_what_can_be_pressed(tmp_path: Path) -> None:
    assert meaning_on_page("https://example.org/game") == "auto"
    (tmp_path / "page.html").write_text("<script src='gone%00.js'></script><script src='no.js'>", "utf-8")
    assert meaning_on_page((tmp_path / "page.html").as_uri()) == "auto"


@pytest.mark.parametrize(
    "manifest", sorted(bundled_games_dir().glob("*/plugin.toml")), ids=lambda p: p.parent.name
)
def test_a_bundled_page_s_folder_says_what_its_scripts_read(manifest: Path) -> None:
    profile = load_profile(manifest.parent)
    if profile.browser is None or not profile.browser.page:
        return
    page = (manifest.parent / profile.browser.page).as_uri()
    assert profile.controls.keys_mean == meaning_on_page(page)
