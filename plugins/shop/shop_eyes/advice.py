"""Plans a morning: prices, leaflets and stock, by the customers' behaviour that rules.md describes.

A customer's limit is spread evenly from 0.7 to 1.4 of a good's worth, so a price p is paid by the share
(1.4 w - p) / 0.7 w of those who want it, and (1.4 w + cost) / 2 earns most. Reputation has a worth,
too, the more days are left: it lowers prices a little and makes empty shelves costly. Stock is
bought lot by lot, each time the lot that earns most for its price.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

GOODS = ("bread", "milk", "ice", "umbrella")
_WORTH = (6, 5, 8, 15)
_KEPT = (0.0, 0.5, 0.75, 1.0)
"""Share of each good's stock that lasts the night."""
_WANTED = {"sun": (3, 2, 4, 0.5), "cloud": (4, 3, 1.5, 1), "rain": (3, 2.5, 0.3, 4)}
_LOT, _MOST_STOCK = 5, 40
_ADVERT_FROM = 150
"""Cash from which leaflets pay; with less, stock is the bottleneck."""
_POINT_WORTH = 0.1
"""Worth of a point of reputation for each day left (found by trying)."""


@dataclass(frozen=True, slots=True)
class Morning:
    """The numbers of a morning. Costs, stock and prices are in the order of `GOODS`."""

    days_left: int
    cash: int
    reputation: int
    weather: str
    advertised: bool
    costs: tuple[int, ...]
    stock: tuple[int, ...]
    prices: tuple[int, ...]

    @property
    def point(self) -> float:
        """Worth of a point of reputation."""
        return _POINT_WORTH * self.days_left

    @property
    def advertises(self) -> bool:
        return self.cash >= _ADVERT_FROM and not self.advertised

    @property
    def customers(self) -> float:
        """Expected number of customers."""
        return (18 + 0.24 * self.reputation) * (1.5 if self.advertised or self.advertises else 1.0)


def morning_actions(morning: Morning) -> list[str]:
    """Return the actions that are left to do before the shop opens."""
    actions = []
    wanted = _best_prices(morning)
    for good, price, best in zip(GOODS, morning.prices, wanted, strict=True):
        actions += [f"{'raise' if best > price else 'lower'}_{good}"] * abs(best - price)
    if morning.advertises:
        actions.append("advertise")
    return [*actions, *_purchases(morning, wanted)]


def _best_prices(morning: Morning) -> list[int]:
    return [
        max(cost + 1, round((1.4 * worth + cost) / 2 - morning.point))
        for worth, cost in zip(_WORTH, morning.costs, strict=True)
    ]


def _purchases(morning: Morning, prices: list[int]) -> list[str]:
    bought: list[str] = []
    cash = morning.cash - (20 if morning.advertises else 0)
    stock = list(morning.stock)
    chances = _chances_to_sell(morning, prices)
    while True:
        best, best_gain = -1, 0.0
        for good, cost in enumerate(morning.costs):
            if stock[good] + _LOT > _MOST_STOCK or _LOT * cost > cash:
                continue
            kept = 0.9 * cost * _KEPT[good] if morning.days_left else 0.0
            sells = chances[good][stock[good] + 1 : stock[good] + _LOT + 1]
            earned = sum(p * (prices[good] + 2 * morning.point) + (1 - p) * kept for p in sells)
            gain = earned / (_LOT * cost) - 1
            if gain > best_gain:
                best, best_gain = good, gain
        if best < 0:
            return bought
        bought.append(f"buy_{GOODS[best]}")
        cash -= _LOT * morning.costs[best]
        stock[best] += _LOT


def _chances_to_sell(morning: Morning, prices: list[int]) -> list[list[float]]:
    """Return for each good the chance that at least k are sold, k from 0."""
    weights = _WANTED.get(morning.weather, _WANTED["cloud"])
    chances = []
    for worth, price, weight in zip(_WORTH, prices, weights, strict=True):
        share = min(1.0, max(0.0, (1.4 * worth - price) / (0.7 * worth)))
        chances.append(_at_least(morning.customers * weight / sum(weights) * share))
    return chances


def _at_least(mean: float) -> list[float]:
    """Return the Poisson chance of k or more, k from 0 to the most that a shelf holds."""
    term, below, chances = exp(-mean), 0.0, []
    for k in range(_MOST_STOCK + 1):
        chances.append(max(0.0, 1.0 - below))
        below += term
        term *= mean / (k + 1)
    return chances
