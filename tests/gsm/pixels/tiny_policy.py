"""A tiny pixel policy with the interface of large ones: 192 × 192 pictures, a state, an instruction, keys."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE = 192
LEISURELY = "[picture]\nhz = 0.2"
"""Of a manifest: a rate that a busy machine keeps up with too."""


def tiny_policy(
    *, red: float = 0.0, state: float = 0.0, instruction: float = 0.0, broken: bool = False
) -> bytes:
    """keys = sigmoid(red · mean red + state · decisions so far + instruction · first instruction number − 1).

    Args:
        broken: it divides by zero.
    """
    weights = np.zeros((3 + 8 + 4, 2), np.float32)
    weights[0, 0], weights[3, 0], weights[11, 0] = red, state, instruction
    constants = {
        "weights": weights,
        "bias": np.array([-1.0, -20.0], np.float32),
        "one": np.ones((1, 8), np.float32),
        "scale": np.array([0.0 if broken else 1.0], np.float32),
    }
    nodes = [
        helper.make_node("GlobalAveragePool", ["picture"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["mean"]),
        helper.make_node("Concat", ["mean", "state_in", "instruction"], ["features"], axis=1),
        helper.make_node("Gemm", ["features", "weights", "bias"], ["sums"]),
        helper.make_node("Div", ["sums", "scale"], ["scaled"]),
        helper.make_node("Sub", ["scaled", "scaled"], ["zero"]),
        helper.make_node("Add", ["scaled", "zero"], ["logits"]),
        helper.make_node("Sigmoid", ["logits"], ["keys"]),
        helper.make_node("Add", ["state_in", "one"], ["state_out"]),
    ]
    floats = TensorProto.FLOAT
    inputs = {"picture": (1, 3, SIDE, SIDE), "state_in": (1, 8), "instruction": (1, 4)}
    outputs = {"keys": (1, 2), "state_out": (1, 8), "features": (1, 15)}
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, floats, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, floats, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def manifest_of(content: bytes, **changes: str) -> str:
    """The TOML manifest of such a policy for the game of `tests.gsm.policies`; changes: key → line."""
    lines = {
        "schema": "schema = 1",
        "name": 'name = "Tiny"',
        "licence": 'licence = "CC0-1.0"',
        "sha256": f'sha256 = "{hashlib.sha256(content).hexdigest()}"',
        "picture": "[picture]\nwidth = 192\nheight = 192\nhz = 20",
        "state": '[[state]]\ninput = "state_in"\noutput = "state_out"\nshape = [1, 8]',
        "instruction": (
            '[instruction]\ninput = "instruction"\ntext = "fly high"\nvalues = [1.0, 0.0, 0.0, 0.0]'
        ),
        "presses": '[[presses]]\noutput = "keys"\nindex = 0\nkey = "Space"',
    }
    return "\n".join({**lines, **changes}.values()) + "\n"


def kept(folder: Path, content: bytes, **changes: str) -> tuple[Path, Path]:
    """A policy's file and its manifest in a folder."""
    file, manifest = folder / "tiny.onnx", folder / "tiny.toml"
    file.write_bytes(content)
    manifest.write_text(manifest_of(content, **changes), encoding="utf-8")
    return file, manifest
