"""Runs a policy: one small ONNX file, on the CPU with one thread, inside the player's loop.

Only a file that the host has loaded and run before may be loaded here, because a bad file can crash the
process. This is the only place outside the host where onnxruntime is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.bounded_reading import read_bytes
from pitwall.core.errors import PitwallError
from pitwall.games.schema.modules import Learned
from pitwall.gsm.cloned_space import output_size, state_vectors
from pitwall.gsm.state_space import StateSpace

_QUIET = 4
_MOST_BYTES = 1_900 << 20
"""Just under 2 GiB, the largest size of an ONNX file in one piece."""
_FIX = "Train or copy it again."
Inputs = Mapping[str, NDArray[Any]]


class BadPolicy(PitwallError):
    """A policy file does not match its version."""


def input_shapes(learned: Learned) -> dict[str, tuple[tuple[int, ...], str]]:
    """Return the inputs of a policy of this space: name → shape and dtype. A missing branch has no input."""
    shapes: dict[str, tuple[tuple[int, ...], str]] = {}
    if learned.state:
        shapes["state"] = (1, StateSpace(learned.state).size * state_vectors(learned)), "float32"
    if learned.history:
        shapes["history"] = (1, learned.history, len(learned.actions)), "float32"
    if learned.vision is not None:
        vision = learned.vision
        shapes["vision"] = (1, vision.frames, vision.height, vision.width), "uint8"
    return shapes


def read_policy(file: Path, sha256: str) -> bytes:
    """Read a policy file and check its hash.

    Raises:
        BadPolicy: the file is missing, or not the one that its version names. DamagedFile: it is unreadable.
    """
    try:
        content = read_bytes(file, most_bytes=_MOST_BYTES, fix=_FIX)
    except FileNotFoundError as error:
        raise BadPolicy(f"{file} is not there.", _FIX) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise BadPolicy(
            f"{file} is not the policy that about.json beside it names (another SHA-256).",
            "Put the file back that was trained, or train it again.",
        )
    return content


class Policy:
    """A loaded policy.

    Args:
        content: of the ONNX file.
        learned: the space it was trained for.

    Raises:
        BadPolicy: onnxruntime refuses it, or its inputs and output do not fit the space.
    """

    def __init__(self, content: bytes, learned: Learned) -> None:
        import onnxruntime  # costs 0.1 s and 27 MB, and only policies need it

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _QUIET
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session: Any = onnxruntime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its own exceptions have no common root
            raise BadPolicy(f"the policy cannot be loaded: {error}.", "Train it again.") from error
        self._check(learned)

    def q(self, inputs: Inputs) -> NDArray[np.float32]:
        """Return the value of every action, (actions,)."""
        values: NDArray[np.float32] = self._session.run(["q"], dict(inputs))[0]
        return values.reshape(-1)

    def _check(self, learned: Learned) -> None:
        wanted = {name: list(shape) for name, (shape, _) in input_shapes(learned).items()}
        given = {node.name: list(node.shape) for node in self._session.get_inputs()}
        if wanted != given:
            raise BadPolicy(f"the policy takes {given}, but its version's space gives {wanted}.")
        outputs = {node.name: list(node.shape) for node in self._session.get_outputs()}
        if outputs.get("q") != [1, output_size(learned)]:
            raise BadPolicy(f"the policy gives {outputs}, not q [1, {output_size(learned)}].")


class DeferredPolicy:
    """Holds a policy's file and loads it at the first decision, because loading onnxruntime takes time.

    Args:
        content, learned: as of `Policy`.
    """

    def __init__(self, content: bytes, learned: Learned) -> None:
        self._source = content, learned
        self._policy: Policy | None = None

    def load(self) -> Policy:
        """Load the policy, unless it is loaded.

        Raises:
            BadPolicy: see `Policy`.
        """
        self._policy = self._policy or Policy(*self._source)
        return self._policy

    def q(self, inputs: Inputs) -> NDArray[np.float32]:
        """See `Policy.q`."""
        return self.load().q(inputs)
