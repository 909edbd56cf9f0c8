"""The conformance checker: each fault it promises to find, found in a folder that has only this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.games.checks.folder import check_game

Damage = Callable[..., Path]


def test_a_sound_folder_has_no_faults(game_folder: Path) -> None:
    assert check_game(game_folder) == []
    assert check_game(game_folder / "plugin.toml") == []


@pytest.mark.parametrize("game", ["flappy", "doom", "crafter"])
def test_bundled_games_have_no_faults(project_root: Path, game: str) -> None:
    assert check_game(project_root / "plugins" / game) == []


_WAYS = "[truth]\n"
CASES: list[tuple[str, str, str, str, str]] = [
    # what is replaced, by what, the key that is blamed, a part of the sentence, the nearest name
    ('expect = "ball_x > 10"', 'expect = "bal_x > 10"', "actions.move.expect", "bal_x", ""),
    ('menu = "ball_x == none"', 'menu = "ball_x = none"', "status.menu", "does not parse", ""),
    ('value = "ball_x / 200"', 'value = "later / 200"', "fields.ball_share.value", "later", ""),
    ('name = "ball_x"', 'name = "status"', "fields.status", "a meaning of its own", ""),
    ('position = ["ball_x"]', 'position = ["ball_y"]', "progress.position", "ball_y", "ball_x"),
    ('actions = ["serve", "move', 'actions = ["srve", "move', "skills.begin.actions", "srve", ""),
    ("ms=50)", "ms=5000)", "skills.begin.actions", "outside", ""),
    ("ms=50)", "sm=50)", "skills.begin.actions", "no argument 'sm'", ""),
    (
        'action = "move(way=up)"',
        'action = "move"',
        "modules.follow.rules[1].action",
        "needs the argument",
        "",
    ),
    ('module = "follow"', 'module = "folow"', "skills.play.module", "folow", "follow"),
    ('module = "follow"', "", "skills.play", "one way", ""),
    ('"Space", "Shift"]', '"Space", "Shft"]', "controls.keys", "Shft", "Shift"),
    ('sequence = ["up", "down"]', 'sequence = ["up", "x"]', "actions.combo.keys", "'x'", ""),
    ("hold_ms = 40", "hold_ms = 4000", "actions.combo.hold_ms", "4000 ms", ""),
    ("maximum = 400", "maximum = 800", "actions.move.parameters.ms", "controls.hold_ms", ""),
    ("default = 100", "default = 10", "actions.move.parameters.ms.default", "found 10", ""),
    ('choices = ["up", "down"]', "choices = []", "actions.move.parameters.way", "no choices", ""),
    ('choices = ["up", "down"]', 'choices = ["up", "q"]', "actions.move.keys", "'q'", ""),
    ('hold_ms = "$ms"', 'hold_ms = "$mss"', "actions.move", "$mss", "ms"),
    ("maximum = 7", "maximum = 8", "actions.tap_cell.click", "0 … 7", ""),
    ("box = [10, 20, 80, 40]", "box = [10, 20, 80, 90]", "actions.tap_cell.cells.box", "90", ""),
    ("wait = true", 'wait = true\nkeys = ["Space"]', "actions.watch", "2 ways", ""),
    ("mouse = true", "mouse = false", "actions.tap_at.click", "controls.mouse", ""),
    ("box = [0, 0, 200, 100]", "box = [0, 0, 201, 100]", "fields.ball_x.box", "201", ""),
    ('title = "^Pong$"', 'title = "(Pong"', "window.title", "regular expression", ""),
    ('prompt = "left.md"', 'prompt = "lift.md"', "roles.left.prompt", "lift.md", "left.md"),
    ('prompt = "left.md"', 'prompt = "../x.md"', "roles.left.prompt", "outside", ""),
    ('actions = ["serve", "watch"]', 'actions = ["serve", "wach"]', "roles.server.actions", "wach", "watch"),
    ("target = 5", "target = 0", "tasks.rally.target", "found 0", ""),
    ('aliases = ["start"]', 'aliases = ["watch"]', "actions.aliases", "stands 2 times", ""),
    ('name = "combo"', 'name = "serve"', "actions", "'serve' stands 2 times", ""),
    ('"{seed}"', '"{sed}"', "launch.command", "{sed}", "seed"),
    ("{folder}/pong.py", "{folder}/ping.py", "launch.command", "ping.py", "pong.py"),
    (
        "[truth]\n",
        '[knowledge]\nepisode_key = ["roles"]\n\n[truth]\n',
        "knowledge.episode_key",
        "roles",
        "role",
    ),
    ("[truth]\n", '[knowledge]\nstate_key = ["nought"]\n\n[truth]\n', "knowledge.state_key", "nought", ""),
    ("parameters.ms", 'parameters."m s"', "actions.move.parameters.m s", "is no name", ""),
    (
        '["up", "down"] }',
        """["up", "'\\""] }""",
        "actions.move.parameters.way.choices",
        "both kinds of quotes",
        "",
    ),
    ("$y", "$x", "actions.tap_at.parameters.y", "never used", ""),
    ('kind = "derived"\nvalue = "ball_x / 200"', 'kind = "python"', "fields.ball_share", "no [python]", ""),
    ("[status]\n", '[python]\nmodule = "pong.py"\n\n[status]\n', "python", "no field", ""),
    ("[status]\n", '[pause]\nkeys = ["Space"]\n\n[status]\n', "status.paused", "is missing", ""),
    ("[status]\n", '[pause]\nkeys = ["q"]\n\n[status]\n', "pause.keys", "'q' is not among", ""),
    ("[status]\n", '[pause]\nkeys = ["Spce"]\n\n[status]\n', "pause.keys", "'Spce'", "Space"),
    ('name = "Pong"\n', 'name = "Pong"\nwhile_thinking = "pause"\n', "pause", "is missing", ""),
    ('actions = ["serve", "move', 'actions = ["{bal_x}", "move', "skills.begin.actions", "bal_x", "ball_x"),
    ("[launch]\n", '[launch]\ncopies = ["pong.cfg"]\n', "launch.copies", "pong.cfg", ""),
    (
        _WAYS,
        '[[passages]]\nname = "a"\nsteps = [{ keys = ["Entr"] }]\n\n[truth]\n',
        "passages.a.steps[1].keys",
        "Entr",
        "Enter",
    ),
    (
        _WAYS,
        '[[passages]]\nname = "a"\nleaves = "paused"\nsteps = [{ keys = ["p"] }]\n\n[truth]\n',
        "passages.a",
        "when it starts",
        "",
    ),
    (
        _WAYS,
        '[[passages]]\nname = "a"\nsteps = [{ hold_ms = 50 }]\n\n[truth]\n',
        "passages.a.steps[1]",
        "one way",
        "",
    ),
    (
        _WAYS,
        '[[passages]]\nname = "a"\nsteps = [{ click = [200, 5] }]\n\n[truth]\n',
        "passages.a.steps[1].click",
        "200",
        "",
    ),
    (
        _WAYS,
        '[[passages]]\nname = "a"\nwhen = "nme"\nsteps = [{ keys = ["p"], screen = "a.png" }]\n\n[truth]\n',
        "passages.a.steps[1].screen",
        "a.png",
        "",
    ),
    (
        _WAYS,
        '[[passages]]\nname = "a"\nwhen = "bal_x > 1"\nsteps = [{ keys = ["p"] }]\n\n[truth]\n',
        "passages.a.when",
        "bal_x",
        "ball_x",
    ),
    ('menu = "ball_x == none"', 'menu = "says(ball_x)"', "status.menu", "not allowed", ""),
]


