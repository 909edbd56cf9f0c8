"""LeRobot datasets of others: all that they promise is taken in, or nothing, and a sentence says why."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.demonstrations.made import demonstrated

from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder, merge
from pitwall_exchange.demonstrations import lerobot_reader, lerobot_tables
from pitwall_exchange.demonstrations.transfer import export_demonstrations, import_demonstration

DATA, EPISODES = "data/chunk-000/file-000.parquet", "meta/episodes/chunk-000/file-000.parquet"
Rows = list[dict[str, Any]]


@pytest.fixture
def kept(tmp_path: Path) -> DemonstrationFolder:
    return DemonstrationFolder(DataFolder(tmp_path / "data"))


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A dataset of two episodes of 20 and 15 frames."""
    data = DataFolder(tmp_path / "source")
    demonstrated(data, seconds=4)
    folder = tmp_path / "dataset"
    export_demonstrations([DemonstrationFolder(data).open("2026")], "lerobot", folder, _quiet)
    return folder


def _quiet(*_: Any) -> None:
    pass


def _changed(
    file: Path, change: Callable[[Rows], Rows | None], kinds: dict[str, pa.DataType] | None = None
) -> None:
    """Rewrite a table's rows; some columns with another type."""
    table = pq.read_table(file)
    rows = table.to_pylist()
    schema = table.schema
    for name, kind in (kinds or {}).items():
        schema = schema.set(schema.get_field_index(name), pa.field(name, kind))
    changed = change(rows)
    pq.write_table(pa.Table.from_pylist(rows if changed is None else changed, schema), file)


def _set(file: Path, **values: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | values))


def _refused(kept: DemonstrationFolder, path: Path, message: str) -> None:
    with pytest.raises(DamagedFile, match=message):
        import_demonstration(kept, path, _quiet)
    assert kept.all() == [] and list(kept.root.glob("*")) + list(kept.root.glob(".*")) == []


def test_av1_is_read_and_a_codec_without_a_decoder_is_refused(
    kept: DemonstrationFolder, project_root: Path, tmp_path: Path
) -> None:
    av1 = shutil.copytree(project_root / "tests/cases/datasets/av1", tmp_path / "av1")
    manifest = import_demonstration(kept, av1, _quiet)
    assert (manifest.episodes, manifest.presses, manifest.pictures) == (2, 6, 60)
    _, first = next(kept.open(manifest.id).pictures())
    assert first.shape == (128, 128, 3) and first.std() > 5
    shutil.rmtree(kept.root)
    film = next(av1.rglob("*.mp4"))
    film.write_bytes(film.read_bytes().replace(b"av01", b"xx01"))
    _refused(kept, av1, r"file-000\.mp4 is a video in a codec that cannot be decoded here.*Re-encode it")


def test_a_video_with_fewer_pictures_than_rows_is_refused(
    kept: DemonstrationFolder, project_root: Path
) -> None:
    _refused(kept, project_root / "tests/cases/datasets/short_video", "picture 11 of episode 1; expected 30")


@pytest.mark.parametrize(
    ("key", "template"),
    [
        ("data_path", "data/chunk-{chunk_index:xyz}/file-{file_index:03d}.parquet"),
        ("data_path", "data/chunk-{0}/file-{1}.parquet"),
        ("data_path", "data/{chunk_index.__class__}.parquet"),
        ("data_path", "data/{chunk_index!r}.parquet"),
        ("data_path", "data/{chunk_index:999999999d}.parquet"),
        ("data_path", "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"),
        ("data_path", ""),
        ("data_path", "data/\0.parquet"),
        ("data_path", "/etc/{chunk_index}"),
    ],
)
def test_a_template_that_names_no_file_is_refused(
    kept: DemonstrationFolder, dataset: Path, key: str, template: str
) -> None:
    _set(dataset / "meta/info.json", **{key: template})
    _refused(kept, dataset, f"info.json is damaged: {key}: ")


def test_a_dataset_of_an_older_version_names_the_script(kept: DemonstrationFolder, dataset: Path) -> None:
    _set(
        dataset / "meta/info.json",
        data_path="data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
    )
    _refused(kept, dataset, "convert_dataset_v21_to_v30")


