"""What a prompt leaves out where the machine reads slowly: in SPEC's order, and no more than is needed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.engine.control.model_fakes import book_of, bundled, walker

from pitwall.core.calls import Purpose
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer
from pitwall.core.settings import Settings
from pitwall.engine.control.workflows.prompt_budget import ONCE, FittedPrompt, fit_prompt

SCENE: dict[str, Value] = {
    "status": "playing",
    "wood": 0,
    "stone_pickaxe": 0,
    "way_to_tree": "move_left",
    "way_to_unseen": "move_up",
    "view": "T" * 63,
    "daylight": 90,
    "health": 9,
}


def _count(text: str) -> int:
    return -(-len(text) // 4)


def _fit(budget: int, *, closed: bool = False, game: str = "crafter") -> FittedPrompt:
    settings = Settings()
    book = book_of(bundled(game) if game != "walker" else walker(), settings, "Carry three pieces of wood.")
    return fit_prompt(
        book,
        settings,
        budget=budget,
        purpose=Purpose.PLAN,
        values=SCENE,
        skills=None,
        closed=closed,
        steps=5,
        count=_count,
    )


def _head(fitted: FittedPrompt) -> int:
    items = [
        item
        for layer in (Layer.PROTOCOL, Layer.SCHEMA, Layer.KNOWLEDGE)
        for item in fitted.book.items(layer, purpose=Purpose.PLAN, values=SCENE)
    ]
    return sum(_count(item.text) for item in items)


def test_a_quick_machine_leaves_nothing_out() -> None:
    fitted = _fit(5000)
    assert (fitted.left_out, fitted.fields) == ((), None)
    assert fitted.settings == Settings()


def test_a_slower_one_leaves_out_more_in_one_order() -> None:
    whole = _fit(5000)
    lists = [_fit(budget).left_out for budget in (5000, 900, 600, 300, 16)]
    order = [name.lstrip("0123456789") for name in lists[-1]]
    assert order == [
        "fields that no condition uses",
        "what actions do",
        " of 8 sections of knowledge",
        "earlier runs, and steps before the last",
        "the long form of rules and skills",
    ]
    for fewer, more in pairwise(lists):
        assert len(fewer) <= len(more)
        assert [order.index(name.lstrip("0123456789")) for name in fewer] == sorted(
            order.index(name.lstrip("0123456789")) for name in fewer
        )
    assert _head(_fit(16)) < _head(whole) / 3


@pytest.mark.parametrize("budget", [1000, 700, 400])
def test_the_head_fits_where_it_can(budget: int) -> None:
    assert _head(_fit(budget, closed=True)) <= ONCE * budget


def test_fields_that_decide_stay_and_the_others_go() -> None:
    fitted = _fit(16, closed=True)
    assert fitted.fields is not None
    assert {"way_to_tree", "wood", "stone_pickaxe"} <= fitted.fields
    assert "view" not in fitted.fields
    assert not fitted.book.items(Layer.SCHEMA, purpose=Purpose.PLAN, values=SCENE), "a choice writes nothing"
    listed = "".join(
        item.text for item in fitted.book.items(Layer.SKILLS, purpose=Purpose.PLAN, values=SCENE)
    )
    assert "- gather wood: gather wood\n" in listed


def test_what_is_left_keeps_what_a_reply_needs() -> None:
    fitted = _fit(16)
    text = "".join(item.text for item in fitted.book.items(Layer.SCHEMA, purpose=Purpose.PLAN, values=SCENE))
    assert "make_wood_pickaxe" in text and "Costs 1 wood" not in text
    assert '"skill"' in "".join(
        item.text for item in fitted.book.items(Layer.PROTOCOL, purpose=Purpose.PLAN, values=SCENE)
    )


def test_fields_of_modules_and_of_the_task_are_used() -> None:
    settings = Settings()
    assert book_of(walker(), settings).used_fields() == {"enemy"}
    assert book_of(walker(), settings, "fetch wood").used_fields() == {"enemy", "wood"}
