"""The shipped model: a small text model of the llama architecture, as llama.cpp computes it.

It has RMS pre-norm, rotary positions on neighbouring pairs, SwiGLU, and one token table for input and output.
Only the first pairs of a head turn with the position; the others compare content at any distance.

Lessons come in families with the same first message, which is computed once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # the usual name

from workshop.language.lessons import Batch

NORM_EPSILON = 1e-5
_NEVER = -1e9
_ROWS = 64
Turns = tuple[Tensor, Tensor]
"""Cosines and sines of the turning pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Sizes of a model.

    Attributes:
        head: width of a head. inner: width of the gated layer.
        turning: pairs of a head that turn, by `fastest` to `slowest` radians a token in equal ratios.
        context: longest input in tokens.
    """

    tokens: int
    width: int = 160
    layers: int = 4
    heads: int = 4
    head: int = 64
    inner: int = 256
    turning: int = 8
    fastest: float = 1.0
    slowest: float = 0.0005
    context: int = 4096

    def as_dict(self) -> dict[str, int | float]:
        return asdict(self)

    def speeds(self) -> Tensor:
        """Return the radians a token of each pair of a head, 0 for pairs that do not turn."""
        steps = torch.arange(self.turning, dtype=torch.float64) / max(1, self.turning - 1)
        turning = self.fastest * (self.slowest / self.fastest) ** steps
        return torch.cat((turning, torch.zeros(self.head // 2 - self.turning, dtype=torch.float64)))


class LanguageModel(nn.Module):
    """Predicts the next token's logits from tokens."""

    cos: Tensor
    sin: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.table = nn.Embedding(shape.tokens, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, NORM_EPSILON)
        angles = torch.arange(shape.context, dtype=torch.float64)[:, None] * shape.speeds()[: shape.turning]
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    @property
    def layers(self) -> Sequence[Block]:
        """Return its blocks in order."""
        return cast("Sequence[Block]", self.blocks)

    def forward(self, tokens: Tensor) -> Tensor:
        """Compute (lessons, length, tokens) logits from (lessons, length) token numbers."""
        x = self.table(tokens)
        places = torch.arange(tokens.shape[1])
        turns, seen = self._turns(places, x.dtype), _causal(tokens.shape[1], x.dtype)
        for block in self.layers:
            normed, keys, values = block.offers(x, turns)
            x = block.gated(x + block.attends(normed, turns, keys, values, seen))
        return self.logits(x)

    def replies(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Compute the logits before each token of a reply, in the batch's order, and return those tokens."""
        shared, own = torch.from_numpy(batch.shared), torch.from_numpy(batch.own)
        lengths, family = torch.from_numpy(batch.shared_lengths), torch.from_numpy(batch.family)
        wanted = torch.from_numpy(batch.wanted)
        first, x = self.table(shared), self.table(own)
        kind = torch.bfloat16 if torch.is_autocast_enabled("cpu") else x.dtype
        first_turns = self._turns(torch.arange(shared.shape[1]), kind)
        turns = self._turns(lengths[family][:, None] + torch.arange(own.shape[1]), kind)
        first_seen = _causal(shared.shape[1], kind)
        seen = _after(lengths[family], shared.shape[1], own.shape[1], kind)
        for number, block in enumerate(self.layers):
            first_normed, first_keys, first_values = block.offers(first, first_turns)
            normed, keys, values = block.offers(x, turns)
            keys = torch.cat((first_keys[family], keys), 2)
            values = torch.cat((first_values[family], values), 2)
            x = x + block.attends(normed, turns, keys, values, seen)
            if number + 1 == len(self.layers):
                x = block.gated(_filled(x[wanted]))
            else:
                added = block.attends(first_normed, first_turns, first_keys, first_values, first_seen)
                first, x = block.gated(first + added), block.gated(x)
        targets = torch.from_numpy(batch.targets)[wanted]
        return self.logits(x)[: len(targets)], targets

    def logits(self, x: Tensor) -> Tensor:
        """Compute every token's logit; the token table also serves as the output."""
        return F.linear(self.norm(x), self.table.weight)

    def _turns(self, places: Tensor, kind: torch.dtype) -> Turns:
        cos, sin = self.cos[places].to(kind), self.sin[places].to(kind)
        return (cos, sin) if places.dim() == 1 else (cos[:, None], sin[:, None])


class Block(nn.Module):
    """Attention, then the gated layer; both add to their input."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, attention, inner = shape.width, shape.heads * shape.head, shape.inner
        self.heads, self.head = shape.heads, shape.head
        self.attention_norm = nn.RMSNorm(width, NORM_EPSILON)
        self.q = nn.Linear(width, attention)
        self.k = nn.Linear(width, attention)
        self.v = nn.Linear(width, attention, bias=False)
        self.out = nn.Linear(attention, width, bias=False)
        self.gated_norm = nn.RMSNorm(width, NORM_EPSILON)
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def offers(self, x: Tensor, turns: Turns) -> tuple[Tensor, Tensor, Tensor]:
        """Return the norm the input, and compute its keys and values: (lessons, heads, length, head)."""
        normed = self.attention_norm(x)
        return normed, rotate(self._split(self.k(normed)), turns), self._split(self.v(normed))

    def attends(self, normed: Tensor, turns: Turns, keys: Tensor, values: Tensor, seen: Tensor) -> Tensor:
        """Compute what attention adds. seen: mask added to the scores, (lessons or 1, length, keys)."""
        queries = rotate(self._split(self.q(normed)), turns) * self.head**-0.5
        many, heads, length, head = queries.shape
        masks = seen[:, None].expand(many, heads, length, keys.shape[2]).reshape(-1, length, keys.shape[2])
        with torch.autocast("cpu", enabled=False):
            scores = torch.baddbmm(masks, queries.flatten(0, 1), keys.flatten(0, 1).transpose(1, 2))
            mixed = torch.bmm(torch.softmax(scores, -1), values.flatten(0, 1))
        added: Tensor = self.out(mixed.view(many, heads, length, head).transpose(1, 2).flatten(2))
        return added

    def gated(self, x: Tensor) -> Tensor:
        """Add the gated layer's output to the input."""
        normed = self.gated_norm(x)
        added: Tensor = self.down(F.silu(self.gate(normed)) * self.up(normed))
        return x + added

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, self.head).transpose(1, 2)


