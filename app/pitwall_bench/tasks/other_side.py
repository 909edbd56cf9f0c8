"""The other side of a task for two: a second agent in the same window, with a data folder of its own.

It is a second `pitwall run` that starts no game: it finds the window that the judged side opened. Each side
knows which role plays beside it, so neither takes the other's keys for a takeover.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.games.actions.vocabulary import role_of
from pitwall.games.schema.profile import Game, Task
from pitwall_bench.suites.bounds import Bounds
from pitwall_bench.suites.results import SideRun
from pitwall_bench.tasks.command import command_of
from pitwall_bench.tasks.messages import PlayTask
from pitwall_bench.tasks.session_folder import furnish
from pitwall_evaluation.agent_process import AgentProcess, AgentReports, agent_process, last_complaints
from pitwall_evaluation.sandbox import Sandbox, folder_errors
from pitwall_evaluation.truth.state import TrueState, score

SIDES = "sides"
"""Folder of a session with a data folder for each side that is not judged."""


class OtherSide:
    """Plays the other side of one order, unless a person does.

    Args:
        sandbox: of the judged side.
    """

    def __init__(self, order: PlayTask, game: Game, task: Task, sandbox: Sandbox) -> None:
        self._agent = order.agent.other_side
        self._task = task.model_copy(
            update={
                "role": task.other_role,
                "other_role": role_named(game, task.role),
                "instruction": task.other_instruction or task.instruction,
                "scenario": "",
            }
        )
        self._order = order.model_copy(update={"agent": self._agent, "memory": None})
        self._game = game
        data = DataFolder(side_folder(sandbox.data.root, task.other_role))
        self._sandbox = replace(sandbox, data=data, errors=data.root / "errors.txt", control=None)
        self._play: AgentProcess | None = None
        self._heard = AgentReports(0.0)

    @property
    def by_person(self) -> bool:
        """Return whether a person plays this side."""
        return self._agent.kind == "person"

    @property
    def begun(self) -> bool:
        """Return whether its run has begun; a person's has."""
        return self.by_person or self._heard.began_s is not None

    @contextlib.contextmanager
    def playing(self, bounds: Bounds, seconds: float | None) -> Iterator[None]:
        """Run the second agent for the time of the block.

        Args:
            bounds: of the judged side; its steps do not end this side. seconds: latest end.

        Raises:
            DataFolderError: its data folder cannot be made.
        """
        if self.by_person:
            yield
            return
        data = self._sandbox.data
        with folder_errors(data.root):
            data.root.mkdir(parents=True, exist_ok=True)
            furnish(data, DataFolder(self._order.data), self._agent, self._game)
        unbound = replace(bounds, steps=sys.maxsize)
        command = command_of(self._order, self._task, data, bounds=unbound, seconds=seconds)
        with agent_process([*command, "--no-launch"], self._sandbox, self._game) as play:
            self._play, self._heard = play, play.heard
            yield

    def hear(self) -> None:
        """Take in its reports since the last call."""
        if self._play is not None:
            self._play.hear()

    @property
    def fault(self) -> str:
        """Return a sentence if it ended although its own budget did not end it; else nothing."""
        heard = self._heard
        if self._play is None or not self._play.ended:
            return ""
        if heard.summary is not None and heard.summary.outcome in ("finished", "stopped"):
            return ""
        state = heard.failed or heard.held
        message = f"{state.text} {state.fix}".strip() if state is not None else ""
        known = message or heard.fault or heard.complaint or last_complaints(self._sandbox)
        return f"the agent of the other side, {self._task.role}, ended: {known or 'it gave no reason.'}"

    def side(self, state: TrueState | None) -> SideRun:
        """Return the side's figures.

        Args:
            state: the run's last true state.
        """
        return side_run(self._game, self._task.role, self._agent.name, self._heard, state)


def role_named(game: Game, role: str) -> str:
    """Return the role of this name; empty: the game's first."""
    chosen = role_of(game.profile, role)
    return chosen.name if chosen is not None else ""


def side_run(game: Game, role: str, agent: str, heard: AgentReports, state: TrueState | None) -> SideRun:
    """Return the figures of one side.

    Args:
        state: the run's last true state; None: there was none.
    """
    chosen, own = role_of(game.profile, role), None
    if chosen is not None and chosen.score and state is not None:
        with contextlib.suppress(PitwallError):
            own = score(state, chosen.score)
    figures = heard.summary or RunSummary()
    return SideRun(
        role=chosen.name if chosen is not None else role,
        agent=agent,
        score=own,
        steps=max(heard.steps, figures.steps),
        proposed=figures.proposed_actions or figures.steps,
        invalid=figures.illegal_actions if figures.proposed_actions else figures.invalid,
        refusals=figures.refusals,
        summary=heard.summary,
        run_id=heard.run_id,
    )


def side_folder(session: Path, role: str) -> Path:
    """Return the data folder of a side that is not judged."""
    return session / SIDES / role
