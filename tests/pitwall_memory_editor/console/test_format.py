"""What the memory page says and takes in, without a window."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pitwall.core.memories import MemoryChange, MemoryEntry, Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, MemoryContent
from pitwall_evaluation.console.memory_changes.differences import content_fields, differences
from pitwall_memory_editor.console.entries.conflict import merged
from pitwall_memory_editor.console.format import (
    batch_words,
    change_words,
    provenance_text,
    rate,
    source,
    tries,
)
from pitwall_memory_editor.console.kinds import TABLES, field_of, text_of, with_text

YOU = Provenance(author="operator")
AGENT = Provenance(author="agent", run_id=127, step=388, frame_id=9120)
ITEM = ActionMemory(state="pipe near", action="flap", reward=0.5, successes=11, attempts=15)


def _entry(content: MemoryContent, **values: object) -> MemoryEntry:
    made = MemoryEntry(entry_id=902, game_id="flappy", content=content, provenance=AGENT, changed_by=AGENT)
    return replace(made, **values)  # type: ignore[arg-type]


def _change(before: MemoryEntry | None, after: MemoryEntry | None) -> MemoryChange:
    return MemoryChange(change_id=1, batch=1, entry_id=902, at="", by=YOU, before=before, after=after)


def test_rates_have_units() -> None:
    assert (rate(12, 16), rate(0, 0), tries(12, 16), tries(0, 0)) == ("0.75", "–", "12 of 16", "–")


def test_an_entry_says_whose_it_is() -> None:
    assert source(AGENT) == "agent · run 127"
    assert source(Provenance(author="import", source="C:\\files\\notes.jsonl")) == "import · notes.jsonl"
    assert provenance_text(AGENT) == "agent · run 127 · step 388 · frame 9,120"
    assert provenance_text(YOU) == "you"


def test_changes_are_told_in_a_few_words() -> None:
    entry = _entry(ITEM)
    more = replace(entry, content=replace(ITEM, successes=12))
    assert change_words(_change(None, entry)) == "created"
    assert change_words(_change(entry, more)) == "successes 11 → 12"
    assert change_words(_change(entry, replace(entry, pinned=True))) == "pinned"
    assert change_words(_change(replace(entry, forgotten=True), entry)) == "restored"
    long = replace(entry, content=replace(ITEM, state="x" * 60, action="glide"))
    assert change_words(_change(entry, long)) == "edited state and 1 more field"
    text = batch_words([_change(entry, replace(entry, forgotten=True))], 12)
    assert text == "12 action entries forgotten"
    assert batch_words([_change(entry, more)], 1) == "action 902 “pipe near → flap”: successes 11 → 12"


def test_differences_name_only_what_differs() -> None:
    result = differences(ITEM, replace(ITEM, reward=0.25, tag="played"))
    assert [(item.title, item.before, item.after) for item in result] == [
        ("Reward average", "0.5", "0.25"),
        ("Source tag", "", "played"),
    ]


def test_a_merge_keeps_what_only_one_side_changed() -> None:
    yours = replace(ITEM, state="mine", reward=0.1)
    theirs = replace(ITEM, reward=0.9, successes=12)
    assert merged(ITEM, yours, theirs) == replace(ITEM, state="mine", reward=0.1, successes=12)
    assert merged(None, yours, theirs) == yours


def test_every_field_of_every_kind_survives_its_editor() -> None:
    assert set(TABLES) == set(MemoryKind)
    for kind, table in TABLES.items():
        content = table.blank()
        assert content.kind == kind.value
        assert {field.key for field in table.fields} == set(content_fields(content)), kind
        for field in table.fields:
            if field.kind not in ("fixed", "choice"):
                typed = text_of(content, field.key)
                assert with_text(content, field.key, typed) == content, (kind, field.key)
        for column in table.columns:
            assert column.text(_entry(content)) is not None
            if column.edits:
                assert field_of(content, column.edits).kind != "fixed"


def test_numbers_are_read_as_people_write_them() -> None:
    assert with_text(ITEM, "attempts", " 1,284 ") == replace(ITEM, attempts=1284)
    assert with_text(ITEM, "reward", "−0,25") == replace(ITEM, reward=-0.25)
    edge = ActionEdge(source=1, target=2, action="flap")
    assert with_text(edge, "target", "0") == replace(edge, target=None)
    for field, text in (("attempts", "1.5"), ("attempts", "9" * 30), ("reward", "nan"), ("reward", "inf")):
        with pytest.raises(ValueError, match="number"):
            with_text(ITEM, field, text)
