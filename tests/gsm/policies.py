"""Policies made by hand: tiny ONNX graphs whose choice can be worked out on paper."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Learned, Module, StateInput, VisionInput
from pitwall.games.schema.profile import Game, Profile
from pitwall.gsm.inference import input_shapes
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder

ACTIONS = ["", "flap"]
LEARNED = Learned(
    state=[StateInput(field="height", low=0, high=100)], actions=ACTIONS, history=2, reward="reward.py"
)
SEEING = LEARNED.model_copy(update={"vision": VisionInput(width=8, height=8, frames=2)})


def linear_policy(learned: Learned, *, state: float = 0.0, last: float = 0.0, sight: float = 0.0) -> bytes:
    """q(second) = state · first number + last · "second was last" + sight · brightest pixel; q(first) = 0."""
    shapes = input_shapes(learned)
    inputs, nodes, terms, constants = [], [], [], []
    for name, (shape, kind) in shapes.items():
        element = TensorProto.UINT8 if kind == "uint8" else TensorProto.FLOAT
        inputs.append(helper.make_tensor_value_info(name, element, shape))
        source = name
        if kind == "uint8":
            nodes.append(helper.make_node("Cast", [name], ["bright"], to=TensorProto.FLOAT))
            nodes.append(helper.make_node("ReduceMax", ["bright"], ["brightest"], keepdims=1))
            source, shape = "brightest", (1, 1, 1, 1)
        nodes.append(helper.make_node("Flatten", [source], [f"{name}_flat"], axis=1))
        weights = np.zeros((int(np.prod(shape)), len(learned.actions)), np.float32)
        place, weight = {"state": (0, state), "history": (-1, last), "vision": (0, sight / 255)}[name]
        weights[place, 1] = weight
        constants.append(numpy_helper.from_array(weights, f"{name}_w"))
        nodes.append(helper.make_node("MatMul", [f"{name}_flat", f"{name}_w"], [f"{name}_q"]))
        terms.append(f"{name}_q")
    nodes.append(helper.make_node("Sum", terms, ["q"]))
    outputs = [helper.make_tensor_value_info("q", TensorProto.FLOAT, (1, len(learned.actions)))]
    graph = helper.make_graph(nodes, "policy", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def profile(*modules: Module) -> Profile:
    """A game with two fields and two actions."""
    return Profile.model_validate(
        {
            "schema": 1,
            "game": {"id": "kite", "name": "Kite"},
            "screen": {"width": 64, "height": 64},
            "controls": {"keys": ["Space"]},
            "actions": [{"name": "flap", "keys": ["Space"]}, {"name": "rest", "wait": True}],
            "fields": [
                {"name": "height", "kind": "derived", "value": "50"},
                {"name": "fallen", "kind": "derived", "value": "0"},
            ],
            "modules": [module.model_dump() for module in modules],
        }
    )


def game(folder: Path, *modules: Module) -> Game:
    """That game, loaded."""
    return Game(profile=profile(*modules), folder=folder, profile_hash="0" * 64, trusted=True, source="path")


def keep(
    data: DataFolder, of: Game, module: str, learned: Learned, content: bytes, **about: object
) -> VersionRecord:
    """A trained version in the data folder."""
    folder = ModuleFolder(data, of, module)
    kept = folder.new(
        VersionRecord(
            game_id=of.game_id,
            module=module,
            version="",
            kind="policy",
            learned=learned,
            policy_sha256=hashlib.sha256(content).hexdigest(),
        ).model_copy(update=about)
    )
    (folder.folder(kept.version) / "policy.onnx").write_bytes(content)
    return kept
