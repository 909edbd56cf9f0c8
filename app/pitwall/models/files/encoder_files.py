"""Names the files beside an ONNX encoder of texts, as such encoders are published."""

from __future__ import annotations

from pathlib import Path

TOKENIZER = "tokenizer.json"
POOLING = "1_Pooling/config.json"


def beside(model: Path, name: str) -> Path:
    """A file beside a model; where it is not, of a model in a folder called `onnx` the one above."""
    near = model.parent / name
    if not near.exists() and model.parent.name == "onnx":
        return model.parent.parent / name
    return near
