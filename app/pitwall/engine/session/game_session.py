"""The agent's view of a game: its window, the fields read from it, and the change since the last step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.actions import ResolvedAction
from pitwall.core.clock import NS_PER_S, ms_between, now_ns
from pitwall.core.commands import Open, PlayMode
from pitwall.core.errors import FaultLog, PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import WindowRef
from pitwall.core.injection import Configure
from pitwall.core.observations import GameStatus, Observation, Reading, Value
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.signals import Route, Signals
from pitwall.core.telemetry import FrameNote, GameOpened
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.model_manager import decider_name, settled
from pitwall.engine.perception.detection.detectors import Detectors, ModelAccess
from pitwall.engine.perception.detection.model_detector import DetectorModels
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.engine.perception.text import TextReader
from pitwall.engine.session.game_clock import ClockWatch, GameClock
from pitwall.engine.session.game_view import GameView
from pitwall.engine.session.moments import SceneSnapshot, StepReference
from pitwall.engine.session.passages import Passages, Sight
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.games.actions.computer_use import vocabulary_of
from pitwall.games.actions.vocabulary import keys_of_roles
from pitwall.games.registry import Registry
from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.fields import TextField
from pitwall.games.seat_checks import seat_check
from pitwall.games.watched_modules import with_started, with_watched
from pitwall.gsm.number_course import NumberCourses
from pitwall.memory.episodes import episode_key

_PREVIEW_MARK_NS = NS_PER_S
_PLAYED = (GameStatus.PLAYING, GameStatus.READY)
_MOST_SHOWN = 40
"""Most boxes of a frame that are sent to the console."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceivedFrame:
    """Holds one perceived frame.

    Attributes:
        frame: its pixels are valid until the next frame is captured.
        values: field name → value, including `status`.
    """

    frame: Frame
    observation: Observation
    values: dict[str, Value]
    perceive_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStatus:
    """Holds the agent's state on one frame for the console: signals, route, reason, last action."""

    signals: Signals
    route: Route | None = None
    badge: str = ""
    last_action: str = ""


