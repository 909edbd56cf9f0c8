"""A clip that somebody is sent plays in a browser."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.console.recorded_runs import record_run
from tests.plugins.pages.rendered_page import HeadlessBrowser

from pitwall.core.paths import DataFolder
from pitwall.store.clip import write_clip
from pitwall.store.film_writer import FilmWriter

_HZ = 15


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
@pytest.mark.parametrize("suffix", ["mp4", "webm"])
def test_a_browser_plays_a_clip(tmp_path: Path, suffix: str) -> None:
    data = DataFolder(tmp_path)
    record_run(data, 40)
    with FilmWriter(data.video(1), _HZ, (64, 48)) as film:
        for at in range(10 * _HZ):
            film.add(np.full((48, 64, 4), at, np.uint8), at * 10**9 // _HZ)
    clip = tmp_path / f"clip.{suffix}"
    write_clip(data, 1, 2.0, 6.0, clip)
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><video src="{clip.name}" muted autoplay></video>', encoding="utf-8")
    browser = HeadlessBrowser(tmp_path / "profile")
    try:
        browser.show(page)
        video = "document.querySelector('video')"
        browser.wait_for(f"{video}.readyState >= 2 && {video}.currentTime > 0.2")
        assert browser.evaluate(f"{video}.error") is None
        assert browser.evaluate(f"{video}.duration") == pytest.approx(4.0, abs=0.3)
        assert browser.evaluate(f"{video}.videoWidth") > 0
    finally:
        browser.close()
