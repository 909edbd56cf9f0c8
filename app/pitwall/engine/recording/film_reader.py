"""Decodes a run's video for a console that asks for its pictures by the second (`link.film_channel`)."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2

from pitwall.core.errors import ChannelClosed, PitwallError
from pitwall.core.frames import Pixels
from pitwall.link.channel import CHANNEL_OPTION
from pitwall.link.child_process import inherited
from pitwall.link.film_channel import ASKED, PICTURE, ROLE, receive
from pitwall.store.film import Film


def main(argv: Sequence[str]) -> int:
    """Answer until the other end of the channel is gone; return the exit status."""
    parser = argparse.ArgumentParser(prog=f"pitwall {ROLE}", description=__doc__)
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int, required=True, metavar="FD")
    parser.add_argument("--video", type=Path, required=True, metavar="FILE")
    options = parser.parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the channel's end is what ends it
    channel = inherited(options.channel)
    try:
        answer(channel, Film(options.video))
    except PitwallError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


def answer(channel: socket.socket, film: Film) -> None:
    """Answer every request on a channel until it ends."""
    channel.setblocking(True)
    with channel:
        while True:
            try:
                second, most_width = ASKED.unpack(receive(channel, ASKED.size))
                picture = film.picture_at(second)
                if picture is None:
                    channel.sendall(PICTURE.pack(0, 0))
                    continue
                shown = _fitted(picture, most_width)
                channel.sendall(PICTURE.pack(shown.shape[1], shown.shape[0]) + shown.tobytes())
            except (ChannelClosed, OSError):
                film.close()
                return


def _fitted(picture: Pixels, most_width: int) -> Pixels:
    height, width = picture.shape[:2]
    if width > most_width > 0:
        size = (most_width, max(1, round(height * most_width / width)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    return cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)  # type: ignore[return-value]
