"""Names the files beside an ONNX encoder of texts, as such encoders are published."""

from __future__ import annotations

from pathlib import Path

TOKENIZER = "tokenizer.json"
POOLING = "1_Pooling/config.json"


def beside(model: Path, name: str) -> Path:
    """Return a file beside a model, or above it if the model is in a folder called `onnx`."""
    near = model.parent / name
    if not near.exists() and model.parent.name == "onnx":
        return model.parent.parent / name
    return near
