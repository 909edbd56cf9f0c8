"""Judges the output of each case from public bug reports by its `right.txt`; a judge yields faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Evidence:
    """Holds what a case's script printed, and the folder below which its data folders lie."""

    text: str
    folder: Path

    def common_faults(self) -> Iterator[str]:
        """Yield the faults that no case may show: tracebacks, aborts, a script that did not end."""
        for mark in ("Traceback (most recent", "Aborted", "core dumped", "the script was ended after"):
            if mark in self.text:
                yield f"the output has {mark!r}"

    def lacks(self, *patterns: str) -> Iterator[str]:
        """Yield each pattern that the output does not have."""
        yield from (
            f"nothing matches {pattern!r}"
            for pattern in patterns
            if not re.search(pattern, self.text, re.MULTILINE)
        )

    def shows(self, *patterns: str) -> Iterator[str]:
        """Yield each match of the patterns, which stand for what was wrong."""
        for pattern in patterns:
            if match := re.search(pattern, self.text, re.MULTILINE):
                yield f"the output has {match[0]!r}"

    def statuses(self, *allowed: tuple[int, ...]) -> Iterator[str]:
        """Yield a fault where the lines "rc N" are others than allowed, place by place."""
        seen = [int(number) for number in re.findall(r"^rc[ =](\d+)", self.text, re.MULTILINE)]
        if len(seen) != len(allowed) or any(
            rc not in options for rc, options in zip(seen, allowed, strict=False)
        ):
            yield f"the statuses are {seen}; expected {allowed}"

    def part(self, heading: str) -> str:
        """Return the output between a line "== heading" and the next such line."""
        match = re.search(rf"^== {re.escape(heading)}[^\n]*\n(.*?)(?=^== |\Z)", self.text, re.M | re.S)
        return match[1] if match else ""

    def numbers(self, pattern: str) -> list[float]:
        """Return the first group of each match as a number."""
        return [float(match) for match in re.findall(pattern, self.text, re.MULTILINE)]

    def kept(self, pattern: str) -> list[Path]:
        """Return the files below the case's data folders that match."""
        return sorted(self.folder.glob(f"tmp.*/{pattern}"))


Judge = Callable[[Evidence], Iterator[str]]


def _counts(text: str, pattern: str) -> dict[str, int]:
    """Return the counts that `uniq -c` printed, by the pattern's group."""
    return {name: int(count) for count, name in re.findall(rf"^ *(\d+) +{pattern}", text, re.MULTILINE)}


def _two_layouts(seen: Evidence) -> Iterator[str]:
    pressed = _counts(seen.text, r"([aqzwm])\b")
    game = _counts(seen.text, r"key='(.)'")
    if len(game) < 3 or any(abs(pressed.get(key, 0) - count) > 1 for key, count in game.items()):
        yield f"pressed {pressed}, the game got {game}"


def _layout_lacks_keys(seen: Evidence) -> Iterator[str]:
    yield from seen.shows("setxkbmap", "refused: (?!none)")
    if not seen.numbers(r"key downs in the game: (\d+)")[0]:
        yield from seen.lacks(r"cannot (press|type)")


