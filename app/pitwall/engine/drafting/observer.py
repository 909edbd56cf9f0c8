"""A process that observes a game being added: its picture in shared memory, answers to lines on its input.

Requests (one JSON object a line): `{"ask": 1, "guess": [x, y, w, h], "kind": "", "name": "", "taken": []}`,
`{"ask": 2, "draft": {…}}` (read its fields from now on), `{"ask": 3, "hold": true}` (freeze the picture,
so that a box can be drawn on it), `{"ask": 4, "watch": 60}` (seconds, for thresholds; 0 cancels),
`{"ask": 5, "try": {"keys": ["Enter"]}, "role": "start", "draft": {…}}` (press it, and report the change),
`{"ask": 6, "keep": true}` (a game started here outlives this process), `{"ask": 7, "strip": 8}`
(small pictures of the last minute), `{"ask": 8, "show": 12.5}` (show the picture of that time; null: the live
picture), `{"ask": 9, "find": true}` (find fields and screens in the last minute),
`{"ask": 10, "learn": "score", "value": "120"}` (learn digits from a typed number). Messages: `{"kept": true}`
after the hotkey that keeps a picture, `{"ring": NAME}` once there is a picture, `{"size": [w, h]}` its size,
`{"ask": N, …}` answers, `{"values": {…}}` several times a second, `{"page": […]}` a page's values by
JavaScript, `{"watched": 12.5, "of": 60}`, `{"health": "minimised"}`. It ends with its input.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from pitwall.core.bounded_reading import foreign_json
from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.commands import Open
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame
from pitwall.core.geometry import WindowHealth
from pitwall.core.observations import Reading
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Thresholds
from pitwall.desktops.window_search import RELATIVE_MOUSE, turns_by_mouse
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser, propose
from pitwall.engine.drafting.input_trial import InputTrial
from pitwall.engine.drafting.last_minute import LastMinute
from pitwall.engine.drafting.rehearsal import answer_of
from pitwall.engine.drafting.threshold_suggestions import ThresholdWatcher
from pitwall.engine.drafting.turn_trial import measure_turn
from pitwall.engine.drafting.window_sampling import counted_fields
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import Draft, DraftAction
from pitwall.games.drafting.folder import lay_out
from pitwall.games.launcher import VALUES_VARIABLE
from pitwall.games.manifest import load_profile
from pitwall.games.schema.actions import MouseLook
from pitwall.games.schema.passages import PassageStep
from pitwall.games.schema.profile import Game
from pitwall.link.frame_ring import FrameRingWriter
from pitwall.link.input_reader import InputReader

_FRAME_NS = 33 * NS_PER_MS
"""Least time between two pictures."""
_VALUES_NS = 80 * NS_PER_MS
_TURN_S = 0.01

_AGAIN_NS = 400 * NS_PER_MS
"""An unchanged picture is read again after this time, because text comes later."""

PAGE_VALUES = "page-values.json"
"""File of a page's values in the folder of the view."""
_PAGE_NS = NS_PER_S
_MOST_DRAWN = 8
Tell = Callable[[dict[str, Any]], None]


@dataclass(slots=True)
class _Watch:
    """A running watch for thresholds.

    Attributes:
        waited_ns: when it last waited, because a still picture was shown.
    """

    ask: Any
    seconds: float
    watcher: ThresholdWatcher
    began_ns: int
    tell_ns: int = 0
    waited_ns: int | None = None

    def waits(self, now: int) -> None:
        """Leave out the time since the last call: the picture shown is not the live one."""
        if self.waited_ns is not None:
            self.began_ns += now - self.waited_ns
        self.waited_ns = now


def open_draft_view(
    draft: Draft, window_id: int | None, data: Path, aside: Path, *, owner: int = 0
) -> GameView:
    """Return a view of the draft's game: the picked window, or the page or program, started here.

    Args:
        owner: process with which a started game ends; 0: this one.
        aside: an empty folder for the game's folder, which lasts as long as the view.
    """
    lay_out(draft if draft.actions else draft.changed(actions=[DraftAction(name="rest")]), aside)
    # Trusted: the operator has just chosen what to start.
    game = Game(profile=load_profile(aside), folder=aside, profile_hash="", trusted=True, source="path")
    variables = {VALUES_VARIABLE: str(aside / PAGE_VALUES)} if draft.url and window_id is None else {}
    opening = Open(game=str(aside), window_id=window_id, game_env=variables, owner=owner)
    return GameView(game, opening, data)


def page_values(aside: Path) -> list[dict[str, Any]]:
    """Return the values of a view's page: kind ("value", "start"), expression, value. Empty for none."""
    try:
        values: list[dict[str, Any]] = foreign_json((aside / PAGE_VALUES).read_bytes())
    except (OSError, ValueError):
        return []
    return values


