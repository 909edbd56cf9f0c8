"""The fast way ranks as the direct rendering of SPEC §3 does. 10,000 cases by `--campaign 10000`."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable

import pytest
from tests.memory.retrieval.bank_cases import (
    NOW_S,
    action_entry,
    bank_of,
    entry_of,
    item_of,
    text_of,
    weights_of,
)

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import StateNode
from pitwall.core.retrieval import Candidate, MemoryWeights
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.action_bank import ActionBank


def bank_with(entries: Iterable[MemoryEntry], weights: MemoryWeights | None = None) -> ActionBank:
    bank = ActionBank(weights or MemoryWeights())
    for entry in entries:
        bank.put(entry)
    return bank


def ranked(
    text: str, entries: Iterable[MemoryEntry], weights: MemoryWeights, now_s: float = NOW_S
) -> list[Candidate]:
    return direct.rank(text, [item_of(entry) for entry in entries], now_s=now_s, weights=weights)


def agree(bank: ActionBank, entries: list[MemoryEntry], text: str, weights: MemoryWeights, k: int) -> None:
    """Every question that can be put to a bank has the direct rendering's answer, to the last bit."""
    whole = ranked(text, entries, weights)
    assert bank.query(text, now_s=NOW_S, k=k) == whole[:k]
    walks = [candidate for candidate in whole if candidate.action == "walk"]
    assert bank.query(text, now_s=NOW_S, k=k, action="walk") == walks[:k]
    for least in (0.4, 0.85):
        near = [candidate for candidate in whole if candidate.semantic >= least]
        assert bank.alike(text, now_s=NOW_S, least=least, k=k) == near[:k]
    last = bank.last(text, now_s=NOW_S)
    assert (last is None) == (not whole)
    if last is not None:
        assert last.bank == whole[-1].bank and last in whole


def test_both_ways_rank_alike(campaign_size: Callable[[int], int]) -> None:
    for case in range(campaign_size(100)):
        rng = random.Random(case)
        entries, words = bank_of(rng)
        weights = weights_of(rng)
        bank = bank_with(entries, weights)
        texts = [
            text_of(rng, words),
            "",
            "nobody knows these",
            getattr(rng.choice(entries).content, "state", ""),
        ]
        for text in texts:
            agree(bank, entries, text, weights, rng.choice((1, 1, 3, 24, 1000)))