def rotate(x: Tensor, turns: Turns) -> Tensor:
    """Apply rotary positions to the first neighbouring pairs. x: (lessons, heads, length, head)."""
    cos, sin = turns
    turning, still = x[..., : 2 * cos.shape[-1]], x[..., 2 * cos.shape[-1] :]
    even, odd = turning[..., 0::2], turning[..., 1::2]
    pairs = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return torch.cat((pairs.flatten(-2).to(x.dtype), still), -1)


def _filled(x: Tensor) -> Tensor:
    """Pad with empty rows to one of few lengths, because matrix products are prepared for each shape."""
    return F.pad(x, (0, 0, 0, -len(x) % _ROWS))


def _causal(length: int, kind: torch.dtype) -> Tensor:
    """Return the mask (1, length, length): 0 for earlier tokens, −inf for later ones."""
    places = torch.arange(length)
    return torch.zeros(1, length, length, dtype=kind).masked_fill_(places > places[:, None], _NEVER)


def _after(lengths: Tensor, shared: int, own: int, kind: torch.dtype) -> Tensor:
    """Return the mask (lessons, own, shared + own): the whole first message, then earlier tokens."""
    seen = torch.zeros(len(lengths), own, shared + own, dtype=kind)
    seen[:, :, :shared].masked_fill_((torch.arange(shared) >= lengths[:, None])[:, None], _NEVER)
    seen[:, :, shared:] += _causal(own, kind)
    return seen
