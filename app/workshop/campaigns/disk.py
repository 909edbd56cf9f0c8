"""Disk: it fills up during a write; the error is a sentence, nothing is lost, no partial file remains."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import bundled_games_dir
from workshop.campaigns.command_trial import ends_in_words
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.campaigns.played_data import GAME, played_data
from workshop.fixtures.tiny_models import tiny_text_model

_WRITERS = (
    ("settings", "set", "capture.backend", "mss"),
    ("games", "trust", "{game}"),
    ("memory", "add", "knowledge", "--game", GAME, "heading=Stone", "text=Hard."),
    ("memory", "snapshot"),
    ("memory", "export", "{data}/memory.jsonl"),
    ("exam", "make", "1", "--inventory", "general", "--seed", "7"),
    ("export", "1", "--out", "{data}/out", "--format", "sqlite", "--format", "csv"),
    ("models", "add", "{model}", "--name", "second"),
    ("suite", "report", "smoke"),
    ("query", "SELECT 1", "--save", "one"),
)
_READERS = (
    ("settings", "list"),
    ("games", "list", "--json"),
    ("memory", "--json"),
    ("runs", "1", "--json"),
    ("models", "list"),
    ("exam", "list"),
    ("suite", "list"),
)
_MIB = 1 << 20


@contextmanager
def _rig(shared: Path) -> Iterator[Trial]:
    whole = played_data().root
    model = tiny_text_model(shared / "second.gguf")
    disk = shared / "disk"
    disk.mkdir()
    size = sum(file.stat().st_size for file in whole.rglob("*") if file.is_file()) + 4 * _MIB
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        raise PitwallError("a small disk cannot be mounted here.", "Run this campaign as root on Linux.")

    def trial(case: Case) -> str:
        data = disk / "data"
        shutil.rmtree(data, ignore_errors=True)
        (disk / "filler").unlink(missing_ok=True)
        shutil.copytree(whole, data)
        game = case.folder / "own"
        shutil.copytree(bundled_games_dir() / "flappy", game)
        before = {file for file in data.rglob("*") if file.is_file()}
        _fill(disk, leave=case.chance.choice((0, 0, 512, 4_096, 20_000, 100_000)))
        fill = {"{data}": str(data), "{model}": str(model), "{game}": str(game)}
        tried = [word if "{" not in word else _filled(word, fill) for word in case.chance.choice(_WRITERS)]
        ran = ends_in_words(data, *tried)
        (disk / "filler").unlink()
        for reader in _READERS:
            if (after := ends_in_words(data, *reader)).status:
                raise FellShort(
                    f"after {' '.join(tried)} on a full disk: {' '.join(reader)}: {after.sentence[:300]}"
                )
        left = [file.name for file in data.rglob("*.tmp*") if file not in before]
        if left:
            raise FellShort(f"{' '.join(tried)} on a full disk leaves {', '.join(left)}")
        return f"{tried[0]}: {'refused' if ran.status else 'written'}"

    try:
        yield trial
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=False)


def _filled(word: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        word = word.replace(name, value)
    return word


def _fill(disk: Path, *, leave: int) -> None:
    """Write a filler until at most so many bytes are free."""
    with (disk / "filler").open("wb", buffering=0) as filler:
        size = shutil.disk_usage(disk).free
        while size:
            try:
                filler.write(b"\0" * size)
            except OSError:
                size //= 2
            else:
                size = min(size, shutil.disk_usage(disk).free)
        filler.truncate(max(0, filler.tell() - leave))


CAMPAIGN = Campaign(
    tries="a command writes while the disk is full or fills up: it ends well or in a sentence, what was "
    "there is read again afterwards, and no half-written file is left",
    rig=_rig,
)
