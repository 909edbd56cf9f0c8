"""Random banks, and questions to them: small vocabularies, so that ties and near ties are common."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import MemoryWeights
from pitwall.memory.retrieval import reference as direct

NOW_S = 1.7e9
_BY = Provenance(author="agent", reason="it was tried")
_WORDS = [f"w{number}" for number in range(12)] + ["hund", "ÜBER", "木", "कि", "don't", "a_b"]
_RARE = [f"rare{number}" for number in range(400)]


def action_entry(
    entry_id: int,
    state: str,
    action: str = "walk",
    *,
    reward: float = 0.0,
    successes: int = 0,
    attempts: int = 0,
    at_s: float = NOW_S,
    pinned: bool = False,
    forgotten: bool = False,
) -> MemoryEntry:
    content = ActionMemory(
        state=state, action=action, reward=reward, successes=successes, attempts=attempts, at_s=at_s
    )
    return MemoryEntry(
        entry_id=entry_id,
        game_id="cave",
        content=content,
        provenance=_BY,
        changed_by=_BY,
        pinned=pinned,
        forgotten=forgotten,
    )


def text_of(rng: random.Random, words: Sequence[str]) -> str:
    """Empty, of one word very often, of other people's punctuation, or just some words."""
    kind = rng.random()
    if kind < 0.04:
        return rng.choice(("", "  ", "...", "\x00\t"))
    if kind < 0.07:
        return " ".join([rng.choice(words)] * rng.choice((2, 3, 500)) + rng.choices(words, k=2))
    picked = (
        rng.choices(words, k=rng.randint(1, 9))
        if rng.random() < 0.3
        else rng.sample(words, k=rng.randint(1, 9))
    )
    return rng.choice((" ", ", ", "  ")).join(picked)


def entry_of(rng: random.Random, entry_id: int, words: Sequence[str]) -> MemoryEntry:
    """One item: rewards of any size, attempts of none, ages from the future to long ago."""
    attempts = rng.choice((0, 0, 1, 2, 3, 9, 10**6))
    return action_entry(
        entry_id,
        text_of(rng, words),
        rng.choice(("walk", "jump", "forward(ms=500)")),
        reward=rng.choice((0.0, 0.5, 1.0, rng.uniform(-2, 3), float("nan"), float("inf"), -1e300)),
        successes=rng.randint(0, attempts) if attempts else rng.choice((0, 0, 2)),
        attempts=attempts,
        at_s=NOW_S
        - rng.choice(
            (0.0, 60.0, 3600.0, rng.uniform(-1e4, 1e6), rng.expovariate(1e-6), 6e7, NOW_S, 86_400 * 720.0)
        ),
    )


def bank_of(rng: random.Random) -> tuple[list[MemoryEntry], list[str]]:
    """Some items, and the words of their texts."""
    words = rng.sample(_WORDS, k=rng.randint(9, len(_WORDS))) + (_RARE if rng.random() < 0.3 else [])
    size = rng.choice((1, 2, 5, 20, 60, 200))
    ids = rng.sample(range(1, 10 * size + 1), k=size)
    entries = [entry_of(rng, entry_id, words) for entry_id in ids]
    for _ in range(size // 3):  # the same again under another number
        twin = rng.choice(entries).content
        assert isinstance(twin, ActionMemory)
        entries.append(
            action_entry(
                10 * size + len(entries) + 1,
                twin.state,
                twin.action,
                reward=twin.reward,
                successes=twin.successes,
                attempts=twin.attempts,
                at_s=twin.at_s,
            )
        )
    return entries, words


def weights_of(rng: random.Random) -> MemoryWeights:
    """Mostly the source's; else whatever the settings allow."""
    if rng.random() < 0.6:
        return MemoryWeights()
    jaccard, cosine, reward, success = (rng.choice((0.0, 1.0, rng.random())) for _ in range(4))
    age_h = rng.choice((0.01, 24.0, 1e6))
    return MemoryWeights(jaccard=jaccard, cosine=cosine, reward=reward, success=success, age_h=age_h)


def item_of(entry: MemoryEntry) -> direct.BankItem:
    """Return an entry of SA-MB in the form that is ranked.

    Raises:
        TypeError: the entry is of another kind.
    """
    if not isinstance(entry.content, ActionMemory):
        raise TypeError(f"entry {entry.entry_id} is no item of the action bank")
    return direct.BankItem(entry.entry_id, entry.content, direct.counts_of(entry.content.state))
