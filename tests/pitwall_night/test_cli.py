"""A night that cannot be played is refused before it begins."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.store.lease import FileLock
from pitwall_night.cli import _end_s, play, resume
from pitwall_night.record import NightFolder, NightOrder, nights


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"runs": None}, "needs an end"),
        ({"until": "99:99"}, "no time of day"),
        ({"webhook": "foo"}, "http or https"),
        ({"webhook": "https://host/a b"}, "blank"),
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


def test_a_night_that_is_played_is_not_resumed_beside_itself(tmp_path: Path) -> None:
    night = NightFolder.create(DataFolder(tmp_path), NightOrder(game="flappy", runs=1))
    with (
        FileLock(night.root / "night.lock", role="pitwall night", subject="night 1"),
        pytest.raises(PitwallError, match="night 1 is in use by pitwall night"),
    ):
        resume(data=tmp_path)
    assert night.events() == []


def test_the_webhooks_address_reaches_no_other_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "http://127.0.0.1:9/secret"
    monkeypatch.setenv("PITWALL_WEBHOOK", address)
    monkeypatch.setenv("DISPLAY", ":0")  # nothing is played: its time is over
    NightFolder.create(DataFolder(tmp_path), NightOrder(game="flappy", until_s=1.0))
    resume(webhook=address, data=tmp_path)
    assert "PITWALL_WEBHOOK" not in os.environ


@pytest.fixture
def an_hour_before_clocks_change(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Live where summer time begins in an hour from now, and an hour is left out."""
    if sys.platform == "win32":
        pytest.skip("Windows takes no rule for the time of day")
    change = datetime.now(UTC) + timedelta(hours=1)
    day = change.timetuple().tm_yday
    monkeypatch.setenv("TZ", f"WIN0SUM,{day - 1}/{change:%H:%M},{(day + 100) % 365}/0")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("an_hour_before_clocks_change")
def test_hours_are_hours_when_the_clocks_change() -> None:
    end_s = _end_s("", 3.0)
    assert end_s is not None
    assert abs(end_s - time.time() - 3 * 3_600) < 60


@pytest.mark.usefixtures("an_hour_before_clocks_change")
def test_a_time_of_day_is_what_the_clock_on_the_wall_shows_then() -> None:
    at = (datetime.now() + timedelta(hours=4)).replace(second=0, microsecond=0)
    end_s = _end_s(f"{at:%H:%M}", None)
    assert end_s is not None
    assert time.strftime("%H:%M", time.localtime(end_s)) == f"{at:%H:%M}"
    assert _end_s(f"{at:%H:%M}", 2.0) == pytest.approx(time.time() + 7_200, abs=60)
