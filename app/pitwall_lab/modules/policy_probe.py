"""Tries a policy where it can do no harm: compares its hash, then runs it once in a host process."""

from __future__ import annotations

import numpy as np

from pitwall.core.paths import DataFolder
from pitwall.gsm.cloned_space import output_size
from pitwall.gsm.inference import BadPolicy, input_shapes, read_policy
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.pixels.probe import measured_rate, require_rate
from pitwall.gsm.version_record import POLICY
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import OnnxRan, RunOnnx
from pitwall.models.spec import ModelSpec
from pitwall.models.tensors import packed

_TIMEOUT_S = 60.0


def probe(data: DataFolder, folder: ModuleFolder, version: str) -> float | None:
    """Try a version's policy on zeros, and return the time of the run in milliseconds; None for rules.

    Raises:
        BadPolicy: the file is missing, another one, or does not fit the version's space.
        RequestFailed, ChildDied: the host refused it, or crashed.
    """
    about = folder.about(version)
    if about.kind == "rules":
        return None
    if about.learned is None:
        raise BadPolicy(f"{folder.name} {version} names no space that its policy was trained in.")
    file = folder.folder(version) / POLICY
    if isinstance(about.learned, PixelSpace):
        rate = measured_rate(data, about.learned.pixels, file)
        require_rate(f"{folder.name} {version}", rate)
        return rate.p50_ms
    read_policy(file, about.policy_sha256)
    shapes = input_shapes(about.learned)
    arrays = {name: np.zeros(shape, dtype) for name, (shape, dtype) in shapes.items()}
    spec = ModelSpec(
        name=f"{folder.name} {version}",
        kind="onnx",
        path=str(file),
        sha256=about.policy_sha256,
        gpu_layers=0,
        threads=1,
    )
    inputs, blob = packed(arrays)
    with HostClient(data.logs) as host:
        request = RunOnnx(request_id=host.number(), model=spec, inputs=inputs)
        answer = host.answer(request, blob, kind=OnnxRan, timeout_s=_TIMEOUT_S)
    given = {output.name: output.shape for output in answer.outputs}
    wanted = (1, output_size(about.learned))
    if given.get("q") != wanted:
        raise BadPolicy(f"{file} gives {given}, not q {wanted}.", "Train it again.")
    if not np.isfinite(np.frombuffer(host.blob, answer.outputs[0].dtype)).all():
        raise BadPolicy(f"{file} gives values that are no numbers.", "Train it again.")
    return answer.took_ms
