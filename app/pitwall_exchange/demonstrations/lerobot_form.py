"""Names the parts of a LeRobot dataset, version 3.0: `meta/info.json`, Parquet tables, pictures in them."""

from __future__ import annotations

INFO = "meta/info.json"
SCREEN, STATE, ACTION = "observation.images.screen", "observation.state", "action"
EPISODES = "meta/episodes/chunk-000/file-000.parquet"
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
PLACES = ("pointer:x", "pointer:y", "wheel:x", "wheel:y")
"""Numbers of an action besides keys and buttons: the pointer as fractions of the window, wheel notches."""
ROWS_AT_ONCE = 64