class GameSession:
    """Capture and perception of one game.

    Attributes:
        scores: judges the readings of the score.
        passages: the ways out of the game's menus and end screens.
        mode: who plays the current run, or played the last one.
        beside: roles that others play in the same window.
        own_seat_arrives: the game hears the agent's own keyboard, as far as is known.
        renewed: boxes came late for a frame, so that `seen` was read again.

    Raises:
        UnknownGame, ManifestError, UntrustedPlugin: the game cannot be loaded.
    """

    def __init__(self, opening: Open, data: DataFolder) -> None:
        game = Registry(data, opening.settings).load(opening.game)
        self.game = with_started(game, opening.modules)
        profile = self.game.profile
        self.settings = settled(opening.settings, profile)
        self.seed = opening.seed
        self.thresholds = profile.trigger
        self.vocabulary = vocabulary_of(profile, opening.role, opening.settings.control.interface)
        self.role = opening.role or (profile.roles[0].name if profile.roles else "player")
        self.beside = opening.beside
        self._others_keys = keys_of_roles(profile, opening.beside)
        self.view = GameView(self.game, opening, data.root)
        self._clock: GameClock | None = None
        self._clock_watch = ClockWatch(profile)
        self._console_pids = opening.console_pids
        self.logs = data.logs
        kept = seat_check(data, self.game.game_id)
        self.own_seat_arrives = kept is None or kept.arrives
        self.host = HostLink(logs=data.logs, arguments=("--data", str(data.root)))
        models = ModelAccess(self.host.mailbox(), DetectorModels(self.game, data).resolve)
        self._detectors = Detectors(profile.detectors, self.game.folder, profile.screen, models)
        self._reader = StateReader(profile, self.game.folder, plugin_fields(self.game), self._detectors)
        self.scores = NumberCourses(profile)
        self.passages = Passages(profile, self.game.folder)
        self.renewed = False
        self.mode = PlayMode.chosen_in(self.settings)
        self._settings_outside: tuple[Settings, Settings] | None = None
        self._text: TextReader | None = None
        if any(isinstance(field, TextField) for field in profile.fields):
            every_ms = opening.settings.perception.text_every_ms
            self._text = TextReader(profile, self.host.mailbox(), every_ms=every_ms, scores=self.scores)
        self.seen: PerceivedFrame | None = None
        self.frames = 0
        self._described: tuple[int, NDArray[np.float32]] | None = None
        self._reference = StepReference()
        self._last_captured_ns = 0
        self._interval_ms = 0.0
        self._faults = FaultLog()

    def opened(self) -> GameOpened:
        profile = self.game.profile
        return GameOpened(
            game_id=self.game.game_id,
            name=profile.game.name,
            role=self.role,
            beside=self.beside,
            actions=self.vocabulary.legal,
            fields={field.name: field.unit for field in profile.fields},
            modules=tuple(module.name for module in profile.modules),
            thresholds=self.thresholds,
            planner=self.planner,
            score_field=profile.score_field,
            starts=self.view.starts,
        )

    @property
    def planner(self) -> str:
        """Return who decides by the settings: a planner's name, or "person"."""
        return decider_name(self.settings)

    def join_watched(self, data: DataFolder) -> bool:
        """Add modules that were learned by watching, or promoted, since; return whether there are any."""
        known, self.game = self.game, with_watched(self.game, data)
        return self.game is not known

    def start_modules(self, modules: Iterable[str]) -> None:
        """Add a skill for each of these modules that no skill starts: its version was chosen."""
        self.game = with_started(self.game, modules)

    def begin_run(self, mode: PlayMode | None) -> None:
        """Put in force who plays the next run; None: as the settings choose."""
        self.mode = mode or PlayMode.chosen_in(self.settings)
        played = self.mode.stored_in(self.settings)
        self._settings_outside, self.settings = (self.settings, played), played

    def end_run(self) -> None:
        """Restore the settings of before the run, unless the operator changed them meanwhile."""
        if self._settings_outside is not None and self.settings is self._settings_outside[1]:
            self.settings = self._settings_outside[0]
        self._settings_outside = None

    def choose_interface(self) -> None:
        """Offer what the role may do under the settings in force."""
        role = self.role if self.game.profile.roles else ""
        self.vocabulary = vocabulary_of(self.game.profile, role, self.settings.control.interface)

    @property
    def clock(self) -> GameClock | None:
        """Return the clock of a game that we launched; None if the game was found or chosen."""
        self.follow_clock()
        return self._clock if self.view.control is not None else None

    def follow_clock(self) -> None:
        """Steer the program that was started last: a game may be opened again in mid-run."""
        path = self.view.control
        if path is not None and (self._clock is None or self._clock.path != path):
            self._clock = self._clock or GameClock(path)
            self._clock.follow(path)
            self._clock_watch = ClockWatch(self.game.profile)

    def awaits_clock(self, now: int) -> bool:
        """Return whether the game is to be played paused and may still open its socket."""
        paused = self.settings.control.protocol == "paused"
        return paused and self._clock_watch.awaited(self.clock, now)

    @property
    def episode_key(self) -> str:
        """Return the key of this run's summaries, as the profile declares it (layer L4)."""
        names = self.game.profile.knowledge.episode_key
        values = self.seen.values if self.seen is not None else {}
        return episode_key(names, role=self.role, seed=self.seed, values=values)

    def filenos(self) -> list[int]:
        """Return file descriptors that become readable when a frame, text or boxes have come."""
        filenos = [] if (view := self.view.fileno()) is None else [view]
        if (host := self.host.fileno()) is not None:
            filenos.append(host)
        return filenos

    def unsent(self) -> list[int]:
        """Return file descriptors to wait on until waiting messages fit (`capture` sends them)."""
        host = self.host.fileno()
        return [host] if host is not None and self.host.wants_write else []

    def adopt(self, detectors: Sequence[Detector]) -> None:
        """Replace the manifest's detectors of the same names from the next frame on."""
        try:
            self._detectors.adopt(detectors)
        except PitwallError as error:
            self._faults.add(error)

    def capture(self) -> Frame | None:
        """Return the newest changed frame, or None; then see `renewed`."""
        frame = self.view.take()
        self.renewed = False
        if frame is not None:
            self.frames += 1
        elif self.seen is not None:
            self._take_late_boxes(self.seen)
            if self._text is not None:
                self._read_text_of_a_still_screen(self._text, self.seen)
            if self.scores.waits(now_ns()):
                self.perceive(self.seen.frame)
        return frame

    def _take_late_boxes(self, seen: PerceivedFrame) -> None:
        """Perceive the frame again if boxes came for it late: nobody should wait for the next frame."""
        newest = seen.frame if self.view.source is not None else None
        if self._detectors.pump(newest, now_ns()):
            self.perceive(seen.frame)
            self.renewed = True

    def _read_text_of_a_still_screen(self, text: TextReader, seen: PerceivedFrame) -> None:
        """Perceive the frame again if its text was read since: nobody should wait for the next change."""
        now = now_ns()
        text.pump(seen.frame if self.view.source is not None else None, now)
        if any(reading.value != seen.values.get(name) for name, reading in text.readings(now).items()):
            self.perceive(seen.frame)

    def faults(self) -> list[PitwallError]:
        """Return the faults of the host, of text reading and of the game's own code since the last call."""
        text = self._text.faults() if self._text is not None else self.host.faults()
        return [*self._faults.take(), *text, *self._reader.faults(), *self._detectors.faults()]

    def perceive(self, frame: Frame) -> PerceivedFrame:
        """Read every field of a frame; text and models' boxes come from their latest answers."""
        began = now_ns()
        self._detectors.pump(frame, began)
        texts: dict[str, Reading] = {}
        if self._text is not None:
            self._text.every_ms = self.settings.perception.text_every_ms
            self._text.pump(frame, began)
            texts = self._text.readings(began)
        readings = self._reader.read(frame, self._reference.pixels, texts)
        readings = self.scores.judged(readings, began)
        values: dict[str, Value] = {name: reading.value for name, reading in readings.items()}
        phase = status(self.game.profile.status, values)
        if self.passages.any:
            phase = self.passages.status(phase, values, Sight(self._describe(frame), frame.pixels))
        values["status"] = phase.value
        self.scores.playing = phase in _PLAYED
        observation = Observation(
            frame_id=frame.frame_id,
            captured_ns=frame.captured_ns,
            status=phase,
            readings=readings,
            detections=self._reader.detections,
        )
        self.seen = PerceivedFrame(
            frame=frame,
            observation=observation,
            values=values,
            perceive_ms=ms_between(began, now_ns()),
        )
        return self.seen

    def passage_keys(self, now: int, *, unanswered: bool) -> ResolvedAction | None:
        """Return the keys that lead out of a screen that is not play; None to press nothing.

        Args:
            unanswered: see `Passages.turn`.
        """
        assert self.seen is not None
        frame, values = self.seen.frame, self.seen.values
        sight, size = Sight(self._describe(frame), frame.pixels), (frame.width, frame.height)
        return self.passages.turn(self.status, values, sight, now, size, unanswered=unanswered)

    def look_afresh(self) -> bool:
        """Perceive the screen as it is now, changed or not; return whether it could be seen."""
        frame = self.view.fresh()
        if frame is not None:
            self.perceive(frame)
        return frame is not None

    def change(self) -> float:
        """Return d of the newest frame against the previous step's (SPEC §1); 0 before the first step."""
        if self.seen is None or self._reference.descriptor is None:
            return 0.0
        return change(self._describe(self.seen.frame), self._reference.descriptor)

    def moment(self) -> SceneSnapshot:
        assert self.seen is not None
        return SceneSnapshot(self.seen.observation.status, self._describe(self.seen.frame))

    def change_since(self, moment: SceneSnapshot) -> float:
        """Return d of the newest frame against an earlier moment's."""
        return change(self._describe(self.seen.frame), moment.descriptor) if self.seen is not None else 0.0

    def mark_step(self) -> Pixels:
        """Make the newest frame the reference of the next step; return a copy of its pixels."""
        assert self.seen is not None
        pixels = self.seen.frame.pixels.copy()
        self._reference = StepReference(self._describe(self.seen.frame), pixels, now_ns())
        return pixels

    def forget_steps(self) -> None:
        """Forget the reference frame, as if no step had come before."""
        self._reference = StepReference(at_ns=self._reference.at_ns)

    def exchange_reference(self, reference: StepReference) -> StepReference:
        """Measure changes against another player's last step; return the reference before."""
        before, self._reference = self._reference, reference
        return before

    def note(
        self, frame: Frame, shown: AgentStatus | None, held: tuple[str, ...], loop_ms: float
    ) -> FrameNote:
        """Return the console's note of a frame; `shown` is None if no agent plays."""
        assert self.seen is not None
        observation = self.seen.observation
        if 0 < self._last_captured_ns < frame.captured_ns:  # not if boxes came for the same frame
            self._interval_ms = ms_between(self._last_captured_ns, frame.captured_ns)
        self._last_captured_ns = frame.captured_ns
        if shown is None:
            if now_ns() - self._reference.at_ns > _PREVIEW_MARK_NS:
                self.mark_step()  # no agent steps: show the change against a second ago
            shown = AgentStatus(signals=Signals(change=self.change()))
        return FrameNote(
            frame_id=frame.frame_id,
            captured_ns=frame.captured_ns,
            status=observation.status,
            readings=tuple(observation.readings.values()),
            detections=observation.detections[:_MOST_SHOWN],
            signals=shown.signals,
            route=shown.route,
            badge=shown.badge,
            last_action=shown.last_action,
            held=held,
            interval_ms=self._interval_ms,
            age_ms=ms_between(frame.captured_ns, now_ns()),
            loop_ms=loop_ms,
        )

    def broker_configuration(self, window: WindowRef | None) -> Configure:
        """Return the broker's limits for this game's role."""
        limits = self.settings.broker
        if not self.own_seat_arrives or self.beside:  # one keyboard reaches a page: both sides press on it
            limits = limits.model_copy(update={"own_seat": False})
        return Configure(
            limits=limits.as_limits(),
            hotkeys=self.settings.hotkeys.as_chords(),
            target=window,
            console_pids=self._console_pids,
            allowed_keys=tuple(sorted(self.vocabulary.allowed_keys | self.passages.keys)),
            allow_mouse=self.vocabulary.allow_mouse or self.passages.clicks,
            others_keys=self._others_keys,
            person=self.mode.by_person,
            follow=self.settings.teach.corrections,
            keys_mean=self.vocabulary.keys_mean,
        )

    @property
    def status(self) -> GameStatus:
        return self.seen.observation.status if self.seen is not None else GameStatus.LOADING

    def close(self, *, close_game: bool) -> None:
        if self._clock is not None:
            self._clock.close()
        self.host.close()
        self.view.close(close_game=close_game)

    def descriptor(self) -> NDArray[np.float32] | None:
        """Return the newest frame's visual descriptor; None before the first frame."""
        return self._describe(self.seen.frame) if self.seen is not None else None

    def _describe(self, frame: Frame) -> NDArray[np.float32]:
        if self._described is None or self._described[0] != frame.frame_id:
            self._described = (frame.frame_id, describe(frame.pixels))
        return self._described[1]
