"""Writes demonstrations as a LeRobot dataset (version 3.0), pictures as PNG in its tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.store.folder_errors import write_file
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
from pitwall_exchange.demonstrations.steady import SteadyFrame, encoded_png, steady_frames

_MOST_FILE_BYTES = 64 * 1024 * 1024
_MOST = float(np.finfo(np.float32).max)
_COUNTERS = ("timestamp", "frame_index", "episode_index", "index", "task_index")


def write_lerobot(readers: Sequence[DemonstrationReader], folder: Path, fps: float) -> dict[str, int]:
    """Write demonstrations as one dataset; return its counts of episodes and frames.

    An action holds 1 for each key and button that was down during the frame, the pointer as fractions of the
    window, and the wheel's notches; a state holds the number fields of the game.

    Raises:
        DataFolderError, OSError: the folder cannot be written. DamagedFile: a demonstration is damaged.
    """
    controls = sorted({("key", event.key) for reader in readers for event in reader.all_events if event.key})
    controls += sorted(
        {("mouse", event.button) for reader in readers for event in reader.all_events if event.button}
    )
    fields = sorted(
        {
            name
            for reader in readers
            for moment in reader.all_moments
            for name, value in moment.fields.items()
            if isinstance(value, int | float)
        }
    )
    names = [f"{kind}:{name}" for kind, name in controls] + list(PLACES)
    features = _features(readers[0].manifest.picture_size, names, fields)
    tasks = list(dict.fromkeys(_task(reader) for reader in readers))
    rows = _Rows(folder, features)
    episodes: list[dict[str, Any]] = []
    for reader in readers:
        task = tasks.index(_task(reader))
        for episode in reader.episodes():
            first, number = rows.written, len(episodes)
            rows.begin_episode()
            for at, frame in enumerate(steady_frames(reader, episode, fps)):
                row = _row(frame, controls, fields)
                row |= {"timestamp": at / fps, "frame_index": at, "index": rows.written}
                rows.add({**row, "episode_index": number, "task_index": task}, frame)
            episodes.append(
                {
                    "episode_index": number,
                    "tasks": [tasks[task]],
                    "length": rows.written - first,
                    "data/chunk_index": 0,
                    "data/file_index": rows.file,
                    "dataset_from_index": first,
                    "dataset_to_index": rows.written,
                    "meta/episodes/chunk_index": 0,
                    "meta/episodes/file_index": 0,
                }
            )
    rows.close()
    _write_meta(folder, features, tasks, episodes, rows, fps)
    return {"episodes": len(episodes), "frames": rows.written}


def _row(frame: SteadyFrame, controls: Sequence[tuple[str, str]], fields: Sequence[str]) -> dict[str, Any]:
    """Return the picture, the action and the state of a frame."""
    held = [float(control in frame.held) for control in controls]
    row: dict[str, Any] = {
        SCREEN: {"bytes": encoded_png(frame.pixels), "path": None},
        ACTION: [*held, *(frame.pointer or (0.0, 0.0)), *map(float, frame.wheel)],
    }
    if fields:
        row[STATE] = [_number(frame.fields.get(name)) for name in fields]
    return row


def _task(reader: DemonstrationReader) -> str:
    return reader.manifest.instruction or f"Play {reader.manifest.title}."


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) <= _MOST else 0.0


def _features(size: tuple[int, int], actions: list[str], fields: list[str]) -> dict[str, dict[str, Any]]:
    width, height = size
    screen = {"dtype": "image", "shape": [height, width, 3], "names": ["height", "width", "channels"]}
    features: dict[str, dict[str, Any]] = {SCREEN: screen}
    if fields:
        features[STATE] = {"dtype": "float32", "shape": [len(fields)], "names": fields}
    features[ACTION] = {"dtype": "float32", "shape": [len(actions)], "names": actions}
    for name in _COUNTERS:
        dtype = "float32" if name == "timestamp" else "int64"
        features[name] = {"dtype": dtype, "shape": [1], "names": None}
    return features


class _Rows:
    """Writes a dataset's data files; each episode is in a single file."""

    def __init__(self, folder: Path, features: dict[str, dict[str, Any]]) -> None:
        kinds = {"float32": pa.float32(), "int64": pa.int64()}
        image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
        self._schema = pa.schema(
            [
                (name, image)
                if feature["dtype"] == "image"
                else (name, kinds[feature["dtype"]])
                if feature["shape"] == [1]  # LeRobot keeps one number as a number
                else (name, pa.list_(kinds[feature["dtype"]], feature["shape"][0]))
                for name, feature in features.items()
            ]
        )
        self._folder = folder
        self._writer: pq.ParquetWriter | None = None
        self._open: list[dict[str, Any]] = []
        self.written = self._bytes = 0
        self.file = -1
        self.vectors: dict[str, list[list[float]]] = {
            name: [] for name in (STATE, ACTION) if name in features
        }
        self.colours: list[Any] = []

    def begin_episode(self) -> None:
        """Begin a new file if the present one is full."""
        if self._writer is not None and self._bytes < _MOST_FILE_BYTES:
            return
        self.close()
        self.file += 1
        path = self._folder / DATA.format(chunk_index=0, file_index=self.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = pq.ParquetWriter(path, self._schema, compression="snappy")

    def add(self, row: dict[str, Any], frame: SteadyFrame) -> None:
        """Write a frame."""
        self._open.append(row)
        self._bytes += len(row[SCREEN]["bytes"])
        for name, values in self.vectors.items():
            values.append(row[name])
            row[name] = row[name] if len(row[name]) > 1 else row[name][0]
        if self.written % 10 == 0:
            self.colours.append(frame.pixels[::4, ::4, ::-1].reshape(-1, 3) / 255.0)
        self.written += 1
        if len(self._open) >= ROWS_AT_ONCE:
            self._flush()

    def close(self) -> None:
        """Finish the open file."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
        self._writer, self._bytes = None, 0

    def _flush(self) -> None:
        if self._writer is not None and self._open:
            self._writer.write_table(pa.Table.from_pylist(self._open, self._schema))
        self._open.clear()


def _write_meta(
    folder: Path,
    features: dict[str, dict[str, Any]],
    tasks: list[str],
    episodes: list[dict[str, Any]],
    rows: _Rows,
    fps: float,
) -> None:
    info = {
        "codebase_version": "v3.0",
        "robot_type": "pitwall",
        "total_episodes": len(episodes),
        "total_frames": rows.written,
        "total_tasks": len(tasks),
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": int(fps) if fps == int(fps) else fps,
        "splits": {"train": f"0:{len(episodes)}"},
        "data_path": DATA,
        "video_path": None,
        "features": features,
    }
    stats = {name: _stats(np.asarray(values), (-1,)) for name, values in rows.vectors.items() if values}
    if rows.colours:
        stats[SCREEN] = _stats(np.concatenate(rows.colours), (3, 1, 1))
    write_file(folder / INFO, json.dumps(info, indent=4, allow_nan=False))
    write_file(folder / "meta/stats.json", json.dumps(stats, indent=4, allow_nan=False))
    (folder / EPISODES).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(episodes), folder / EPISODES)
    index = {"name": "task", "field_name": "task", "pandas_type": "unicode", "numpy_type": "object"}
    number = {**index, "name": "task_index", "field_name": "task_index", "pandas_type": "int64"}
    pandas = {
        "index_columns": ["task"],
        "column_indexes": [],
        "columns": [{**number, "numpy_type": "int64", "metadata": None}, {**index, "metadata": None}],
        "pandas_version": "2.0.0",
    }
    table = pa.table({"task_index": list(range(len(tasks))), "task": tasks})
    pq.write_table(
        table.replace_schema_metadata({"pandas": json.dumps(pandas)}), folder / "meta/tasks.parquet"
    )


def _stats(values: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    statistics = {name: getattr(values, name)(axis=0) for name in ("min", "max", "mean", "std")}
    return {
        **{name: array.reshape(shape).tolist() for name, array in statistics.items()},
        "count": [len(values)],
    }
