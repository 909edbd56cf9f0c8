"""The story game: its memory as it is read, what it says could be done, what its eyes make of its window."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("jericho", reason="the Z-machine (jericho) is not installed: installer/test builds it")

from story_eyes.explorer import Explorer
from story_eyes.layout import SEPARATOR
from story_eyes.page import Page
from story_game import OWN
from story_machine import Machine, fault_of, plain
from story_page import StoryPage
from story_valid import Scout
from tests.plugins.story.player import PLUGIN, WALKTHROUGH, StoryPlayer, pixels_of

INFORM = shutil.which("inform")
LIBRARY = "+include_path=/usr/share/inform6/library"
needs_inform = pytest.mark.skipif(
    INFORM is None, reason="no Inform compiler: sudo apt-get install inform6-compiler inform6-library"
)


def begun(seed: int = 3, story: Path = OWN) -> Machine:
    machine = Machine(story, seed)
    machine.begin()
    return machine


def played(machine: Machine, commands: Sequence[str]) -> str:
    return [machine.say(command) for command in commands][-1]


# ---- the story


@needs_inform
def test_the_story_file_is_what_its_source_compiles_to(tmp_path: Path) -> None:
    assert INFORM is not None
    source = PLUGIN / "tale" / "lamp.inf"
    subprocess.run(
        [INFORM, LIBRARY, "-v5", str(source), str(tmp_path / "lamp.z5")], check=True, capture_output=True
    )
    assert (tmp_path / "lamp.z5").read_bytes() == OWN.read_bytes()


def test_the_lamp_can_be_lit_and_every_point_be_had() -> None:
    machine = begun()
    texts = played(machine, WALKTHROUGH)
    now = machine.now()
    assert "white beam" in texts
    assert (now.score, now.won, now.ending, machine.ended) == (50, True, "You have won", True)
    machine.say("restart")
    assert (machine.now().place, machine.now().score, machine.ended) == ("Jetty", 0, False)


@pytest.mark.parametrize(
    ("before", "command", "part"),
    [
        (["east", "south"], "take key", "A net would reach"),
        (["north"], "open tower door", "locked"),
        (["north", "east"], "dig earth", "bare hands"),
        ([*WALKTHROUGH[:22], "take lantern", "drop matches"], "light lantern", "nothing to light it with"),
        ([*WALKTHROUGH[:26], "drop lantern"], "down", "pitch dark"),
        (WALKTHROUGH[:-1][:-2], "light lamp", "no wick"),
        (WALKTHROUGH[:-2], "light lamp", "no oil"),
        (WALKTHROUGH[:-3], "put net in lamp", "It takes a wick"),
    ],
)
def test_every_puzzle_refuses_what_does_not_solve_it(before: Sequence[str], command: str, part: str) -> None:
    machine = begun()
    played(machine, before)
    score = machine.now().score
    assert part in machine.say(command)
    assert machine.now().score == score
    assert not machine.ended


def test_the_seed_decides_what_the_story_leaves_to_chance() -> None:
    texts = {seed: "".join(map(begun(seed).say, WALKTHROUGH[:30])) for seed in (0, 1, 2)}
    assert texts[0] == "".join(map(begun(0).say, WALKTHROUGH[:30]))
    assert len(set(texts.values())) > 1


# ---- its memory


def test_the_objects_are_those_of_the_source_and_where_it_puts_them() -> None:
    source = (PLUGIN / "tale" / "lamp.inf").read_text(encoding="utf-8")
    named = set(re.findall(r'^(?:Object|Place)(?: ->)*(?: \w+)? "([^"]+)"', source, re.MULTILINE))
    assert len(named) > 25
    machine = begun()
    memory = machine.memory
    numbers = {memory.name(number): number for number in range(1, memory.count + 1)}
    assert named <= set(numbers)
    parent = {name: memory.thing(number).parent for name, number in numbers.items()}
    assert parent["wrench"] == numbers["sea chest"]
    assert parent["sea chest"] == parent["spade"] == numbers["Boathouse"]
    assert parent["Boathouse"] == 0
    assert parent["(self object)"] == memory.room == numbers["Jetty"]
    played(machine, WALKTHROUGH[:11])
    memory = machine.memory
    carried = {memory.name(thing) for thing in memory.inside(memory.player)}
    assert carried == {"wrench", "spade", "landing net", "matches"}
    assert memory.name(memory.room) == "Garden"


def test_in_the_dark_the_place_is_as_the_story_calls_it() -> None:
    machine = begun()
    played(machine, [*WALKTHROUGH[:26], "drop lantern", "down"])
    assert machine.now().place == "Darkness"
    assert machine.memory.name(machine.memory.room) == "Cellar"


EARLY = """
Global place; Global points; Global turns;
Array line buffer 60; Array words -> 62;
Object cold "Cold Room"; Object warm "Warm Room";
Object hero "you" cold; Object hat "felt hat" hero;
[ Main; place = cold; points = -7; turns = 0;
  for (::) { print "^>"; line->0 = 58; words->0 = 10; read line words; turns++;
    if (place == cold) place = warm; else place = cold; move hero to place; print "You walk.^"; } ];
