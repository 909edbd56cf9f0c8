"""Reads LeRobot datasets (version 3.0), pictures in their tables or in videos.

Each file is read once from its beginning to its end, so the time grows with the size of the dataset.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from pitwall.core.bounded_reading import read_model, real_path
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile
from pitwall.core.frames import MOST_SIDE
from pitwall.core.keys import KEYS
from pitwall.core.quantities import counted
from pitwall.store.film import Film
from pitwall_exchange.demonstrations.lerobot_form import (
    ACTION,
    DATA,
    EPISODES,
    INFO,
    PLACES,
    SCREEN,
    STATE,
)
from pitwall_exchange.demonstrations.lerobot_tables import (
    decoded_picture,
    numbers,
    seconds,
    table_rows,
    whole_number,
)
from pitwall_exchange.demonstrations.steady import SteadyFrame, notches

_SLOT = re.compile(r"\{(\w*)(?::0?(\d)d)?\}")
_CONVERT = "Convert it with LeRobot's own script: lerobot.datasets.v30.convert_dataset_v21_to_v30"


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
    total_frames: int | None = Field(None, ge=0)
    data_path: str = DATA
    video_path: str | None = None
    features: dict[str, _Feature]
    robot_type: str | None = None


class LerobotDataset:
    """A LeRobot dataset to import.

    Attributes:
        size: width and height of its pictures. fps: frames a second. title: the robot's type, or the folder.
        note: the names of other cameras, whose pictures are left out; empty without any.

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
                fix=_CONVERT,
            )
        features = self._info.features
        seen = [name for name, feature in features.items() if feature.dtype in ("image", "video")]
        self._screen = SCREEN if SCREEN in seen else next(iter(seen), "")
        shape = features[self._screen].shape if self._screen else ()
        if len(shape) != 3 or not all(1 <= side <= MOST_SIDE for side in shape):
            others = f", only {', '.join(features)}"[:300] if features else ""
            raise DamagedFile(
                file,
                f"has pictures of {list(shape)}" if seen else f"has no pictures{others}",
                key=f"features.{self._screen}" if seen else "features",
                expected=f"an image or video of height, width and colours, at most {MOST_SIDE} pixels a side",
            )
        channels_first = shape[0] == 3 and shape[2] != 3
        self.size = (shape[2], shape[1]) if channels_first else (shape[1], shape[0])
        self.fps = self._info.fps
        self.title = self._info.robot_type or folder.name
        left_out = ", ".join(name for name in seen if name != self._screen)
        self.note = f"Pictures of {self._screen}, without {left_out}."[:2000] if left_out else ""

    def episodes(self) -> Iterator[Iterator[SteadyFrame]]:
        """Yield each episode's frames, with times from 0, in the order of the data.

        Each must be read to its end before the next.

        Raises:
            DamagedFile: a file is damaged, or holds other frames than `meta/` lists.
        """
        listed = self._listed()
        files = dict.fromkeys(
            self._path("data_path", self._place(episode, "data")) for episode in listed.values()
        )
        films = _Films()
        columns = ["episode_index", self._screen, ACTION, STATE]
        try:
            for file in files:
                number_of = partial(whole_number, file, column="episode_index")
                for number, rows in itertools.groupby(table_rows(file, columns), number_of):
                    episode = listed.pop(number, None)
                    if episode is None:
                        problem = f"holds frames of episode {number}, which meta/episodes does not list there"
                        raise DamagedFile(
                            file, problem, expected="each episode's frames together, in one file"
                        )
                    yield self._frames(file, episode, rows, films)
        finally:
            films.close()
        if listed:
            missing = ", ".join(map(str, itertools.islice(listed, 8)))
            raise DamagedFile(
                self._folder / "meta/episodes",
                f"lists {counted(len(listed), 'episode')} without any frames in the data: {missing}",
            )

    def _listed(self) -> dict[int, dict[str, Any]]:
        """Return the rows of the episodes by number; raises DamagedFile."""
        video = f"videos/{self._screen}"
        columns = ["episode_index", "length", "data/chunk_index", "data/file_index"]
        columns += [f"{video}/{name}" for name in ("chunk_index", "file_index", "from_timestamp")]
        tables = sorted((self._folder / "meta/episodes").glob("chunk-*/file-*.parquet"))
        listed: dict[int, dict[str, Any]] = {}
        frames = 0
        for file in tables or [self._folder / EPISODES]:
            for row in table_rows(file, columns):
                number = whole_number(file, row, "episode_index")
                if number in listed:
                    raise DamagedFile(file, f"lists episode {number} twice")
                listed[number] = {**row, "": file}
                frames += whole_number(file, row, "length")
        if not listed:
            raise DamagedFile(self._folder / "meta/episodes", "lists no episode", expected="at least one")
        promised = {"total_episodes": (self._info.total_episodes, len(listed))}
        if self._info.total_frames is not None:
            promised["total_frames"] = (self._info.total_frames, frames)
        for key, (count, there) in promised.items():
            if count != there:
                raise DamagedFile(
                    self._folder / INFO, f"is {count}, but meta/episodes lists {there}", key=key
                )
        return listed

    def _frames(
        self, file: Path, episode: dict[str, Any], rows: Iterator[dict[str, Any]], films: _Films
    ) -> Iterator[SteadyFrame]:
        number = episode["episode_index"]
        length = whole_number(episode[""], episode, "length")
        film = None
        if self._info.features[self._screen].dtype == "video":
            key = f"videos/{self._screen}"
            film = films.at(
                self._path("video_path", self._place(episode, key) | {"video_key": self._screen}),
                seconds(episode[""], episode, f"{key}/from_timestamp"),
            )
        count = 0
        for row in rows:
            cell = row.get(self._screen)
            pixels = (
                film.read()
                if film
                else decoded_picture(cell.get("bytes") if isinstance(cell, dict) else None)
            )
            if pixels is None and film is not None:
                raise DamagedFile(
                    film.file,
                    f"ends or is damaged at picture {count + 1} of episode {number}",
                    expected=f"{length} pictures",
                )
            if pixels is None:
                where = f"{self._screen}, frame {count + 1} of episode {number}"
                raise DamagedFile(
                    file, "holds no picture", key=where, expected=f"PNG, at most {MOST_SIDE} pixels"
                )
            yield _frame(
                round(count * NS_PER_S / self.fps),
                pixels,
                self._vector(row, ACTION),
                self._vector(row, STATE),
            )
            count += 1
        if count != length:
            problem = f"holds {counted(count, 'frame')} of episode {number}"
            raise DamagedFile(file, problem, expected=f"{length}, as meta/episodes says")

    def _vector(self, row: dict[str, Any], name: str) -> dict[str, float]:
        feature = self._info.features.get(name)
        return numbers(feature.labels(), row.get(name)) if feature else {}

    def _place(self, episode: dict[str, Any], key: str) -> dict[str, int]:
        return {
            name: whole_number(episode[""], episode, f"{key}/{name}", 0)
            for name in ("chunk_index", "file_index")
        }

    def _path(self, key: Literal["data_path", "video_path"], place: Mapping[str, int | str]) -> Path:
        """Return the file that a template of `meta/info.json` names; raises DamagedFile."""
        template = getattr(self._info, key) or ""

        def filled(slot: re.Match[str]) -> str:
            value, digits = place.get(slot[1], slot[0]), slot[2]
            return f"{value:0{digits}d}" if digits and isinstance(value, int) else str(value)

        path = _SLOT.sub(filled, template)
        problem = ""
        if not path or "{" in path or "}" in path:
            problem = f"is {template[:120]!r}"
        file = real_path(self._folder / path)
        if not problem and (file is None or not file.is_relative_to(self._folder.resolve())):
            problem = f"names {path[:80]!r}, which is outside the folder"
        if problem or file is None:
            names = " and ".join(f"{{{name}}}" for name in place)
            raise DamagedFile(
                self._folder / INFO,
                problem,
                key=key,
                expected=f"a path within the folder with {names}, such as {DATA}",
                fix=_CONVERT if "episode_" in template else "",
            )
        return file


class _Films:
    """Keeps the video open that was read last, because the next episode mostly continues it."""

    def __init__(self) -> None:
        self._open: Film | None = None

    def at(self, file: Path, from_s: float) -> Film:
        """Return a video, at a time of it; raises DamagedFile."""
        if self._open is None or self._open.file != file:
            self.close()
            self._open = Film(file)
        self._open.seek(from_s)
        return self._open

    def close(self) -> None:
        """Close the open video."""
        if self._open is not None:
            self._open.close()
        self._open = None


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
        pointer=(x, y) if "pointer:x" in values and "pointer:y" in values and (x or y) else None,
        wheel=(notches(dx), notches(dy)),
        status="playing",
        fields={**fields, **foreign},
    )
