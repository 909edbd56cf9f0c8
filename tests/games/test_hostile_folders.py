"""Whatever a folder in the data folder's games holds, it is one faulty entry; everything else goes on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.errors import ManifestError
from pitwall.core.paths import DataFolder
from pitwall.games.checks.folder import check_game
from pitwall.games.manifest import MANIFEST
from pitwall.games.registry import Registry

Damage = Callable[..., Path]
LONG = "n" * 300
DEEP = "(" * 20_000
PATHS = [
    ("launch.copies", "[window]\n", "copies = [{}]\n\n[window]\n"),
    ("launch.command", '"{{folder}}/pong.py"', '"{{folder}}/" , {}'),
    ("roles", 'prompt = "left.md"', "prompt = {}"),
    ("python.module", "[status]\n", "[python]\nmodule = {}\n\n[status]\n"),
    (
        "fields.template",
        "[status]\n",
        '[[fields]]\nname = "t"\nkind = "template"\nbox = [0, 0, 9, 9]\ntemplate = {}\n\n[status]\n',
    ),
    (
        "fields.templates",
        "[status]\n",
        '[[fields]]\nname = "d"\nkind = "digits"\nbox = [0, 0, 9, 9]\ntemplates = {}\n\n[status]\n',
    ),
    (
        "detectors.templates",
        "[status]\n",
        '[[detectors]]\nname = "d"\nkind = "template"\ntemplates = {{ a = {} }}\n\n[status]\n',
    ),
]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def told(data: DataFolder, folder: Path) -> str:
    """The fault of a folder among the games, after the others were listed and found beside it."""
    data.games.mkdir(parents=True)
    folder.rename(data.games / folder.name)
    entries = {entry.game_id: entry for entry in Registry(data).games()}
    assert entries["flappy"].fault == ""
    assert Registry(data).load("flappy").game_id == "flappy"
    with pytest.raises(ManifestError):
        Registry(data).load(folder.name)
    assert check_game(data.games / folder.name)
    fault = entries[folder.name].fault
    assert str(data.games / folder.name / MANIFEST) in fault
    return fault


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 20_000, "nested too deep"),
        ("a = " + "{a = " * 20_000, "nested too deep"),
        (".".join("a" * 30_000) + " = 1\n", "too many parts"),
        ("[" + ".".join("a" * 900) + "]\n", "nested too deep"),
        (f"schema = {'9' * 5000}\n", "too many digits"),
        (f"schema = 0x{'f' * 50_000}\n", "too many digits"),
        ("schema = 1e999\n", "not finite"),
        ("\x00", "does not parse"),
        ("#" * 2_000_000, "too big"),
    ],
)
def test_a_hostile_manifest_is_a_faulty_entry(
    data: DataFolder, damaged: Damage, text: str, message: str
) -> None:
    folder = damaged()
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    assert message in told(data, folder)


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices of a POSIX system")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
def test_a_manifest_that_is_no_file_is_a_faulty_entry(data: DataFolder, game_folder: Path, kind: str) -> None:
    manifest = game_folder / MANIFEST
    manifest.unlink()
    match kind:
        case "pipe":
            os.mkfifo(manifest)
        case "device":
            manifest.symlink_to("/dev/zero")
        case "folder":
            manifest.mkdir()
        case _:
            manifest.symlink_to(manifest)
    assert "no regular file" in told(data, game_folder) or kind == "loop"


@pytest.mark.parametrize(("key", "old", "new"), PATHS, ids=[key for key, _, _ in PATHS])
@pytest.mark.parametrize(
    ("path", "message"), [(r"a\u0000b", "no path"), (LONG, "no path"), ("x/" * 3000, "no path")]
)
def test_a_path_that_no_file_can_have_is_a_fault(
    data: DataFolder, damaged: Damage, key: str, old: str, new: str, path: str, message: str
) -> None:
    if key == "launch.command":
        folder = damaged(('"{folder}/pong.py"', f'"{{folder}}/{path}"'))
    else:
        folder = damaged((old, new.format(f'"{path}"')))
    assert message in "\n".join(map(str, check_game(folder)))
    told(data, folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('title = "^Pong$"', f"title = '{DEEP}'"),
        ('title = "^Pong$"', "title = 'a{99999999999999999999}'"),
        ('value = "ball_x / 200"', f'value = "{DEEP}"'),
        ('value = "ball_x / 200"', f'value = "{"-" * 20_000}1"'),
        ('value = "ball_x / 200"', f'value = "{"9" * 5000}"'),
        ('action = "move(way=up)"', f'action = "move({DEEP}"'),
        ('action = "move(way=up)"', f'action = "move(ms={"9" * 5000})"'),
        ("width = 200", f"width = {2**62}"),
        ("maximum = 400", f"maximum = {2**63}"),
    ],
)
def test_a_hostile_value_is_a_fault(data: DataFolder, damaged: Damage, old: str, new: str) -> None:
    told(data, damaged((old, new)))


@pytest.mark.skipif(os.name != "posix", reason="names that are no UTF-8")
def test_strange_names_inside_a_folder_stop_nothing(data: DataFolder, game_folder: Path) -> None:
    (game_folder / os.fsdecode(b"\xff\xfe.py")).write_text("", encoding="utf-8")
    os.mkfifo(game_folder / "pipe.py")
    (game_folder / "round").symlink_to(game_folder)
    data.games.mkdir(parents=True)
    game_folder.rename(data.games / "pong")
    assert {entry.game_id: entry.fault for entry in Registry(data).games()}["pong"] == ""


def test_what_is_said_of_a_hostile_manifest_is_bounded(data: DataFolder, damaged: Damage) -> None:
    folder = damaged()
    field = '[[fields]]\nname = "f"\nbox = [0, 0, 9, 9]\n'
    (folder / MANIFEST).write_text(
        (folder / MANIFEST).read_text(encoding="utf-8") + f'{field}kind = "{"x/" * 3_000}"\n' + field * 500,
        encoding="utf-8",
    )
    assert len(told(data, folder)) < 500
    with pytest.raises(ManifestError) as caught:
        Registry(data).load(folder.name)
    message = str(caught.value)
    assert "kind: is missing" in message
    assert "and 486 more" in message
    assert len(message) < 10_000
    assert len(check_game(data.games / folder.name)) == 501, "the check lists all of them"
