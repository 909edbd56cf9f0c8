"""The shipped model: a small text model of the llama architecture, as llama.cpp computes it.

Pre-norm with RMS, rotary positions on neighbouring pairs, SwiGLU, one table of tokens for both ends. Four
layers and more, so that heads can find where a name stood and copy what followed it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # everybody's name for it

NORM_EPSILON = 1e-5
ROPE_BASE = 10_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Sizes of a model.

    Attributes:
        inner: width of the gated layer. context: most tokens that it is run on.
    """

    tokens: int
    width: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 352
    context: int = 4096

    @property
    def head(self) -> int:
        return self.width // self.heads

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


class LanguageModel(nn.Module):
    """Tokens to the next token's logits."""

    cos: Tensor
    sin: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.table = nn.Embedding(shape.tokens, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, NORM_EPSILON)
        cos, sin = _turns(shape)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self._begin()

    def _begin(self) -> None:
        deep = (2 * self.shape.layers) ** -0.5
        for name, weight in self.named_parameters():
            if weight.dim() < 2:
                continue
            scale = 0.02 if name == "table.weight" else self.shape.width**-0.5 * 0.7
            last = name.endswith(("out.weight", "down.weight"))
            nn.init.normal_(weight, std=scale * deep if last else scale)

    def forward(self, tokens: Tensor) -> Tensor:
        """(lessons, length) whole numbers → (lessons, length, tokens) logits."""
        return self.logits(self.hidden(tokens))

    def hidden(self, tokens: Tensor) -> Tensor:
        """What the last block gives, normed: (lessons, length, width)."""
        x = self.table(tokens)
        length = tokens.shape[1]
        cos, sin = self.cos[:length], self.sin[:length]
        for block in self.blocks:
            x = block(x, cos, sin)
        normed: Tensor = self.norm(x)
        return normed

    def logits(self, hidden: Tensor) -> Tensor:
        """Every token's logit; the table serves as output too."""
        return F.linear(hidden, self.table.weight)


class Block(nn.Module):
    """Attention, then the gated layer; both add to what comes in."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, inner = shape.width, shape.inner
        self.heads, self.head = shape.heads, shape.head
        self.attention_norm = nn.RMSNorm(width, NORM_EPSILON)
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gated_norm = nn.RMSNorm(width, NORM_EPSILON)
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        normed = self.attention_norm(x)
        q, k, v = (self._split(part(normed)) for part in (self.q, self.k, self.v))
        mixed = F.scaled_dot_product_attention(turned(q, cos, sin), turned(k, cos, sin), v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        normed = self.gated_norm(x)
        added: Tensor = self.down(F.silu(self.gate(normed)) * self.up(normed))
        return x + added

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, self.head).transpose(1, 2)


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions on neighbouring pairs. x: (lessons, heads, length, head)."""
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return pairs.flatten(-2).to(x.dtype)


def _turns(shape: Shape) -> tuple[Tensor, Tensor]:
    speeds = ROPE_BASE ** (-torch.arange(0, shape.head, 2, dtype=torch.float64) / shape.head)
    angles = torch.arange(shape.context, dtype=torch.float64)[:, None] * speeds
    return angles.cos().float(), angles.sin().float()
