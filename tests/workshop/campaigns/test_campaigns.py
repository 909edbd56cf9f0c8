"""A sample of each campaign holds; verdicts are kept and gone on with, and a case can be had again."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import pitwall

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from workshop.campaigns import soak
from workshop.campaigns.catalogue import CAMPAIGNS, campaign_named
from workshop.campaigns.harness import Campaign, Case, FellShort, Record, Trial, run_campaign, summary

SAMPLES = {
    "kills": 1,
    "focus": 3,
    "manifests": 6,
    "replies": 500,
    "rewards": 6,
    "injection": 300,
    "databases": 2,
    "models": 6,
    "imports": 2,
    "suites": 2,
    "exams": 2,
    "disk": 2,
    "soak": 1,
    "start-environments": 1,
    "start-games": 1,
}


Results = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def forked(
    screen: str, tmp_path_factory: pytest.TempPathFactory, campaign_size: Callable[[int], int]
) -> Results:
    """What came of those that fork their cases: never from a process with the threads of other tests.

    Those of as many cases share a command, and with it the played data that they damage.
    """
    assert screen
    result: Results = {}
    for count in sorted(set(SAMPLES.values())):
        names = [name for name, number in SAMPLES.items() if number == count and _runs_forked(name)]
        if not names:
            continue
        words = ("campaign", *names, "--seed", "1", "--count", str(campaign_size(count)), "--json")
        ran = pitwall(*words, data=DataFolder(tmp_path_factory.mktemp("campaign")), timeout_s=890)
        result |= {message["name"]: message for message in map(json.loads, ran.out.splitlines())}
    return result


def _runs_forked(name: str) -> bool:
    return CAMPAIGNS[name].alone and not (name == "disk" and (sys.platform != "linux" or os.geteuid() != 0))


def _is_long(name: str) -> bool:
    return CAMPAIGNS[name].alone or name in ("kills", "soak")


@pytest.mark.timeout(900)
@pytest.mark.screen
@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * _is_long(name)) for name in SAMPLES]
)
def test_a_sample_holds(
    name: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    campaign_size: Callable[[int], int],
) -> None:
    monkeypatch.setattr(soak, "SECONDS", 12)
    monkeypatch.setattr(soak, "_LOOK_S", 0.5)
    monkeypatch.setattr(soak, "WARM_S", 4.0)
    record, count = Record(None), campaign_size(SAMPLES[name])
    if CAMPAIGNS[name].alone and not _runs_forked(name):
        pytest.skip("only root on Linux may mount a small disk")
    if CAMPAIGNS[name].alone:
        result = request.getfixturevalue("forked")[name]
    else:
        run_campaign(CAMPAIGNS[name], record, seed=1, indices=range(count))
        result = summary(name, CAMPAIGNS[name], record, seed=1, count=count)
    assert result["fell_short"] == []
    assert result["done"] == count


def test_each_campaign_has_a_sample() -> None:
    by_hand = {"long-soak"}  # an hour; the sample of soak plays by the same code
    assert set(SAMPLES) | by_hand == set(CAMPAIGNS)


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    def trial(case: Case) -> str:
        number = case.chance.randrange(1_000)
        match case.index:
            case 3:
                raise FellShort(f"it was {number}")
            case 4:
                raise ValueError(f"it was {number}")
            case 5:
                os._exit(7)
        assert list(case.folder.iterdir()) == []
        return "odd" if number % 2 else "even"

    yield trial


CAMPAIGN = Campaign(tries="numbers are odd or even", rig=_rig)


def _ran(record: Record, *indices: int, stop_after: int = 100) -> list[int]:
    tried: list[int] = []
    run_campaign(
        CAMPAIGN,
        record,
        seed=9,
        indices=indices,
        should_stop=lambda: len(tried) >= stop_after,
        on_verdict=lambda verdict: tried.append(verdict.index),
    )
    return tried


def test_what_fell_short_is_told_and_can_be_had_again() -> None:
    record, again = Record(None), Record(None)
    assert _ran(record, *range(7)) == list(range(7))
    result = summary("numbers", CAMPAIGN, record, seed=9, count=7)
    assert [item["index"] for item in result["fell_short"]] == [3, 4, 5]
    assert "ValueError: it was" in result["fell_short"][1]["what"]
    assert "the process died" in result["fell_short"][2]["what"]
    assert result["fell_short"][0]["again"] == "pitwall campaign numbers --seed 9 --only 3"
    assert (result["done"], result["met"]) == (7, False)
    assert sum(result["outcomes"].values()) == 7
    _ran(again, 3, 6)
    assert again.verdicts[3].fell_short == record.verdicts[3].fell_short
    assert again.verdicts[6].outcome == record.verdicts[6].outcome


def test_a_campaign_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "campaigns" / "numbers-9.jsonl"
    assert _ran(Record(file), 0, 1, 2, 3, stop_after=2) == [0, 1]
    assert _ran(Record(file), 0, 1, 2, 3) == [2, 3]
    assert [json.loads(line)["index"] for line in file.read_text().splitlines()] == [0, 1, 2, 3]


def test_an_unknown_campaign_is_named() -> None:
    with pytest.raises(PitwallError, match="Did you mean 'kills'"):
        campaign_named("kill")


def test_the_command_keeps_its_results(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    ran = pitwall("campaign", "replies", "--seed", "5", "--count", "40", "--json", data=data)
    assert ran.status == 0, ran.err
    assert (ran.answer["done"], ran.answer["fell_short"]) == (40, [])
    kept = data.root / "campaigns" / "replies-5.json"
    assert json.loads(kept.read_text(encoding="utf-8"))["count"] == 40
    table = pitwall("campaign", "table", data=data)
    assert f"| replies | {CAMPAIGNS['replies'].tries} | 40 | 0 | 5 |" in table.out
