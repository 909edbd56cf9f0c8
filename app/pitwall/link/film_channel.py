"""The words between a console and the process that decodes a run's video for it, and the console's end.

`pitwall film-reader --channel FD --video FILE` answers each question (second, greatest width in pixels) with
a picture: its width and height, then its rows in BGRX; 0 and 0 for no picture. It ends with its channel.
"""

from __future__ import annotations

import socket
from pathlib import Path
from struct import Struct

import numpy as np

from pitwall.core.errors import ChannelClosed, ChildDied
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.link.channel import CHANNEL_OPTION, pair
from pitwall.link.child_process import Child

ROLE = "film-reader"
ASKED = Struct("<dI")
PICTURE = Struct("<II")


def receive(channel: socket.socket, size: int) -> bytearray:
    """Wait until this many bytes have come.

    Raises:
        ChannelClosed: the other end is gone.
    """
    content = bytearray(size)
    rest = memoryview(content)
    while rest:
        try:
            count = channel.recv_into(rest)
        except OSError:
            count = 0
        if not count:
            raise ChannelClosed("the film reader is gone.")
        rest = rest[count:]
    return content


class FilmReaderProcess:
    """Asks a film reader; every call waits for its answer.

    Raises:
        DataFolderError: its log cannot be written.
    """

    def __init__(self, data: DataFolder, video: Path) -> None:
        self._channel, theirs = pair()
        self._channel.setblocking(True)
        try:
            self._child = Child(
                ROLE,
                ["--video", str(video)],
                sockets={CHANNEL_OPTION: theirs},
                log=data.logs / f"{ROLE}.log",
            )
        except BaseException:
            self._channel.close()
            theirs.close()
            raise

    def picture_at(self, second: float, most_width: int) -> Pixels | None:
        """Return the picture at that time, (height, width, 4) uint8 BGRX; None if there is none.

        Raises:
            ChildDied: the reader is gone: the video cannot be read.
        """
        try:
            self._channel.sendall(ASKED.pack(second, most_width))
            width, height = PICTURE.unpack(receive(self._channel, PICTURE.size))
            content = receive(self._channel, 4 * width * height)
        except (OSError, ChannelClosed) as error:
            self._child.end(1.0)
            raise ChildDied(
                "the run's video cannot be read.", "Its step images are shown.", self._child.last_words()
            ) from error
        return np.frombuffer(content, np.uint8).reshape(height, width, 4) if width else None

    def close(self) -> None:
        """End the reader."""
        self._channel.close()
        self._child.end(1.0)
