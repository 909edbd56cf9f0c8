"""SQL over a real run log and memory: what it answers, what it refuses, and that nothing changes."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import pytest
from tests.plain_records import run_manifest

from pitwall.cli.main import main
from pitwall.core.memories import Provenance, PutEntry
from pitwall.core.memory_kinds import KnowledgeMemory
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.memory.query import query_tables, run_query
from pitwall.memory.store import MemoryStore
from pitwall.store.query import QueryError, remove_query, save_query, saved_queries, saved_query
from pitwall.store.run_log import RunLog

_OPERATOR = Provenance(author="operator", source="test")


def _manifest(game: str) -> RunManifest:
    return run_manifest(game)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Three runs of two games, and one entry of knowledge."""
    folder = DataFolder(tmp_path / "data")
    with RunLog.open(folder) as log:
        for game in ("flappy", "snake", "flappy"):
            log.begin(_manifest(game))
    with MemoryStore.open(folder, role="test") as store:
        edit = PutEntry(game_id="flappy", content=KnowledgeMemory(heading="Pipes", text="They never move."))
        assert store.apply([edit], _OPERATOR).done
    return folder


def _hashes(data: DataFolder) -> list[str]:
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in (data.database, data.memory)]


def test_runs_and_memory_are_joined(data: DataFolder) -> None:
    result = run_query(
        data,
        "SELECT r.game_id, count(*) AS runs, e.label FROM runs r JOIN memory.entries e USING (game_id)",
    )
    assert result.columns == ("game_id", "runs", "label")
    assert result.records == [{"game_id": "flappy", "runs": 2, "label": "Pipes"}]
    assert not result.truncated


def test_columns_of_one_name_are_told_apart(data: DataFolder) -> None:
    result = run_query(data, "SELECT run_id, run_id FROM runs LIMIT 1")
    assert result.columns == ("run_id", "run_id_2")


def test_full_text_of_the_memory_is_searched(data: DataFolder) -> None:
    result = run_query(data, "SELECT count(*) FROM memory.entry_texts WHERE entry_texts MATCH 'never'")
    assert result.rows == [(1,)]


def test_an_empty_data_folder_has_empty_tables_and_stays_empty(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "none")
    assert run_query(data, "SELECT count(*) FROM runs").rows == [(0,)]
    assert run_query(data, "SELECT count(*) FROM memory.entries").rows == [(0,)]
    assert not data.root.exists()


def test_it_reads_beside_a_writer(data: DataFolder) -> None:
    with RunLog.open(data) as log:
        log.begin(_manifest("maze"))
        assert run_query(data, "SELECT count(*) FROM runs").rows == [(4,)]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM runs",
        "DELETE FROM memory.entries",
        "INSERT INTO runs (run_id) VALUES (9)",
        "UPDATE runs SET role = 'x'",
        "DROP TABLE runs",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x (y)",
        "ATTACH DATABASE ':memory:' AS other",
        "DETACH DATABASE memory",
        "PRAGMA query_only=OFF",
        "PRAGMA journal_mode=DELETE",
        "PRAGMA user_version",
        "VACUUM",
        "VACUUM INTO '/tmp/pitwall-copy.sqlite'",
        "BEGIN IMMEDIATE",
        "REINDEX",
        "ANALYZE",
        "SELECT load_extension('x')",
        "WITH gone AS (SELECT 1) DELETE FROM runs",
        "INSERT INTO memory.entry_texts (entry_texts) VALUES ('optimize')",
    ],
)
def test_it_only_reads(data: DataFolder, sql: str) -> None:
    before = _hashes(data)
    with pytest.raises(QueryError, match="more than read"):
        run_query(data, sql)
    assert _hashes(data) == before