@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        ("data/chunk_index", math.nan, pa.float64()),
        ("data/file_index", math.inf, pa.float64()),
        ("data/file_index", -1, pa.int64()),
        ("data/file_index", 0.5, pa.float64()),
        ("data/file_index", "zero", pa.string()),
        ("episode_index", None, pa.int64()),
        ("episode_index", "first", pa.string()),
        ("length", None, pa.int64()),
    ],
)
def test_a_cell_that_is_no_count_is_refused_with_its_column(
    kept: DemonstrationFolder, dataset: Path, column: str, value: Any, kind: pa.DataType
) -> None:
    def change(rows: Rows) -> None:
        for row in rows:
            row[column] = value

    _changed(dataset / EPISODES, change, {column: kind})
    _refused(kept, dataset, f"column {column}: holds")


def test_whole_numbers_written_as_floats_are_counts(kept: DemonstrationFolder, dataset: Path) -> None:
    floats = {
        name: pa.float64() for name in ("episode_index", "length", "data/chunk_index", "data/file_index")
    }
    _changed(dataset / EPISODES, list, floats)
    _changed(dataset / DATA, list, {"episode_index": pa.float64()})
    assert import_demonstration(kept, dataset, _quiet).episodes == 2


def _none(_: Rows) -> Rows:
    return []


def _without_last_rows(rows: Rows) -> Rows:
    return rows[:-3]


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (DATA, _without_last_rows, "holds 12 frames of episode 1; expected 15"),
        (
            DATA,
            lambda rows: [row for row in rows if row["episode_index"]],
            "lists 1 episode without any frames.*: 0",
        ),
        (DATA, _none, "lists 2 episodes without any frames"),
        (DATA, lambda rows: [*rows[5:], *rows[:5]], "holds 15 frames of episode 0; expected 20"),
        (EPISODES, lambda rows: [*rows, rows[0]], "lists episode 0 twice"),
        (EPISODES, lambda rows: rows[:1], "total_episodes: is 2, but meta/episodes lists 1"),
        (EPISODES, _none, "lists no episode"),
    ],
)
def test_data_that_disagree_with_their_lists_are_refused(
    kept: DemonstrationFolder, dataset: Path, file: str, change: Callable[[Rows], Rows], message: str
) -> None:
    _changed(dataset / file, change)
    _refused(kept, dataset, message)


def test_counts_of_the_info_file_are_checked(kept: DemonstrationFolder, dataset: Path) -> None:
    _set(dataset / "meta/info.json", total_frames=900)
    _refused(kept, dataset, "total_frames: is 900, but meta/episodes lists 35")


def test_frames_of_an_episode_that_is_not_listed_are_refused(
    kept: DemonstrationFolder, dataset: Path
) -> None:
    _changed(dataset / EPISODES, lambda rows: rows[:1])
    _set(dataset / "meta/info.json", total_episodes=1, total_frames=20)
    _refused(kept, dataset, "holds frames of episode 1, which meta/episodes does not list")


def test_a_picture_of_too_many_pixels_is_not_decoded(kept: DemonstrationFolder, dataset: Path) -> None:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (60_000).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"

    def change(rows: Rows) -> None:
        rows[7]["observation.images.screen"] = {"bytes": head + bytes(200), "path": None}

    _changed(dataset / DATA, change)
    _refused(kept, dataset, "frame 8 of episode 0: holds no picture")


def test_a_table_without_its_columns_lists_those_that_it_has(
    kept: DemonstrationFolder, dataset: Path
) -> None:
    pq.write_table(pa.table({"episode": [0], "steps": [3]}), dataset / DATA)
    _refused(kept, dataset, "has no column episode_index, only episode, steps")


def test_features_without_pictures_are_listed(kept: DemonstrationFolder, dataset: Path) -> None:
    vector = {"dtype": "float32", "shape": [3]}
    _set(dataset / "meta/info.json", features={"observation.state": vector, "action": vector})
    _refused(kept, dataset, "has no pictures, only observation.state, action")


