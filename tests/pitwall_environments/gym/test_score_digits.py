"""The points that Atari games write, read from their pixels, beside the true ones."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("ale_py")

from pitwall.core.errors import PluginFailed
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.games.native_digits import Digits
from pitwall.games.plugin_loader import load_reader
from pitwall.games.registry import Registry
from pitwall_environments.gym.environment import ids_of, open_environment
from pitwall_environments.gym.episodes import Episodes
from pitwall_environments.gym.profile import add_environment, game_id_of_env

KNOWN = sorted(folder.name for folder in (resources_dir() / "gym").glob("gym-ale-*"))
_FRAMES, _CALM, _HELD = 1500, 40, 10
"""Frames that are played; so many without a point until they are sure to be written; held by each key."""


@pytest.mark.parametrize("known", KNOWN)
def test_what_is_written_is_what_was_scored(tmp_path: Path, known: str) -> None:
    env_id = next(item for item in ids_of("ALE") if game_id_of_env(item) == known)
    data = DataFolder(tmp_path)
    add_environment(data, env_id)
    reader = load_reader(Registry(data).load(known))
    played, chance = Episodes(open_environment(env_id), env_id, known, 5), np.random.default_rng(5)
    keys: tuple[str, ...] = ()
    scores: deque[float] = deque(maxlen=_CALM)
    read, wrong, seen = 0, [], set()
    for frame in range(_FRAMES):
        if played.over:
            played.begin()
            scores.clear()
        if frame % _HELD == 0:
            keys = played.keyboard.actions[int(chance.integers(len(played.keyboard.actions)))].keys
        played.step(frozenset(keys))
        scores.append(played.reward)
        if frame % 5 or len(scores) < _CALM or len(set(scores)) > 1:
            continue
        message = reader.read(np.asarray(cv2.cvtColor(played.picture, cv2.COLOR_RGB2BGRA), np.uint8))
        written = _score(dict(message))
        if written is not None:
            read += 1
            seen.add(written)
            wrong += [(frame, written, played.reward)] * (written != played.reward)
    assert read > 20 and len(wrong) <= read // 20, wrong[:5]
    assert len(seen) > 1 or known in {"gym-ale-freeway", "gym-ale-enduro"}  # chance scores nothing there


def _score(told: dict[str, object]) -> float | None:
    """Return the points as the environment counts them: own less the other's, or cars passed of 200."""
    left, own, foe = (told.get(name) for name in ("cars_left", "score", "foe_score"))
    if isinstance(left, float):
        return 200.0 - left
    if not isinstance(own, float):
        return None
    return own - (foe if isinstance(foe, float) else 0.0)


def test_what_is_no_digit_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "digits.txt"
    file.write_text("".join(f"{digit}\n{'#' * (digit + 1)}\n" for digit in range(10)))
    picture = np.zeros((210, 160), np.int32)
    digits = Digits(file, (0, 0, 60, 10), 7)
    assert digits.read(picture) is None
    picture[4, 2:4] = picture[4, 6:9] = 7
    assert digits.read(picture) == 12.0
    picture[5, 2] = 7
    assert digits.read(picture) is None


def test_a_drawing_without_all_digits_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "digits.txt"
    file.write_text("0\n##\n")
    with pytest.raises(PluginFailed, match="1 digits"):
        Digits(file, (0, 0, 60, 10), 7)
    file.write_text("##\n")
    with pytest.raises(PluginFailed, match="line 1"):
        Digits(file, (0, 0, 60, 10), 7)