class GameObserver:
    """Serves one window until its input ends.

    Args:
        draft: the first draft; may have no fields.
    """

    def __init__(
        self, view: GameView, draft: Draft, recogniser: Recogniser, tell: Tell, data: DataFolder
    ) -> None:
        self._view = view
        self._data = data
        self._draft = draft
        self._recogniser = recogniser
        self._tell = tell
        self._reader = DraftReader(draft, recogniser)
        self._ring: FrameRingWriter | None = None
        self._frame: Frame | None = None
        self._drawn_on: dict[tuple[int, ...], Frame] = {}
        self._held = self._keeps = False
        self._next_frame_ns = self._next_values_ns = self._again_ns = 0
        self._health = WindowHealth.VISIBLE
        self._values: dict[str, Any] = {}
        self._warmed = False
        self._watch: _Watch | None = None
        self._size = (0, 0)
        self._page: list[dict[str, Any]] = []
        self._next_page_ns = 0
        self._trial: InputTrial | None = None
        self._minute = LastMinute(data, recogniser)
        self._pinned = False

    def serve(self, source: BinaryIO) -> None:
        """Answer the lines of a file until it ends.

        Raises:
            PitwallError: the game never came into view.
        """
        self._view.begin()
        orders, part = InputReader(source), b""
        try:
            while True:
                data = orders.next(_TURN_S)
                if data == b"":
                    return
                if data is not None:
                    *lines, part = (part + data).split(b"\n")
                    for line in filter(None, lines):
                        self._answer(line)
                self._look(now_ns())
        finally:
            self.close()

    def close(self) -> None:
        """Release everything, and end a game started here unless it is to be kept."""
        if self._trial is not None:
            self._trial.close()
            self._trial = None
        self._minute.close()
        self._view.close(close_game=not self._keeps)
        self._recogniser.close()
        if self._ring is not None:
            self._ring.close()
            self._ring = None

    # ---- the picture

    def _look(self, now: int) -> None:
        if now < self._next_frame_ns or not self._view.look(now):
            return
        self._next_frame_ns = now + _FRAME_NS
        frame = self._view.take() or (self._view.fresh() if self._frame is None else None)
        if self._view.health is not self._health:
            self._health = self._view.health
            self._tell({"health": self._health.value})
        if frame is not None and not (self._held or self._pinned):
            self._frame = replace(frame, pixels=frame.pixels.copy())
            self._show(self._frame)
        if self._frame is None:
            return
        if self._minute.look(now / NS_PER_S, frame, self._frame, self._view.window):
            self._tell({"kept": True})
        if (answer := self._minute.turn()) is not None:
            self._tell(answer)
        if now >= self._next_values_ns and (frame is not None or now >= self._again_ns):
            self._next_values_ns, self._again_ns = now + _VALUES_NS, now + _AGAIN_NS
            self._report_values()
        if not self._warmed:
            self._warmed = True
            with contextlib.suppress(PitwallError):  # without it only text cannot be read
                self._recogniser.warm_up()
        if now >= self._next_page_ns:
            self._next_page_ns = now + _PAGE_NS
            page = page_values(self._view.game.folder)
            if page != self._page:
                self._page = page
                self._tell({"page": page})
        if self._watch is not None:
            self._continue_watching(self._watch, now)

    def _continue_watching(self, watch: _Watch, now: int) -> None:
        assert self._frame is not None
        if self._held or self._pinned:
            watch.waits(now)
            return
        watch.waited_ns = None
        values = {name: read["value"] for name, read in self._values.items()}
        watch.watcher.take(now / NS_PER_S, self._frame.pixels, values)
        if now >= watch.tell_ns:
            watch.tell_ns = now + _VALUES_NS
            self._tell({"watched": round((now - watch.began_ns) / NS_PER_S, 1), "of": watch.seconds})
        if now - watch.began_ns >= watch.seconds * NS_PER_S:
            self._watch = None
            suggestion = watch.watcher.suggest(Thresholds())
            plain = {field.name: getattr(suggestion, field.name) for field in fields(suggestion)}
            self._tell({"ask": watch.ask, **plain, "thresholds": suggestion.thresholds.model_dump()})

    def _show(self, frame: Frame) -> None:
        if self._ring is None or not self._ring.fits(frame.width, frame.height):
            if self._ring is not None:
                self._ring.close()
            self._ring = FrameRingWriter(frame.width, frame.height)
            self._tell({"ring": self._ring.name})
        self._ring.write(frame)
        if (frame.width, frame.height) != self._size:
            self._size = (frame.width, frame.height)
            self._tell({"size": self._size})

    def _report_values(self) -> None:
        assert self._frame is not None
        values = {name: reading_as_json(reading) for name, reading in self._reader.read(self._frame).items()}
        if values != self._values:
            self._values = values
            self._tell({"values": values})

    # ---- answers

    def _answer(self, line: bytes) -> None:
        number: Any = None
        began = now_ns()
        try:
            asked = foreign_json(line)
            number = asked.get("ask")
            if "watch" in asked:
                self._begin_watching(number, float(asked["watch"]))
                return
            if "find" in asked:
                self._minute.find(number, self._draft)
                return
            answer = self._done(asked)
        except PitwallError as error:
            answer = {"what": error.what, "fix": error.fix}
        except (ValueError, ValidationError, KeyError, TypeError, AttributeError) as error:
            answer = {"what": f"the request cannot be read: {str(error).splitlines()[0]}", "fix": ""}
        self._tell({"ask": number, **answer, "took_ms": round((now_ns() - began) / NS_PER_MS, 1)})

    def _begin_watching(self, number: Any, seconds: float) -> None:
        """Begin a watch, whose answer comes at its end; a running watch is cancelled."""
        before, self._watch = self._watch, None
        if before is not None:
            self._tell({"ask": before.ask, "called_off": True})
        if seconds > 0:
            if self._pinned:
                self._shown(None)  # what is measured is the live picture
            self._watch = _Watch(number, seconds, ThresholdWatcher(counted_fields(self._draft)), now_ns())

    def _opened_trial(self, draft: Draft) -> InputTrial:
        """Return the trial that presses in the game, and shows its picture meanwhile."""
        if self._trial is None:
            pids = (os.getppid(),)
            self._trial = InputTrial(self._view, draft.screen, self._data, console_pids=pids, each=self._show)
        return self._trial

    def _tried(self, asked: dict[str, Any]) -> dict[str, Any]:
        draft, step = Draft.model_validate(asked["draft"]), PassageStep.model_validate(asked["try"])
        trial = self._opened_trial(draft)
        tried, step = trial.held(step) if asked["role"] == "play" else (trial.press(step), step)
        if asked["role"] == "pause":
            trial.press(step)
        answer = answer_of(tried, draft, str(asked["role"]), step, trial.shortest_hold_ms)
        window = self._view.window
        if window is not None and turns_by_mouse(window.native_id):
            answer["words"] = f"{answer['words']} {RELATIVE_MOUSE}"
        return answer

    def _turned(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Turn the view once around, and return how far it turns."""
        draft = Draft.model_validate(asked["draft"])
        look = draft.mouse_look or MouseLook()
        turn = measure_turn(self._opened_trial(draft), look)
        units = round(turn.units_per_degree, 4)
        return {"mouse_look": look.model_copy(update={"units_per_degree": units}).model_dump()}

    def _done(self, asked: dict[str, Any]) -> dict[str, Any]:
        if "hold" in asked:
            self._held = bool(asked["hold"])
            return {"held": self._held}
        if "keep" in asked:
            self._keeps = bool(asked["keep"])
            return {}
        if not asked.keys().isdisjoint(("try", "turn")):
            return self._tried(asked) if "try" in asked else self._turned(asked)
        if "draft" in asked:
            self._draft = Draft.model_validate(asked["draft"])
            self._reader = DraftReader(self._draft, self._recogniser)
            self._values = {}
            self._next_values_ns = self._again_ns = 0
            return {"fields": len(self._draft.fields)}
        if "strip" in asked:
            return self._minute.pictures(int(asked["strip"]))
        if self._frame is None:
            raise PitwallError("There is no picture yet.", "Wait for the game's window.")
        if "show" in asked:
            return self._shown(asked["show"])
        if "learn" in asked:
            return self._minute.learn(
                self._draft, str(asked["learn"]), str(asked["value"]), self._frame.pixels
            )
        x, y, width, height = box = tuple(int(part) for part in asked["guess"])
        frame, kind = self._frame, str(asked.get("kind", ""))
        if not kind:
            self._drawn_on[box] = replace(frame, pixels=frame.pixels.copy())
        elif kind in ("sprite", "template"):  # the thing has moved since it was drawn
            frame = self._drawn_on.get(box, frame)
        if len(self._drawn_on) > _MOST_DRAWN:
            self._drawn_on.pop(next(iter(self._drawn_on)))
        guess = propose(
            frame,
            (x, y, width, height),
            self._draft.screen,
            kind=kind,
            name=str(asked.get("name", "")),
            taken=frozenset(asked.get("taken", [])),
            recogniser=self._recogniser,
        )
        alone = self._draft.changed(fields=[guess.field], pictures={**self._draft.pictures, **guess.pictures})
        reading = DraftReader(alone, self._recogniser).read(frame)[guess.field.name]
        return {
            "field": guess.field.model_dump(mode="json"),
            "pictures": guess.pictures,
            "sure": round(guess.sure, 2),
            "reading": reading_as_json(reading),
        }

    def _shown(self, at_s: float | None) -> dict[str, Any]:
        """Show a picture of the strip until the next request; None: the live picture."""
        self._pinned = at_s is not None
        fresh = self._view.fresh() if at_s is None else self._minute.still(at_s)
        if fresh is not None:
            self._frame = replace(fresh, pixels=fresh.pixels.copy())
            self._show(self._frame)
            self._next_values_ns = 0
        return {"shown": at_s}


def reading_as_json(reading: Reading) -> dict[str, Any]:
    return {
        "value": reading.value,
        "unit": reading.unit,
        "confidence": round(reading.confidence, 3),
        "found": asdict(reading.found) if reading.found is not None else None,
    }
