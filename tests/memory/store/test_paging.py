"""Tables of 30,000 rows: each page, order and search is what a plain list says; edits of all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.memories import FlagEntries, MemoryEntry, Provenance, PutEntry, UndoEdit
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import ActionMemory, KnowledgeMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall.store.database import raw_connection

_ROWS = 30_000
_FILL = f"""
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {_ROWS})
INSERT INTO entries (entry_id, game_id, kind, standing, pinned, version, label, action, facet, reward,
    successes, attempts, at_s, author, fingerprint, created_at, changed_at, provenance, changed_by, content)
SELECT i, 'flappy', 'action', 0, i % 10 = 0, 1, 'state ' || i, CASE i % 3 WHEN 0 THEN 'flap' ELSE 'wait' END,
    '', (i * 7919) % 100003, i % 5, i % 5 + 1, i, 'agent', i, '2026', printf('%08d', (i * 31) % 100003),
    '{{"author":"agent"}}', '{{"author":"agent"}}',
    json_object('action', CASE i % 3 WHEN 0 THEN 'flap' ELSE 'wait' END, 'at_s', i * 1.0,
        'attempts', i % 5 + 1, 'reward', ((i * 7919) % 100003) * 1.0, 'state', 'state ' || i,
        'successes', i % 5, 'tag', '')
FROM n
"""


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[MemoryStore, MemoryReader]]:
    data = DataFolder(Path(tmp_path_factory.mktemp("big")))
    MemoryStore.open(data, role="test").close()
    raw = raw_connection(data.memory, "rw")
    raw.execute("BEGIN")
    raw.execute(_FILL)
    raw.execute("INSERT INTO entry_texts (rowid, text) SELECT entry_id, label FROM entries")
    raw.execute("COMMIT")
    raw.close()
    with MemoryStore.open(data, role="test") as store:
        yield store, MemoryReader(data)


def _ids(rows: list[MemoryEntry]) -> list[int]:
    return [row.entry_id for row in rows]


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("changed_at", lambda i: (i * 31) % 100003),
        ("reward", lambda i: (i * 7919) % 100003),
        ("state", lambda i: f"state {i}"),
        ("success_rate", lambda i: (i % 5) / (i % 5 + 1)),
        ("pinned", lambda i: i % 10 == 0),
        ("entry_id", lambda i: i),
    ],
)
def test_pages_are_slices_of_the_sorted_list(
    big: tuple[MemoryStore, MemoryReader], order: str, key: object
) -> None:
    assert callable(key)
    _, reader = big
    for descending in (True, False):
        wanted = sorted(range(1, _ROWS + 1), key=lambda i: (key(i), i), reverse=descending)
        for offset in (0, 21_210, _ROWS - 5, _ROWS + 5):
            rows, total = reader.page(
                "flappy", MemoryKind.ACTION, order=order, descending=descending, offset=offset, limit=50
            )
            assert total == _ROWS
            assert _ids(rows) == wanted[offset : offset + 50]


def test_filters_and_searches_find_what_a_plain_look_finds(big: tuple[MemoryStore, MemoryReader]) -> None:
    _, reader = big

    def found(**asked: object) -> tuple[set[int], int]:
        rows, total = reader.page("flappy", MemoryKind.ACTION, limit=_ROWS, **asked)  # type: ignore[arg-type]
        return set(_ids(rows)), total

    everything = range(1, _ROWS + 1)
    for asked, holds in (
        ({"filters": {"action": "flap", "pinned": True}}, lambda i: i % 3 == 0 and i % 10 == 0),
        ({"filters": {"attempts": [1, 3]}}, lambda i: i % 5 in (0, 2)),
        ({"search": "9876"}, lambda i: "9876" in str(i)),
        ({"search": "STATE 98 76"}, lambda i: "98" in str(i) and "76" in str(i)),
        ({"search": "76"}, lambda i: "76" in str(i)),
        ({"search": 'no"such* thing'}, lambda _: False),
        ({"filters": {"run_id": 3}}, lambda _: False),
        ({"filters": {"run_id": None}, "search": "29999"}, lambda i: i == 29_999),
    ):
        wanted = {i for i in everything if holds(i)}
        assert found(**asked) == (wanted, len(wanted)), asked


def test_what_a_kind_has_not_is_refused_with_the_nearest(big: tuple[MemoryStore, MemoryReader]) -> None:
    _, reader = big
    with pytest.raises(PitwallError, match="Did you mean 'reward'"):
        reader.page("flappy", MemoryKind.ACTION, order="rewards")
    with pytest.raises(PitwallError, match="no 'content; --'"):
        reader.page("flappy", None, filters={"content; --": 1})


def test_all_of_them_are_forgotten_and_taken_back(big: tuple[MemoryStore, MemoryReader]) -> None:
    store, reader = big
    by = Provenance(author="operator")
    result = store.apply([FlagEntries(entry_ids=tuple(range(1, _ROWS + 1)), forgotten=True)], by)
    assert len(result.entry_ids) == _ROWS
    assert reader.page("flappy", MemoryKind.ACTION)[1] == 0 and reader.forgotten("flappy") == _ROWS
    assert store.apply([UndoEdit()], by).done
    assert reader.counts("flappy")["action"] == _ROWS
    [change] = reader.history(5)
    assert change.undone and change.before is not None and isinstance(change.before.content, ActionMemory)
    assert len(reader.history(limit=50, offset=_ROWS - 20)) == 20


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("Straße am Fluß", "STRASSE"),
        ("ﬁne Ｗｉｄｅ", "fine wide"),
        ("漢字を読む", "字を"),
        ("漢字を読む", "字"),
        ("สวัสดีชาวโลก", "ชาว"),
        ("שלום עולם", "עולם"),
        ("emoji 🎮 here", "🎮"),
        ("a\0b quick", "b quick"),
        ('say "hi" (now)', '"hi" (now)'),
    ],
)
def test_any_script_is_found(store: MemoryStore, reader: MemoryReader, text: str, search: str) -> None:
    edits = [
        PutEntry(game_id="doom", content=KnowledgeMemory(heading="h", text=text)),
        PutEntry(game_id="doom", content=KnowledgeMemory(heading="h", text="another")),
    ]
    assert store.apply(edits, Provenance(author="operator")).done
    rows, total = reader.page("doom", None, search=search)
    assert (total, len(rows)) == (1, 1)
