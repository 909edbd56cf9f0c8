"""Sentence embeddings by an ONNX encoder with a `tokenizer.json` beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from pitwall.core.errors import BadModelFile
from pitwall.host.faults import WrongKind
from pitwall.models.spec import ModelSpec

_LONGEST = 256
"""Tokens of a text that count; sentence encoders are trained with no more, what follows is left out."""
_AT_ONCE = 32

Run = Callable[[dict[str, NDArray[Any]]], tuple[list[str], list[NDArray[Any]]]]


class Encoder:
    """Texts to vectors of length 1.

    Args:
        inputs: names of the model's inputs. run: runs the model on them.

    Raises:
        BadModelFile: there is no tokenizer.json beside the model, or it cannot be read.
        WrongKind: the model takes something else than tokens.
    """

    def __init__(self, spec: ModelSpec, inputs: Sequence[str], run: Run) -> None:
        if "input_ids" not in inputs:
            raise WrongKind(f"{spec.name} takes {', '.join(inputs)}: it is no encoder of texts.")
        file = Path(spec.path).with_name("tokenizer.json")
        if not file.is_file():
            raise BadModelFile(
                str(file),
                "is missing",
                expected="the tokenizer of the encoder beside it",
                fix="Put it there.",
            )
        try:
            self._tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
        except Exception as error:  # the library raises plain Exception
            raise BadModelFile(str(file), f"is no tokenizer: {error}", fix="Download it again.") from error
        self._tokenizer.no_padding()
        self._spec = spec
        self._inputs = inputs
        self._run = run

    def counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Tokens of each text, whole."""
        self._tokenizer.no_truncation()
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return tuple(len(entry.ids) for entry in encoded)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, texts × width.

        Raises:
            WrongKind: the model's output is no embedding.
        """
        parts = [self._embed(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
        rows = np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1), np.float32)

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._tokenizer.enable_truncation(_LONGEST)
        entries = self._tokenizer.encode_batch(list(texts))
        width = max(1, *(len(entry.ids) for entry in entries))
        ids = np.zeros((len(entries), width), np.int64)
        mask = np.zeros((len(entries), width), np.int64)
        for row, entry in enumerate(entries):
            ids[row, : len(entry.ids)] = entry.ids
            mask[row, : len(entry.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        names, outputs = self._run({name: inputs[name] for name in self._inputs if name in inputs})
        return self._pooled(dict(zip(names, outputs, strict=True)), mask)

    def _pooled(self, outputs: dict[str, NDArray[Any]], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """A sentence's vector as the model gives it, else the mean of its tokens' vectors."""
        for value in outputs.values():
            if value.ndim == 2:
                return value.astype(np.float32)
        for value in outputs.values():
            if value.ndim == 3:
                weights = mask[:, :, None].astype(np.float32)
                total: NDArray[np.float32] = (value.astype(np.float32) * weights).sum(axis=1)
                return np.asarray(total / np.maximum(weights.sum(axis=1), 1), np.float32)
        shapes = ", ".join(f"{name} {list(value.shape)}" for name, value in outputs.items())
        raise WrongKind(f"{self._spec.name} gives {shapes}: no embedding.")
