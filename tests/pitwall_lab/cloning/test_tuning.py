"""A pixel policy made elsewhere is tuned on a person's own play: new last layers over what it gives."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.pitwall_lab.cloning.made_play import HEIGHT, PROFILE, WIDTH, played

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import watch, with_watched
from pitwall.gsm.cloned_space import CloningRecipe
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cloning.clone import begin_clone, clone
from pitwall_lab.modules.pixel_policies import add_policy
from pitwall_lab.training_log import LOG, TrainingLog

GAME = Game(profile=PROFILE, folder=Path("/nowhere"), profile_hash="0" * 64, trusted=True, source="user")
QUICK = CloningRecipe(epochs=20, batch=16, learning_rate=3e-3, reaction_ms=0.0, lead_ms=0.0)
_TUNE = '[tune]\nfeatures = "{features}"\n'


def _policy() -> bytes:
    """Give the picture in rows and columns of four pixels as features; press nothing, whatever is seen."""
    size = HEIGHT // 4 * (WIDTH // 4)
    floats = TensorProto.FLOAT
    constants = {"weights": np.zeros((size, 3), np.float32), "bias": np.full(3, -4.0, np.float32)}
    nodes = [
        helper.make_node("AveragePool", ["picture"], ["small"], kernel_shape=[4, 4], strides=[4, 4]),
        helper.make_node("Flatten", ["small"], ["features"]),
        helper.make_node("Gemm", ["features", "weights", "bias"], ["keys"]),
    ]
    graph = helper.make_graph(
        nodes,
        "still",
        [helper.make_tensor_value_info("picture", floats, (1, 1, HEIGHT, WIDTH))],
        [
            helper.make_tensor_value_info("keys", floats, (1, 3)),
            helper.make_tensor_value_info("features", floats, (1, size)),
        ],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    content: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()
    return content


def _added(data: DataFolder, folder: ModuleFolder, tmp_path: Path, features: str) -> str:
    content = _policy()
    file, manifest = tmp_path / "still.onnx", tmp_path / "still.toml"
    file.write_bytes(content)
    keys = "".join(
        f'[[presses]]\noutput = "keys"\nindex = {number}\nkey = "{key}"\nform = "logit"\n'
        for number, key in enumerate(("Left", "Right", "Space"))
    )
    manifest.write_text(
        f'schema = 1\nname = "Still"\nlicence = "CC0-1.0"\nsha256 = "{hashlib.sha256(content).hexdigest()}"\n'
        f'[picture]\nwidth = {WIDTH}\nheight = {HEIGHT}\nhz = 0.5\ncolour = "grey"\n'
        + _TUNE.format(features=features)
        + keys
    )
    about = add_policy(data, folder, file, manifest)
    assert isinstance(about.learned, PixelSpace)
    quick = about.learned.pixels.picture.model_copy(update={"hz": 25.0})  # a busy machine may be too slow
    pixels = about.learned.pixels.model_copy(update={"picture": quick})
    learned = about.learned.model_copy(update={"pixels": pixels, "decide_every_ms": 40.0})
    folder.write(about.model_copy(update={"learned": learned}))
    return about.version


pytestmark = pytest.mark.timeout(400)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def folder(data: DataFolder) -> ModuleFolder:
    watch(data, GAME, "watched", ["left", "right", "fire"])
    return ModuleFolder(data, with_watched(GAME, data), "watched")


def test_a_tuned_policy_agrees_further_with_play_that_it_has_not_seen(
    data: DataFolder, folder: ModuleFolder, tmp_path: Path
) -> None:
    shown = played(data, seconds=20, pictures=True, reaction_ms=0)
    version = _added(data, folder, tmp_path, "features")
    begun = begin_clone(data, folder, [shown], start_from=version, recipe=QUICK)
    about = clone(data, folder, begun)
    message = TrainingLog(folder.folder(about.version) / LOG)
    message.follow()
    assert message.cloned is not None and message.cloned.before is not None
    assert message.cloned.agreement > message.cloned.before
    assert about.parent == version
    assert about.rate is not None
    assert isinstance(about.learned, PixelSpace)
    assert set(about.learned.actions) == {"", "left", "right", "fire"}
    model = onnx.load(str(folder.folder(about.version) / "policy.onnx"))
    outputs = [item.name for item in model.graph.output]
    assert outputs[:2] == ["keys", "features"]  # what it gave before it still gives
    assert about.learned.pixels.presses[0].output in outputs


def test_an_output_that_is_not_there_is_named(data: DataFolder, folder: ModuleFolder, tmp_path: Path) -> None:
    shown = played(data, seconds=6, pictures=True)
    version = _added(data, folder, tmp_path, "hidden")
    begun = begin_clone(data, folder, [shown], start_from=version, recipe=QUICK)
    with pytest.raises(PitwallError, match="has no output 'hidden': it gives keys, features"):
        clone(data, folder, begun)
