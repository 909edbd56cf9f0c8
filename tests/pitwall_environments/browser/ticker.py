"""Starts the ticker page as the engine would: `pitwall browser-game` with its socket and its truth."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.pitwall_evaluation.hosted_game import HostedGame, hosted_game

PAGE = Path(__file__).parent / "pages" / "ticker"


def copy_of_page(folder: Path, *changes: tuple[str, str]) -> Path:
    """The page's folder, with its manifest changed."""
    place = folder / "page"
    shutil.copytree(PAGE, place)
    manifest = place / "plugin.toml"
    text = manifest.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    manifest.write_text(text, encoding="utf-8")
    return place


@contextlib.contextmanager
def ticker(
    folder: Path, *words: str, page: Path = PAGE, truth: bool = True, env: Mapping[str, str] | None = None
) -> Iterator[HostedGame]:
    """Start it; ended with the block where it still runs."""
    command = ["browser-game", "--game", str(page), "--seed", "7", "--profile", str(folder / "profile")]
    with hosted_game(folder, [*command, *words], truth=truth, env=env) as running:
        yield running


def left_of(folder: Path) -> list[str]:
    """Processes that have to do with a folder, by their command lines; and what a profile left."""
    result = [str(path) for path in (folder / "profile").glob("chromium-*")]
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in line.read_bytes():
                result.append(line.read_bytes().decode("utf-8", "replace")[:200])
    return result