def _no_stop_key(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("pressed without a stop key: 0$", r"hotkeys\.stop (Pause|F\d+)")


def _layout_switch(seen: Evidence) -> Iterator[str]:
    game = _counts(seen.text, r"key='(.)'")
    if set(game) - set("asq") or sum(game.values()) < 10:
        yield f"the game got {game}; expected a, s and q only"


def _gym_combinations(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("gym-keys1", "gym-keys2", "gym-keys3")
    yield from seen.shows("is no key")
    for name in ("keys1", "keys3"):
        for file in seen.kept(f"games/gym-{name}/plugin.toml"):
            if not re.search(r'\["(w", "a|a", "w)"\]', file.read_text()):
                yield f"{file.parent.name} has no action that holds w and a"


def _gym_pictures(seen: Evidence) -> Iterator[str]:
    brightest = seen.numbers(r"max (\d+) of 65535")
    if not brightest or min(brightest) < 20_000:
        yield f"frames of Floats are black: {brightest}"
    for name in ("grey", "grey1", "rgba"):
        if not seen.kept(f"games/gym-{name}/plugin.toml"):
            yield f"gym-{name} was not added"
    yield from seen.shows("picture of red, green and blue was expected")


def _gym_sdl(seen: Evidence) -> Iterator[str]:
    dummy, own = seen.part("Dummy"), seen.part("SetModeRender")
    if "rc=0" not in dummy and "SDL_VIDEODRIVER" not in dummy:
        yield "Dummy shows no window, and nothing names SDL_VIDEODRIVER"
    if "rc=0" in own and not re.search(r"in [5-9]\.\d s|in 1\d\.\d s", own):
        yield "SetModeRender ends early with status 0"


def _gym_breaks(seen: Evidence) -> Iterator[str]:
    for name in ("Rew", "InfR", "NanR"):
        if "rc=0" not in seen.part(name):
            yield f"{name} does not play on"
    for name in ("InfR", "NanR"):
        if "reward" not in seen.part(name):
            yield f"{name} does not say that its reward cannot be read"
    five = seen.part("Five")
    if "rc=0" in five or "in its step" not in five.partition("rc=")[0]:
        yield "Five's own sentence or status is missing"


def _lerobot_av1(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks(r"[1-9]\d* pictures", r"short_video\S* .*(ends|damaged).*expected")
    yield from seen.shows(r"\b0 pictures", "cannot be decoded")


def _lerobot_linear(seen: Evidence) -> Iterator[str]:
    times = [60 * float(m) + float(s) for m, s in re.findall(r"user\s+(\d+)m([\d.]+)s", seen.text)]
    if len(times) != 3 or times[2] > 10 or times[2] > 6 * times[0] + 2:
        yield f"150, 300 and 900 episodes took {times} s of processor time"


def _mcap_damage(seen: Evidence) -> Iterator[str]:
    yield from seen.shows("MemoryError", "opcode", "OSError")
    for name, pattern in {
        "magic": r"magic\.mcap .+",
        "cut70": "cut off",
        "chunks_cut70": "cut off",
        "foreign_topic": "/camera/image/compressed",
        "bomb": r"bomb\.mcap .+",
    }.items():
        if not re.search(pattern, seen.part(name)):
            yield f"{name}: nothing matches {pattern!r}"


def _graphml(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks(r"ignores them\):\n0$")
    for name in ("default", "dbl2"):
        if not re.search(r"\b[1-9]\d* ", seen.part(name)) or "damaged" in seen.part(name):
            yield f"{name} is not taken in"


def _max_tokens(seen: Evidence) -> Iterator[str]:
    yield from seen.statuses((0,), (0,), (0,))
    yield from seen.shows("HTTP 400")
    yield from seen.lacks('"max_completion_tokens"|"maxc": [1-9]')


def _empty_replies(seen: Evidence) -> Iterator[str]:
    yield from seen.statuses((0,), (1,))
    yield from seen.lacks("hello there", r"think")
    yield from seen.shows("let me think")


def _url_password(seen: Evidence) -> Iterator[str]:
    yield from seen.shows("secret-pw", "InvalidURL", "control characters")
    yield from seen.lacks("--key-variable")
    yield from (
        f"{file.name} holds the password"
        for file in seen.kept("**/*")
        if file.is_file() and b"secret-pw" in file.read_bytes()
    )


def _csv_of_excel(seen: Evidence) -> Iterator[str]:
    yield from seen.shows("extra values", "codec", "'' is no field")
    for name in ("semi.csv", "emptyrow.csv", "trailing.csv"):
        if "taken in" not in seen.part(name) or "nothing was" in seen.part(name):
            yield f"{name} is not taken in"
    for name, field in (("deci.csv", "priority"), ("spaces.csv", "actions")):
        if field not in seen.part(name):
            yield f"{name}: nothing names the field that is wrong"
    if "UTF-8" not in seen.part("cp1252.csv"):
        yield "cp1252.csv: nothing says to save it as CSV UTF-8"


def _csv_formula(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("^a,b,c")
    yield from seen.shows(r"^\"?=1\+1", r",\"?@SUM", r",\"?-2\b(?!')")


def _qt_abort(seen: Evidence) -> Iterator[str]:
    yield from seen.statuses((1, 124), (1, 124))
    yield from seen.lacks("wayland.*(xcb|X11)|QT_QPA_PLATFORM", "nonsense")


def _paths(seen: Evidence) -> Iterator[str]:
    yield from seen.statuses((1,), (1,), (1,))
    yield from seen.shows("UnicodeEncodeError", "lost sys.stderr", "RuntimeError", "OSError")
    yield from seen.lacks("cannot access '~'")


def _modifier(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("held|hold|Ctrl|Control")
    if seen.numbers(r"^ *(\d+) mod=64") not in ([], [1]):  # one is the person's own press of Control
        yield "presses of the agent arrive with Control"


def _relative_mouse(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("relative|mouse-look|cannot be steered|locks the pointer")


def _clip(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("PLAYS")


def _left_handed(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("button=1")
    yield from seen.shows("button=[2-9]")


def _vision(seen: Evidence) -> Iterator[str]:
    clicks = re.findall(r"click \((\d+), (\d+)\) target \((\d+), (\d+)\)", seen.text)
    near = [abs(int(a) - int(c)) < 12 and abs(int(b) - int(d)) < 12 for a, b, c, d in clicks]
    if not near or not all(near):
        yield f"clicks and targets: {clicks}"


def _memory_limit(seen: Evidence) -> Iterator[str]:
    free = re.search(r"free now: ([\d.]+) (GiB|MiB)", seen.text)
    if not free or float(free[1]) * (1024 if free[2] == "GiB" else 1) > 700:
        yield f"free memory is {free[0] if free else 'not shown'}; the limit is 700 MB"


def _surrogate(seen: Evidence) -> Iterator[str]:
    yield from seen.statuses((0,))
    yield from seen.shows("host process ended", "surrogates not allowed")
    yield from seen.lacks("\N{REPLACEMENT CHARACTER} tail")


def _wine_card(seen: Evidence) -> Iterator[str]:
    yield from seen.lacks("winemine", "WINEPREFIX", r"step +2|2 steps")
    yield from seen.shows("Usage: wine", "before it showed a window")


def _slow_polling(seen: Evidence) -> Iterator[str]:
    lines = re.findall(r"fps (\d+): keys sent (\d+), .* game (\d+); clicks sent (\d+), seen (\d+)", seen.text)
    none = [int(count) for count in re.findall(r"^ *(\d+) (?:left|hit) +none", seen.text, re.MULTILINE)]
    if len(lines) != 2:
        yield f"the game was played {len(lines)} times; expected 2"
    for fps, *counts in lines:
        keys, keys_seen, clicks, clicks_seen = map(int, counts)
        if keys + clicks == 0 or keys + clicks - keys_seen - clicks_seen > sum(none):
            yield f"at {fps} fps the game saw {keys_seen} of {keys} keys, {clicks_seen} of {clicks} clicks"


def _ends_badly(seen: Evidence) -> Iterator[str]:
    statuses = seen.numbers(r"^rc=(\d+)")
    back = "The game is back." in seen.text  # the restarted game may be played on
    if len(statuses) != 3 or not statuses[0] or not statuses[2] or (statuses[1] == 0 and not back):
        yield f"the statuses are {statuses}; only a game that came back may end with 0"
    yield from seen.lacks("stands? still")


def _odd_info(seen: Evidence) -> Iterator[str]:
    yield from seen.shows("KeyError", "IndexError", "ValueError", "TypeError", "0 episodes")
    headings = re.findall(r"^== (\S+)/", seen.text, re.MULTILINE)
    for name in headings or ["no dataset was tried"]:
        if not re.search("info.json|column|episode|no such", seen.part(f"{name}/")):
            yield f"{name}: no sentence names the place"


JUDGES: dict[str, Judge] = {
    "01": _two_layouts,
    "02": _layout_lacks_keys,
    "04": _no_stop_key,
    "05": _layout_switch,
    "06": _gym_combinations,
    "07": _gym_pictures,
    "08": _gym_sdl,
    "09": _gym_breaks,
    "12": _lerobot_av1,
    "13": _lerobot_linear,
    "15": _mcap_damage,
    "16": _graphml,
    "17": _max_tokens,
    "18": _empty_replies,
    "20": _url_password,
    "23": _csv_of_excel,
    "24": _csv_formula,
    "32": _qt_abort,
    "33": _paths,
    "35": _modifier,
    "37": _relative_mouse,
    "41": _clip,
    "43": _left_handed,
    "44": _vision,
    "45": _memory_limit,
    "48": _surrogate,
    "57": _wine_card,
    "58": _slow_polling,
    "59": _ends_badly,
    "63": _odd_info,
}
