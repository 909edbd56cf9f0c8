"""Demonstrations go out in other programs' forms and come back; foreign and damaged ones are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.demonstrations.made import demonstrated

from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder, trimmed
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall_exchange.demonstrations import Form, wire
from pitwall_exchange.demonstrations.transfer import export_demonstrations, import_demonstration


@pytest.fixture
def kept(tmp_path: Path) -> DemonstrationFolder:
    return DemonstrationFolder(DataFolder(tmp_path))


def _quiet(*_: Any) -> None:
    pass


def _there_and_back(kept: DemonstrationFolder, form: Form, tmp_path: Path, **how: Any) -> tuple[Any, Any]:
    """A demonstration of 4 s at 10 Hz, and what came back of it."""
    if not kept.all():
        demonstrated(DataFolder(tmp_path), seconds=4)
    original = kept.open("20261123-192500-flappy")
    out = tmp_path / form
    export_demonstrations([original], form, out, _quiet, **how)
    path = next(out.glob("*.mcap")) if form == "mcap" else out
    back = kept.open(import_demonstration(kept, path, _quiet, game="flappy").id)
    assert back.manifest.kind == "imported" and back.manifest.complete and back.check() == []
    return original, back


def _times(reader: DemonstrationReader) -> list[int]:
    return [event.at_ns - reader.manifest.began_ns for event in reader.events()]


def test_a_lerobot_dataset_comes_back(kept: DemonstrationFolder, tmp_path: Path) -> None:
    original, back = _there_and_back(kept, "lerobot", tmp_path)
    info = json.loads((tmp_path / "lerobot/meta/info.json").read_text())
    assert (info["codebase_version"], info["fps"], info["total_episodes"]) == ("v3.0", 10, 2)
    assert info["features"]["action"]["names"][:2] == ["key:Space", "mouse:left"]
    before, after = original.episodes(), back.episodes()
    assert [len(item.moments) for item in before] == [len(element.moments) for element in after] == [20, 15]
    for part, other in zip(before, after, strict=True):
        pairs = zip(part.pictures(), other.pictures(), strict=True)
        assert all(np.array_equal(a, b) for (_, a), (_, b) in pairs)
    assert back.manifest.keys == {"Space": 4, "mouse left": 2}
    assert after[0].moments[12].fields["score"] == 1.0
    rows = pq.read_table(tmp_path / "lerobot/data/chunk-000/file-000.parquet").to_pylist()
    assert [row["action"][0] for row in rows[:6]] == [0, 0, 0, 1, 1, 1]


def test_an_mcap_recording_comes_back_to_the_nanosecond(kept: DemonstrationFolder, tmp_path: Path) -> None:
    original, back = _there_and_back(kept, "mcap", tmp_path)
    assert _times(back) == _times(original)
    assert back.manifest.actions == original.manifest.actions == {"flap": 4}
    for (_, a), (_, b) in zip(original.pictures(), back.pictures(), strict=True):
        assert np.array_equal(a, b)
    assert [moment.episode for moment in back.moments()] == [item.episode for item in original.moments()]


def test_pixel2play_comes_back_at_its_rate(kept: DemonstrationFolder, tmp_path: Path) -> None:
    demonstrated(DataFolder(tmp_path), seconds=4)
    kept.change(
        "20261123-192500-flappy",
        lambda item: trimmed(item, 0, 2).model_copy(update={"instruction": "Fly through the gaps."}),
    )
    _, back = _there_and_back(kept, "pixel2play", tmp_path)
    place = next((tmp_path / "pixel2play").iterdir())
    assert (place / "192x192.mp4").is_file()
    frames = wire.parsed((place / "annotation.proto").read_bytes())[3]
    assert len(frames) == 39  # 20 pictures at 10 Hz are 1.9 s
    assert back.manifest.picture_size == (192, 192) and back.manifest.rate_fps == 20
    assert back.manifest.instruction == "Fly through the gaps."
    assert back.manifest.keys == {"Space": 2, "mouse left": 1}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"codebase_version": "v2.1"}, "codebase_version: is of version v2.1; expected v3.0"),
        ({"fps": 0}, "fps: found 0; expected more than 0"),
        ({"features": {}}, "features: has no pictures"),
        ({"data_path": "../../../x.parquet"}, "is outside"),
        (
            {"features": {"x": {"dtype": "image", "shape": [9999, 9, 3]}}},
            r"x: has pictures of \[9999",
        ),
    ],
)
def test_a_foreign_dataset_is_told_what_it_lacks(
    kept: DemonstrationFolder, tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    demonstrated(DataFolder(tmp_path), seconds=1)
    export_demonstrations([kept.open("2026")], "lerobot", tmp_path / "set", _quiet)
    file = tmp_path / "set/meta/info.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    with pytest.raises(DamagedFile, match=told):
        import_demonstration(kept, tmp_path / "set", _quiet)
    assert len(kept.all()) == 1


@pytest.mark.parametrize("name", ["set/data/chunk-000/file-000.parquet", "a.mcap", "p/annotation.proto"])
def test_damaged_bytes_are_a_sentence_and_leave_nothing(
    kept: DemonstrationFolder, tmp_path: Path, name: str
) -> None:
    demonstrated(DataFolder(tmp_path), seconds=1)
    form: Form = "lerobot" if "set" in name else "pixel2play"
    export_demonstrations([kept.open("2026")], form, tmp_path / name.split("/")[0], _quiet)
    file = tmp_path / name
    if file.name == "annotation.proto":
        file = next((tmp_path / "p").rglob(file.name))
    if file.suffix == ".mcap":
        (tmp_path / "a.mcap").rename(tmp_path / "other")
    file.write_bytes(b"\x0a\xff\xff")
    with pytest.raises(PitwallError, match=file.name):
        import_demonstration(kept, file if file.suffix == ".mcap" else tmp_path / name.split("/")[0], _quiet)
    assert len(kept.all()) == 1


def test_what_is_nothing_or_there_already_is_refused(kept: DemonstrationFolder, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "missing"):
        with pytest.raises(PitwallError, match="cannot be imported"):
            import_demonstration(kept, path, _quiet)
    demonstrated(DataFolder(tmp_path), seconds=1)
    with pytest.raises(PitwallError, match="is there already"):
        export_demonstrations([kept.open("2026")], "mcap", tmp_path / "empty", _quiet)
    demonstrated(DataFolder(tmp_path), "b", seconds=1, size=(8, 8))
    with pytest.raises(PitwallError, match="8 × 8, 16 × 12 pixels"):
        export_demonstrations([kept.open("2026"), kept.open("b")], "lerobot", tmp_path / "x", _quiet)
