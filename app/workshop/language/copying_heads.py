"""Begins the shipped model's weights with heads that can copy.

Its replies are made of what stands in the prompt, so it needs heads that look one to four tokens back, and
heads that find where what was just written stood before and read on from there (induction heads: Olsson et
al., 2022). Lessons teach these slowly; the training begins with them and changes them as it likes.

The residual's first part holds a token, the rest what stood one, two, three and four tokens before it. The
first layer writes that; the second compares it with what stood before each earlier token, and adds what it
finds there to the first part, which the output reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from workshop.language.model import Block, LanguageModel

_SHARP = 12.0
"""How much higher a head scores the place that it looks at than the next one."""
_OUTPUT = 0.15
"""Weight of the last norm: what a token begins with as a logit for itself."""
_BEFORE, _FOUND = 0.6, 1.0
"""How strongly what stood before, and what was found, are added; a token itself counts 1."""
_MATCH = 2.0
_SHARES = (0.42, 0.25, 0.165, 0.165)
"""Of the residual's rest: what tells of one, two, three and four tokens back."""


@torch.no_grad()
def initialise_weights(model: LanguageModel, alike: Sequence[tuple[int, int]] = ()) -> None:
    """Set every weight of a model that is to be trained. The same torch seed gives the same weights.

    Args:
        model: of two layers and more, and wider than its heads.
        alike: tokens with others: behind the first is copied, to begin with, what stood behind the second.
    """
    shape = model.shape
    _by_chance(model)
    model.table.weight[:, shape.head :] = 0
    model.table.weight.mul_(math.sqrt(shape.head) / model.table.weight.norm(dim=1, keepdim=True))
    for token, other in alike:
        model.table.weight[token] = model.table.weight[other]
    model.norm.weight.fill_(_OUTPUT)
    own, *befores = _rooms(shape.width, shape.head)
    mixed = nn.init.orthogonal_(torch.empty(shape.head, shape.head)) @ own
    first, second, *_ = model.layers
    for head, room in enumerate(befores[: shape.heads]):
        _looks_back(model, first, head, head + 1)
        _carries(first, head, mixed[: len(room)], room * _BEFORE)
    asked, told = [mixed, *befores[:-1]], befores
    free = shape.head - 2 * shape.turning
    for head, most in enumerate((free, free // len(told))):
        _compares(second, head, _side_by_side(asked, told, most, free), 2 * shape.turning)
        _carries(second, head, own, own * _FOUND)


def _rooms(width: int, own: int) -> list[Tensor]:
    """Build the maps that pick a token's own part of the residual, and the parts of what stood before it."""
    sizes = [int((width - own) * share) for share in _SHARES]
    ends = [own + sum(sizes[: number + 1]) for number in range(len(sizes))]
    places = torch.eye(width)
    return [places[:own], *(places[end - size : end] for size, end in zip(sizes, ends, strict=True))]


def _side_by_side(
    asked: Sequence[Tensor], told: Sequence[Tensor], most: int, free: int
) -> tuple[Tensor, Tensor]:
    """Rows that compare a token with what stood one back, what stood one back with two back, and so on.

    Args:
        most: rows for each of these. free: rows in all.
    """
    sizes = [min(most, len(one), len(other)) for one, other in zip(asked, told, strict=True)]
    pairs = zip(asked, told, sizes, strict=True)
    both = [(one[:size], other[:size]) for one, other, size in pairs]
    return torch.cat([one for one, _ in both])[:free], torch.cat([other for _, other in both])[:free]


def _compares(block: Block, head: int, rows: tuple[Tensor, Tensor], turning: int) -> None:
    """Make a head look at where what it reads with the first rows stands in the second; turning: its pairs
    that turn, which then say nothing."""
    asked, told = rows
    every = slice(head * block.head, (head + 1) * block.head)
    free = slice(head * block.head + turning, head * block.head + turning + len(asked))
    for part, read in ((block.q, asked), (block.k, told)):
        part.weight[every] = 0
        part.weight[free] = read * _MATCH


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
