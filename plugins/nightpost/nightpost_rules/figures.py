"""Draws the pictures of figures.toml: foes, characters and emblems, each a list of plain shapes."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import pygame

_FINE = 3
"""Pictures are drawn so much larger and then shrunk, for smooth edges."""
Shape = tuple[str, tuple[float, ...], tuple[int, int, int]]


def _colour(text: str) -> tuple[int, int, int]:
    return int(text[:2], 16), int(text[2:4], 16), int(text[4:6], 16)


def _shape(text: str) -> Shape:
    kind, *numbers, colour = text.split()
    values = tuple(float(part) for word in numbers for part in word.split(","))
    return kind, values, _colour(colour)


@lru_cache(maxsize=1)
def shapes() -> dict[str, tuple[Shape, ...]]:
    """Return every picture's shapes, by name."""
    tables = tomllib.loads((Path(__file__).resolve().parent / "figures.toml").read_text(encoding="utf-8"))
    pictures = {**tables["figures"], **tables["emblems"]}
    return {name: tuple(_shape(part.strip()) for part in text.split(";")) for name, text in pictures.items()}


@lru_cache(maxsize=256)
def picture(name: str, size: int, *, grey: bool = False) -> pygame.Surface:
    """Return a picture of so many pixels, with a clear background. grey: of what has fallen."""
    fine = size * _FINE
    surface = pygame.Surface((fine, fine), pygame.SRCALPHA)
    scale = fine / 116
    for kind, numbers, colour in shapes().get(name, shapes()["event"]):
        tint = (sum(colour) // 9 + 20,) * 3 if grey else colour
        _draw(surface, kind, tuple(n * scale for n in numbers), fine / 2, tint)
    return pygame.transform.smoothscale(surface, (size, size))


def _draw(
    surface: pygame.Surface, kind: str, n: tuple[float, ...], middle: float, colour: tuple[int, ...]
) -> None:
    if kind == "e":
        pygame.draw.ellipse(surface, colour, (middle + n[0] - n[2], middle + n[1] - n[3], 2 * n[2], 2 * n[3]))
    elif kind == "r":
        box = pygame.Rect(middle + n[0] - n[2] / 2, middle + n[1] - n[3] / 2, n[2], n[3])
        pygame.draw.rect(surface, colour, box, border_radius=int(min(n[2], n[3]) / 6))
    elif kind == "p":
        pygame.draw.polygon(
            surface, colour, [(middle + x, middle + y) for x, y in zip(n[::2], n[1::2], strict=True)]
        )
    else:
        start, end, width = (middle + n[0], middle + n[1]), (middle + n[2], middle + n[3]), max(1, int(n[4]))
        pygame.draw.line(surface, colour, start, end, width)
        for x, y in (start, end):
            pygame.draw.circle(surface, colour, (x, y), width / 2)
