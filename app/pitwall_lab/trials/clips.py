"""Saves short moving pictures of a policy at play, drawn by its twin's `render`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pitwall.store.folder_errors import folder_error
from pitwall_lab.environments.twin_environment import EnvironmentSpec, TwinEnvironment
from pitwall_lab.trials.twin_trials import BatchPolicy

_LONGEST_MS = 8_000.0
_BETWEEN_MS = 80.0
_HIGHEST, _WIDEST = 256, 384
_QUALITY = 55


def make_clip(order: EnvironmentSpec, pilot: BatchPolicy, seed: int, file: Path) -> bool:
    """Play the first seconds of a seed and save them as an animated WebP; False if the twin draws none.

    Args:
        order: of a lane that draws (`pictures`).

    Raises:
        PluginFailed: the twin cannot run. DataFolderError: the file cannot be written.
    """
    lane = TwinEnvironment(order)
    try:
        pictures, every_ms = _played(lane, pilot, seed)
    finally:
        lane.close()
    if not pictures:
        return False
    save_clip(pictures, every_ms, file)
    return True


def save_clip(pictures: Sequence[NDArray[np.uint8]], every_ms: float, file: Path) -> None:
    """Save (height, width, 3) RGB pictures as an animated WebP.

    Raises:
        DataFolderError: the file cannot be written.
    """
    first, *rest = [_small(picture) for picture in pictures]
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = file.with_name(file.name + ".tmp")
        first.save(
            aside,
            "WEBP",
            save_all=True,
            append_images=rest,
            duration=round(every_ms),
            loop=0,
            quality=_QUALITY,
            method=0,
        )
        aside.replace(file)
    except OSError as error:
        raise folder_error(error, file) from error


def _played(lane: TwinEnvironment, pilot: BatchPolicy, seed: int) -> tuple[list[NDArray[np.uint8]], float]:
    every = max(1, round(_BETWEEN_MS / lane.step_ms))
    moment = lane.begin(seed)
    pilot.begin([lane])
    pictures: list[NDArray[np.uint8]] = []
    for step in range(max(1, round(_LONGEST_MS / lane.step_ms))):
        if step % every == 0 or moment.over:
            picture = lane.render()
            if picture is None:
                return [], 0.0
            pictures.append(picture)
        if moment.over:
            break
        moment = lane.step(int(pilot.choose([moment])[0]))
    return pictures, every * lane.step_ms


def _small(picture: NDArray[np.uint8]) -> Image.Image:
    image = Image.fromarray(picture)
    image.thumbnail((_WIDEST, _HIGHEST), Image.Resampling.BILINEAR)
    return image
