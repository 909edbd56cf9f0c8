"""The computer's sound: whether it can be reached, and the process that plays a film's for a console."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from pitwall.core.clock import now_ns
from pitwall.core.frames import SOUND_HZ
from pitwall.core.paths import DataFolder
from pitwall.link.channel import CHANNEL_OPTION, pair
from pitwall.link.child_process import Child

ROLE = "film-sound"
NO_SOUND = 3
"""Exit status of the process where the film has no sound."""
SOUND_FORMAT = ("--raw", "--format=s16le", f"--rate={SOUND_HZ}", "--channels=2")
"""Options of `parec` and `pacat` for the sound of films."""


def server_absence(program: str) -> str:
    """Return a sentence on why a program cannot reach the sound; empty where it can."""
    if sys.platform != "linux":
        return "Pitwall has sound on Linux only."
    if shutil.which(program) is None:
        return f"{program} is missing. Install pulseaudio-utils; it serves PipeWire too."
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    if not os.environ.get("PULSE_SERVER") and not (runtime / "pulse" / "native").exists():
        return "No PulseAudio or PipeWire server runs in this session."
    return ""


class FilmSoundProcess:
    """Plays a film's sound from a second on, which is shown now.

    Raises:
        DataFolderError: its log cannot be written.
    """

    def __init__(self, data: DataFolder, video: Path, second: float, at_ns: int | None = None) -> None:
        self._channel, theirs = pair()
        place = ("--second", f"{second:.3f}", "--at-ns", str(now_ns() if at_ns is None else at_ns))
        try:
            self._child = Child(
                ROLE,
                ["--video", str(video), *place],
                sockets={CHANNEL_OPTION: theirs},
                log=data.logs / f"{ROLE}.log",
            )
        except BaseException:
            self._channel.close()
            theirs.close()
            raise

    @property
    def status(self) -> int | None:
        """Return the exit status: NO_SOUND, 0 at the film's end, 1 if it cannot be read; None: it plays."""
        return self._child.process.poll()

    def close(self) -> None:
        """End it."""
        self._channel.close()
        self._child.end(1.0)
