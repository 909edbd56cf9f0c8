"""A demonstration is read as it was written, a crashed one as far as its chunks go; damage is a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.demonstrations.made import BEGAN_NS, begun, demonstrated, picture

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile, DataFolderError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder, UnknownDemonstration
from pitwall.demonstrations.manifest import Span
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.demonstrations.writer import DemonstrationWriter


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


def test_written_rows_are_read_back(data: DataFolder) -> None:
    reader = DemonstrationReader(demonstrated(data))
    manifest = reader.manifest
    assert manifest.complete and manifest.pictures == 120 and manifest.seconds == 11.9
    assert manifest.episodes == 2 and manifest.presses == 18
    assert (manifest.actions, manifest.keys) == ({"flap": 12}, {"Space": 12, "mouse left": 6})
    assert len(manifest.of("pictures")) > 1
    read = list(reader.pictures())
    assert [at_ns for at_ns, _ in read] == [BEGAN_NS + at * NS_PER_S // 10 for at in range(120)]
    assert all(np.array_equal(pixels, picture(at)[..., :3]) for at, (_, pixels) in enumerate(read))
    click = next(event for event in reader.events() if event.kind == "mouse_down")
    assert (click.x, click.y, click.button, click.pressed) == (0.5, 0.25, "left", "mouse left")
    assert next(moment for moment in reader.moments() if moment.episode < 0).status == "menu"
    first, second = reader.episodes()
    assert (first.number, len(first.moments), second.number, len(second.moments)) == (0, 60, 1, 55)
    assert len(list(second.pictures())) == 55
    assert reader.check() == []
    shown = reader.picture_at(BEGAN_NS + NS_PER_S + 5)
    assert shown is not None and shown[0] == BEGAN_NS + NS_PER_S


def test_a_trim_leaves_out_and_splits(data: DataFolder) -> None:
    folder = demonstrated(data)
    kept = DemonstrationFolder(data)
    kept.change(
        folder.name, lambda manifest: manifest.model_copy(update={"trims": (Span(from_s=1, to_s=2.05),)})
    )
    reader = kept.open("2026")
    assert [len(episode.moments) for episode in reader.episodes()] == [10, 39, 55]
    assert len(list(reader.pictures())) == 109
    assert all(not BEGAN_NS + NS_PER_S <= event.at_ns < BEGAN_NS + 2 * NS_PER_S for event in reader.events())


def test_a_picture_of_another_size_is_brought_to_the_kept_one(data: DataFolder) -> None:
    with DemonstrationWriter(data.demonstrations / "a", begun("a")) as writer:
        writer.picture(BEGAN_NS, picture(1, (64, 48)))
    [(_, pixels)] = DemonstrationReader(data.demonstrations / "a").pictures()
    assert pixels.shape == (12, 16, 3)


def test_a_crash_loses_the_open_chunk_alone(data: DataFolder) -> None:
    writer = DemonstrationWriter(data.demonstrations / "a", begun("a"))
    for at in range(70):
        writer.picture(BEGAN_NS + at * NS_PER_S // 10, picture(at))
    left = DemonstrationFolder(data)
    assert left.all()[0].recording
    with pytest.raises(DataFolderError, match="a is in use by recording"):
        DemonstrationWriter(data.demonstrations / "a", begun("a"))
    with pytest.raises(DataFolderError, match="is being written by recording"):
        left.delete("a")
    reader = left.open("a")
    assert not reader.manifest.complete and len(list(reader.pictures())) == 50
    assert not list(data.demonstrations.glob("*/*.tmp"))
    writer.close()
    assert len(list(left.open("a").pictures())) == 70
    left.delete("a")
    assert left.all() == [] and not list(data.demonstrations.iterdir())


def _spoil(folder: Path, key: str, value: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest[key] = value
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("picture_size", [17, 12], "pictures-0000.parquet is damaged: row 1: is no compressed picture of 17"),
        ("picture_size", [99999, 12], "manifest.json is damaged: picture_size.0"),
        ("schema", 2, "manifest.json is damaged: schema"),
        ("id", "../../etc", "manifest.json is damaged: id"),
        ("tags", ["x" * 61], "manifest.json is damaged: tags.0"),
        ("trims", [{"from_s": 3, "to_s": 2}], "ends at 2.0 s, before it begins"),
        ("files", [{"name": "../x.parquet"}], "manifest.json is damaged: files.0.name"),
    ],
)
def test_a_damaged_manifest_is_a_sentence(data: DataFolder, key: str, value: Any, message: str) -> None:
    folder = demonstrated(data, seconds=2)
    _spoil(folder, key, value)
    with pytest.raises(DamagedFile) as fault:
        list(DemonstrationReader(folder).pictures())
    assert message in str(fault.value) and str(folder) in str(fault.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("events-0000.parquet", b"PAR1", "events-0000.parquet is damaged"),
        ("moments-0000.parquet", b"", "moments-0000.parquet is damaged"),
        ("pictures-0000.parquet", None, "pictures-0000.parquet is not there"),
    ],
)
def test_a_damaged_table_is_a_sentence(
    data: DataFolder, name: str, content: bytes | None, message: str
) -> None:
    folder = demonstrated(data, seconds=2)
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    reader = DemonstrationReader(folder)
    with pytest.raises(DamagedFile, match=message):
        list(reader.pictures())
        list(reader.events())
        list(reader.moments())
    [fault] = reader.check()
    assert name in str(fault)


def test_a_changed_file_is_found_by_its_hash(data: DataFolder) -> None:
    folder = demonstrated(data, seconds=2)
    other = demonstrated(data, "b", seconds=1)
    (other / "moments-0000.parquet").replace(folder / "moments-0000.parquet")
    [fault] = DemonstrationReader(folder).check()
    assert "moments-0000.parquet" in str(fault) and "SHA-256" in str(fault)


def test_an_unknown_id_names_the_nearest(data: DataFolder) -> None:
    kept = DemonstrationFolder(data)
    with pytest.raises(UnknownDemonstration, match="pitwall teach record"):
        kept.open("x")
    demonstrated(data, "20261123-192500-flappy", seconds=1)
    demonstrated(data, "20261123-192501-flappy", seconds=1)
    with pytest.raises(UnknownDemonstration, match="several"):
        kept.path("2026")
    with pytest.raises(UnknownDemonstration, match="Did you mean '20261123-192501-flappy'"):
        kept.path("20261123-192501-flapy")
    with pytest.raises(PitwallError):
        kept.path("x" * 10_000)
    (data.demonstrations / "broken").mkdir()
    assert "broken has no manifest.json" in kept.all()[0].fault
    with pytest.raises(DamagedFile, match=r"broken has no manifest\.json"):
        kept.open("broken")
    assert kept.free_id("2026-11-23T19:25:00+00:00", "flappy") == "20261123-192500-flappy-2"
