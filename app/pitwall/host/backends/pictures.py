"""Pictures are checked before any model sees them: a PNG or JPEG that decodes, and is not too large."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.host.requests.faults import BadPicture

LONGEST_SIDE_PX = 960
_MOST_BYTES = 16 << 20


def decode(blob: bytes) -> Pixels:
    """Return the pixels of a PNG or JPEG, height × width × 3, BGR.

    Raises:
        BadPicture: no picture, or larger than a model may be sent.
    """
    kind = picture_type(blob)
    if len(blob) > _MOST_BYTES:
        raise BadPicture(f"the picture has {len(blob):,} bytes.", f"Send one of at most {_MOST_BYTES:,}.")
    pixels = cv2.imdecode(np.frombuffer(blob, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise BadPicture(f"the picture is a damaged {kind.upper()}.", "Send the whole PNG or JPEG.")
    height, width = pixels.shape[:2]
    if max(height, width) > LONGEST_SIDE_PX:
        raise BadPicture(
            f"the picture is {width}×{height} px.",
            f"Send one of at most {LONGEST_SIDE_PX} px on its long side.",
        )
    return np.asarray(pixels, np.uint8)


def raw_picture(blob: bytes, width: int, height: int) -> Pixels:
    """Return the pixels of a blob of height × width × 3 bytes.

    Raises:
        BadPicture: it has another length.
    """
    if min(width, height) < 1 or len(blob) != width * height * 3:
        raise BadPicture(f"a picture of {width}×{height} px came with {len(blob)} bytes.")
    return np.frombuffer(blob, np.uint8).reshape(height, width, 3)


def pictures_of(blob: bytes, sizes: Sequence[int], wanted: int) -> list[bytes]:
    """Return the pictures that a blob holds, one after another.

    Args:
        sizes: of each, in bytes; none: the blob is one picture. wanted: how many there must be.

    Raises:
        BadPicture: more or fewer, or bytes that belong to none.
    """
    if not sizes and wanted == 1:
        return [blob]
    lengths = list(sizes) or ([len(blob)] if blob else [])
    if len(lengths) != wanted or sum(lengths) != len(blob) or any(length < 1 for length in lengths):
        raise BadPicture(
            f"{wanted} messages have a picture, and {len(lengths)} came.", "Send one for each, in turn."
        )
    ends = list(accumulate(lengths))
    return [blob[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def picture_type(blob: bytes) -> str:
    """Return "png" or "jpeg".

    Raises:
        BadPicture: neither.
    """
    if blob.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if blob.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    raise BadPicture(
        "the request has no picture." if not blob else "the picture is neither a PNG nor a JPEG.",
        "Send a PNG or JPEG.",
    )
