"""Exports a trained network as an ONNX policy with a batch of one, and checks the file."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx.reference import ReferenceEvaluator

from pitwall.core.errors import PitwallError
from pitwall.store.folder_errors import folder_error
from pitwall_lab.algorithms.policy_network import PolicyInput, QNetwork, Shape

_OPSET = 17
_TRIES = 4
_TOLERANCE = 1e-3


class ExportFailed(PitwallError):
    """The ONNX file gives other values than the network."""


def export(network: QNetwork, file: Path) -> None:
    """Write a network as ONNX: its inputs among `state`, `history` and `vision`, and the output `q`.

    Raises:
        ExportFailed: the file's values differ from the network's.
        DataFolderError: it cannot be written.
    """
    content = exported(network)
    aside = file.with_name(file.name + ".tmp")
    try:
        aside.write_bytes(content)
        aside.replace(file)
    except OSError as error:
        raise folder_error(error, file) from error


def exported(network: QNetwork) -> bytes:
    """Return the ONNX file's bytes, checked against the network on random inputs."""
    shape = network.shape
    chance = np.random.default_rng(0)
    names = [name for name, there in _branches(shape) if there]
    buffer: Any = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter's own: it is the older one, and the batch is fixed
        torch.onnx.export(
            network,
            _drawn(shape, chance),
            buffer,
            input_names=names,
            output_names=["q"],
            opset_version=_OPSET,
            dynamo=False,
        )
    content: bytes = buffer.getvalue()
    model = onnx.load_model_from_string(content)
    onnx.checker.check_model(model, full_check=True)
    reference = ReferenceEvaluator(model)
    for _ in range(_TRIES):
        inputs = _drawn(shape, chance)
        with torch.no_grad():
            wanted = network(*inputs).numpy()
        given: Any = reference.run(
            ["q"], {name: tensor.numpy() for name, tensor in zip(names, inputs, strict=True)}
        )
        apart = float(np.max(np.abs(np.asarray(given[0]) - wanted)))
        if not apart <= _TOLERANCE * max(1.0, float(np.max(np.abs(wanted)))):
            raise ExportFailed(f"the ONNX file's values differ from the network's by {apart:.2g}.")
    return content


def _branches(shape: Shape) -> list[tuple[str, bool]]:
    return [
        ("state", shape.state > 0),
        ("history", shape.history > 0),
        ("vision", shape.vision is not None),
    ]


def _drawn(shape: Shape, chance: np.random.Generator) -> tuple[torch.Tensor, ...]:
    state = chance.uniform(-1, 1, (1, shape.state)).astype(np.float32)
    history = chance.integers(-1, shape.actions, (1, shape.history))
    vision = None
    if shape.vision is not None:
        vision = chance.integers(0, 256, (1, *shape.vision), dtype=np.uint8)
    return PolicyInput(state, history, vision).tensors(shape)
