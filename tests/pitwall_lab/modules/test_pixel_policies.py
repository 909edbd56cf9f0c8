"""A pixel policy made elsewhere: taken in with its licence and its rate, or refused in a sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from tests.gsm.pixels.tiny_policy import LEISURELY, kept, manifest_of, tiny_policy
from tests.gsm.policies import LEARNED, game, keep

from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Module
from pitwall.gsm.pixel_manifest import PixelSpace, read_manifest
from pitwall.gsm.pixels.probe import TooSlow, require_rate
from pitwall.gsm.pixels.space import space_in
from pitwall.gsm.playable import module_of
from pitwall.gsm.version_record import MeasuredRate
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.host_client import HostClient
from pitwall_lab.modules.pixel_policies import add_policy
from pitwall_lab.modules.safetensors import read_tensors

FLY = Module(name="fly", ends="fallen == 1", learned=LEARNED)


@pytest.fixture
def folder(tmp_path: Path) -> ModuleFolder:
    return ModuleFolder(DataFolder(tmp_path / "data"), game(tmp_path, FLY), "fly")


def test_a_policy_becomes_a_version_with_licence_and_rate(folder: ModuleFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    about = add_policy(data, folder, *kept(tmp_path, tiny_policy(red=3.0), picture=LEISURELY))
    again = folder.about(about.version)
    assert again == about
    assert again.title == "Tiny (CC0-1.0)"
    assert isinstance(again.learned, PixelSpace)
    assert again.learned.actions == ["", "flap"]
    assert again.rate is not None and again.rate.hz == 0.2
    assert again.rate.p50_ms > 0
    assert (folder.folder(about.version) / "policy.onnx").read_bytes() == tiny_policy(red=3.0)


def test_a_kept_version_plays_where_its_host_is_waited_for(folder: ModuleFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    file, manifest = kept(tmp_path, tiny_policy(red=3.0))
    about = keep(data, folder.game, "fly", space_in(folder.game, read_manifest(manifest)), file.read_bytes())
    with HostClient(data.logs) as host:
        module = module_of(folder, about, host=host)()
        module.begin()
        module.act({"fallen": 0}, 1, np.full((64, 64, 4), 255, np.uint8))
        assert module.held == ("flap",)
        assert module.problem is None
    with pytest.raises(PitwallError, match="judged on the screen"):
        module_of(folder, about)


_WRONG = {
    "a missing licence": ({"licence": ""}, "licence"),
    "another file": ({"sha256": 'sha256 = "' + "0" * 64 + '"'}, "SHA-256"),
    "a forbidden key": ({"presses": '[[presses]]\noutput = "keys"\nkey = "Escape"'}, "it takes Space"),
    "no such key": ({"presses": '[[presses]]\noutput = "keys"\nkey = "Fnord"'}, "is no key"),
    "an unknown action": ({"presses": '[[presses]]\noutput = "keys"\naction = "dive"'}, "no action 'dive'"),
    "no TOML": ({"schema": "schema = ="}, "TOML"),
}


@pytest.mark.parametrize("fault", _WRONG)
def test_what_does_not_fit_is_refused_and_leaves_nothing(
    folder: ModuleFolder, tmp_path: Path, fault: str
) -> None:
    changes, text = _WRONG[fault]
    with pytest.raises(PitwallError, match=text):
        add_policy(DataFolder(tmp_path / "data"), folder, *kept(tmp_path, tiny_policy(), **changes))
    assert folder.names() == []


def _parted(content: bytes, folder: Path) -> tuple[Path, dict[str, np.ndarray]]:
    """A policy's network without its numbers, in a file; and its numbers."""
    model = onnx.load_model_from_string(content)
    numbers = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    del model.graph.initializer[:]
    file = folder / "network.onnx"
    file.write_bytes(model.SerializeToString())
    return file, numbers


def _safetensors(file: Path, numbers: dict[str, np.ndarray]) -> bytes:
    table, place, parts = {}, 0, []
    for name, value in numbers.items():
        parts.append(value.astype("<f4").tobytes())
        ends = place + len(parts[-1])
        table[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [place, ends]}
        place = ends
    header = json.dumps({"__metadata__": {"made": "here"}, **table}).encode()
    file.write_bytes(len(header).to_bytes(8, "little") + header + b"".join(parts))
    return file.read_bytes()


def test_safetensors_numbers_join_the_network_beside_the_manifest(
    folder: ModuleFolder, tmp_path: Path
) -> None:
    data, content = DataFolder(tmp_path / "data"), tiny_policy(red=3.0)
    _, numbers = _parted(content, tmp_path)
    weights = tmp_path / "tiny.safetensors"
    kept_bytes = _safetensors(weights, numbers)
    manifest = tmp_path / "tiny.toml"

    manifest.write_text(manifest_of(kept_bytes, picture=LEISURELY))
    with pytest.raises(PitwallError, match="not the network"):
        add_policy(data, folder, weights, manifest)

    named = 'licence = "CC0-1.0"\ngraph = "network.onnx"'
    manifest.write_text(manifest_of(kept_bytes, picture=LEISURELY, licence=named))
    about = add_policy(data, folder, weights, manifest)
    made = onnx.load(str(folder.folder(about.version) / "policy.onnx"))
    again = {item.name: numpy_helper.to_array(item) for item in made.graph.initializer}
    assert all(np.array_equal(again[name], value) for name, value in numbers.items())
    assert [element.name for element in made.graph.input] == ["picture", "state_in", "instruction"]

    short = _safetensors(weights, {name: value for name, value in numbers.items() if name != "bias"})
    manifest.write_text(manifest_of(short, picture=LEISURELY, licence=named))
    with pytest.raises(PitwallError, match="bias"):
        add_policy(data, folder, weights, manifest)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        (40).to_bytes(8, "little") + b"{",
        (2).to_bytes(8, "little") + b"[]",
        (70).to_bytes(8, "little")
        + b'{"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 99]}}'.ljust(70),
        (70).to_bytes(8, "little")
        + b'{"a": {"dtype": "Q4", "shape": [0], "data_offsets": [0, 0]}}'.ljust(70),
    ],
)
def test_a_damaged_safetensors_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.safetensors"
    file.write_bytes(content)
    with pytest.raises(DamagedFile, match=re.escape(str(file))):
        read_tensors(file)


def test_one_that_falls_behind_is_refused_with_its_figures() -> None:
    rate = MeasuredRate(p50_ms=61.0, p95_ms=83.0, hz=20, device="CPU")
    with pytest.raises(TooSlow, match=r"61\.0 ms .*83\.0 ms.* CPU, 12\.0 a second; it was made for 20"):
        require_rate("Tiny", rate)
    require_rate("Tiny", rate.model_copy(update={"p95_ms": 49.0}))
