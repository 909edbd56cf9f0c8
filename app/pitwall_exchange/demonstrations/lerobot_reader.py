"""Reads LeRobot datasets (version 3.0), pictures in their tables or in videos."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, Field

from pitwall.core.bounded_reading import open_regular, read_model
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile
from pitwall.core.keys import KEYS
from pitwall.demonstrations.manifest import MOST_SIDE
from pitwall_exchange.demonstrations.lerobot_form import (
    ACTION,
    DATA,
    EPISODES,
    INFO,
    PLACES,
    ROWS_AT_ONCE,
    SCREEN,
    STATE,
)
from pitwall_exchange.demonstrations.steady import SteadyFrame
from pitwall_exchange.demonstrations.video import video_frames


class _Feature(BaseModel):
    dtype: str
    shape: tuple[int, ...] = ()
    names: Any = None

    def labels(self) -> list[str]:
        """Return the names of its numbers; numbers if it has no names."""
        named = self.names
        if isinstance(named, dict):
            named = next((listed for listed in named.values() if isinstance(listed, list)), None)
        size = self.shape[0] if self.shape else 1
        return (
            [str(name) for name in named] if named and len(named) == size else [str(at) for at in range(size)]
        )


class _Info(BaseModel):
    codebase_version: str
    fps: float = Field(gt=0, le=1000)
    total_episodes: int = Field(ge=0, le=1_000_000)
    data_path: str = DATA
    video_path: str | None = None
    features: dict[str, _Feature]
    robot_type: str | None = None


class LerobotDataset:
    """A LeRobot dataset to import.

    Attributes:
        size: width and height of its pictures. fps: frames a second.

    Raises:
        FileNotFoundError: it has no `meta/info.json`. DamagedFile: that is damaged, or it holds no pictures.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        file = folder / INFO
        self._info = read_model(_Info, file)
        if not self._info.codebase_version.startswith("v3"):
            raise DamagedFile(
                file,
                f"is of version {self._info.codebase_version[:20]}",
                key="codebase_version",
                expected="v3.0",
                fix="Convert it with LeRobot's own script: lerobot.datasets.v30.convert_dataset_v21_to_v30",
            )
        seen = {
            name: feature
            for name, feature in self._info.features.items()
            if feature.dtype in ("image", "video")
        }
        self._screen = SCREEN if SCREEN in seen else next(iter(seen), "")
        shape = self._info.features[self._screen].shape if self._screen else ()
        if len(shape) != 3 or not all(1 <= side <= MOST_SIDE for side in shape):
            raise DamagedFile(
                file,
                f"has pictures of {list(shape)}" if seen else "has no pictures",
                key=f"features.{self._screen}" if seen else "features",
                expected=f"an image or video of height, width and colours, at most {MOST_SIDE} pixels a side",
            )
        channels_first = shape[0] == 3 and shape[2] != 3
        self.size = (shape[2], shape[1]) if channels_first else (shape[1], shape[0])
        self.fps = self._info.fps
        self.title = self._info.robot_type or folder.name

    def episodes(self) -> Iterator[Iterator[SteadyFrame]]:
        """Yield each episode's frames, with times from 0; raises DamagedFile."""
        file = self._folder / EPISODES
        for number in sorted((self._folder / "meta/episodes").glob("chunk-*/file-*.parquet")) or [file]:
            for row in rows_of(number):
                yield self._frames(row)

    def _frames(self, episode: dict[str, Any]) -> Iterator[SteadyFrame]:
        place = {name: int(episode.get(f"data/{name}", 0)) for name in ("chunk_index", "file_index")}
        file = self._inside(self._info.data_path.format(**place))
        films = None
        if self._info.features[self._screen].dtype == "video":
            films = self._film(episode)
        action = self._info.features.get(ACTION)
        labels = action.labels() if action else []
        number = episode["episode_index"]
        for at, row in enumerate(row for row in rows_of(file) if row["episode_index"] == number):
            pixels = next(films, None) if films else _decoded(file, row, self._screen)
            if pixels is None:
                return
            values = dict(zip(labels, _vector(row.get(ACTION)), strict=False))
            fields = dict(zip(self._state_labels(), _vector(row.get(STATE)), strict=False))
            yield _frame(round(at * NS_PER_S / self.fps), pixels, values, fields)

    def _state_labels(self) -> list[str]:
        state = self._info.features.get(STATE)
        return state.labels() if state else []

    def _film(self, episode: dict[str, Any]) -> Iterator[Any]:
        key = f"videos/{self._screen}"
        place = {name: int(episode.get(f"{key}/{name}", 0)) for name in ("chunk_index", "file_index")}
        path = (self._info.video_path or "").format(video_key=self._screen, **place)
        return video_frames(self._inside(path), float(episode.get(f"{key}/from_timestamp", 0.0)))

    def _inside(self, path: str) -> Path:
        file = (self._folder / path).resolve()
        if not file.is_relative_to(self._folder.resolve()):
            raise DamagedFile(
                self._folder / INFO, f"names {path[:80]!r}, which is outside the folder", key="data_path"
            )
        return file


def _frame(at_ns: int, pixels: Any, values: dict[str, float], fields: dict[str, Any]) -> SteadyFrame:
    held = set()
    foreign = {}
    for label, value in values.items():
        kind, _, name = label.partition(":")
        if (kind == "key" and name in KEYS) or (kind == "mouse" and name in ("left", "middle", "right")):
            if value > 0.5:
                held.add((kind, name))
        elif label not in PLACES:
            foreign[f"action.{label}"] = value
    x, y, dx, dy = (values.get(name, 0.0) for name in PLACES)
    return SteadyFrame(
        at_ns=at_ns,
        pixels=pixels,
        held=frozenset(held),
        pointer=(x, y) if "pointer:x" in values and (x or y) else None,
        wheel=(round(dx), round(dy)),
        status="playing",
        fields={**fields, **foreign},
    )


def _vector(value: Any) -> list[float]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [float(number) for number in listed if isinstance(number, int | float)]


def _decoded(file: Path, row: dict[str, Any], name: str) -> Any:
    cell = row.get(name)
    content = cell.get("bytes") if isinstance(cell, dict) else None
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
    if pixels is None:
        raise DamagedFile(file, "holds no picture", key=f"{name}, frame {row.get('index')}", expected="PNG")
    return pixels


def rows_of(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a dataset's table without statistics; raises DamagedFile."""
    try:
        with open_regular(file) as stream, pq.ParquetFile(stream) as table:
            wanted = [name for name in table.schema_arrow.names if not name.startswith("stats/")]
            if "episode_index" not in wanted:
                raise DamagedFile(file, "has no column episode_index", expected="a LeRobot table")
            for batch in table.iter_batches(ROWS_AT_ONCE, columns=wanted):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        message = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise DamagedFile(file, f"is damaged: {message}", expected="a Parquet file") from None
