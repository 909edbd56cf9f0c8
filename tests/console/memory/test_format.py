"""What the memory page says and takes in, without a window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.console.memory.entries.conflict import merged
from pitwall.console.memory.format import (
    age,
    batch_words,
    change_words,
    content_fields,
    differences,
    provenance_text,
    rate,
    source,
    span,
    tries,
)
from pitwall.console.memory.kinds import TABLES, field_of, text_of, with_text
from pitwall.core.memories import (
    ActionEdge,
    ActionMemory,
    KnowledgeMemory,
    Likeness,
    MemoryChange,
    MemoryContent,
    MemoryEntry,
    MemoryKind,
    Provenance,
    SkillMemory,
)
from pitwall.core.paths import DataFolder
from pitwall.memory.game_rules import Rules, check, rules_of

YOU = Provenance(author="operator")
AGENT = Provenance(author="agent", run_id=127, step=388, frame_id=9120)
ITEM = ActionMemory(state="pipe near", action="flap", reward=0.5, successes=11, attempts=15)


def _entry(content: MemoryContent, **values: object) -> MemoryEntry:
    made = MemoryEntry(entry_id=902, game_id="flappy", content=content, provenance=AGENT, changed_by=AGENT)
    return replace(made, **values)  # type: ignore[arg-type]


def _change(before: MemoryEntry | None, after: MemoryEntry | None) -> MemoryChange:
    return MemoryChange(change_id=1, batch=1, entry_id=902, at="", by=YOU, before=before, after=after)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    """What the bundled flappy game allows."""
    return rules_of(DataFolder(tmp_path_factory.mktemp("data")), "flappy")


def test_ages_and_rates_have_units() -> None:
    assert [span(seconds) for seconds in (0, 40, 540, 18_000, 1_036_800)] == [
        "now",
        "40 s",
        "9 min",
        "5 h",
        "12 d",
    ]
    assert age("1970-01-01T00:00:00+00:00", 120) == "2 min"
    assert age("no date", 120) == "–"
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
    told = batch_words([_change(entry, replace(entry, forgotten=True))], 12)
    assert told == "12 SA-MB entries forgotten"
    assert batch_words([_change(entry, more)], 1) == "SA-MB 902 “pipe near → flap”: successes 11 → 12"


def test_differences_name_only_what_differs() -> None:
    found = differences(ITEM, replace(ITEM, reward=0.25, tag="played"))
    assert [(one.title, one.before, one.after) for one in found] == [
        ("Reward average", "0.5", "0.25"),
        ("Source tag", "", "played"),
    ]


def test_a_merge_keeps_what_only_one_side_changed() -> None:
    yours = replace(ITEM, state="mine", reward=0.1)
    theirs = replace(ITEM, reward=0.9, successes=12)
    assert merged(ITEM, yours, theirs) == replace(ITEM, state="mine", reward=0.1, successes=12)
    assert merged(None, yours, theirs) == yours


def test_every_field_of_every_kind_survives_its_editor() -> None:
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


@pytest.mark.parametrize(
    ("content", "field", "says"),
    [
        (replace(ITEM, action="flapp"), "action", "Did you mean 'flap'"),
        (replace(ITEM, action="flap(height=3)"), "action", "no argument 'height'"),
        (replace(ITEM, action=" "), "action", "expected an action"),
        (replace(ITEM, state=""), "state", "expected the state it was done in"),
        (replace(ITEM, successes=16), "successes", "more than attempts; expected at most 15"),
        (replace(ITEM, state="x" * 20_000), "state", "at most 16000"),
        (Likeness(first=3, second=3, cosine=0.9), "second", "another state"),
        (Likeness(first=3, second=4, cosine=1.9), "cosine", "from -1 to 1"),
        (SkillMemory(name="a", when="bird_y >", subgoal="b", actions=("flap",)), "when", "does not parse"),
        (
            SkillMemory(name="a", when="bird < 3", subgoal="b", actions=("flap",)),
            "when",
            "unknown field 'bird'",
        ),
        (SkillMemory(name="a", when="bird_y < 3", subgoal="b"), "actions", "acts in one way"),
        (
            SkillMemory(name="a", when="bird_y < 3", subgoal="b", actions=("flap", "dive")),
            "actions",
            "Line 2: There is no action 'dive'",
        ),
        (SkillMemory(name="a", when="bird_y < 3", subgoal="b", actions=("{bird}",)), "actions", "no field"),
        (
            SkillMemory(name="a", when="bird_y < 3", subgoal="b", module="fly2"),
            "module",
            "Did you mean 'fly'",
        ),
        (KnowledgeMemory(heading="", text=" "), "text", "Text is empty"),
    ],
)
def test_what_cannot_be_kept_is_said_by_field(
    rules: Rules, content: MemoryContent, field: str, says: str
) -> None:
    faults = check(content, rules)
    assert set(faults) == {field}
    assert says in faults[field]


def test_what_is_right_passes_and_an_unknown_game_checks_only_the_form(rules: Rules, tmp_path: Path) -> None:
    skill = SkillMemory(name="a", when="bird_y < 3 and status == 'playing'", subgoal="b", actions=("up",))
    assert check(ITEM, rules) == check(skill, rules) == {}
    unknown = rules_of(DataFolder(tmp_path), "gone")
    assert "no game 'gone'" in unknown.missing
    assert check(replace(ITEM, action="anything"), unknown) == {}
    assert set(check(replace(skill, when="any_field <"), unknown)) == {"when"}
    assert set(TABLES) == set(MemoryKind)
