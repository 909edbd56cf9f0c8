"""Reads numbers, weather and phase off the picture; page/paint.js has their places."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from pitwall.games.dot_numbers import Colour, Pixels, read_number

from .advice import GOODS, Morning, morning_actions

Value = bool | int | float | str | None

WIDTH, HEIGHT = 640, 480
_INK, _DIM = (244, 241, 232), (154, 163, 181)
_ROW_TOP, _ROW_PITCH = 72, 79
_WEATHER_AT, _PHASE_AT, _ADVERT_AT = (92, 464), (436, 459), (436, 24)
_WEATHERS = {"sun": (124, 200, 245), "cloud": (169, 182, 198), "rain": (95, 114, 137)}
_PHASES = {"morning": (255, 209, 102), "open": (111, 207, 151), "evening": (143, 122, 224)}
_LIT, _PANEL = (232, 178, 58), (242, 232, 213)
_PANEL_AT = ((150, 80), (150, 380), (320, 80), (320, 380))
_NEAR = 30
_MOST_ACTIONS = 6
"""Most actions returned at once; then the picture is read again."""


class Eyes:
    """Reads one frame after another; the plan for a morning is made once."""

    def __init__(self) -> None:
        self._before: Mapping[str, Value] = {}
        self._way: tuple[Morning, str] | None = None

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame; at the end those of the goods are none."""
        if pixels.shape[:2] != (HEIGHT, WIDTH):
            pixels = np.asarray(cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
        over = all(_like(pixels[y, x], _PANEL) for y, x in _PANEL_AT)
        values: dict[str, Value] = {
            "over": over,
            "day": read_number(pixels, 101, 26, 3, _INK, most=2),
            "days": read_number(pixels, 149, 30, 2, _DIM, most=2),
            "cash": read_number(pixels, 317, 26, 3, _INK, most=5),
            "reputation": read_number(pixels, 509, 26, 3, _INK, most=3),
            "weather": _named(pixels[_WEATHER_AT], _WEATHERS),
            "phase": _named(pixels[_PHASE_AT], _PHASES),
            "advertised": _like(pixels[_ADVERT_AT], _LIT),
        }
        if not over:
            values |= read_goods(pixels)
        values |= {"bought": self._more(values, "stock"), "raised": self._more(values, "price")}
        values["lowered"] = self._more(values, "price", down=True)
        self._before = values
        return {**values, "way": self._plan(values)}

    def _more(self, values: Mapping[str, Value], quantity: str, *, down: bool = False) -> str | None:
        """Return the good of which a number grew (or fell) since the frame before."""
        for good in GOODS:
            now, was = values.get(f"{good}_{quantity}"), self._before.get(f"{good}_{quantity}")
            if isinstance(now, int) and isinstance(was, int) and (now < was if down else now > was):
                return good
        return None

    def _plan(self, values: Mapping[str, Value]) -> str | None:
        morning = _morning(values)
        if morning is None:
            return None
        if self._way is None or self._way[0] != morning:
            self._way = (morning, "; ".join(morning_actions(morning)[:_MOST_ACTIONS]) or "open_shop")
        return self._way[1]


def read_goods(pixels: Pixels) -> dict[str, Value]:
    """Return cost, stock and price of each good."""
    values: dict[str, Value] = {}
    for place, good in enumerate(GOODS):
        top = _ROW_TOP + place * _ROW_PITCH
        values[f"{good}_cost"] = read_number(pixels, 131, top + 40, 2, _DIM, most=2)
        values[f"{good}_stock"] = read_number(pixels, 235, top + 28, 3, _INK, most=2)
        values[f"{good}_price"] = read_number(pixels, 323, top + 28, 3, _INK, most=2)
    return values


def _morning(values: Mapping[str, Value]) -> Morning | None:
    """Return the numbers for the day's plan; None at other times, or where a number was not read."""
    if values["phase"] != "morning" or values["over"]:
        return None
    numbers = [values[name] for name in ("day", "days", "cash", "reputation")]
    numbers += [values[f"{good}_{quantity}"] for quantity in ("cost", "stock", "price") for good in GOODS]
    if not all(isinstance(number, int) for number in numbers):
        return None
    day, days, cash, reputation, *rest = (int(number) for number in numbers if isinstance(number, int))
    count = len(GOODS)
    return Morning(
        days_left=days - day,
        cash=cash,
        reputation=reputation,
        weather=str(values["weather"]),
        advertised=bool(values["advertised"]),
        costs=tuple(rest[:count]),
        stock=tuple(rest[count : 2 * count]),
        prices=tuple(rest[2 * count :]),
    )


def _named(pixel: Pixels, colours: Mapping[str, Colour]) -> str | None:
    return next((name for name, colour in colours.items() if _like(pixel, colour)), None)


def _like(pixel: Pixels, colour: Colour) -> bool:
    return int(np.abs(pixel[2::-1].astype(np.int16) - np.array(colour, np.int16)).sum()) <= _NEAR
