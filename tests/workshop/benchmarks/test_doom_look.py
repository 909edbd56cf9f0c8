"""The hall of demons of `bench doom-look`, and how its kills are read."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

from pitwall.games.checks.folder import check_game
from workshop.benchmarks.input.doom_look import HALL, kills_in


def test_the_hall_is_as_its_maker_makes_it_and_has_no_faults(tmp_path: Path) -> None:
    made = tmp_path / "hall.wad"
    subprocess.run([sys.executable, HALL / "make_hall.py", made], check=True, timeout=60)
    assert made.read_bytes() == (HALL / "hall.wad").read_bytes()
    assert not check_game(HALL)


def test_kills_are_read_from_a_saved_game(tmp_path: Path) -> None:
    """As chocolate-doom 3 wrote it: health stands 32, ammunition 156 and kills 204 bytes into the player."""
    player = bytearray(52 + 280)
    for offset, number in ((32, 100), (156, 110), (204, 7)):
        struct.pack_into("<i", player, 52 + offset, number)
    saved = tmp_path / "doomsav0.dsg"
    saved.write_bytes(bytes(player))
    assert kills_in(saved) == 7
