"""Runs a campaign: judges case after case from a seed and saves the verdicts, so that it can resume."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pitwall import __version__
from workshop.campaigns.isolation import isolated


@dataclass(frozen=True, slots=True)
class Case:
    """One case; seed and index determine everything about it.

    Attributes:
        folder: empty, and removed afterwards.
    """

    seed: int
    index: int
    folder: Path
    chance: random.Random


class FellShort(Exception):
    """A case failed; says what was done and what happened.

    Args:
        figures: what was measured before.
    """

    def __init__(self, text: str, figures: Mapping[str, Any] | None = None) -> None:
        super().__init__(text)
        self.figures = dict(figures or {})


@dataclass(frozen=True, slots=True)
class Ended:
    """How a case ended, with what was measured."""

    outcome: str
    figures: Mapping[str, Any]


Trial = Callable[[Case], str | Ended]
"""Tries one case, and returns in a word or two how it ended; raises FellShort."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """A kind of hostile cases.

    Attributes:
        tries: what is done, and what must hold, in a sentence.
        rig: prepares what all cases share, in a folder of its own.
        screen: it needs one. alone: each case runs in a process of its own, within bounds.
        patience_s: time limit of a case that runs alone.
        cases: the number of existing cases; None: as many as are wanted.
    """

    tries: str
    rig: Callable[[Path], AbstractContextManager[Trial]]
    screen: bool = False
    alone: bool = True
    patience_s: float = 60.0
    cases: Callable[[], int] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case's outcome; `fell_short` is empty if everything held, `figures` where nothing is measured."""

    index: int
    outcome: str
    fell_short: str
    seconds: float
    figures: Mapping[str, Any] = field(default_factory=dict)


class Record:
    """Saves the verdicts of one campaign and seed in a file, one a line.

    Args:
        file: None: nothing is saved.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.verdicts: dict[int, Verdict] = {}
        if file is not None and file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                verdict = Verdict(**json.loads(line))
                self.verdicts[verdict.index] = verdict

    def add(self, verdict: Verdict) -> None:
        """Save a verdict."""
        self.verdicts[verdict.index] = verdict
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(verdict), ensure_ascii=False) + "\n")


def run_campaign(
    campaign: Campaign,
    record: Record,
    *,
    seed: int,
    indices: Iterable[int],
    should_stop: Callable[[], bool] = lambda: False,
    on_verdict: Callable[[Verdict], None] = lambda _verdict: None,
) -> None:
    """Try the cases of these indices that have no verdict yet."""
    left = [index for index in indices if index not in record.verdicts]
    if not left:
        return
    with tempfile.TemporaryDirectory(prefix="pitwall-campaign-") as scratch:
        shared = Path(scratch, "shared")
        shared.mkdir()
        with campaign.rig(shared) as trial:
            for index in left:
                if should_stop():
                    return
                folder = Path(scratch, str(index))
                folder.mkdir()
                case = Case(seed, index, folder, random.Random(f"{seed} {index}"))
                verdict = _judged(campaign, trial, case)
                shutil.rmtree(folder, ignore_errors=True)
                record.add(verdict)
                on_verdict(verdict)


def _judged(campaign: Campaign, trial: Trial, case: Case) -> Verdict:
    began_s = time.monotonic()
    fell_short, figures = "", dict[str, Any]()
    try:
        ended = isolated(trial, case, campaign.patience_s) if campaign.alone else trial(case)
        outcome = ended.outcome if isinstance(ended, Ended) else ended
        figures |= ended.figures if isinstance(ended, Ended) else {}
    except FellShort as short:
        outcome, fell_short, figures = "fell short", str(short), short.figures
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome = "fell short"
        fell_short = (
            f"{type(error).__name__}: {str(error)[:400]} ({Path(where.filename).name}:{where.lineno})"
        )
    return Verdict(case.index, outcome, fell_short, round(time.monotonic() - began_s, 3), figures)


def summary(name: str, campaign: Campaign, record: Record, *, seed: int, count: int) -> dict[str, Any]:
    """Count the cases tried and failed, with the command that repeats each failed case."""
    verdicts = [record.verdicts[index] for index in range(count) if index in record.verdicts]
    short = [verdict for verdict in verdicts if verdict.fell_short]
    return {
        "name": name,
        "tries": campaign.tries,
        "seed": seed,
        "count": count,
        "done": len(verdicts),
        "figures": [
            {**verdict.figures, "outcome": verdict.outcome} for verdict in verdicts if verdict.figures
        ],
        "outcomes": dict(Counter(verdict.outcome for verdict in verdicts).most_common()),
        "fell_short": [
            {
                "index": verdict.index,
                "what": verdict.fell_short,
                "again": f"pitwall campaign {name} --seed {seed} --only {verdict.index}",
            }
            for verdict in short
        ],
        "met": not short and len(verdicts) == count,
        "seconds": round(sum(verdict.seconds for verdict in verdicts), 1),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": __version__,
    }
