"""A bundle opens elsewhere with the same hashes; a hostile one is refused and leaves nothing."""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.console.recorded_runs import record_run

from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.memories import Provenance, PutEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.steps import RunEvent
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall.store.export_source import ExportError
from pitwall.store.run_reader import RunReader
from pitwall_exchange.sharing.bundle import write_bundle
from pitwall_exchange.sharing.contents import CONTENTS, PackedFile, hash_of_files
from pitwall_exchange.sharing.opening import unpack_bundle


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of a run with pictures, events and a memory, made in a data folder of its own."""
    data = DataFolder(tmp_path_factory.mktemp("here") / "data")
    with MemoryStore.open(data, role="test") as store:
        skill = SkillMemory(name="fly", when="bird_y > 240", subgoal="pass", actions=("flap",))
        assert not store.apply(
            [PutEntry(game_id="flappy", content=skill)], Provenance(author="operator")
        ).what
    run_id = record_run(data, 30, frames=6, events=[RunEvent(at_ns=100, kind="note", text="began")])
    made = write_bundle(data, run_id, tmp_path_factory.mktemp("sent") / "run")
    assert made.file.suffix == ".pitwall"
    return made.file


def test_a_bundle_opens_in_another_data_folder_with_the_same_hashes(bundle: Path, tmp_path: Path) -> None:
    contents = unpack_bundle(bundle, tmp_path / "there")
    there = DataFolder(tmp_path / "there")
    reader = RunReader(there)
    assert reader.run(1).manifest.game_name == contents.game_name == "Flappy Bird"
    assert len(reader.steps(1)) == contents.steps == 30
    assert [event.text for event in reader.events(1)] == ["began"]
    assert len([*there.run(1).glob("frames/*.png")]) == 6
    assert contents.memory_of == "now"
    assert MemoryReader(there).snapshots()[0].content_hash == contents.memory
    assert MemoryReader(there).counts("flappy")["skill"] == 1
    again = write_bundle(there, 1, tmp_path / "again")
    same = {"runs.sqlite", *(name for name in contents.files if name.startswith("runs/"))}
    assert {name: again.contents.files[name].sha256 for name in same} == {
        name: contents.files[name].sha256 for name in same
    }


def test_a_bundle_is_never_written_over_unasked(bundle: Path, tmp_path: Path) -> None:
    unpack_bundle(bundle, tmp_path / "there")
    with pytest.raises(ExportError, match="is there already"):
        write_bundle(DataFolder(tmp_path / "there"), 1, bundle)


Change = Callable[[dict[str, bytes], dict[str, Any]], None]


def _named(name: str, content: bytes = b"x") -> Change:
    def change(files: dict[str, bytes], told: dict[str, Any]) -> None:
        files[name] = content
        told["files"][name] = {"sha256": "0" * 64, "bytes": len(content)}

    return change


def _byte(files: dict[str, bytes], _: dict[str, Any]) -> None:
    frame = next(name for name in files if name.endswith(".png"))
    files[frame] = bytes([files[frame][0] ^ 1]) + files[frame][1:]


def _newer(_: dict[str, bytes], told: dict[str, Any]) -> None:
    told["v"] = 2


def _gone(files: dict[str, bytes], _: dict[str, Any]) -> None:
    del files["memory.jsonl"]


def _bomb(files: dict[str, bytes], told: dict[str, Any]) -> None:
    _named("runs/000001/truth.jsonl", bytes(200_000_000))(files, told)


def _other_run(_: dict[str, bytes], told: dict[str, Any]) -> None:
    told["run_id"] = 7


def _no_log(files: dict[str, bytes], told: dict[str, Any]) -> None:
    _named("runs.sqlite", b"no database at all")(files, told)


HOSTILE: dict[str, tuple[str, Change]] = {
    "a byte": ("another hash", _byte),
    "newer": ("made by a newer Pitwall: its form is 2, this one reads 1", _newer),
    "gone": ("'memory.jsonl' is missing", _gone),
    "bomb": ("more than a bundle of its size can hold", _bomb),
    "up": ("leads elsewhere", _named("runs/000001/../../../x.png")),
    "absolute": ("leads elsewhere", _named("/tmp/x.png")),
    "backslash": ("leads elsewhere", _named("runs\\000001\\x.png")),
    "settings": ("leads elsewhere", _named("settings.json")),
    "another run's": ("leads elsewhere", _named("runs/000002/x.png")),
    "another run": ("leads elsewhere", _other_run),
    "no log": ("(?s)damaged|cannot be read", _no_log),
}


def _rewritten(bundle: Path, out: Path, change: Change, *, mended: bool = True) -> Path:
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if name != CONTENTS}
        message = json.loads(archive.read(CONTENTS))
    change(files, message)
    if mended and message["files"].keys() == files.keys():
        for name in message["files"].keys() - {"runs/000001/frames/000001.png"}:
            digest = hashlib.sha256(files[name]).hexdigest()
            message["files"][name] = {"sha256": digest, "bytes": len(files[name])}
    message["sha256"] = hash_of_files({name: PackedFile(**item) for name, item in message["files"].items()})
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(CONTENTS, json.dumps(message))
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.filename = name  # Windows' Python exchanges \ for /
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return out


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_bundle_is_one_sentence_and_leaves_nothing(case: str, bundle: Path, tmp_path: Path) -> None:
    text, change = HOSTILE[case]
    file = _rewritten(bundle, tmp_path / "sent.pitwall", change)
    with pytest.raises(PitwallError, match=text):
        unpack_bundle(file, tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_a_link_in_a_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    file = tmp_path / "sent.pitwall"
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(file, "w") as out:
        for entry in source.infolist():
            if entry.filename.endswith("000001.png"):
                entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            out.writestr(entry, source.read(entry.filename))
    with pytest.raises(DamagedFile, match="is a link or no file"):
        unpack_bundle(file, tmp_path / "there")


def test_what_is_no_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    for name, content in {"text": b"hello", "cut": bundle.read_bytes()[:-200], "empty": b""}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DamagedFile, match="is damaged"):
            unpack_bundle(tmp_path / name, tmp_path / "there")
    with pytest.raises(PitwallError, match="is not there"):
        unpack_bundle(tmp_path / "nothing", tmp_path / "there")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("kept")
    with pytest.raises(PitwallError, match="holds other files"):
        unpack_bundle(bundle, tmp_path / "full")
    assert (tmp_path / "full" / "mine").read_text() == "kept"
