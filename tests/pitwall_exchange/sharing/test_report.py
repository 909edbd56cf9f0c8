"""A run's report is one page that needs nothing else, and says nothing as markup that others wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.console.recorded_runs import record_run

from pitwall.core.paths import DataFolder
from pitwall.core.steps import RunEvent
from pitwall.store.export_source import ExportError
from pitwall_exchange.sharing.report import write_report


def test_a_report_holds_everything_and_needs_no_network(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    hostile = RunEvent(at_ns=10**9, kind="note", text="<script>alert(1)</script>")
    run_id = record_run(data, 60, frames=20, game="A <b>Game</b>", events=[hostile])
    made = write_report(data, run_id, tmp_path / "run.html", decisions=30)
    page = made.file.read_text(encoding="utf-8")
    assert (made.decisions, made.memory_changes) == (30, 0)
    assert page.count('<article class="decision') == 30
    assert page.count("data:image/jpeg;base64,") == len(re.findall(r"<img ", page)) > 5
    assert not re.search(r"""(src|href)=["'](?!data:)|https?://|@import|url\(""", page)
    assert "<script" not in page and "A &lt;b&gt;Game" in page
    assert "prefers-color-scheme: dark" in page
    for text in ("Timeline", "Steps by route: strategic 6", "Reaction", "3.2 ms median", "no stuck events"):
        assert text in page
    strategic = re.findall(r"<h3>Step (\d+) · [\d.]+ s · <span class=.route.>strategic", page)
    assert strategic == ["1", "11", "21", "31", "41", "51"]
    with pytest.raises(ExportError, match="is there already"):
        write_report(data, run_id, tmp_path / "run.html")
