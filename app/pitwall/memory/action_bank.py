"""SA-MB in memory: the best items for a state, found without looking at every one (SPEC §3)."""

from __future__ import annotations

from pitwall.core.memories import Candidate, MemoryEntry, MemoryWeights


class ActionBank:
    """The items of one game. Ranks exactly as `memory.direct.rank`."""

    def __init__(self, weights: MemoryWeights, *, most: int = 2_000_000) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __contains__(self, entry_id: object) -> bool:
        raise NotImplementedError

    def put(self, entry: MemoryEntry) -> None:
        """Take an item in, or what changed of it; a forgotten one is removed."""
        raise NotImplementedError

    def remove(self, entry_id: int) -> None:
        """Leave an item out; one that is not here is none."""
        raise NotImplementedError

    def surplus(self) -> list[int]:
        """Items that are more than `most`: those executed longest ago, never pinned ones."""
        raise NotImplementedError

    def reweigh(self, weights: MemoryWeights) -> None:
        """Rank by other weights from now on."""
        raise NotImplementedError

    def query(self, text: str, *, now_s: float, k: int = 1, action: str | None = None) -> list[Candidate]:
        """The k best, ties by entry_id; `action`: among the items of this action."""
        raise NotImplementedError

    def candidates(self, text: str, now_s: float, limit: int) -> list[Candidate]:
        """As `query`."""
        raise NotImplementedError

    def alike(self, text: str, *, now_s: float, least: float, k: int = 1) -> list[Candidate]:
        """The k best among the items whose semantic part is at least `least`."""
        raise NotImplementedError

    def semantic_top(self, text: str) -> Candidate | None:
        """The item whose state is most like the text, whatever its age (quick path)."""
        raise NotImplementedError

    def last(self, text: str, *, now_s: float) -> Candidate | None:
        """The lowest-ranked item: the lower end of the normalisation."""
        raise NotImplementedError
