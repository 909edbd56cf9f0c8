"""`pitwall learn`: plays a game and learns it meanwhile, from the screen alone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

from pitwall.cli.games.new import added
from pitwall.cli.games.opening import window_number
from pitwall.cli.games.order import NewGameOrder
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.order_command import order_command
from pitwall.cli.play.headless import play
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import raising_on_stop, stop_requested
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.core.settings import load_settings
from pitwall.desktops.window_search import find_window
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall.link.autoplay import PlayResult
from pitwall_lab.cli.arguments import read_source, training_packages
from pitwall_lab.cli.teach import install_needed
from pitwall_lab.cli.training_run import OUTPUT
from pitwall_lab.design.document import designed_reward
from pitwall_lab.live.curve import LearningCurve, LearningSession, learning_curve, learning_session
from pitwall_lab.live.finding import found_in_play
from pitwall_lab.live.learner_process import LearnerProcess
from pitwall_lab.live.learning_play import LearningPlay
from pitwall_lab.live.memory_entry import keep_in_memory, memory_edit
from pitwall_lab.live.module import begin, learning_module, named_version, needs_play, newest_version
from pitwall_lab.orders import LearnOrder
from pitwall_lab.training.new_version import REWARD_FILE
from pitwall_lab.training_log import LOG, Point, TrainingLog

_ACTIONS = ("left=ArrowLeft", "right=ArrowRight", "up=ArrowUp", "down=ArrowDown", "space=Space")
"""Actions of a window of which nothing else is known."""
_WATCH_S, _TAKE = 30.0, 50.0
_MENU_S = 60.0
"""Longest stay in a menu or at the game's end before learning ends."""
_LOOK_S, _STOP_LOOK_S = 1.0, 0.2
_LOOKED_S = 30.0
_SHORT_S = 1.5


@order_command
def learn(order: LearnOrder, data: DataOption = None, json: JsonOption = False) -> None:
    """Learn a game by playing it. Ctrl+C stops and keeps the best; given again, it goes on."""
    folder, report = data_folder(data), Reporter(json)
    report.result(*learned(order, folder, report))


def learned(order: LearnOrder, folder: DataFolder, report: Reporter) -> tuple[dict[str, Any], list[str]]:
    """Learn a game by playing it; return the result as JSON and in lines."""
    install_needed(folder, report)
    with screen_or_virtual() if order.plays else nullcontext(), training_packages():
        game = _game(order, folder, report)
        proposals = None
        if order.plays and not order.module and needs_play(game.profile):
            proposals = found_in_play(folder, game)
            if not proposals:
                report.line("Its screen tells little: the default agent plays, to find what moves in it.")
                look_at(folder, game.reference, window=order.window, seed=order.seed)
                proposals = None
        module = learning_module(folder, game, order.module, proposals)
        about = _version(order, module)
        if order.plays:
            with raising_on_stop(KeyboardInterrupt):  # `play` hears a stop by itself while it plays
                return _Learning(folder, module, about.version, order, report).run()
        with stop_requested() as stopping:
            return _Learning(folder, module, about.version, order, report).run_beside(stopping)


def _version(order: LearnOrder, module: ModuleFolder) -> VersionRecord:
    """Return the version that learns on, or a new version."""
    begins = order.fresh or order.reward is not None
    if order.version and begins:
        raise PitwallError(f"{order.version} cannot learn on and begin anew.", "Leave out --version.")
    if order.version:
        return named_version(module, order.version)
    reward = read_source(order.reward) if order.reward is not None else designed_reward(module)
    return (None if begins else newest_version(module)) or begin(module, reward)


def _game(order: LearnOrder, folder: DataFolder, report: Reporter) -> Game:
    """Return the named game, the game of the named window, or a new game of that window."""
    registry = Registry(folder)
    if order.game:
        return registry.load(order.game)
    number = window_number(order.window)
    if number is None:
        raise PitwallError("no game is named.", "Give --game NAME, or --window ID (see: pitwall windows).")
    for entry in registry.games():
        if entry.fault:
            continue
        game = registry.load(entry.game_id)
        match = game.profile.window
        window = find_window(title=match.title, wm_class=match.wm_class)
        if window is not None and window.native_id == number:
            return game
    report.line("The window is no game yet: it is watched for its score while the keys are tried.")
    new = NewGameOrder(
        window=order.window,
        action=order.action or _ACTIONS,
        field=order.field,
        start=order.start,
        again=order.again,
        tries=bool(order.start or order.again),
        watch_s=_WATCH_S,
        take=_TAKE,
    )
    body, lines = added(new, folder, report)
    for line in lines:
        report.line(line)
    return registry.load(body["game"])


def look_at(folder: DataFolder, game: str, *, window: str = "", seed: int = 0) -> None:
    """Let the default agent play a game for a moment, so that its run can be looked at."""
    settings = load_settings(folder.settings).with_value("control", "planner", "explore")
    opening = commands.Open(game=game, window_id=window_number(window), settings=settings, seed=seed or None)
    play(folder, opening, commands.Start(seconds=_LOOKED_S))


