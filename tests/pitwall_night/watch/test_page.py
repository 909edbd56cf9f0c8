"""The watch page in a real Chromium of a phone's size: what it shows, in which words, and what it can do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from tests.link.test_watch_point import GAME, note
from tests.pitwall_night.watch.served_page import TOKEN, ServedPage, served
from tests.plain_records import step_record
from tests.plugins.pages.rendered_page import HeadlessBrowser

from pitwall.core import telemetry
from pitwall.core.actions import SemanticAction
from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Route
from pitwall.core.telemetry import EngineState
from pitwall.link.frame_ring import FrameRingWriter
from pitwall.link.watch_point import WatchPoint
from pitwall_night.record import NightEvent, NightFolder, NightOrder

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")


@dataclass
class _Phone:
    browser: HeadlessBrowser
    page: ServedPage
    stops: list[str]

    def open(self, token: str = TOKEN, language: str = "de-DE,de;q=0.9", scheme: str = "dark") -> None:
        self.browser.visit(f"http://{self.page.host}/#{token}", language=language, scheme=scheme)

    def text(self, name: str) -> str:
        return str(self.browser.evaluate(f"document.getElementById({name!r}).innerText"))


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Phone]:
    folder, stops = tmp_path_factory.mktemp("watched"), list[str]()
    data = DataFolder(folder / "data")
    point, ring = WatchPoint(data, "1.sock", lambda: stops.append("stop")), FrameRingWriter(800, 600)
    pixels = np.full((600, 800, 4), 90, np.uint8)
    ring.write(Frame(frame_id=1, captured_ns=1, ready_ns=1, pixels=pixels, window=Rect(0, 0, 800, 600)))
    for record in (
        GAME,
        telemetry.RingOpened(name=ring.name),
        telemetry.StateChanged(state=EngineState.PLAYING),
        note(1, 12.0),
        telemetry.StepNote(run_id=1, step=_STEP),
    ):
        point.note(record)
    night = NightFolder.create(data, NightOrder(game="g", runs=3))
    night.add(NightEvent(kind="crashed", at_s=2e9, text="<img src=x onerror=alert(1)>", run_id=1))
    browser = HeadlessBrowser(folder / "profile")
    with served(data, allow_stop=True) as page:
        yield _Phone(browser, page, stops)
    browser.close()
    point.close()
    ring.close()


_STEP = step_record(
    1,
    at_ns=1,
    route=Route.REFLEX,
    why="The module fly drives.",
    action=SemanticAction(name="flap"),
)


@pytest.mark.parametrize(("scheme", "ground"), [("dark", "rgb(19, 24, 31)"), ("light", "rgb(248, 250, 251)")])
def test_the_play_is_shown_in_the_phones_language_and_colours(
    phone: _Phone, scheme: str, ground: str
) -> None:
    phone.open(scheme=scheme)
    phone.browser.wait_for("document.getElementById('picture').naturalWidth === 640")
    assert phone.text("state") == "▶ SPIELT" and phone.text("game") == "Game"
    assert phone.text("figures") == "Punkte 12"
    assert "Das Modul fly steuert." in phone.text("decisions")
    assert phone.text("night") == "Nacht 1 · g" and "<img src=x" in phone.text("events")
    look = "[getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth]"
    assert phone.browser.evaluate(look) == [ground, 390]
    assert phone.browser.evaluate("location.href.includes('#') || document.images.length > 1") is False


def test_the_emergency_stop_takes_two_taps(phone: _Phone) -> None:
    phone.open(language="en")
    phone.browser.wait_for("document.getElementById('state').innerText.includes('PLAYING')")
    tap = "document.getElementById('stop').click()"
    phone.browser.evaluate(tap)
    assert phone.text("stop") == "■ Tap again to stop" and phone.stops == []
    phone.browser.evaluate(tap)
    phone.browser.wait_for("document.getElementById('stop').innerText === 'Sent.'")
    assert phone.stops == ["stop"]


def test_a_wrong_token_asks_for_the_right_one(phone: _Phone) -> None:
    phone.open(token="not-the-right-token")
    phone.browser.wait_for("!document.getElementById('ask').hidden")
    assert phone.text("refused") == "Dieses Zugangswort ist falsch."
    phone.browser.evaluate(
        f"document.getElementById('token').value = '{TOKEN}', document.querySelector('form button').click()"
    )
    phone.browser.wait_for("document.getElementById('state').innerText === '▶ SPIELT'")
