"""A suite's report: everything is in the file, nothing comes from elsewhere, what others wrote stays text."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.pitwall_bench.suites.made_runs import run

from pitwall.core.errors import PitwallError
from pitwall_bench.suites.folder import TaskFacts
from pitwall_bench.suites.report.figure_format import interval
from pitwall_bench.suites.report.html_page import html_of
from pitwall_bench.suites.report.writer import formats_named, write_report
from pitwall_bench.suites.results import SuiteProgress
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.statistics import SHARES, mean_of
from pitwall_bench.suites.summary import Summary, summarise

_EVIL = "<script>alert(1)</script> & =1+1"


def _summary(name: str = "trial") -> Summary:
    agents = ["skills", "idle"]
    runs = [
        run(agent, task=task, seed=seed, progress=1.0 if agent == "skills" else 0.1, score=3.0, unit="pipes")
        for agent in agents
        for task in ("easy_one", "hard_one")
        for seed in (1, 2)
    ]
    runs += [run("idle", task="easy_one", seed=3, ended="launch", why=_EVIL)]
    spec = SuiteSpec.model_validate(
        {
            "name": name,
            "description": _EVIL,
            "games": [{"game": "flappy", "tasks": ["easy_one", "hard_one"]}],
            "agents": [{"name": agent} for agent in agents],
            "seeds": [1, 2],
        }
    )
    facts = tuple(_fact(task) for task in ("easy_one", "hard_one"))
    return summarise(name, spec, runs, board=SuiteProgress(state="done", done=9, of=9), facts=facts, at=1.0)


def _fact(task: str) -> TaskFacts:
    return TaskFacts(
        game="flappy",
        game_name="Flappy",
        task=task,
        instruction=_EVIL,
        genre="runner",
        level=1,
        start=0.0,
        target=5.0,
        unit="pipes",
        steps=40,
        verified=True,
    )


class _Page(HTMLParser):
    """Tags that are open, tags there were, what is linked, and the text of a page."""

    _VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_stands_alone_and_is_whole() -> None:
    text = html_of(_summary(), _summary("other"))
    page = _Page(text)
    assert page.open == []
    assert "script" not in page.tags and page.links == []
    assert "url(" not in text and "@import" not in text and "http" not in text
    assert _EVIL in page.text, "what others wrote is shown as text"
    assert page.tags.count("svg") >= 4
    assert all(word in page.text for word in ("Do the agents differ?", "Not played", "Compared with other"))
    assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_every_figure_of_a_drawing_stands_in_a_table_too() -> None:
    page = _Page(html_of(_summary()))
    for text in ("100 % (4/4)", "40 … 100 %", "1 control and timing", "launch 1", "runner"):
        assert text in page.text, text


def test_a_suite_in_which_nothing_was_played_has_a_page_too() -> None:
    spec = SuiteSpec.model_validate(
        {"name": "none", "games": [{"game": "flappy"}], "agents": [{"name": "skills"}]}
    )
    for runs in ([], [run(ended="launch")]):
        assert _Page(html_of(summarise("none", spec, runs))).open == []


def test_files_of_every_format(tmp_path: Path) -> None:
    files = write_report(_summary(), tmp_path / "report")
    assert [file.name for file in files] == [
        "report.html",
        "runs.csv",
        "tasks.csv",
        "summary.json",
        "tables.tex",
    ]
    runs = list(csv.DictReader(io.StringIO(files[1].read_text(encoding="utf-8"))))
    assert len(runs) == 9
    (failed,) = [row for row in runs if row["played"] == "0"]
    assert (failed["ended"], failed["progress"], failed["why"]) == ("launch", "", _EVIL)
    tasks = list(csv.DictReader(io.StringIO(files[2].read_text(encoding="utf-8"))))
    assert (tasks[0]["agent"], tasks[0]["task"], tasks[0]["wins"]) == ("skills", "easy_one", "2")
    assert json.loads(files[3].read_text(encoding="utf-8"))["agents"][0]["success"]["share"] == 1.0
    latex = files[4].read_text(encoding="utf-8")
    assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}") == 3
    assert "easy\\_one" in latex and "100.0 [39.8, 100.0]" in latex


def test_csv_holds_nothing_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    summary = _summary().model_copy(update={"runs": (run(ended="crashed", why="=cmd()"),)})
    (file, _) = write_report(summary, tmp_path, ["csv"])
    assert "'=cmd()" in file.read_text(encoding="utf-8")


def test_a_report_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    home = str(Path.home())
    failed = run(ended="crashed", why=f"{home}/games/secret-game: no such file.")
    spec = SuiteSpec.model_validate(
        {"name": "t", "games": [{"game": "flappy"}], "agents": [{"name": "skills"}]}
    )
    summary = summarise("t", spec, [failed], file=f"{home}/mine/t.yaml")
    for file in write_report(summary, tmp_path / "report"):
        text = file.read_text(encoding="utf-8")
        assert f"{home}/" not in text, file.name
    assert "~/games/secret-game: no such file." in text_of(tmp_path / "report" / "runs.csv")
    assert json.loads(text_of(tmp_path / "report" / "summary.json"))["file"] == "t.yaml"


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_the_mean_of_a_single_run_has_no_interval(tmp_path: Path) -> None:
    spec = SuiteSpec.model_validate(
        {"name": "t", "games": [{"game": "flappy"}], "agents": [{"name": "skills"}]}
    )
    for runs, bounds in (([0.4], ("", "")), ([0.2, 0.6], ("0.0", "1.0"))):
        played = [run(seed=seed, progress=progress) for seed, progress in enumerate(runs)]
        files = write_report(summarise("t", spec, played), tmp_path, ["csv", "latex"])
        (row,) = csv.DictReader(io.StringIO(text_of(files[1])))
        assert (row["progress"], row["progress_low"], row["progress_high"]) == ("0.4", *bounds)
        assert (" 40.0 &" in text_of(files[2])) is (len(runs) == 1)
    one, two = mean_of([0.4]), mean_of([0.35, 0.45], within=SHARES)
    assert (interval(one), interval(two)) == ("–", "0 … 100 %")


def test_an_unknown_format_gets_the_nearest_name() -> None:
    with pytest.raises(PitwallError, match="Did you mean 'latex'"):
        formats_named(["latx"])
    assert formats_named(["json", "html"]) == ("html", "json")
