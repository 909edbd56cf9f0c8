"""Shop: its rules at the edges, its seed, what its eyes read, and the plan for a morning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from shop_eyes import reader
from shop_eyes.advice import GOODS, Morning, morning_actions
from tests.plugins.pages.rendered_page import PLUGINS, HeadlessBrowser

from pitwall.core.observations import GameStatus
from pitwall_evaluation.truth.state import TrueState

KEYS = {f"buy_{good}": f"Digit{place + 1}" for place, good in enumerate(GOODS)}
KEYS |= {f"raise_{good}": f"Key{'QWER'[place]}" for place, good in enumerate(GOODS)}
KEYS |= {f"lower_{good}": f"Key{'ASDF'[place]}" for place, good in enumerate(GOODS)}
KEYS |= {"advertise": "KeyV"}
DAY_MS = 7_000


def seen(page: HeadlessBrowser) -> Mapping[str, Any]:
    return reader(PLUGINS / "shop").read(page.picture())


def agree(values: Mapping[str, Any], state: TrueState) -> None:
    game = state.game_state
    assert (values["cash"], values["reputation"]) == (game.player["cash"], game.player["reputation"])
    assert {name: values[name] for name in game.board} == game.board
    assert (values["day"], values["days"]) == (game.level, state.raw["begin"]["days"])
    for good in game.entities:
        read = tuple(values[f"{good['name']}_{quantity}"] for quantity in ("stock", "price", "cost"))
        assert read == (good["stock"], good["price"], good["cost"])


def test_what_is_played_is_what_is_read(browser: HeadlessBrowser) -> None:
    browser.open("shop", seed=3)
    assert browser.state().status is GameStatus.READY
    for action in ("buy_bread", "raise_umbrella", "lower_milk", "advertise"):
        browser.press(KEYS[action], ms=30)
    browser.click(400, 72 + 79 + 36, ms=30)
    state = browser.state()
    assert [good["stock"] for good in state.game_state.entities] == [5, 5, 0, 0]
    assert [good["price"] for good in state.game_state.entities] == [4, 2, 6, 12]
    agree(seen(browser), state)
    browser.press("Space", ms=400)
    assert browser.state().game_state.board["phase"] == "open"
    agree(seen(browser), browser.state())
    browser.run(DAY_MS)
    evening = browser.state()
    assert (evening.game_state.board["phase"], evening.metrics["days"]) == ("evening", 1)
    assert evening.metrics["settled"] == evening.metrics["profit"]
    agree(seen(browser), evening)


def test_changes_are_seen_from_one_frame_to_the_next(browser: HeadlessBrowser) -> None:
    browser.open("shop", seed=3)
    eyes = reader(PLUGINS / "shop")
    eyes.read(browser.picture())
    browser.press(KEYS["buy_ice"], ms=30)
    bought = eyes.read(browser.picture())
    browser.press(KEYS["lower_umbrella"], ms=30)
    lowered = eyes.read(browser.picture())
    assert (bought["bought"], bought["raised"], bought["lowered"]) == ("ice", None, None)
    assert (lowered["bought"], lowered["raised"], lowered["lowered"]) == (None, None, "umbrella")


def test_what_cannot_be_is_refused(browser: HeadlessBrowser) -> None:
    browser.open("shop", seed=3)
    shown = browser.evaluate(
        "(() => { const shop = session.shop; shop.cash = 3; const poor = shop.buy(3); shop.cash = 999;"
        "for (let i = 0; i < 8; i += 1) shop.buy(0); const full = shop.buy(0); const early = shop.nextDay();"
        "shop.open(); const late = shop.buy(1); const twice = shop.open();"
        "return { poor, full, early, late, twice, stock: shop.stock[0] }; })()"
    )
    assert shown == {"poor": False, "full": False, "early": False, "late": False, "twice": False, "stock": 40}


def test_who_cannot_pay_the_rent_is_bankrupt(browser: HeadlessBrowser) -> None:
    browser.open("shop", "rent=35", seed=3)
    browser.evaluate("session.shop.cash = 20, 0")
    browser.press("Space", ms=DAY_MS)
    state, values = browser.state(), seen(browser)
    assert (state.status, state.terminal.outcome) == (GameStatus.TERMINAL, "loss")
    assert (state.metrics["days"], values["over"], values["way"]) == (0, True, None)
    browser.click(230, 302, ms=30)
    assert browser.state().status is GameStatus.READY


def test_a_seed_gives_the_same_days_however_fast_they_are_played(browser: HeadlessBrowser) -> None:
    def played(ms: float) -> list[Any]:
        days = []
        for _ in range(2):
            for action in ("buy_bread", "buy_milk", "raise_milk"):
                browser.press(KEYS[action], ms=ms)
            browser.press("Space", ms=DAY_MS)
            days.append(browser.state().game_state.model_dump())
            browser.press("Space", ms=ms)
        return days

    browser.open("shop", seed=21)
    first = played(20)
    browser.reset(21)
    assert played(90) == first


def test_the_last_evening_ends_it(browser: HeadlessBrowser) -> None:
    browser.open("shop", "days=1&weather=rain", seed=2)
    for action in ("buy_umbrella", "raise_umbrella"):
        browser.press(KEYS[action], ms=30)
    browser.press("Space", ms=DAY_MS)
    state = browser.state()
    assert (state.status, state.metrics["days"], state.game_state.board["weather"]) == ("terminal", 1, "rain")
    assert state.terminal.outcome == ("win" if state.metrics["profit"] > 0 else "loss")
    assert seen(browser)["over"] is True


def morning(**changes: Any) -> Morning:
    plain = Morning(
        days_left=5,
        cash=100,
        reputation=50,
        weather="rain",
        advertised=False,
        costs=(3, 2, 4, 8),
        stock=(0, 0, 0, 0),
        prices=(6, 4, 7, 14),
    )
    return Morning(**{**{name: getattr(plain, name) for name in plain.__slots__}, **changes})


def test_a_plan_buys_for_the_weather_and_within_the_purse() -> None:
    rainy, sunny = (Counter(morning_actions(morning(weather=sky))) for sky in ("rain", "sun"))
    assert rainy["buy_umbrella"] > sunny["buy_umbrella"]
    assert sunny["buy_ice"] > rainy["buy_ice"] == 0
    costs = dict(zip(GOODS, (3, 2, 4, 8), strict=True))
    for plan in (rainy, sunny):
        assert sum(5 * cost * plan[f"buy_{good}"] for good, cost in costs.items()) <= 100
    assert "advertise" not in rainy
    assert "advertise" in morning_actions(morning(cash=400))
    assert "buy_bread" not in morning_actions(morning(stock=(40, 40, 40, 40)))


def test_a_plan_comes_to_an_end() -> None:
    """Doing what it says leaves nothing to do."""
    now = morning(prices=(4, 3, 6, 11))
    for action in morning_actions(now):
        kind, _, good = action.partition("_")
        place = GOODS.index(good)
        prices, stock, cash = list(now.prices), list(now.stock), now.cash
        prices[place] += {"raise": 1, "lower": -1}.get(kind, 0)
        if kind == "buy":
            stock[place] += 5
            cash -= 5 * now.costs[place]
        now = morning(prices=tuple(prices), stock=tuple(stock), cash=cash)
    assert morning_actions(now) == []
