"""The frame ring: newest wins, nothing torn, and a reader's death is nobody's business."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator

import numpy as np
import pytest

from pitwall.core.errors import DataFolderError, ProtocolError
from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect
from pitwall.link.frame_ring import FrameRingReader, FrameRingWriter


def _frame(number: int, width: int = 320, height: int = 200) -> Frame:
    pixels = np.full((height, width, 4), number % 251, np.uint8)
    return Frame(
        frame_id=number, captured_ns=number, ready_ns=number, pixels=pixels, window=Rect(0, 0, width, height)
    )


@pytest.fixture
def writer() -> Iterator[FrameRingWriter]:
    ring = FrameRingWriter(320, 200)
    yield ring
    ring.close()


def test_newest_wins_and_comes_once(writer: FrameRingWriter) -> None:
    reader = FrameRingReader(writer.name)
    assert reader.newest() is None
    for number in (1, 2, 3, 4, 5):
        writer.write(_frame(number))
    frame = reader.newest()
    assert frame is not None
    assert (frame.frame_id, int(frame.pixels[0, 0, 0])) == (5, 5)
    assert reader.newest() is None
    reader.close()


def test_smaller_frames_fit_and_larger_ones_say_so(writer: FrameRingWriter) -> None:
    reader = FrameRingReader(writer.name)
    writer.write(_frame(1, 100, 50))
    frame = reader.newest()
    assert frame is not None
    assert frame.pixels.shape == (50, 100, 4)
    assert not writer.fits(400, 200)
    reader.close()


def test_no_frame_is_torn_while_another_process_writes() -> None:
    script = textwrap.dedent(
        """
        import select, sys, numpy as np
        from pitwall.core.frames import Frame
        from pitwall.core.geometry import Rect
        from pitwall.link.frame_ring import FrameRingWriter
        ring = FrameRingWriter(640, 480)
        print(ring.name, flush=True)
        sys.stdin.readline()
        pixels = np.empty((480, 640, 4), np.uint8)
        number = 0
        while not select.select([sys.stdin], [], [], 0)[0]:
            number += 1
            pixels[:] = number % 251
            frame = Frame(frame_id=number, captured_ns=1, ready_ns=1, pixels=pixels, window=Rect(0, 0, 1, 1))
            ring.write(frame)
        sys.stdin.readline()
        ring.close()
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        reader = FrameRingReader(process.stdout.readline().strip())
        process.stdin.write("\n")
        process.stdin.flush()
        seen, until = 0, time.monotonic() + 60
        while process.poll() is None and seen < 50 and time.monotonic() < until:
            frame = reader.newest()
            if frame is None:
                continue
            seen += 1
            assert (frame.pixels == frame.frame_id % 251).all()
        reader.close()
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait(60) == 0
    assert seen == 50


def test_what_is_no_ring_is_refused() -> None:
    with pytest.raises(ProtocolError, match="gone"):
        FrameRingReader("pitwall-none")


def test_full_shared_memory_is_a_sentence() -> None:
    with pytest.raises(DataFolderError, match="shared memory has no room"):
        FrameRingWriter(1_000_000, 1_000_000)