"""


@needs_inform
def test_an_early_story_tells_place_score_and_moves_in_its_variables(tmp_path: Path) -> None:
    assert INFORM is not None
    (tmp_path / "early.inf").write_text(EARLY, encoding="utf-8")
    subprocess.run([INFORM, "-v3", "early.inf", "early.z3"], cwd=tmp_path, check=True, capture_output=True)
    machine = begun(story=tmp_path / "early.z3")
    assert machine.say("walk") == "You walk."
    now = machine.now()
    assert (now.place, now.score, now.moves, now.carried) == ("Warm Room", -7, 1, ("felt hat",))


# ---- what could be done


def test_what_could_be_done_is_what_changes_something() -> None:
    machine, scout = begun(), Scout(begun())
    assert scout.possible(machine) == ("north", "east")
    played(machine, WALKTHROUGH[:2])
    assert set(scout.possible(machine)) == {"east", "take landing net", "take spade", "open sea chest"}
    machine.say("take net")
    assert {"drop landing net", "open sea chest"} < set(scout.possible(machine))
    assert "put landing net in sea chest" in scout.possible(machine)


def test_finding_out_changes_nothing() -> None:
    machine, scout = begun(), Scout(begun())
    played(machine, WALKTHROUGH[:9])
    before = machine.memory
    scout.possible(machine)
    assert machine.memory.table() == before.table()
    assert machine.now().moves == 9
    twin = begun()
    played(twin, WALKTHROUGH[:9])
    assert [machine.say(command) for command in WALKTHROUGH[9:]] == [
        twin.say(command) for command in WALKTHROUGH[9:]
    ]


def test_of_an_ended_story_nothing_could_be_done() -> None:
    machine = begun()
    played(machine, WALKTHROUGH)
    assert Scout(begun()).possible(machine) == ()


# ---- the window and its eyes


def test_the_eyes_read_what_is_true_and_their_advice_gets_on() -> None:
    player = StoryPlayer(seed=5)
    seen = 0
    for fields, truth in player.pages(24):
        state, board = truth["game_state"], truth["game_state"]["board"]
        assert fields["location"] == state["player"]["location"]
        assert fields["score"] == state["score"]
        assert fields["moves"] == truth["metrics"]["moves"]
        assert fields["observation"] == board["observation"]
        assert fields["inventory"] == "; ".join(state["player"]["inventory"])
        assert fields["possible"] == "; ".join(board["valid"])
        assert fields["command"] == (truth["raw"]["command"] or None)
        assert fields["typed"] is None
        seen += 1
    assert seen == 24
    assert truth["metrics"]["score"] >= 5
    assert truth["metrics"]["places"] >= 6
    for early in player.partial:
        assert early["possible"] is None, "the answer is shown before it is known what could be done"
        assert early["observation"]
        assert not early["did"]


def test_what_a_command_did_is_seen() -> None:
    player = StoryPlayer()
    player.look()
    player.play.type("north")
    assert player.look()["did"]
    player.play.type("sing loudly")
    fields = player.look()
    assert not fields["did"]
    assert fields["command"] == "sing loudly"


def test_the_end_is_read_and_a_new_beginning_is_explored_afresh() -> None:
    player = StoryPlayer()
    machine = player.play._machine
    played(machine, WALKTHROUGH[:-1])
    player.play.type("light lamp")
    fields, truth = player.look(), player.truth()
    assert (fields["ended"], fields["possible"], fields["next_try"]) == (True, None, None)
    assert truth["terminal"] == {"isTerminal": True, "outcome": "win", "reason": "You have won"}
    assert truth["game_state"]["progress"] == 1.0
    player.play.type("restart")
    fields, truth = player.look(), player.truth()
    assert (fields["ended"], fields["location"], fields["places_seen"]) == (False, "Jetty", 1)
    assert (truth["status"], truth["metrics"]["stories"], truth["raw"]["turns"]) == ("playing", 2, 1)


WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(WORDS, min_size=1, max_size=120).map(" ".join),
    st.lists(WORDS.map(lambda word: word.replace(",", "")).filter(bool), max_size=20, unique=True),
)
def test_whatever_the_story_prints_is_read(text: str, names: list[str]) -> None:
    names = [name for name in names if name not in ("nothing", "...")]
    page = StoryPage(place="Hall of (all) Signs!", score=-12, moves=345, carried=names, possible=["north"])
    page.print("look up", text)
    fields = StoryPlayerEyes.read(page)
    assert fields["observation"] == " ".join(text.split())
    assert (fields["location"], fields["score"], fields["moves"]) == ("Hall of (all) Signs!", -12, 345)
    assert fields["inventory"] == "; ".join(names)
    assert fields["command"] == "look up"


class StoryPlayerEyes:
    """Eyes without a memory of earlier pages."""

    @staticmethod
    def read(page: StoryPage) -> dict[str, object]:
        from story_eyes import reader

        return dict(reader(PLUGIN).read(pixels_of(page)))


def test_what_is_typed_is_read_and_a_long_answer_is_read_as_far_as_it_is_in_sight() -> None:
    page = StoryPage(
        place="Hall", carried=[], possible=[f"take thing number {number}" for number in range(99)]
    )
    page.typed = "open the d"
    page.print("read book", "\n".join(f"Line {number}." for number in range(60)))
    fields = StoryPlayerEyes.read(page)
    assert fields["typed"] == "open the d"
    assert fields["command"] is None
    assert str(fields["observation"]).endswith("Line 58. Line 59.")
    assert str(fields["possible"]).startswith("take thing number 0; take thing number 1; ")
    page.turn(1)
    assert "Line 20." in str(StoryPlayerEyes.read(page)["observation"])


def test_letters_that_the_window_does_not_have_become_such_that_it_has() -> None:
    assert plain("“Café” — 3½ …\n’tis\t✓") == '"Cafe" - 31/2 ...\n\'tis '.replace("1/2", "12")


# ---- the patient player


def page(place: str, possible: str, carried: str = "", moves: int = 0, score: int = 0) -> Page:
    def listed(text: str) -> tuple[str, ...]:
        return tuple(filter(None, text.split(SEPARATOR)))

    return Page(place, score, moves, "", "", "", listed(carried), listed(possible), ended=False)


def test_it_takes_then_tries_then_walks_then_returns() -> None:
    explorer, hall = Explorer(), "north, open box, take rope, drop hat"
    explorer.take(page("Hall", hall, "hat"), "")
    assert explorer.next(page("Hall", hall, "hat")) == ["take rope"]
    emptied = page("Hall", "north, open box", "hat, rope")
    explorer.take(emptied, "take rope")
    assert explorer.next(emptied) == ["open box"]
    explorer.take(page("Hall", "north, close box", "hat, rope"), "open box")
    assert explorer.next(page("Hall", "north, close box", "hat, rope")) == ["north"]
    loft = page("Loft", "south, east", "hat, rope")
    explorer.take(loft, "north")
    assert explorer.next(loft) == ["east"], "south leads back, as it seems"
    end = page("End", "west", "hat, rope", score=5)
    explorer.take(end, "east")
    assert explorer.next(end) == ["west"], "the loft was last seen with less"
    explorer.take(page("Loft", "south, east", "hat, rope", score=5), "west")
    assert explorer.next(page("Loft", "south, east", "hat, rope", score=5)) == ["south"]


def test_it_puts_a_thing_where_nothing_else_fits_before_it_walks_on() -> None:
    explorer = Explorer()
    lab = page("Lab", "up, put coin in slot, drop coin, drop hat", "coin, hat")
    explorer.take(lab, "")
    assert explorer.next(lab) == ["put coin in slot"]
    shelf = page("Lab", "up, put coin on shelf, put hat on shelf, drop coin, drop hat", "coin, hat")
    other = Explorer()
    other.take(shelf, "")
    assert other.next(shelf) == ["up"], "a shelf that takes everything can wait"


# ---- the program


def test_without_the_machine_it_says_what_to_do(tmp_path: Path) -> None:
    hide = "import sys, runpy; sys.modules['jericho'] = None; sys.argv = ['story_game.py']; "
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{hide} runpy.run_path({str(PLUGIN / 'story_game.py')!r}, run_name='__main__')",
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(PLUGIN), "PATH": "/usr/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert ran.returncode == 1
    assert "run installer/run once more" in ran.stderr


def test_a_story_of_ones_own_is_looked_for_where_it_is_told(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(PLUGIN / "story_game.py"), "--from", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert f"There is no story file {tmp_path / 'NAME.z5'}" in ran.stderr


@pytest.mark.parametrize(
    ("image", "part"),
    [
        (b"", "no Z-machine story"),
        (b"\x89PNG" + bytes(100), "no Z-machine story"),
        (OWN.read_bytes()[:60_000], "bytes and has 60,000"),
    ],
)
def test_what_is_no_story_is_told(tmp_path: Path, image: bytes, part: str) -> None:
    (tmp_path / "odd.z5").write_bytes(image)
    assert part in fault_of(tmp_path / "odd.z5")
    assert fault_of(OWN) == ""
