"""Trims keep pictures until they are purged; merging renumbers episodes; a copy is checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.demonstrations.made import begun, demonstrated

from pitwall.core.errors import DamagedFile
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import BadTrim, DemonstrationFolder, merge, purge, tagged, take_in, trimmed
from pitwall.demonstrations.manifest import Demonstration, Span


@pytest.fixture
def kept(tmp_path: Path) -> DemonstrationFolder:
    return DemonstrationFolder(DataFolder(tmp_path))


def _spans(manifest: Demonstration) -> list[tuple[float, float]]:
    return [(trim.from_s, trim.to_s) for trim in manifest.trims]


def test_trims_join_and_stay_within() -> None:
    whole = begun().model_copy(update={"seconds": 10.0})
    assert _spans(trimmed(whole, 2, 8)) == [(0, 2), (8, 10.001)]
    assert _spans(trimmed(trimmed(whole, 2, 8), 3, 4, cut=True)) == [(0, 2), (3, 4), (8, 10.001)]
    assert _spans(trimmed(trimmed(whole, 2, 8), 1, 5, cut=True)) == [(0, 5), (8, 10.001)]
    for wrong in ((5, 5), (8, 2), (11, 12)):
        with pytest.raises(BadTrim, match="lasts 10 s"):
            trimmed(whole, *wrong)
    with pytest.raises(BadTrim, match="nothing of"):
        trimmed(trimmed(whole, 2, 8), 2, 8, cut=True)


def test_a_purge_takes_the_trimmed_off_the_disk(kept: DemonstrationFolder) -> None:
    name = demonstrated(DataFolder(kept.root.parent)).name
    kept.change(name, lambda manifest: trimmed(manifest, 2, 4, cut=True))
    before = kept.open(name)
    sizes = [len(episode.moments) for episode in before.episodes()]
    after = purge(kept, name)
    reader = kept.open(name)
    assert (after.pictures, before.manifest.pictures) == (100, 120)
    assert after.seconds == before.manifest.seconds and after.trims == before.manifest.trims
    assert [len(episode.moments) for episode in reader.episodes()] == sizes and reader.check() == []
    assert [path.name for path in kept.root.iterdir()] == [name]


def test_merging_joins_the_untrimmed_parts(kept: DemonstrationFolder) -> None:
    data = DataFolder(kept.root.parent)
    first, second = demonstrated(data, "a", seconds=6).name, demonstrated(data, "b", seconds=12).name
    kept.change(first, lambda manifest: trimmed(manifest, 0, 3))
    kept.change(second, lambda manifest: tagged(manifest, ["late"]))
    progress = []
    manifest = merge(kept, [first, second], lambda *step: progress.append(step))
    reader = kept.open(manifest.id)
    assert manifest.complete and len(progress) == 2
    assert (manifest.game, manifest.tags, manifest.trims) == ("flappy", ("late",), ())
    assert manifest.pictures == 150
    assert [(episode.number, len(episode.moments)) for episode in reader.episodes()] == [
        (0, 30),
        (1, 60),
        (2, 55),
    ]
    times = [at_ns for at_ns, _ in reader.compressed_pictures()]
    assert times == sorted(set(times)) and manifest.seconds == pytest.approx(5.9 + 1 + 11.9)
    demonstrated(data, "small", seconds=1, size=(8, 8))
    with pytest.raises(BadTrim, match=r"a has pictures of 16 × 12 pixels, small of 8 × 8"):
        merge(kept, ["a", "small"], lambda *_: None)
    with pytest.raises(BadTrim, match="two demonstrations"):
        merge(kept, ["a", "a"], lambda *_: None)


def test_a_copy_is_checked_first(kept: DemonstrationFolder, tmp_path: Path) -> None:
    elsewhere = demonstrated(DataFolder(tmp_path / "other"), seconds=1)
    taken = take_in(kept, elsewhere)
    assert taken.id == "20261123-192500-flappy" and kept.open(taken.id).check() == []
    assert take_in(kept, elsewhere).id == "20261123-192500-flappy-2"
    (elsewhere / "pictures-0000.parquet").write_bytes(b"")
    with pytest.raises(DamagedFile, match="SHA-256"):
        take_in(kept, elsewhere)
    assert len(kept.all()) == 2


def test_tags_are_bounded() -> None:
    assert tagged(begun(), ["a", " b ", "a"]).tags == ("a", "b")
    assert tagged(tagged(begun(), ["a", "b"]), remove=["a"]).tags == ("b",)
    for wrong in (["x" * 61], [""], [str(at) for at in range(33)]):
        with pytest.raises(BadTrim, match="at most 32"):
            tagged(begun(), wrong)
    assert Span(from_s=0, to_s=1)
