"""A film's sound is heard in step with its pictures, and where there is none a sentence says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pitwall.console.kit.theme import Look
from pitwall.console.replay.sound import ReplaySound
from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import SOUND_BYTES, SOUND_HZ
from pitwall.core.paths import DataFolder
from pitwall.link.film_sound import SOUND_FORMAT
from pitwall.store.film_writer import FilmWriter

_LOUD = 3_000
_TONE_FROM_S, _SECONDS = 3.0, 40.0


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A PulseAudio server of our own, whose only output goes nowhere."""
    if shutil.which("pulseaudio") is None or shutil.which("pacat") is None:
        pytest.skip("needs pulseaudio, which is not installed")
    socket = tmp_path / "pulse.sock"
    monkeypatch.setenv("PULSE_SERVER", f"unix:{socket}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    modules = ("module-null-sink", f"module-native-protocol-unix auth-anonymous=1 socket={socket}")
    options = [part for module in modules for part in ("-L", module)]
    process = subprocess.Popen(
        ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PULSE_SERVER": ""},
    )
    while not socket.exists() and process.poll() is None:
        time.sleep(0.02)
    assert process.poll() is None
    yield
    process.terminate()
    process.wait(60)


def _write_film(data: DataFolder, run_id: int, *, sound: bool) -> None:
    """Write a film that is silent at first, and a tone from a second on."""
    with FilmWriter(data.video(run_id), 10, (64, 48), sound=sound) as film:
        for at in range(int(_SECONDS * 10)):
            second = at / 10
            film.add(np.full((48, 64, 4), at % 256, np.uint8), round(second * NS_PER_S))
            places = second + np.arange(SOUND_HZ // 10) / SOUND_HZ
            tone = np.where(places >= _TONE_FROM_S, 12_000 * np.sin(2 * np.pi * 440 * places), 0)
            film.add_sound(np.repeat(tone.astype(np.int16), 2).tobytes(), round(second * NS_PER_S))


@pytest.fixture
def sound(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[ReplaySound]:
    assert screen
    data = DataFolder(tmp_path / "data")
    _write_film(data, 1, sound=True)
    _write_film(data, 2, sound=False)
    made = ReplaySound(Look(qapp, "dark"), data)
    qtbot.addWidget(made)
    yield made
    made.close_reading()


@pytest.mark.usefixtures("server")
def test_the_sound_is_that_of_the_moment_and_off_until_it_is_wanted(sound: ReplaySound, qtbot: QtBot) -> None:
    sound.follow(1, 0.0)
    assert not sound._soon.isActive(), "it is off at first"
    command = ["parec", "--device=@DEFAULT_MONITOR@", *SOUND_FORMAT, "--latency-msec=20"]
    recording = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert recording.stdout is not None
    os.set_blocking(recording.stdout.fileno(), False)
    sound.button.click()
    began = time.monotonic()
    sound.follow(1, 1.0)
    heard_s: list[float] = []

    def heard() -> bool:
        content = recording.stdout.read() if recording.stdout is not None else None
        whole = np.frombuffer((content or b"")[: len(content or b"") // SOUND_BYTES * SOUND_BYTES], np.int16)
        if whole.size and np.abs(whole.astype(int)).max() > _LOUD:
            heard_s.append(time.monotonic() - began)
        return bool(heard_s)

    qtbot.waitUntil(heard)
    recording.kill()
    recording.wait()
    recording.stdout.close()
    assert sound.playing and sound.silence.isHidden()
    assert heard_s[0] >= _TONE_FROM_S - 1.0 - 0.3, "the tone begins two seconds after the shown moment"
    sound.follow(None, 4.0)
    assert not sound.playing


@pytest.mark.usefixtures("server")
def test_a_film_without_sound_says_so(sound: ReplaySound, qtbot: QtBot) -> None:
    sound.button.click()
    sound.follow(2, 0.0)
    qtbot.waitUntil(lambda: "none was recorded" in sound.silence.full_text())
    assert not sound.button.isChecked()
    sound.button.click()
    sound.follow(3, 0.0)
    assert "no film" in sound.silence.full_text()


def test_a_computer_without_sound_says_so(sound: ReplaySound, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    sound.button.click()
    sound.follow(1, 0.0)
    assert sound.silence.full_text().startswith("No sound: ") and not sound.button.isChecked()
