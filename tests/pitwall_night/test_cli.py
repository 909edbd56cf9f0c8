"""A night that cannot be played is refused before it begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall_night.cli import play
from pitwall_night.record import nights


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"runs": None}, "needs an end"),
        ({"until": "99:99"}, "no time of day"),
        ({"webhook": "foo"}, "http or https"),
        ({"command": "no-such-program"}, "names no program"),
        ({"setting": ["control.nothing=1"]}, "nothing"),
        ({"game": "flapy"}, "flappy"),
    ],
    ids=lambda value: "" if isinstance(value, str) else next(iter(value)),
)
def test_a_wrong_option_leaves_no_night_behind(tmp_path: Path, wrong: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"game": "flappy", "runs": 1, "data": tmp_path}
    with pytest.raises(PitwallError) as refused:
        play(**given | wrong)
    assert words in f"{refused.value.what} {refused.value.fix}"
    assert nights(DataFolder(tmp_path)) == []
