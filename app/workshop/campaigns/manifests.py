"""Game folders: contents that an author's error, a bad download or an attacker may have left there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwall.core.paths import DataFolder, bundled_games_dir
from pitwall.games.manifest import MANIFEST
from workshop.campaigns.command_trial import ends_in_words
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.campaigns.mutation import damaged_bytes, damaged_file, damaged_text


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    bundled = sorted(file.parent for file in bundled_games_dir().glob(f"*/{MANIFEST}"))

    def trial(case: Case) -> str:
        data, game = DataFolder(case.folder / "data"), case.chance.choice(bundled)
        folder = data.games / "hostile"
        shutil.copytree(game, folder, symlinks=True)
        manifest = folder / MANIFEST
        text = manifest.read_text(encoding="utf-8").replace(f'id = "{game.name}"', 'id = "hostile"')
        manifest.write_text(text, encoding="utf-8")
        damage = _damage(folder, case)
        listed = ends_in_words(data.root, "games", "list", "--json")
        entries = {entry["game_id"]: entry for entry in json.loads(listed.out)}
        if listed.status or "flappy" not in entries or entries["flappy"]["fault"]:
            raise FellShort(f"{damage} in a copy of {game.name}: flappy is not listed beside it")
        ends_in_words(data.root, "task", "list", "flappy", "--json")
        checked = ends_in_words(data.root, "games", "check", str(folder))
        shown = ends_in_words(data.root, "games", "show", "hostile")
        if shown.status and not checked.status and damage != "gone":
            raise FellShort(f"{damage}: games check passes what games show refuses: {shown.sentence[:300]}")
        return "refused" if checked.status else "taken"

    yield trial


def _damage(folder: Path, case: Case) -> str:
    manifest, chance = folder / MANIFEST, case.chance
    match chance.randrange(4):
        case 0:
            manifest.write_bytes(damaged_bytes(manifest.read_bytes(), chance))
            return "bytes of the manifest"
        case 1 | 2:
            text = manifest.read_text(encoding="utf-8")
            for _ in range(chance.choice((1, 1, 3))):
                text = damaged_text(text, chance)
            manifest.write_text(text, encoding="utf-8")
            return "lines of the manifest"
        case _:
            file = chance.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
            return f"{file.relative_to(folder)} is {damaged_file(file, chance)}"


CAMPAIGN = Campaign(
    tries="a game's folder with a damaged manifest or file: it is one entry, told in a sentence, and the "
    "other games go on",
    rig=_rig,
)
