"""Makes play of a small game by a rule: a ball that jumps about, a bat that follows it, shots."""

from __future__ import annotations

import random

import numpy as np

from pitwall.core.actions import EventKind, InputEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.manifest import Demonstration, Kind
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.games.schema.profile import Profile

FRAME_MS = 40
WIDTH, HEIGHT = 32, 24

PROFILE = Profile.model_validate(
    {
        "schema": 1,
        "game": {"id": "bat", "name": "Bat", "version": "1.0.0", "genre": "arcade"},
        "window": {"title": "^Bat$"},
        "screen": {"width": 320, "height": 240},
        "controls": {"keys": ["Left", "Right", "Space"], "mouse": True},
        "actions": [
            {"name": "left", "keys": ["Left"]},
            {"name": "right", "keys": ["Right"]},
            {"name": "fire", "keys": ["Space"]},
        ],
        "fields": [
            {"name": name, "kind": "blob", "box": [0, 0, 320, 240], "colour": [9, 9, 9], "value": "x"}
            for name in ("bat", "ball", "target", "score")
        ],
        "progress": {"inventory": ["score"]},
    }
)


def picture(bat: float, ball: float, *, target: bool) -> np.ndarray:
    """Draw the bat below, the ball above, and the target as a bar at the top."""
    pixels = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    pixels[18:22, round(bat * 28) : round(bat * 28) + 4, :3] = 250
    pixels[8:12, round(ball * 28) : round(ball * 28) + 4, :3] = 160
    pixels[0:4, :, :3] = 200 if target else 0
    return pixels


def played(
    data: DataFolder,
    name: str = "20261123-192500-bat",
    *,
    seconds: float = 60,
    episodes: int = 6,
    reaction_ms: float = 120,
    pictures: bool = False,
    seed: int = 1,
    kind: Kind = "play",
    ends: str = "",
    gap_ms: float = FRAME_MS,
) -> str:
    """Keep play: Left or Right held towards the ball, Space tapped when a target comes, a reaction late.

    ends: status that follows each episode after a gap; the menu comes later in any case.
    """
    chance = random.Random(seed)
    begun = Demonstration(
        id=name, game="bat", kind=kind, picture_size=(WIDTH, HEIGHT), window_size=(320, 240),
        rate_fps=25, started_at="2026-11-23T19:25:00+00:00",
    )  # fmt: skip
    frames = round(seconds * 1000 / FRAME_MS / episodes)
    late = round(reaction_ms / FRAME_MS)
    with DemonstrationWriter(data.demonstrations / name, begun) as writer:
        now = 1_000 * NS_PER_S
        for episode in range(episodes):
            bat, ball, target, held, tapped = 0.5, 0.5, 0, "", 0
            seen: list[tuple[str, bool]] = []
            for _ in range(frames):
                now += FRAME_MS * NS_PER_MS
                ball = chance.random() if chance.random() < 0.06 else ball
                target = 8 if chance.random() < 0.03 else max(0, target - 1)
                read = {"bat": bat * 320, "ball": ball * 320, "target": float(target > 0) * 9}
                writer.moment(now, episode, "playing", {**read, "score": now // NS_PER_S})
                if pictures:
                    writer.picture(now, picture(bat, ball, target=target > 0))
                wanted = "Left" if ball < bat - 0.05 else "Right" if ball > bat + 0.05 else ""
                seen.append((wanted, target == 8))
                wanted, shoots = seen[-1 - late] if len(seen) > late else ("", False)
                if wanted != held:
                    changes: list[tuple[EventKind, str]] = [("key_up", held), ("key_down", wanted)]
                    for kind_of, key in changes:
                        if key:
                            writer.event(now + NS_PER_MS, InputEvent(kind=kind_of, key=key), key.lower())
                    held = wanted
                if tapped:
                    writer.event(now + NS_PER_MS, InputEvent(kind="key_up", key="Space"), "fire")
                    tapped = 0
                if shoots:
                    writer.event(now + NS_PER_MS, InputEvent(kind="key_down", key="Space"), "fire")
                    tapped = 1
                bat += {"Left": -0.02, "Right": 0.02}.get(held, 0.0)
            if ends:
                writer.moment(now + round(gap_ms * NS_PER_MS), -1, ends, {"score": now // NS_PER_S})
            now += 2 * NS_PER_S
            writer.moment(now, -1, "menu", {})
            if pictures:
                writer.picture(now, picture(0.5, 0.5, target=False))
    return name
