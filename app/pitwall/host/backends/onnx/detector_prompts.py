"""Words that an open-vocabulary detector looks for, as the tokens it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.host.backends.onnx.session import DTYPES, Session
from pitwall.host.backends.onnx.text_encoder import read_tokenizer
from pitwall.host.requests.faults import BadInput

_USUAL_TOKENS = 16
"""Of one label, as OWL-ViT and OWLv2 were trained."""


class DetectorPrompts:
    """The text inputs of a detector.

    Raises:
        BadModelFile: there is no tokenizer.json beside the model, or it cannot be read.
    """

    def __init__(self, session: Session) -> None:
        self._name = session.spec.name
        self._nodes = {
            name: session.inputs[name] for name in ("input_ids", "attention_mask") if name in session.inputs
        }
        count, length = (part if isinstance(part, int) else 0 for part in self._nodes["input_ids"].shape)
        self._count = count
        self._tokenizer = read_tokenizer(session.spec, "detector")
        padding = self._tokenizer.padding or {}
        self._pad = int(padding.get("pad_id", 0))
        self._length = length or _USUAL_TOKENS
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._length)
        self._last: tuple[tuple[str, ...], dict[str, NDArray[Any]]] | None = None

    def inputs(self, labels: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        """Return the tokens of the labels; of the same labels they are made once.

        Raises:
            BadInput: the export takes another number of labels.
        """
        if self._count not in (0, len(labels)):
            raise BadInput(
                f"{self._name} was exported for {self._count} labels at a time, not {len(labels)}.",
                "Export it with as many as wanted, or declare as many.",
            )
        if self._last is None or self._last[0] != labels:
            self._last = (labels, self._encoded(labels))
        return self._last[1]

    def _encoded(self, labels: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        ids = np.full((len(labels), self._length), self._pad, np.int64)
        mask = np.zeros_like(ids)
        for row, entry in enumerate(self._tokenizer.encode_batch(list(labels))):
            ids[row, : len(entry.ids)] = entry.ids
            mask[row, : len(entry.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask}
        return {
            name: given[name].astype(DTYPES.get(node.type, "int64")) for name, node in self._nodes.items()
        }