@pytest.mark.parametrize(("old", "new", "key", "part", "near"), CASES, ids=[case[1][:40] for case in CASES])
def test_each_fault_is_found(damaged: Damage, old: str, new: str, key: str, part: str, near: str) -> None:
    folder = damaged((old, new))
    blamed = [fault for fault in check_game(folder) if fault.key == key and part in str(fault)]
    assert blamed, [str(fault) for fault in check_game(folder)]
    assert blamed[0].file == str(folder / "plugin.toml")
    if near:
        assert blamed[0].nearest == near


def test_faults_of_type_do_not_hide_the_others(damaged: Damage) -> None:
    faults = check_game(
        damaged(
            ("width = 200", 'width = "wide"'),
            ('kind = "blob"', 'kind = "blub"'),
            ('keys = ["Space"]\n\n[[actions]]', "keys = 5\n\n[[actions]]"),
            ('title = "^Pong$"', 'title = "(Pong"'),
            ("target = 5", "target = 0"),
        )
    )
    keys = {fault.key for fault in faults}
    assert keys == {"screen.width", "fields[1].kind", "actions[1].keys", "window.title", "tasks.rally.target"}


@pytest.mark.parametrize("section", ["launch", "controls", "truth"])
def test_a_faulty_table_does_not_blame_those_that_lean_on_it(damaged: Damage, section: str) -> None:
    faults = check_game(damaged((f"[{section}]\n", f"[{section}]\nnonsense = 1\n")))
    assert [fault.key for fault in faults] == [f"{section}.nonsense"]


@pytest.mark.parametrize("odd", ["", "-1", "3.5", '"$x"', "[]", "{}", "true", '["a", 1]', "1979-05-27"])
def test_no_damage_to_a_line_raises(game_folder: Path, odd: str) -> None:
    """A line left out, or its value replaced by something odd, is a fault or none, never a crash."""
    file = game_folder / "plugin.toml"
    lines = file.read_text(encoding="utf-8").splitlines()
    reported = 0
    for at, line in enumerate(lines):
        name, equals, _ = line.partition(" = ")
        changed = [f"{name} = {odd}"] if odd and equals else []
        file.write_text("\n".join(lines[:at] + changed + lines[at + 1 :]), encoding="utf-8")
        reported += bool(check_game(game_folder))
    assert reported > 20
