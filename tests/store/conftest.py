"""Run logs, runs and small real disks for the tests of the store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.plain_records import run_manifest, step_record

from pitwall.core.actions import Effect, InputEvent, Invalid, Proposal, Refusal, SemanticAction, SentEvent
from pitwall.core.calls import CallOutcome, CallRecord, CallTimes, CallTokens, Purpose, Tier
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Prompt, Span, hash_of
from pitwall.core.runs import RunManifest
from pitwall.core.signals import Failure, Reason, Route, Signals
from pitwall.core.steps import StepRecord, Timings
from pitwall.store.run_log import RunLog

MakeStep = Callable[[int], StepRecord]
MakeCall = Callable[[int], tuple[CallRecord, Prompt]]
GRAMMAR = 'root ::= "flap" | "wait"'


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A data folder that does not exist yet."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def log(data: DataFolder) -> Iterator[RunLog]:
    """An open run log."""
    with RunLog.open(data) as opened:
        yield opened


@pytest.fixture
def manifest() -> RunManifest:
    return run_manifest(
        game_name="Flappy Bird",
        game_version="1.0",
        profile_hash="ab" * 32,
        seed=7,
        settings={"recording": {"step_frames": True, "jpeg_quality": 88}},
        thresholds={"refresh_steps": 4, "scene_change": 0.35},
        versions={"pitwall": "0.1.0", "python": "3.11"},
    )


@pytest.fixture
def make_step() -> MakeStep:
    """A plausible step by its number: every fourth is strategic, every fifth has a refused event."""

    def make(number: int) -> StepRecord:
        strategic = number % 4 == 0
        action = SemanticAction(name="flap", arguments={"hold_ms": 40})
        return step_record(
            number,
            at_ns=number * 250_000_000,
            frame_id=number * 8,
            route=Route.STRATEGIC if strategic else Route.REACTIVE,
            reasons=(Reason.REFRESH, Reason.STALL) if strategic else (),
            why="the last plan is four steps old" if strategic else "the plan still holds",
            signals=Signals(change=0.125, progress=number // 2, stall=number % 2, failure=Failure.LOCAL),
            fields={"bird_y": 201.5, "score": number, "dead": False, "text": "GET READY", "lost": None},
            proposal=Proposal(
                proposal_id=number // 4,
                situation="between two pipes",
                subgoal="pass the next pipe",
                candidates=(action, SemanticAction(name="wait")),
                stop="dead",
                source="skill keep_height",
                planned_ns=number,
            ),
            action=action,
            sent=(
                SentEvent(event=InputEvent(kind="key_down", key="Space"), sent_ns=number * 10),
                SentEvent(
                    event=InputEvent(kind="key_up", key="Space"),
                    sent_ns=None if number % 5 == 0 else number * 10 + 1,
                    refused=Refusal.RATE if number % 5 == 0 else None,
                ),
            ),
            effect=Effect.UNVERIFIED if number % 5 == 0 else Effect.CONFIRMED,
            timings=Timings(capture_ms=0.6, perceive_ms=2.0, reaction_ms=float(number), frame_age_ms=5.0),
            frame_ref=f"frames/{number:06d}.jpg",
        )

    return make


@pytest.fixture
def make_call() -> MakeCall:
    """A plausible call by its number, made for step 4 × number. Two calls in a row share a prompt.

    Every fifth has no action in its reply; every seventh came too late. They are asked with GRAMMAR.
    """

    def make(number: int) -> tuple[CallRecord, Prompt]:
        scene = number // 2
        prompt = Prompt(
            messages=(
                Message(
                    role="system",
                    spans=(
                        Span(layer=Layer.PROTOCOL, text="You drive a game.\n", item="protocol"),
                        Span(layer=Layer.SCHEMA, text="Actions: flap, wait\n", item="actions"),
                    ),
                ),
                Message(
                    role="user",
                    spans=(
                        Span(layer=Layer.SKILLS, text="bird_y > 240: flap\n", item="keep_height"),
                        Span(layer=Layer.STATE, text=f"scene {scene}, “GET READY”\n"),
                    ),
                    image=True,
                ),
            )
        )
        broken, late = number % 5 == 0, number % 7 == 0
        outcome = CallOutcome.INVALID if broken else CallOutcome.DROPPED if late else CallOutcome.USED
        record = CallRecord(
            call=number,
            step=4 * number,
            at_ns=4 * number * 250_000_000 - 5,
            purpose=Purpose.PLAN,
            tier=Tier.STRATEGIC,
            model="tiny",
            device="CPU",
            prompt_hash=prompt.content_hash,
            grammar_hash=hash_of(GRAMMAR),
            reply="I would rather not." if broken else '{"actions": ["flap", "wait"]}',
            finish="stop",
            outcome=outcome,
            problem="it holds no action" if broken else "",
            invalid=Invalid.NO_CALL if broken else None,
            proposed=0 if broken else 2,
            tokens=CallTokens(
                prompt=40,
                cached=30,
                output=8,
                by_layer={"L1": 10, "L2": 10, "L5": 9, "state": 7, "template": 4},
            ),
            times=CallTimes(queued_ms=0.5, first_token_ms=float(number), took_ms=10.0 * number),
        )
        return record, prompt

    return make


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Three mebibytes; skipped where mounting is not permitted."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux may mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"mounting is not permitted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