@pytest.mark.parametrize(
    ("sql", "problem", "fix"),
    [
        ("SELECT gme_id FROM runs", "no column 'gme_id' in runs", "Did you mean 'game_id'?"),
        ("SELECT r.gme_id FROM runs r", "no column 'r.gme_id' in runs", "Did you mean 'game_id'?"),
        ("SELECT * FROM rnus", "no table 'rnus'", "Did you mean 'runs'?"),
        ("SELECT * FROM memory.entrys", "no table 'memory.entrys'", "Did you mean 'memory.entries'?"),
        ("SELECT nofunction(1)", "no function 'nofunction'", "sqlite.org"),
        ("SELECT * FORM runs", 'near "FORM"', ""),
        ("SELECT 1; SELECT 2", "more than one statement", "one SELECT"),
        ("", "empty", "SELECT * FROM runs"),
        ("-- only a comment", "empty", "SELECT * FROM runs"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_near(data: DataFolder, sql: str, problem: str, fix: str) -> None:
    with pytest.raises(QueryError) as caught:
        run_query(data, sql)
    assert problem in caught.value.what
    assert fix in caught.value.fix


def test_rows_and_time_are_limited(data: DataFolder) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    result = run_query(data, endless, limit=5)
    assert [row[0] for row in result.rows] == [1, 2, 3, 4, 5]
    assert result.truncated
    begun = time.monotonic()
    with pytest.raises(QueryError, match=r"longer than 0\.3 s"):
        run_query(data, f"SELECT count(*) FROM ({endless})", seconds=0.3)
    assert time.monotonic() - begun < 5
    with pytest.raises(QueryError, match="cancelled"):
        run_query(data, f"SELECT count(*) FROM ({endless})", cancelled=lambda: True)


def test_tables_are_listed_without_those_of_indexes(data: DataFolder) -> None:
    tables = {table.name: table.columns for table in query_tables(data)}
    assert "game_id" in tables["runs"]
    assert "label" in tables["memory.entries"]
    assert not any("entry_texts_" in name or "sqlite" in name for name in tables)


def test_queries_are_saved_listed_and_removed(data: DataFolder) -> None:
    save_query(data, "games", "SELECT DISTINCT game_id FROM runs ")
    save_query(data, "a-count", "SELECT count(*) FROM runs")
    assert list(saved_queries(data)) == ["a-count", "games"]
    assert saved_query(data, "games") == "SELECT DISTINCT game_id FROM runs"
    with pytest.raises(QueryError, match="games"):
        saved_query(data, "gamse")
    with pytest.raises(QueryError, match="cannot name"):
        save_query(data, "two words", "SELECT 1")
    remove_query(data, "games")
    assert list(saved_queries(data)) == ["a-count"]
    assert not list(data.root.glob("*.tmp"))


def _pitwall(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str]:
    monkeypatch.setattr("sys.argv", ["pitwall", *words])
    status = main()
    return status, capsys.readouterr().out


def test_the_command_prints_json_csv_and_a_table(
    data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("query", "SELECT game_id, count(*) AS n FROM runs GROUP BY 1", "--data", str(data.root))
    status, out = _pitwall(monkeypatch, capsys, *asked, "--json", "--save", "per-game")
    assert (status, json.loads(out)["rows"]) == (
        0,
        [{"game_id": "flappy", "n": 2}, {"game_id": "snake", "n": 1}],
    )
    again = ("query", "per-game", "--data", str(data.root))
    assert _pitwall(monkeypatch, capsys, *again, "--csv") == (0, "game_id,n\nflappy,2\nsnake,1\n")
    status, out = _pitwall(monkeypatch, capsys, *again)
    assert out.splitlines()[:4] == ["game_id  n", "───────  ─", "flappy   2", "snake    1"]
    status, out = _pitwall(monkeypatch, capsys, "query", "--list", "--json", "--data", str(data.root))
    assert list(json.loads(out)) == ["per-game"]
    status, out = _pitwall(
        monkeypatch, capsys, "query", "DROP TABLE runs", "--json", "--data", str(data.root)
    )
    assert (status, json.loads(out)["error"]) == (1, "QueryError")
