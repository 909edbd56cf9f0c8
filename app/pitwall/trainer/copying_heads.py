"""How the shipped model begins: with heads that can copy.

Its replies are made of what stands in the prompt, so it needs heads that look one and two tokens back, and
heads that find where what was just written stood before and read on from there (induction heads: Olsson et
al., 2022). Lessons teach these slowly; the training begins with them and changes them as it likes.

The residual's first half holds a token, the rest what stood one and two tokens before it. The first layer
writes that; the second compares a token with what stood before each earlier one, and adds what it finds there
to the first half, which the output reads.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from pitwall.trainer.language_model import Block, LanguageModel

_SHARP = 12.0
"""How much higher a head scores the place that it looks at than the next one."""
_OUTPUT = 0.15
"""Weight of the last norm: what a token begins with as a logit for itself."""
_BEFORE, _FOUND = 0.6, 1.0
"""How strongly what stood before, and what was found, are added; a token itself counts 1."""
_MATCH = 2.0
_ONE_BACK_SHARE = 0.625
"""Of the residual's second half, what tells of one token back; the rest tells of two back."""


@torch.no_grad()
def begin(model: LanguageModel) -> None:
    """Set every weight of a model that is to be trained. The same torch seed gives the same weights.

    Args:
        model: of two layers and two heads at least, its heads no wider than half its width.
    """
    shape = model.shape
    own = shape.width // 2
    one_back = int(own * _ONE_BACK_SHARE)
    _by_chance(model)
    model.table.weight[:, own:] = 0
    model.table.weight.mul_(math.sqrt(own) / model.table.weight.norm(dim=1, keepdim=True))
    model.norm.weight.fill_(_OUTPUT)
    token, ones, twos = (
        _reads(shape.width, first, last)
        for first, last in ((0, own), (own, own + one_back), (own + one_back, shape.width))
    )
    mixed = nn.init.orthogonal_(torch.empty(own, own)) @ token
    first, second = model.blocks[0], model.blocks[1]
    assert isinstance(first, Block) and isinstance(second, Block)
    for head, (back, room) in enumerate(((1, ones), (2, twos))):
        _looks_back(model, first, head, back)
        _carries(first, head, mixed[: len(room)], room * _BEFORE)
    free = shape.head - 2 * shape.turning
    half = free // 2
    matches = (
        (torch.cat((mixed[:one_back], ones)), torch.cat((ones, twos))),
        (torch.cat((mixed[:half], ones)), torch.cat((ones[:half], twos))),
    )
    for head, (asked, told) in enumerate(matches):
        rows = slice(head * shape.head + 2 * shape.turning, (head + 1) * shape.head)
        used = min(free, len(asked), len(told))
        second.q.weight[rows] = 0
        second.k.weight[rows] = 0
        second.q.weight[rows][:used] = asked[:used] * _MATCH
        second.k.weight[rows][:used] = told[:used] * _MATCH
        turning = slice(head * shape.head, head * shape.head + 2 * shape.turning)
        second.q.weight[turning] = 0
        second.k.weight[turning] = 0
        _carries(second, head, token[: shape.head], token[: shape.head] * _FOUND)


def _by_chance(model: LanguageModel) -> None:
    """Small weights, those that write to the residual smaller still the more layers there are."""
    deep = (2 * model.shape.layers) ** -0.5
    scale = model.shape.width**-0.5 * 0.7
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            last = name.endswith(("out.weight", "down.weight"))
            nn.init.normal_(weight, std=1.0 if name == "table.weight" else scale * deep if last else scale)
        elif name.endswith("bias"):
            nn.init.zeros_(weight)


def _reads(width: int, first: int, last: int) -> Tensor:
    """(last − first, width): picks these places of the residual."""
    return torch.eye(width)[first:last]


def _looks_back(model: LanguageModel, block: Block, head: int, back: int) -> None:
    """Make a head look at the token so many places back, whatever stands there."""
    shape = model.shape
    speeds = shape.speeds()[: shape.turning].float()
    strength = math.sqrt(_SHARP * math.sqrt(shape.head) / float((1 - speeds.cos()).sum()))
    rows = slice(head * shape.head, (head + 1) * shape.head)
    block.q.weight[rows] *= 0.1
    block.k.weight[rows] *= 0.1
    asked, told = torch.zeros(shape.head), torch.zeros(shape.head)
    asked[0 : 2 * shape.turning : 2] = strength
    told[0 : 2 * shape.turning : 2] = strength * (speeds * back).cos()
    told[1 : 2 * shape.turning : 2] = strength * (speeds * back).sin()
    block.q.bias[rows], block.k.bias[rows] = asked, told


def _carries(block: Block, head: int, read: Tensor, written: Tensor) -> None:
    """Make a head carry what `read` picks at the place it looks at to where `written` says."""
    rows = slice(head * block.head, (head + 1) * block.head)
    block.v.weight[rows] = 0
    block.out.weight[:, rows] = 0
    block.v.weight[rows][: len(read)] = read
    block.out.weight[:, rows][:, : len(written)] = written.T
