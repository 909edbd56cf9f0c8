"""Plays a film's sound from a second on, in step with a console that shows its pictures.

`pitwall film-sound --channel FD --video FILE --second S --at-ns NS` plays the second that is due now, where
the console showed second S at that time of the monotonic clock. It ends with the film or with its channel.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.frames import SOUND_BYTES, SOUND_HZ
from pitwall.link.channel import CHANNEL_OPTION
from pitwall.link.child_process import dies_with_parent, inherited
from pitwall.link.film_sound import NO_SOUND, ROLE, SOUND_FORMAT
from pitwall.store.film import Film

_PLAYER = ("pacat", "--playback", *SOUND_FORMAT, "--latency-msec=60", "--client-name=Pitwall")
_LATENCY_S = 0.06
_SILENCE_S = 0.05
"""A longer gap in the sound is filled with silence."""


def main(argv: Sequence[str]) -> int:
    """Play until the film or the channel ends; return the exit status."""
    parser = argparse.ArgumentParser(prog=f"pitwall {ROLE}", description=__doc__)
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int, required=True, metavar="FD")
    parser.add_argument("--video", type=Path, required=True, metavar="FILE")
    parser.add_argument("--second", type=float, required=True)
    parser.add_argument("--at-ns", type=int, required=True)
    options = parser.parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the channel's end is what ends it
    channel = inherited(options.channel)
    try:
        film = Film(options.video)
        if not film.has_sound:
            return NO_SOUND
        second = options.second + (now_ns() - options.at_ns) / NS_PER_S + _LATENCY_S
        _play(_portions(film, second), channel)
    except PitwallError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _portions(film: Film, begin_s: float) -> Iterator[bytes]:
    """Yield the sound from a second on, with silence where the film has none."""
    place_s = begin_s
    for at_s, content in film.sound(begin_s, math.inf):
        if at_s - place_s > _SILENCE_S:
            yield bytes(SOUND_BYTES * round((at_s - place_s) * SOUND_HZ))
            place_s = at_s
        yield content
        place_s += len(content) / (SOUND_BYTES * SOUND_HZ)


def _play(portions: Iterator[bytes], channel: socket.socket) -> None:
    """Give portions to the computer's sound as it takes them, until the channel's other end is gone."""
    player = subprocess.Popen(
        _PLAYER, bufsize=0, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=dies_with_parent()
    )
    assert player.stdin is not None
    try:
        for portion in portions:
            ended, _, _ = select.select([channel], [player.stdin], [])
            if ended:
                return
            player.stdin.write(portion)
        player.stdin.close()
        while player.poll() is None:
            if select.select([channel], [], [], 0.05)[0]:
                return
    except BrokenPipeError:
        return  # the sound server is gone: the pictures go on
    finally:
        with contextlib.suppress(OSError):
            player.stdin.close()
        player.kill()
        player.wait()
