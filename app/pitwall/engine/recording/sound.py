"""Hears what the computer plays, for a run's film: the monitor of a PulseAudio or PipeWire server."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Callable

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.frames import SOUND_BYTES, SOUND_HZ
from pitwall.link.child_process import dies_with_parent
from pitwall.link.film_sound import SOUND_FORMAT, server_absence

_log = logging.getLogger(__name__)

_PORTION_S = 0.1
_COMMAND = (
    "parec",
    "--device=@DEFAULT_MONITOR@",
    *SOUND_FORMAT,
    "--latency-msec=50",
    "--client-name=Pitwall",
)


def sound_absence() -> str:
    """Return a sentence on why no sound can be recorded here; empty where it can."""
    absence = server_absence(_COMMAND[0])
    return f"Films have no sound: {absence}" if absence else ""


class SoundCapture:
    """Reads the default output's monitor on a thread of its own.

    Args:
        take: called on that thread with each portion's begin on the monotonic clock and its content, as
            `FilmWriter.add_sound` takes them.
        lost: called on that thread with the error after which nothing more is heard.
    """

    def __init__(
        self, take: Callable[[int, bytes], None], lost: Callable[[Exception], object] = lambda _: None
    ) -> None:
        self._take, self._lost = take, lost
        self._process = subprocess.Popen(
            _COMMAND,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=dies_with_parent(),
        )
        self._thread = threading.Thread(target=self._read, name="sound", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the capture; a second call does nothing."""
        self._process.terminate()
        self._process.wait()
        self._thread.join()

    def _read(self) -> None:
        assert self._process.stdout is not None
        size = round(_PORTION_S * SOUND_HZ) * SOUND_BYTES
        try:
            with self._process.stdout as stream:
                while len(content := stream.read(size)) == size:
                    self._take(now_ns() - round(_PORTION_S * NS_PER_S), content)
        except Exception as error:
            _log.exception("the sound of the film failed")
            self._lost(error)
