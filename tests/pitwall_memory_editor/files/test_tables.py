"""Tables of other programs are taken into the memory: columns mapped, the same checks, all or nothing."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.memory.store.conftest import Apply

from pitwall.cli.main import main
from pitwall.core.memories import EditResult, ImportMemory
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import SkillMemory
from pitwall.memory.reader import MemoryReader

_CSV = (
    "title,when,subgoal,actions,notes,priority\n"
    "rise,y > 3,up,flap; wait,seen once,4\n"
    "fall,y < 3,down,wait,,\n"
)
_COLUMNS = {"title": "name", "notes": "evidence"}


def _take(apply: Apply, path: Path, format: Any, **more: Any) -> EditResult:
    given = {"entry_kind": "skill", "game_id": "cave", "columns": _COLUMNS, **more}
    return apply(ImportMemory(path=str(path), format=format, **given))


def _skills(reader: MemoryReader) -> list[Any]:
    return [entry.content for entry in reader.entries("cave", [MemoryKind.SKILL])]


def test_csv_json_and_sqlite_give_the_same_entries(
    tmp_path: Path, apply: Apply, reader: MemoryReader
) -> None:
    skills = [
        SkillMemory(
            name="rise",
            when="y > 3",
            subgoal="up",
            actions=("flap", "wait"),
            evidence=("seen once",),
            priority=4,
        ),
        SkillMemory(name="fall", when="y < 3", subgoal="down", actions=("wait",)),
    ]
    table = tmp_path / "moves.csv"
    table.write_text(_CSV, encoding="utf-8-sig")
    assert _take(apply, table, "csv").done
    assert _skills(reader) == skills

    tabs = tmp_path / "moves.tsv"
    tabs.write_text(_CSV.replace(",", "\t"), encoding="utf-8")
    assert _take(apply, tabs, "csv").done

    rows: list[dict[str, Any]] = [
        {
            "title": "rise",
            "when": "y > 3",
            "subgoal": "up",
            "actions": ["flap", "wait"],
            "notes": ["seen once"],
        },
        {"title": "fall", "when": "y < 3", "subgoal": "down", "actions": ["wait"], "notes": None},
    ]
    file = tmp_path / "moves.json"
    file.write_text(json.dumps([{**rows[0], "priority": 4}, rows[1]]), encoding="utf-8")
    assert _take(apply, file, "json").done

    other = sqlite3.connect(tmp_path / "moves.db")
    other.execute(
        'CREATE TABLE moves (title, "when", subgoal, actions, notes, priority, id INTEGER PRIMARY KEY)'
    )
    other.execute(
        "INSERT INTO moves VALUES ('rise', 'y > 3', 'up', '[\"flap\", \"wait\"]', 'seen once', 4, 1)"
    )
    other.execute("INSERT INTO moves VALUES ('fall', 'y < 3', 'down', 'wait', NULL, NULL, 2)")
    other.execute("CREATE TABLE other (x)")
    other.commit()
    other.close()
    with_id = {**_COLUMNS, "id": ""}
    assert _take(apply, tmp_path / "moves.db", "sqlite", columns=with_id, table="moves").done
    assert _skills(reader) == skills, "equal entries are found again, not added"


@pytest.mark.parametrize(
    ("text", "more", "problem"),
    [
        (_CSV, {"columns": {}}, "'title', 'notes' are no fields of skill"),
        (_CSV, {"columns": {"titel": "name"}}, "'titel' is no column; expected title"),
        (_CSV, {"columns": {**_COLUMNS, "title": "nam"}}, "'nam' is no field of skill; expected name"),
        (_CSV, {"entry_kind": ""}, "which kind of entry"),
        (_CSV, {"columns": {"*": ""}}, "row 1: name is missing"),
        (_CSV, {"game_id": ""}, "row 1: game_id is ''"),
        (_CSV.replace("y < 3", "y <"), {}, "row 2: when is no condition"),
        (_CSV.replace("wait,,", ",,"), {}, "row 2: actions and module are both missing"),
        (_CSV.replace(",4\n", ",much\n"), {}, "row 1: priority is 'much'"),
        (_CSV.replace("flap; wait", "[flap"), {}, "row 1: actions is no list"),
        (
            _CSV + "a,b,c,d,e,f,g\n",
            {},
            "row 3: has the cell 'g' without a column's name; expected at most 6 cells",
        ),
        (_CSV + 'a,"b', {}, "is damaged: unexpected end of data"),
        (_CSV.replace("notes", "title"), {}, "'title' names two columns"),
        (_CSV.replace("notes", "Title "), {"columns": {"title": "name", "Title": "name"}}, "fill name twice"),
        (_CSV.replace("notes", ""), {}, "row 1: has the cell 'seen once' without a column's name"),
        (
            _CSV.replace("subgoal", "sub goal s"),
            {},
            "expected subgoal? (fields: name, when, situation, subgoal, ",
        ),
        ("\n,,\n", {}, "is empty"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_taken_in(
    text: str, more: dict[str, Any], problem: str, tmp_path: Path, apply: Apply, reader: MemoryReader
) -> None:
    table = tmp_path / "moves.csv"
    table.write_text(text, encoding="utf-8")
    assert problem in _take(apply, table, "csv", **more).what
    assert _skills(reader) == []


def test_a_foreign_database_is_opened_read_only_and_its_tables_are_named(
    tmp_path: Path, apply: Apply
) -> None:
    file = tmp_path / "other.db"
    other = sqlite3.connect(file)
    other.executescript("CREATE TABLE moves (title); CREATE TABLE places (name)")
    other.close()
    before = file.read_bytes()
    assert "several tables" in _take(apply, file, "sqlite").what
    assert "has no table 'mvoes'; expected moves" in _take(apply, file, "sqlite", table="mvoes").what
    assert file.read_bytes() == before
    (tmp_path / "text.db").write_text("no database at all, but long enough to be taken for one" * 20)
    assert "cannot be read" in _take(apply, tmp_path / "text.db", "sqlite").what
    assert "cannot be read" in _take(apply, tmp_path / "missing.db", "sqlite").what


def test_the_command_takes_a_table_by_its_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "moves.csv"
    table.write_text(_CSV, encoding="utf-8")
    words = ["memory", "import", str(table), "--kind", "skill", "--game", "cave", "--map", "title=name"]
    monkeypatch.setattr("sys.argv", ["pitwall", *words, "--map", "*=", "--data", str(tmp_path / "data")])
    assert main() == 0
    assert "2 entries taken in." in capsys.readouterr().out


def _spreadsheet(text: str, encoding: str = "utf-8", ends: str = "\r\n") -> bytes:
    return text.replace("\n", ends).encode(encoding)


@pytest.mark.parametrize(
    "content",
    [
        _spreadsheet(_CSV, "utf-8-sig"),
        _spreadsheet(_CSV, "utf-16"),
        b"\xfe\xff" + _spreadsheet(_CSV, "utf-16-be"),
        _spreadsheet(_CSV, ends="\r"),
        _spreadsheet(
            _CSV.replace("; ", "§").replace(",", ";").replace("§", ", ").replace("flap, wait", '"flap; wait"')
        ),
        _spreadsheet(_CSV.replace(",", "\t")),
        _spreadsheet("sep=,\n" + _CSV),
        _spreadsheet("\n" + _CSV + ",,,,,\n\n"),
        _spreadsheet("".join(f"{line},,\n" for line in _CSV.splitlines())),
        _spreadsheet(_CSV.replace("when,subgoal", " When , SUBGOAL")),
    ],
    ids=[
        "bom",
        "utf-16",
        "utf-16-be",
        "cr",
        "semicolons",
        "tabs",
        "sep",
        "empty-rows",
        "empty-columns",
        "caps",
    ],
)
def test_csv_as_spreadsheets_write_it_gives_the_same_entries(
    content: bytes, tmp_path: Path, apply: Apply, reader: MemoryReader
) -> None:
    table = tmp_path / "moves.csv"
    table.write_bytes(content)
    result = _take(apply, table, "csv")
    assert result.done, result.what
    skills = _skills(reader)
    assert [(skill.name, skill.when, skill.subgoal, skill.priority) for skill in skills] == [
        ("rise", "y > 3", "up", 4),
        ("fall", "y < 3", "down", 0),
    ]
    assert skills[0].actions == ("flap", "wait")


@pytest.mark.parametrize(
    "content", [_CSV.replace("rise", "übung").encode("cp1252"), _CSV.encode("utf-16-le")]
)
def test_another_encoding_is_refused_with_the_way_out(
    content: bytes, tmp_path: Path, apply: Apply, reader: MemoryReader
) -> None:
    table = tmp_path / "moves.csv"
    table.write_bytes(content)
    assert "UTF-8" in _take(apply, table, "csv").what
    assert _skills(reader) == []


def test_decimal_commas_are_numbers_where_semicolons_separate(
    tmp_path: Path, apply: Apply, reader: MemoryReader
) -> None:
    table = tmp_path / "edges.csv"
    table.write_text("state;action;reward;Visits\nmenu;begin;-0,75;3,0\n", encoding="utf-8")
    given = {"entry_kind": "action", "columns": {"Visits": ""}}
    result = _take(apply, table, "csv", **given)
    assert result.done, result.what
    (entry,) = reader.entries("cave", [MemoryKind.ACTION])
    assert entry.content.reward == -0.75  # type: ignore[union-attr]


def test_an_odd_pin_is_refused(tmp_path: Path, apply: Apply) -> None:
    table = tmp_path / "moves.csv"
    table.write_text(_CSV.replace("priority", "pinned").replace(",4", ",maybe"), encoding="utf-8")
    assert "pinned is 'maybe'; expected true or false" in _take(apply, table, "csv").what


def test_json_with_numbers_that_are_not_finite_is_refused(tmp_path: Path, apply: Apply) -> None:
    table = tmp_path / "moves.json"
    table.write_text('[{"name": "a", "priority": NaN}]', encoding="utf-8-sig")
    assert "NaN is no number" in _take(apply, table, "json", columns={}).what