def test_a_second_camera_is_left_out_and_named(kept: DemonstrationFolder, dataset: Path) -> None:
    info = json.loads((dataset / "meta/info.json").read_text())
    features = info["features"] | {"observation.images.wrist": info["features"]["observation.images.screen"]}
    _set(dataset / "meta/info.json", features=features)
    assert "without observation.images.wrist" in import_demonstration(kept, dataset, _quiet).note


def test_numbers_that_are_not_finite_are_absent_and_exports_are_strict_json(
    kept: DemonstrationFolder, dataset: Path, tmp_path: Path
) -> None:
    def change(rows: Rows) -> None:
        for row in rows:
            row["observation.state"] = math.nan if row["index"] % 2 else math.inf
            row["action"] = [math.nan] * len(row["action"])

    _changed(dataset / DATA, change)
    _set(dataset / "meta/info.json", robot_type="so100")
    manifest = import_demonstration(kept, dataset, _quiet)
    reader = kept.open(manifest.id)
    assert manifest.episodes == 2 and manifest.presses == 0
    assert all(moment.fields.get("score") is None for moment in reader.moments())
    export_demonstrations([reader], "lerobot", tmp_path / "out", _quiet)
    for file in (tmp_path / "out").rglob("*.json"):
        json.loads(file.read_text(), parse_constant=pytest.fail)


def test_each_data_file_is_read_once(
    kept: DemonstrationFolder, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time of an import grows with the dataset's size, not with its square."""
    opened: list[Path] = []

    def rows(file: Path, columns: Any) -> Any:
        opened.append(file)
        return lerobot_tables.table_rows(file, columns)

    monkeypatch.setattr(lerobot_reader, "table_rows", rows)
    manifest = import_demonstration(kept, dataset, _quiet)
    assert manifest.episodes == 2
    assert [file.name for file in opened] == ["file-000.parquet"] * 2 and len(set(opened)) == 2


def test_an_import_writes_few_files(kept: DemonstrationFolder, tmp_path: Path) -> None:
    """Each chunk costs a sync of the disk and a new manifest, which names all chunks before it."""
    data = DataFolder(tmp_path / "long")
    demonstrated(data, seconds=55)
    export_demonstrations([DemonstrationFolder(data).open("2026")], "lerobot", tmp_path / "set", _quiet)
    assert len(import_demonstration(kept, tmp_path / "set", _quiet).files) == 3


def test_a_failed_merge_leaves_nothing(kept: DemonstrationFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    demonstrated(data, "a", seconds=2)
    damaged = demonstrated(data, "b", seconds=2)
    next(damaged.glob("pictures-*.parquet")).write_bytes(b"none")
    with pytest.raises(PitwallError):
        merge(kept, ["a", "b"], _quiet)
    assert sorted(folder.name for folder in kept.root.iterdir()) == ["a", "b"]


def test_a_recording_that_begins_meanwhile_stays(
    kept: DemonstrationFolder, dataset: Path, tmp_path: Path
) -> None:
    """A refusal removes what the import wrote, and nothing that others wrote at the same time."""
    _changed(dataset / DATA, _without_last_rows)

    def progress(*_: Any) -> None:
        if not (kept.root / "other").exists():
            demonstrated(DataFolder(tmp_path / "data"), "other", seconds=1)

    with pytest.raises(DamagedFile):
        import_demonstration(kept, dataset, progress)
    assert [demonstration.id for demonstration in kept.all()] == ["other"]


@pytest.mark.parametrize("pictures", [12, 25])
def test_a_video_of_another_length_than_its_annotation_is_refused(
    kept: DemonstrationFolder, tmp_path: Path, pictures: int
) -> None:
    data = DataFolder(tmp_path / "source")
    demonstrated(data, "a", seconds=2)
    demonstrated(data, "b", seconds=pictures / 10)
    source = DemonstrationFolder(data)
    for name in ("a", "b"):
        export_demonstrations([source.open(name)], "pixel2play", tmp_path / name, _quiet)
    first, second = (next((tmp_path / name).iterdir()) for name in ("a", "b"))
    shutil.copyfile(second / "192x192.mp4", first / "192x192.mp4")
    _refused(kept, tmp_path / "a", "ends or is damaged after|but the video goes on")
