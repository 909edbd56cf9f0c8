"""Lets a version of a game sense module decide again on the frames of a recorded run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.clock import NS_PER_MS, ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus, Value
from pitwall.core.paths import DataFolder
from pitwall.core.steps import ReflexRecord, StepRecord
from pitwall.engine.replaying.deciding_again import NOTHING, DecidedAgain, done, module_drove
from pitwall.engine.replaying.recorded_session import RecordedSession
from pitwall.games.schema.profile import Game
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.playable import module_of
from pitwall.gsm.policy_module import ENDED, Decision
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.host_client import HostClient

_PLAYED = (GameStatus.PLAYING.value, GameStatus.READY.value)
_LATE_NS = 100 * NS_PER_MS
"""How long after a step's picture a decision was still made on it."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """A moment of a run at which something was decided. start: counts the starts of who decided."""

    step: StepRecord
    at_ns: int
    did: str
    values: Mapping[str, Value]
    start: int


class ModuleAgain:
    """A version of a module on the moments of a recorded run.

    Args:
        version: empty: the one that drives now.

    Raises:
        UnknownModule, BadPolicy: there is no such version, or it cannot be loaded.
    """

    def __init__(
        self, data: DataFolder, game: Game, session: RecordedSession, module: str, version: str
    ) -> None:
        self._folder = ModuleFolder(data, game, module)
        self.version = version or self._folder.must_drive()
        about = self._folder.about(self.version)
        self._seen: list[Decision] = []
        plays = {"on_decision": self._seen.append} if about.kind != "rules" else {}
        self._host = HostClient(data.logs) if isinstance(about.learned, PixelSpace) else None
        try:
            self._module = module_of(self._folder, about, host=self._host, **plays)()
        except BaseException:
            self.close()
            raise
        self._sees = about.learned is not None and about.learned.vision is not None
        self._chosen = about.learned.actions if about.learned is not None else []
        self._ruled = about.kind == "rules"
        self._session = session
        self._actions: dict[str, list[str]] = {}

    def close(self) -> None:
        """End the host, where a pixel policy needed one."""
        if self._host is not None:
            self._host.close()

    def decide(self, steps: Sequence[StepRecord], frames: Sequence[ReflexRecord]) -> Iterator[DecidedAgain]:
        """Decide at every moment of these steps.

        Args:
            frames: what learned modules decided in the run, frame by frame.
        """
        start = None
        for moment in self._moments(steps, frames):
            if moment.values.get("status") not in _PLAYED:
                continue
            if moment.start != start:
                start = moment.start
                self._module.begin()
            pixels = self._session.show(moment.step).frame.pixels if self._sees else None
            if self._sees and not self._session.pictured:
                continue
            began = now_ns()
            self._seen.clear()
            would = self._module.act(moment.values, moment.at_ns, pixels) or NOTHING
            if self._module.problem is not None:
                raise self._module.problem
            if self._seen:  # the surest of what it would do, as the run log keeps it
                would = self._chosen[self._seen[-1].action] or NOTHING
            if self._ruled or self._seen:  # else it passes this frame over
                yield DecidedAgain(
                    step=moment.step.step,
                    at_ms=moment.at_ns / NS_PER_MS,
                    did=moment.did,
                    would=would,
                    took_ms=ms_between(began, now_ns()),
                    picture=moment.step.frame_ref,
                )

    def _moments(self, steps: Sequence[StepRecord], frames: Sequence[ReflexRecord]) -> Iterator[_Moment]:
        """The frames that were decided on, where their fields are enough; else each step's picture."""
        own = [row for row in frames if row.module == self._folder.declared.name and row.action != ENDED]
        at = 0
        for number, step in enumerate(steps):
            until = steps[number + 1].at_ns if number + 1 < len(steps) else None
            while at < len(own) and own[at].at_ns < step.at_ns:
                at += 1
            if not module_drove(step):
                values = {**step.fields, "status": step.status.value}
                yield _Moment(step, step.at_ns, done(step), values, -1)
                continue
            while at < len(own) and (until is None or own[at].at_ns < until):
                row, at = own[at], at + 1
                did = self._text(row)
                if did and (not self._sees or row.at_ns - step.at_ns <= _LATE_NS):
                    yield _Moment(step, row.at_ns, did, row.values, row.start)
                if self._sees:
                    break

    def _text(self, row: ReflexRecord) -> str:
        """What was decided, in the words of the version that did; empty where that version is gone."""
        if row.version not in self._actions:
            try:
                learned = self._folder.about(row.version).learned
            except PitwallError:
                learned = None
            self._actions[row.version] = learned.actions if learned is not None else []
        actions = self._actions[row.version]
        return (actions[row.action] or NOTHING) if row.action < len(actions) else ""