def test_they_rank_alike_after_any_writes(campaign_size: Callable[[int], int]) -> None:
    for case in range(campaign_size(100) // 5):
        rng = random.Random(case)
        entries, words = bank_of(rng)
        known = {entry.entry_id: entry for entry in entries}
        bank = bank_with(entries)
        for _ in range(60):
            deed, entry_id = rng.random(), rng.choice([*known, max(known, default=0) + 1])
            if deed < 0.25:
                bank.remove(entry_id)
                known.pop(entry_id, None)
            elif deed < 0.35 and entry_id in known:
                gone = known.pop(entry_id)
                bank.put(
                    MemoryEntry(
                        entry_id=entry_id,
                        game_id="cave",
                        content=gone.content,
                        provenance=gone.provenance,
                        changed_by=gone.changed_by,
                        forgotten=True,
                    )
                )
            else:
                known[entry_id] = entry_of(rng, entry_id, words)
                bank.put(known[entry_id])
            assert len(bank) == len(known) and (entry_id in bank) == (entry_id in known)
        agree(bank, list(known.values()), text_of(rng, words), MemoryWeights(), 5)
        weights = weights_of(rng)
        bank.reweigh(weights)
        agree(bank, list(known.values()), text_of(rng, words), weights, 5)


def test_a_large_bank_ranks_alike() -> None:
    """Large enough for bitmaps, for more than one go, and for pruning by age and success."""
    rng = random.Random(4)
    words = [f"{name}_{value}" for name in "abcdefghij" for value in range(5)]
    entries = [
        action_entry(
            number,
            " ".join(["playing", *rng.sample(words, k=9)]),
            rng.choice(("walk", "jump")),
            reward=rng.random(),
            successes=rng.randint(0, 3),
            attempts=3,
            at_s=NOW_S - rng.choice((rng.uniform(0, 600), rng.uniform(0, 1e6))),
        )
        for number in rng.sample(range(10**6), k=45_000)
    ]
    bank = bank_with(entries)
    items = [item_of(entry) for entry in entries]
    for text in ("playing a_1 b_2 c_3 d_4 e_0", "unheard of", getattr(entries[7].content, "state", "")):
        whole = direct.rank(text, items, now_s=NOW_S, weights=MemoryWeights())
        assert bank.query(text, now_s=NOW_S, k=30) == whole[:30]
        last = bank.last(text, now_s=NOW_S)
        assert last is not None and last.bank == whole[-1].bank
    for entry in entries[:44_000]:
        bank.remove(entry.entry_id)
    agree(bank, entries[44_000:], "playing a_1 b_2 c_3 d_4 e_0", MemoryWeights(), 8)


def test_the_figures_are_those_of_the_formula() -> None:
    bank = bank_with(
        [action_entry(1, "red green blue", reward=0.5, successes=1, attempts=4, at_s=NOW_S - 86_400.0)]
    )
    (candidate,) = bank.query("Red, green!", now_s=NOW_S)
    assert candidate.jaccard == pytest.approx(2 / 3)
    assert candidate.cosine == pytest.approx(2 / math.sqrt(6))
    assert (candidate.reward, candidate.success) == (0.5, 0.25)
    assert candidate.recency == pytest.approx(math.exp(-1))
    assert candidate.semantic == pytest.approx(0.55 * 2 / 3 + 0.45 * 2 / math.sqrt(6))
    assert candidate.bank == pytest.approx((candidate.semantic + 0.15 * 0.5 + 0.10 * 0.25) * math.exp(-1))


def test_ties_go_by_number() -> None:
    entries = [action_entry(number, "same", at_s=NOW_S) for number in (9, 3, 7, 5)]
    assert [candidate.entry_id for candidate in bank_with(entries).query("same", now_s=NOW_S, k=3)] == [
        3,
        5,
        7,
    ]


def test_of_many_that_are_all_the_same_the_first_numbers_come() -> None:
    for reward, text in ((0.5, "same"), (0.5, "other"), (0.0, "other"), (0.0, "")):
        entries = [action_entry(number, "same", reward=reward) for number in range(5000, 0, -1)]
        result = bank_with(entries).query(text, now_s=NOW_S, k=3)
        assert [candidate.entry_id for candidate in result] == [1, 2, 3]


def test_the_like_one_is_found_however_old_it_is() -> None:
    new = [action_entry(number, f"red blue number{number}", reward=1.0) for number in range(1, 200)]
    old = action_entry(200, "red green", reward=0.2, at_s=NOW_S - 1e6)
    older = action_entry(201, "red green", reward=0.9, at_s=NOW_S - 2e6)
    bank = bank_with([old, *new, older])
    assert bank.query("red green", now_s=NOW_S)[0].entry_id not in (200, 201)
    assert [candidate.entry_id for candidate in bank.alike("red green", now_s=NOW_S, least=0.85, k=9)] == [
        200,
        201,
    ]


def test_an_empty_bank_answers_nothing() -> None:
    bank = ActionBank(MemoryWeights())
    assert not len(bank) and bank.query("a", now_s=NOW_S, k=4) == []
    assert bank.alike("a", now_s=NOW_S, least=0.0) == [] and bank.surplus() == []
    assert bank.last("a", now_s=NOW_S) is None


def test_what_is_too_much_is_the_oldest_and_never_pinned() -> None:
    bank = ActionBank(MemoryWeights(), most=100)
    for number in range(1, 104):
        bank.put(action_entry(number, "a", at_s=NOW_S - number, pinned=number in (103, 101)))
    assert bank.surplus() == [102, 100, 99, 98]  # 3 too many, and room for 1 % more
    for entry_id in bank.surplus():
        bank.remove(entry_id)
    assert len(bank) == 99 and bank.surplus() == []


def test_only_items_of_the_bank_enter() -> None:
    node = action_entry(1, "a")
    node = MemoryEntry(
        entry_id=1,
        game_id="cave",
        content=StateNode(text="a"),
        provenance=node.provenance,
        changed_by=node.changed_by,
    )
    with pytest.raises(TypeError, match="entry 1"):
        ActionBank(MemoryWeights()).put(node)
