"""A field that is added to a kind's model alone reaches checks, database, import, table and form."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_MODEL = "pitwall/core/memory_kinds.py"
_AFTER = '    tag: Annotated[str, About("Source tag", "none", column="facet")] = ""\n'
_NEW = """    danger: Annotated[
        int, About("Danger", unit="points", most=10, column="amount", cell=Cell("Danger", 60))
    ] = 3
    place: Annotated[str, About("Place", "the room", expected="a place", cell=Cell("Place", 90))] = "hall"
"""
_USE = """
import json, sys
from pathlib import Path
from pitwall_evaluation.console.memory_changes.differences import differences
from pitwall_memory_editor.console.kinds import TABLES, with_text
from pitwall.core.memories import ImportMemory, MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.database.checks import cut
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore

folder = Path(sys.argv[1])
you, table = Provenance(author="operator"), TABLES[MemoryKind.ACTION]
by_name = {field.key: field for field in table.fields}
blank = table.blank()
with MemoryStore.open(DataFolder(folder), role="test") as store:
    def edit(change):
        result = store.apply([change], you)
        return result.what or "done"
    def put(**values):
        return edit(PutEntry(game_id="cave", content=ActionMemory(state="s", action="wait", **values)))
    outcome = {
        "form": [by_name["danger"].label, by_name["place"].hint],
        "blank": [blank.danger, blank.place],
        "typed": with_text(blank, "danger", "7").danger,
        "kept": put(danger=9, place="attic"),
        "beyond": put(danger=11),
        "empty": put(place=" "),
        "cut": len(cut(ActionMemory(state="s", action="a", place="x" * 5000)).place),
    }
    rows = folder / "rows.csv"
    def take(line):
        rows.write_text("state,action,danger,place\\n" + line + "\\n")
        return edit(ImportMemory(path=str(rows), format="csv", game_id="cave", entry_kind="action"))
    outcome["import"] = take("in the cellar,run,8,cellar")
    outcome["faulty import"] = take("elsewhere,run,12,cellar")
    reader = MemoryReader(DataFolder(folder))
    [first, second], _ = reader.page("cave", MemoryKind.ACTION, order="danger")
    outcome["sorted"] = [first.content.danger, second.content.danger]
    lines = folder / "out.jsonl"
    reader.export(lines, "jsonl")
    outcome["exported"] = "attic" in lines.read_text()
    outcome["cells"] = {column.title: column.text(first) for column in table.columns}
    outcome["differs"] = [difference.title for difference in differences(first.content, second.content)]
    reader.close()
print(json.dumps(outcome))
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the package makes of two new fields, on a copy in which only the model changed."""
    tree = tmp_path_factory.mktemp("tree")
    package = Path(__file__).resolve().parents[2] / "app" / "pitwall"
    shutil.copytree(package, tree / "pitwall", ignore=shutil.ignore_patterns("__pycache__"))
    model = (tree / _MODEL).read_text(encoding="utf-8")
    assert model.count(_AFTER) == 1
    (tree / _MODEL).write_text(model.replace(_AFTER, _AFTER + _NEW), encoding="utf-8")
    data = tree / "data"
    data.mkdir(mode=0o700)
    done = subprocess.run(
        [sys.executable, "-c", _USE, str(data)],
        env={"PYTHONPATH": str(tree), "PATH": "", "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_the_form_asks_for_a_new_field(outcome: dict[str, Any]) -> None:
    assert outcome["form"] == ["Danger, points", "the room"]
    assert outcome["blank"] == [3, "hall"] and outcome["typed"] == 7


def test_the_table_and_the_comparison_show_it(outcome: dict[str, Any]) -> None:
    assert outcome["cells"]["Danger"] == "9" and outcome["cells"]["Place"] == "attic"
    assert outcome["differs"] == ["State", "Action", "Danger", "Place"]


def test_its_bounds_are_checked(outcome: dict[str, Any]) -> None:
    assert outcome["kept"] == "done"
    assert "danger is 11; expected a number from 0 to 10" in outcome["beyond"]
    assert "place is empty; expected a place" in outcome["empty"]
    assert outcome["cut"] == 2000


def test_it_is_stored_sorted_imported_and_exported(outcome: dict[str, Any]) -> None:
    assert outcome["import"] == "done" and outcome["sorted"] == [9, 8] and outcome["exported"]
    assert "danger is 12; expected a number from 0 to 10" in outcome["faulty import"]
