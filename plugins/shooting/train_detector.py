"""Trains the shooting game's object detector and writes it as ONNX: some minutes on one core, from a seed.

A fully convolutional net without anchors, in the way of FCOS and YOLOv8's head: every cell of a grid outputs
the probability of each kind of monster, and the distances from the cell's middle to the sides of its box. The
boxes are decoded inside the graph, whose one output has YOLOv8's layout.

Run: python plugins/shooting/train_detector.py [--seed 1] [--pictures 6000] [--passes 24]
It needs torch (Pitwall's extra `train`).
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from detector_pictures import LABELS, SIZE, Pictures, gather
from detector_score import Boxes, score
from numpy.typing import NDArray
from shooting_world import Speed
from torch import Tensor, nn

STRIDE = 8
_COLUMNS, _ROWS = SIZE[0] // STRIDE, SIZE[1] // STRIDE
_BATCH = 64
_HELD_OUT = 1_000_000
"""Added to the seed for pictures that training never sees."""
_CONFIDENCE = 0.4
_FOCUS = 2.0
FILE = Path(__file__).parent / "models" / "monsters.onnx"
_log = logging.getLogger("train_detector")


class Detector(nn.Module):
    """Maps RGB strips, (n, 3, 48, 320) of 0 … 1, to boxes: (n, 4 + labels, cells)."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for wider, step in ((16, 2), (24, 2), (32, 2), (48, 1), (48, 1)):
            layers += [nn.Conv2d(channels, wider, 3, step, 1, bias=False), nn.BatchNorm2d(wider), nn.SiLU()]
            channels = wider
        self.body = nn.Sequential(*layers)
        self.head = nn.Conv2d(channels, 4 + len(LABELS), 1)
        assert self.head.bias is not None
        nn.init.constant_(self.head.bias[4:], -4.0)  # nearly every cell is empty
        self.register_buffer("centres", cell_centres().T[None].clone())

    def raw(self, pictures: Tensor) -> Tensor:
        """Return log distances to left, top, right and bottom in cells, and logits of labels."""
        cells: Tensor = self.head(self.body(pictures)).flatten(2)
        return cells

    def forward(self, pictures: Tensor) -> Tensor:
        cells = self.raw(pictures)
        reach = torch.exp(cells[:, :4].clamp(-6, 6)) * STRIDE
        centres: Tensor = self.centres  # type: ignore[assignment]
        corners = torch.cat([centres - reach[:, :2], centres + reach[:, 2:]], 1)
        middle = (corners[:, :2] + corners[:, 2:]) / 2
        return torch.cat([middle, corners[:, 2:] - corners[:, :2], torch.sigmoid(cells[:, 4:])], 1)


def cell_centres() -> Tensor:
    """Return the middle of every cell in input pixels, row by row: (cells, 2)."""
    rows, columns = torch.meshgrid(torch.arange(_ROWS), torch.arange(_COLUMNS), indexing="ij")
    return (torch.stack([columns.flatten(), rows.flatten()], 1) + 0.5) * STRIDE


