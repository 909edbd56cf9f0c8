"""Trains a version of a module without a twin: `pitwall learn` plays the game in a process of its own."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from signal import SIGTERM
from typing import IO, Any

from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import duration_text
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.link.child_process import dies_with_parent
from pitwall.link.input_reader import InputReader
from pitwall.link.virtual_screen import variables_of, virtual_screen
from pitwall_lab.analysis.seen_values import Seen
from pitwall_lab.game_trials.truth import is_started
from pitwall_lab.rewards.contract import RewardCall, changes
from pitwall_lab.trials.twin_trials import JudgingStopped

_TICK_S = 0.2
_ENOUGH, _LATE_S = 0.9, 5.0
"""Share of the ordered play that is enough, and time for which a game may begin and end."""
_LEAST_MINUTES = 0.1
_UNREAD = 0.05
"""Share of a made state's fields that were not read."""


def learn_by_playing(
    data: DataFolder,
    folder: ModuleFolder,
    about: VersionRecord,
    *,
    minutes: float,
    seed: int,
    on_progress: Callable[[float, float, str], None] = lambda _done, _of, _text: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> VersionRecord:
    """Let a version learn by playing until it has played for so many minutes in all; return its record.

    It then has its best policy. The game is started on a virtual screen; a game without a start command is
    played in its open window.

    Args:
        about: a version that learns by playing.
        on_progress: called with the done part, the whole, and a sentence.

    Raises:
        JudgingStopped: it was asked to stop; what was learned is kept.
        PitwallError: the game could not be played, nothing was learned, or play ended clearly too early.
    """
    left = max(_LEAST_MINUTES, minutes - about.wall_s / 60.0)
    named = ["--game", folder.game.reference, "--module", folder.declared.name, "--version", about.version]
    terms = ["--minutes", f"{left:g}", "--seed", str(seed), "--data", str(data.root), "--json"]
    with ExitStack() as stack:
        variables = dict(os.environ)
        if is_started(folder.game):
            variables |= variables_of(stack.enter_context(virtual_screen()))
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "pitwall", "learn", *named, *terms],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=variables,
                preexec_fn=dies_with_parent(SIGTERM),
            )
        )
        assert process.stdout is not None
        answer, stopped = _followed(process, process.stdout, on_progress, should_stop)
    if stopped:
        raise JudgingStopped("learning was stopped.")
    now = folder.about(about.version)
    if process.returncode or not now.policy_sha256:
        what = str(answer.get("what") or f"{folder.name} {about.version} learned nothing.")
        raise PitwallError(what, str(answer.get("fix") or f"See {folder.folder(about.version)}."))
    if not has_played(now, minutes):
        failed = [now.note] if now.standing is VersionStatus.FAILED else []
        notes = " ".join([*failed, *answer.get("notes", [])]) or "Play ended early."
        played = f"{duration_text(now.wall_s)} of {duration_text(60.0 * minutes)}"
        raise PitwallError(f"{folder.name} {about.version} learned from {played} of play. {notes}")
    return now


def has_played(about: VersionRecord, minutes: float) -> bool:
    """Return whether a version that learns by playing has played for about so many minutes."""
    return about.wall_s >= _ENOUGH * 60.0 * minutes - _LATE_S


def _followed(
    process: subprocess.Popen[bytes],
    output: IO[bytes],
    on_progress: Callable[[float, float, str], None],
    should_stop: Callable[[], bool],
) -> tuple[dict[str, Any], bool]:
    """Follow the process to its end; return its last message, and whether it was stopped."""
    reader, received, last, stopped = InputReader(output), b"", dict[str, Any](), False
    while (piece := reader.next(_TICK_S)) != b"":
        if should_stop() and not stopped:
            stopped = True
            process.terminate()  # like its stop command: the best policy is saved
        *lines, received = (received + (piece or b"")).split(b"\n")
        for line in lines:
            last = _message(line) or last
            if "progress" in last:
                on_progress(float(last["progress"]), float(last["of"]), str(last.get("doing", "")))
    process.wait()
    return _message(received) or last, stopped


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def made_transitions(seen: Seen, actions: Sequence[str], *, count: int, seed: int) -> list[RewardCall]:
    """Make transitions for trying a reward function, of values that the fields were seen to have."""
    chance, calls = random.Random(seed), list[RewardCall]()
    before = _state(seen, chance)
    for step in range(1, count + 1):
        after, action = _state(seen, chance), chance.randrange(len(actions))
        calls.append(
            RewardCall(
                prev_state=before,
                next_state=after,
                action_idx=action,
                done=step % 50 == 0,
                action_history=(action,),
                action_state_changes=(changes(before, after),),
                step_time=step / 10.0,
                step=step,
            )
        )
        before = after
    return calls


def _state(seen: Seen, chance: random.Random) -> dict[str, Value]:
    return {
        name: None if chance.random() < _UNREAD else chance.choice(values)
        for name, values in seen.items()
        if values
    }
