"""Object detectors small enough for tests and measurements, in every layout that exports have.

They see colour: a cell of the picture that is red, green or blue throughout is a box with that label. Cells
come in three sizes, as in YOLO's heads; larger ones are surer (see WEIGHTS).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from pitwall.bench.tiny_models import saved_graph

LABELS = ("red", "green", "blue")
WEIGHTS = {8: 0.5, 16: 0.7, 32: 0.9}
"""Side of a cell in input pixels → score of one that has the colour throughout."""
Shape = Literal["yolov8", "yolov5", "end", "end7", "words"]
_SEES = np.asarray([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]], np.float32)
_MOST = 50
_MEAN = np.asarray((0.48145466, 0.4578275, 0.40821073), np.float32).reshape(1, 3, 1, 1)
_STD = np.asarray((0.26862954, 0.26130258, 0.27577711), np.float32).reshape(1, 3, 1, 1)


def tiny_detector(
    path: Path,
    shape: Shape = "yolov8",
    *,
    width: int = 320,
    height: int = 320,
    labels: int = 3,
    dtype: int = TensorProto.FLOAT,
    burden: int = 0,
) -> Path:
    """Write a detector as ONNX; returns `path`.

    Args:
        width, height: of its input.
        labels: so many of LABELS.
        dtype: of the input; whole numbers are scaled inside.
        burden: channels of a stack of convolutions that change nothing and cost what a small detector costs.
    """
    made = _Graph(width, height, labels, burden)
    {
        "yolov8": made.yolov8,
        "yolov5": made.yolov5,
        "end": made.end,
        "end7": made.end7,
        "words": made.words,
    }[shape](dtype)
    return made.save(path)


class _Graph:
    def __init__(self, width: int, height: int, labels: int, burden: int) -> None:
        self._width, self._height, self._labels, self._burden = width, height, labels, burden
        self._named = 0
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._places = _places(width, height)

    def save(self, path: Path) -> Path:
        graph = helper.make_graph(self._nodes, "tiny-detector", self._inputs, self._outputs, self._constants)
        return saved_graph(graph, path)

    def yolov8(self, dtype: int) -> None:
        scores = self._scores(self._picture(dtype))
        self._give(self._add("Concat", self._constant(self._places[None]), scores, axis=1))

    def yolov5(self, dtype: int) -> None:
        scores = self._scores(self._picture(dtype))
        best = self._add("ReduceMax", scores, self._numbers(1), keepdims=1)
        share = self._add("Div", scores, self._add("Add", best, self._constant(np.float32(1e-9))))
        rows = self._add("Concat", self._constant(self._places[None]), best, share, axis=1)
        rows = self._add("Transpose", rows, perm=[0, 2, 1])
        self._give(self._add("Concat", rows, rows, rows, axis=1))  # three anchors a cell

    def end(self, dtype: int) -> None:
        self._give(self._add("Unsqueeze", self._suppressed(dtype), self._numbers(0)))

    def end7(self, dtype: int) -> None:
        rows = self._suppressed(dtype)
        corners, score, label = (
            self._add("Slice", rows, self._numbers(a), self._numbers(b), self._numbers(1))
            for a, b in ((0, 4), (4, 5), (5, 6))
        )
        zero = self._add("Sub", score, score)
        self._give(self._add("Concat", zero, corners, label, score, axis=1), rank=2)

    def words(self, _: int) -> None:
        """Each word's first token says which colour it means: its number modulo three."""
        self._input("input_ids", TensorProto.INT64, ["words", 16])
        self._input("attention_mask", TensorProto.INT64, ["words", 16])
        self._input("pixel_values", TensorProto.FLOAT, [1, 3, self._height, self._width])
        picture = self._add("Mul", "pixel_values", self._constant(_STD))
        pooled = self._pooled(self._add("Add", picture, self._constant(_MEAN)))
        first = self._add("Slice", "input_ids", self._numbers(0), self._numbers(1), self._numbers(1))
        used = self._add("Slice", "attention_mask", self._numbers(0), self._numbers(1), self._numbers(1))
        colour = self._add("Mod", self._add("Mul", first, used), self._numbers(3))
        sees = self._add("Squeeze", self._add("Gather", self._constant(_SEES), colour), self._numbers(1))
        scores = self._weighed(self._add("MatMul", sees, pooled))
        logits = self._add("Transpose", scores, perm=[0, 2, 1])
        logits = self._add("Sub", logits, self._constant(np.float32(0.5)))
        self._give(self._add("Mul", logits, self._constant(np.float32(20))), name="logits")
        sides = np.asarray([self._width, self._height] * 2, np.float32)
        self._give(self._constant((self._places.T / sides)[None]), name="pred_boxes")

    def _suppressed(self, dtype: int) -> str:
        scores = self._scores(self._picture(dtype))
        best = self._add("ReduceMax", scores, self._numbers(1), keepdims=0)
        label = self._add("ArgMax", scores, axis=1, keepdims=0)
        top, at = self._name(), self._name()
        self._nodes.append(helper.make_node("TopK", [best, self._numbers(_MOST)], [top, at], axis=1))
        x, y, width, height = self._places
        corners = np.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], axis=1)
        chosen = self._add("Squeeze", at, self._numbers(0))
        labels = self._add("Cast", self._add("GatherElements", label, at, axis=1), to=TensorProto.FLOAT)
        columns = (
            self._add("Gather", self._constant(corners), chosen),
            self._add("Transpose", top),
            self._add("Transpose", labels),
        )
        return self._add("Concat", *columns, axis=1)

    def _picture(self, dtype: int) -> str:
        self._input("images", dtype, [1, 3, self._height, self._width])
        picture = self._add("Cast", "images", to=TensorProto.FLOAT)
        if dtype == TensorProto.UINT8:
            picture = self._add("Div", picture, self._constant(np.float32(255)))
        return self._burdened(picture) if self._burden else picture

    def _burdened(self, picture: str) -> str:
        """Convolutions of the size of a small backbone, whose result is added times zero."""
        rng, at, channels = np.random.default_rng(0), picture, 3
        for depth in range(4):
            wider = self._burden << depth
            weights = rng.standard_normal((wider, channels, 3, 3)).astype(np.float32) / (9 * channels)
            at = self._add("Conv", at, self._constant(weights), strides=[2, 2], pads=[1, 1, 1, 1])
            at, channels = self._add("Relu", at), wider
        nothing = self._add("ReduceMean", at, self._numbers(1, 2, 3), keepdims=1)
        return self._add("Add", picture, self._add("Mul", nothing, self._constant(np.float32(0))))

    def _scores(self, picture: str) -> str:
        """(1, labels, boxes)."""
        return self._weighed(
            self._add("MatMul", self._constant(_SEES[: self._labels]), self._pooled(picture))
        )

    def _pooled(self, picture: str) -> str:
        """Mean colour of every cell: (1, 3, boxes)."""
        parts = []
        for side in WEIGHTS:
            cells = self._add("AveragePool", picture, kernel_shape=[side, side], strides=[side, side])
            parts.append(self._add("Reshape", cells, self._numbers(1, 3, -1)))
        return self._add("Concat", *parts, axis=2)

    def _weighed(self, scores: str) -> str:
        weights = np.concatenate(
            [
                np.full((self._width // side) * (self._height // side), weight, np.float32)
                for side, weight in WEIGHTS.items()
            ]
        )
        zero, one = self._constant(np.float32(0)), self._constant(np.float32(1))
        return self._add("Mul", self._add("Clip", scores, zero, one), self._constant(weights[None, None]))

    def _add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = self._name()
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _name(self) -> str:
        self._named += 1
        return f"v{self._named}"

    def _constant(self, values: NDArray[np.generic] | np.generic) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def _numbers(self, *values: int) -> str:
        return self._constant(np.asarray(values, np.int64))

    def _input(self, name: str, dtype: int, shape: list[int | str]) -> None:
        self._inputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def _give(self, value: str, *, name: str = "output0", rank: int = 3) -> None:
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * rank))


def _places(width: int, height: int) -> NDArray[np.float32]:
    """Middle and size of every cell: (4, boxes)."""
    parts = []
    for side in WEIGHTS:
        y, x = np.mgrid[0 : height // side, 0 : width // side]
        sides = np.full(x.size, side)
        parts.append(np.stack([(x.ravel() + 0.5) * side, (y.ravel() + 0.5) * side, sides, sides]))
    return np.concatenate(parts, axis=1).astype(np.float32)