def targets(boxes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the wanted output for a picture: (labels, cells) of 0 and 1, and corners, (4, cells).

    The cells in the middle third of a box, and the one nearest to its middle, belong to it; where boxes
    overlap, to the larger one, which is in front.
    """
    centres = cell_centres().numpy()
    kinds = np.zeros((len(LABELS), len(centres)), np.float32)
    corners = np.zeros((4, len(centres)), np.float32)
    for kind, *corner in sorted(boxes.tolist(), key=lambda box: (box[3] - box[1]) * (box[4] - box[2])):
        left, top, right, bottom = corner
        middle = np.asarray([(left + right) / 2, (top + bottom) / 2])
        third = np.asarray([(right - left) / 6, (bottom - top) / 6])
        away = np.abs(centres - middle)
        inside = (away <= third).all(1)
        inside[np.argmin((away**2).sum(1))] = True
        kinds[:, inside] = 0
        kinds[int(kind), inside] = 1
        corners[:, inside] = np.asarray(corner, np.float32)[:, None]
    return kinds, corners


def loss(cells: Tensor, kinds: Tensor, corners: Tensor) -> Tensor:
    """Return the focal loss of the labels (Lin et al. 2017, α 0.5, γ 2) plus L1 of log distances."""
    logits = cells[:, 4:]
    chance = torch.sigmoid(logits)
    right = torch.where(kinds > 0, chance, 1 - chance)
    entropy = nn.functional.binary_cross_entropy_with_logits(logits, kinds, reduction="none")
    full = kinds.amax(1) > 0
    seen = full.sum().clamp(min=1)
    centres = cell_centres().T[None]
    reach = torch.cat([centres - corners[:, :2], corners[:, 2:] - centres], 1).clamp(min=0.5) / STRIDE
    distance = (cells[:, :4] - torch.log(reach)).abs().sum(1)[full].sum()
    return ((1 - right) ** _FOCUS * entropy).sum() / seen + distance / seen


def train(pictures: Pictures, seed: int, passes: int) -> Detector:
    """Fit a net in one cycle of the learning rate; pictures are mirrored, brightened and tinted."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = np.random.default_rng(seed)
    detector = Detector()
    steps = passes * (len(pictures.boxes) // _BATCH)
    fitter = torch.optim.AdamW(detector.parameters(), lr=3e-3, weight_decay=1e-4)
    rate = torch.optim.lr_scheduler.OneCycleLR(fitter, 3e-3, steps, pct_start=0.1)
    for number in range(passes):
        order = chance.permutation(len(pictures.boxes))
        total = 0.0
        for start in range(0, len(order) - _BATCH + 1, _BATCH):
            chosen = order[start : start + _BATCH]
            views, kinds, corners = zip(*(example(pictures, index, chance) for index in chosen), strict=True)
            wrong = loss(
                detector.raw(torch.from_numpy(np.stack(views))),
                torch.from_numpy(np.stack(kinds)),
                torch.from_numpy(np.stack(corners)),
            )
            fitter.zero_grad()
            wrong.backward()  # type: ignore[no-untyped-call]
            fitter.step()
            rate.step()
            total += float(wrong.detach())
        _log.info("pass %2d of %d: loss %.3f", number + 1, passes, total * passes / steps)
    return detector.eval()


def example(
    pictures: Pictures, index: int, chance: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return a picture as the net takes it, changed a little, and its wanted output."""
    view, boxes = pictures.pixels[index], pictures.boxes[index].copy()
    if chance.random() < 0.5:
        view = view[:, ::-1]
        boxes[:, [1, 3]] = SIZE[0] - boxes[:, [3, 1]]
    tint = chance.uniform(0.85, 1.15) * chance.uniform(0.95, 1.05, 3)
    return (np.clip(as_input(view) * tint[:, None, None], 0, 1).astype(np.float32), *targets(boxes))


def as_input(view: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return a BGR strip as (3, height, width), RGB of 0 … 1."""
    planes = np.ascontiguousarray(view[..., ::-1].transpose(2, 0, 1), np.float32)
    return np.asarray(planes / 255, np.float32)


def find(detector: Detector, pictures: Pictures) -> list[Boxes]:
    """Return the boxes of every picture, as a host reads them."""
    boxes = []
    with torch.no_grad():
        for view in pictures.pixels:
            rows = detector(torch.from_numpy(as_input(view))[None])[0].numpy()
            kept = rows[:, rows[4:].max(0) >= _CONFIDENCE]
            x, y, width, height = kept[:4]
            corners = np.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], 1)
            boxes.append(Boxes(corners, kept[4:].max(0), kept[4:].argmax(0)))
    return boxes


def export(detector: Detector, file: Path) -> None:
    """Write the net: input `images` (1, 3, 48, 320), output `output0` (1, 4 + labels, cells)."""
    file.parent.mkdir(exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the older exporter needs 0.2 s instead of ten
        torch.onnx.export(
            detector,
            (torch.zeros(1, 3, SIZE[1], SIZE[0]),),
            str(file),
            input_names=["images"],
            output_names=["output0"],
            opset_version=17,
            dynamo=False,
        )


def main() -> None:
    """Read the command line, gather, train, judge on separate fights, and write."""
    parser = argparse.ArgumentParser(description="Train the shooting game's detector.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=int, default=6_000, help="of both kinds of fights together")
    parser.add_argument("--passes", type=int, default=24, help="over all pictures")
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    began = time.monotonic()
    sets = [gather(speed, options.pictures // 2, options.seed) for speed in Speed]
    pixels = np.concatenate([set.pixels for set in sets])
    pictures = Pictures(pixels, [boxes for set in sets for boxes in set.boxes])
    _log.info("%d pictures after %.0f s", len(pictures.boxes), time.monotonic() - began)
    detector = train(pictures, options.seed, options.passes)
    export(detector, options.out)
    for speed in Speed:
        unseen = gather(speed, 600, options.seed + _HELD_OUT)
        _log.info("%s: %s", speed, score(find(detector, unseen), unseen.boxes))
    size = options.out.stat().st_size
    _log.info("%s: %.0f kB, %.0f s in all", options.out.name, size / 1e3, time.monotonic() - began)


if __name__ == "__main__":
    main()
