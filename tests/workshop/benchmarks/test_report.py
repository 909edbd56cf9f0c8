"""The shape every benchmark answers in, and the figures it is made of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pitwall.core.errors import PitwallError
from workshop.benchmarks.catalogue import BENCHMARKS, run_one
from workshop.benchmarks.report import check, figure, report, spread
from workshop.fixtures.cpu_time import cpu_seconds, descendants, display_server


def _answer(*, met: bool) -> dict[str, object]:
    return check("pixel to key", "ms", spread([1.0]), aim="≤ 2 ms", met=met)


def test_a_benchmark_is_met_when_every_check_is() -> None:
    assert report("x", [_answer(met=True), _answer(met=True)])["met"] is True
    assert report("x", [_answer(met=True), _answer(met=False)])["met"] is False


def test_a_report_has_the_promised_keys_and_survives_json() -> None:
    checks = [
        check("a", "ms", spread([1, 2, 3]), aim="≤ 3", met=True, peer=("bare loop", 2.5), ratio=0.8),
        check("b", "%", figure(4.0), aim="≤ 5 %", met=bool(np.bool_(True))),
    ]
    text = json.loads(json.dumps(report("x", checks, frame="640×480")))
    assert set(text) == {"name", "met", "conditions", "checks"}
    assert text["conditions"]["frame"] == "640×480"
    assert text["conditions"]["cores"] == os.cpu_count()
    assert "pitwall" in text["conditions"]["versions"]
    compared, alone = text["checks"]
    assert set(compared) == {"name", "unit", "ours", "peer", "ratio", "aim", "met"}
    assert compared["peer"] == {"name": "bare loop", "p50": 2.5}
    assert compared["ours"]["n"] == 3
    assert (alone["peer"], alone["ratio"], alone["ours"]["p99"]) == (None, None, None)


def test_percentiles() -> None:
    assert spread(range(101)) == {"p50": 50.0, "p95": 95.0, "p99": 99.0, "n": 101}


def test_an_unknown_benchmark_gets_the_nearest_name() -> None:
    with pytest.raises(PitwallError) as caught:
        run_one("recation", quick=True)
    assert "'reaction'" in caught.value.fix
    with pytest.raises(PitwallError) as caught:
        run_one("zzz", quick=True)
    assert all(name in caught.value.fix for name in BENCHMARKS)


def test_the_trigger_is_compared_with_its_peer() -> None:
    text = run_one("trigger", quick=True)
    speed, error = text["checks"]
    assert speed["peer"]["name"] == "Pillow"
    assert speed["ratio"] == pytest.approx(speed["peer"]["p50"] / speed["ours"]["p50"])
    assert error["met"], "ours and SPEC §1 as Pillow renders it must find the same changes"


def test_processor_time_is_that_of_the_whole_tree() -> None:
    spin = "while True: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"
    process = subprocess.Popen([sys.executable, "-c", parent], start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while len(tree := descendants(process.pid)) < 2 or cpu_seconds(tree[1:]) < 0.2:
            assert time.monotonic() < deadline, "the child's time was never counted"
            time.sleep(0.02)
        assert cpu_seconds(tree) >= cpu_seconds(tree[1:])
    finally:
        os.killpg(process.pid, 9)
        process.wait()
    assert cpu_seconds(tree[:1]) == 0.0


def test_the_display_server_is_found(screen: str) -> None:
    pid = display_server()
    assert pid is not None
    assert "Xvfb" in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8"), screen
