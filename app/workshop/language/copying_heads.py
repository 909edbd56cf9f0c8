"""Initialises the shipped model's weights with attention heads that can copy.

Its replies consist of text from the prompt. So it needs heads that look one to four tokens back, and heads
that find an earlier occurrence of the last tokens and continue from there (induction heads: Olsson et al.,
2022). Lessons teach such heads slowly; here the training begins with them, and may change them.

The first part of the residual holds a token, the rest the tokens one, two, three and four places back. The
first layer writes these. The second compares them with the tokens before each earlier token, and adds the
token that it finds to the first part, which the output reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from workshop.language.model import Block, LanguageModel

_SHARP = 12.0
"""Difference between a head's score for the place it looks at and the next best place."""
_OUTPUT = 0.15
"""Weight of the last norm, which sets a token's first logit for itself."""
_BEFORE, _FOUND = 0.6, 1.0
"""Strength with which the tokens before, and the copied token, are added; the token itself has strength 1."""
_MATCH = 2.0
_SHARES = (0.42, 0.25, 0.165, 0.165)
"""Shares of the residual's rest for the tokens one, two, three and four places back."""


@torch.no_grad()
def initialise_weights(model: LanguageModel, alike: Sequence[tuple[int, int]] = ()) -> None:
    """Set every weight of an untrained model; the same torch seed gives the same weights.

    Args:
        model: with at least two layers, and wider than its heads.
        alike: pairs of tokens: after the first, the model at first copies what followed the second.
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
    asked, keys = [mixed, *befores[:-1]], befores
    free = shape.head - 2 * shape.turning
    for head, most in enumerate((free, free // len(keys))):
        _compares(second, head, _side_by_side(asked, keys, most, free), 2 * shape.turning)
        _carries(second, head, own, own * _FOUND)


def _rooms(width: int, own: int) -> list[Tensor]:
    """Build the maps that read a token's own part of the residual, and the parts for the tokens before it."""
    sizes = [int((width - own) * share) for share in _SHARES]
    ends = [own + sum(sizes[: number + 1]) for number in range(len(sizes))]
    places = torch.eye(width)
    return [places[:own], *(places[end - size : end] for size, end in zip(sizes, ends, strict=True))]


def _side_by_side(
    asked: Sequence[Tensor], keys: Sequence[Tensor], most: int, free: int
) -> tuple[Tensor, Tensor]:
    """Build rows that compare a token with those one back, those one back with those two back, and so on.

    Args:
        most: rows for each comparison. free: rows in all.
    """
    sizes = [min(most, len(query), len(other)) for query, other in zip(asked, keys, strict=True)]
    pairs = zip(asked, keys, sizes, strict=True)
    both = [(query[:size], other[:size]) for query, other, size in pairs]
    return torch.cat([query for query, _ in both])[:free], torch.cat([other for _, other in both])[:free]


def _compares(block: Block, head: int, rows: tuple[Tensor, Tensor], turning: int) -> None:
    """Make a head look where the rows' second reading equals the first; its `turning` pairs stay zero."""
    asked, keys = rows
    every = slice(head * block.head, (head + 1) * block.head)
    free = slice(head * block.head + turning, head * block.head + turning + len(asked))
    for part, read in ((block.q, asked), (block.k, keys)):
        part.weight[every] = 0
        part.weight[free] = read * _MATCH


def _by_chance(model: LanguageModel) -> None:
    """Draw small weights; those that write to the residual are smaller the more layers there are."""
    deep = (2 * model.shape.layers) ** -0.5
    scale = model.shape.width**-0.5 * 0.7
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            last = name.endswith(("out.weight", "down.weight"))
            nn.init.normal_(weight, std=1.0 if name == "table.weight" else scale * deep if last else scale)
        elif name.endswith("bias"):
            nn.init.zeros_(weight)


def _looks_back(model: LanguageModel, block: Block, head: int, back: int) -> None:
    """Make a head look at the token so many places back, whatever it is."""
    shape = model.shape
    speeds = shape.speeds()[: shape.turning].float()
    strength = math.sqrt(_SHARP * math.sqrt(shape.head) / float((1 - speeds.cos()).sum()))
    rows = slice(head * shape.head, (head + 1) * shape.head)
    block.q.weight[rows] *= 0.1
    block.k.weight[rows] *= 0.1
    asked, keys = torch.zeros(shape.head), torch.zeros(shape.head)
    asked[0 : 2 * shape.turning : 2] = strength
    keys[0 : 2 * shape.turning : 2] = strength * (speeds * back).cos()
    keys[1 : 2 * shape.turning : 2] = strength * (speeds * back).sin()
    block.q.bias[rows], block.k.bias[rows] = asked, keys


def _carries(block: Block, head: int, read: Tensor, written: Tensor) -> None:
    """Make a head copy what `read` picks at the place it looks at to the directions of `written`."""
    rows = slice(head * block.head, (head + 1) * block.head)
    block.v.weight[rows] = 0
    block.out.weight[:, rows] = 0
    block.v.weight[rows][: len(read)] = read
    block.out.weight[:, rows][:, : len(written)] = written.T