class _Learning:
    """A session of play with the training beside it."""

    def __init__(
        self, data: DataFolder, module: ModuleFolder, version: str, order: LearnOrder, report: Reporter
    ) -> None:
        self._data, self._module, self._version = data, module, version
        self._order, self._report = order, report
        self._folder = module.folder(version)
        self._log = TrainingLog(self._folder / LOG)
        self._look_s = 0.0
        self._began_at = self._shown_at = time.time()
        self._notes: list[str] = []
        self._shown_note = ""
        self._learner = LearnerProcess(data, module, version, self._folder / OUTPUT, order)

    def run_beside(self, stopping: Callable[[], bool]) -> tuple[dict[str, Any], list[str]]:
        """Learn while the version plays elsewhere, until it is stopped or its parent has ended."""
        parent = os.getppid()
        try:
            if self._learner.wait_ready(stopping):
                ready = {"ready": True, "module": self._module.declared.name, "version": self._version}
                learns = f"{self._module.name} {self._version} learns from what it plays now."
                self._report.event(ready, learns)
            while not stopping() and os.getppid() == parent:
                self._look(None)
                time.sleep(_STOP_LOOK_S)
        finally:
            self._learner.stop()
        self._log.follow()
        curve = learning_curve(self._log.points)
        body, lines = self._result(PlayResult(), curve)
        return {**body, "memory_edit": memory_edit(self._data, self._module, self._version, curve)}, lines

    def run(self) -> tuple[dict[str, Any], list[str]]:
        """Play and learn; return the result."""
        order, name, game = self._order, self._module.name, self._module.game
        self._report.line(f"{name} {self._version} learns; its reward: {self._folder / REWARD_FILE}")
        settings = load_settings(self._data.settings).with_value("control", "planner", "skills")
        opening = commands.Open(
            game=game.reference,
            window_id=window_number(order.window),
            settings=settings,
            seed=order.seed or None,
            modules={self._module.declared.name: self._version},
            explore=1.0,
        )
        start = commands.Start(seconds=order.minutes * 60.0)
        try:
            self._learner.wait_ready()
            chords = settings.hotkeys.as_chords()
            autoplay = LearningPlay(start, menu_s=_MENU_S, tell=self._note, start_key=chords.start)
            result = play(self._data, opening, start, autoplay=autoplay, on_record=self._look)
        finally:
            self._learner.stop()
        self._log.follow()
        self._report.end_progress()
        curve = learning_curve(self._log.points)
        try:
            keep_in_memory(self._data, self._module, self._version, curve)
        except PitwallError as error:
            self._note(f"What it learned does not stand in the memory: {error}")
        return self._result(result, curve)

    def _look(self, _: Any) -> None:
        """Report new points of the curve, and mind the training, once a second."""
        if (now := time.monotonic()) < self._look_s:
            return
        self._look_s = now + _LOOK_S
        if message := self._learner.look():
            self._note(message)
        state = self._log.state
        if state is not None and state.at >= self._began_at and state.why not in ("", self._shown_note):
            self._shown_note = state.why
            self._note(state.why)
        points = self._log.points if self._log.follow() else []
        if points and points[-1].at > self._shown_at:
            point, curve = points[-1], learning_curve(points)
            self._shown_at = point.at
            before_s = learning_session(points, self._began_at).before_s
            self._report.progress(
                round(point.wall_s, 1),
                round(before_s + self._order.minutes * 60.0, 1),
                f"{point.wall_s / 60:.1f} min: {_score(curve)}; {point.epsilon:.0%} by chance{_world(point)}",
                score=curve.minutes[-1].score,
                chance=curve.chance,
                explore=point.epsilon,
                explained=point.explained,
            )

    def _note(self, message: str) -> None:
        self._notes.append(message)
        self._report.event({"note": message}, message)

    def _result(self, result: PlayResult, curve: LearningCurve) -> tuple[dict[str, Any], list[str]]:
        about = self._module.about(self._version)
        game, module = self._module.game, self._module.declared.name
        session = learning_session(self._log.points, self._began_at)
        notes = [*self._notes, *_notes(curve, session, result)]
        played = f"pitwall run --game {game.reference} --module {module}={self._version}"
        body = {
            "game": game.game_id,
            "module": module,
            "version": self._version,
            "run_id": result.run_id,
            "summary": result.summary,
            **asdict(curve),
            "best": curve.best,
            "decisions": about.steps,
            "reward": self._folder / REWARD_FILE,
            "notes": notes,
            "play": played,
            "promote": f"pitwall gsm promote {self._module.name} {self._version}",
        }
        lines = [
            f"minute {minute.minute:3d}: {_number(minute.score)} {curve.counts} in "
            f"{counted(minute.games, 'game')}, {minute.explore:.0%} by chance"
            for minute in curve.minutes
        ]
        lines += [_score(curve), *notes, f"Let it play: {played}", f"Let it drive: {body['promote']}"]
        return body, lines


def _world(point: Point) -> str:
    return (
        "" if point.explained is None else f"; its learned world predicts {point.explained:.0%} of new play"
    )


def _score(curve: LearningCurve) -> str:
    best = curve.best
    learned = f"best minute {_number(best.score)}" if best is not None else "nothing learned yet"
    return f"{learned}, chance {_number(curve.chance)} {curve.counts} a game"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"


def _notes(curve: LearningCurve, session: LearningSession, result: PlayResult) -> list[str]:
    """Return sentences about what kept the module from learning."""
    notes: list[str] = []
    games = sum(minute.games for minute in curve.minutes)
    problem, fix = result.breakdown
    if problem:
        notes.append(f"{problem} {fix}".strip())
    if result.stuck is not None:
        notes.append(f"It was ended: the game stayed in its status {result.stuck} for {_MENU_S:g} s.")
    if not session.games:
        notes.append(f"No game ended: the curve has no {'new scores' if games else 'scores'}.")
    elif session.seconds / session.games < _SHORT_S:
        notes.append(
            f"A game lasted {session.seconds / session.games:.1f} s on average: hardly anything can be "
            "learned. Check how its end is recognised, and how it is begun again."
        )
    if games and curve.counts != "score":
        notes.append("No score was read: the curve shows how many decisions a game lasted.")
    best = curve.best
    if best is not None and curve.chance is not None and (best.score or 0.0) <= curve.chance:
        notes.append("It does not play better than chance yet: let it learn for longer.")
    return notes
