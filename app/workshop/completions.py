"""Writes the shells' completions of `pitwall` from the commands themselves; pressing Tab starts no Python.

python -m workshop.completions resources/desktop
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer.main

from pitwall.cli.main import program
from workshop.man_page import players_commands

BASH, ZSH, FISH = "pitwall.bash", "_pitwall", "pitwall.fish"


@dataclass(frozen=True, slots=True)
class Word:
    """A word that can follow: a command or an option, with its help."""

    text: str
    help: str


def completions() -> dict[str, str]:
    """Return the file of each shell, by its name."""
    tree = dict(_paths(typer.main.get_command(program(*players_commands())), ""))
    return {BASH: _bash(tree), ZSH: _zsh(tree), FISH: _fish(tree)}


def _paths(command: Any, path: str) -> Iterator[tuple[str, list[Word]]]:
    """Yield each command's path ("", "games", "games check") with the words that can follow it."""
    below = {name: item for name, item in getattr(command, "commands", {}).items() if not item.hidden}
    words = [Word(name, element.get_short_help_str(120)) for name, element in below.items()]
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            words += [Word(name, _first_line(parameter)) for name in parameter.opts if name.startswith("--")]
    yield path, [*words, Word("--help", "Tell its options.")]
    for name, part in below.items():
        yield from _paths(part, f"{path} {name}".strip())


def _first_line(parameter: Any) -> str:
    return str(getattr(parameter, "help", None) or "").split("\n")[0]


_WALK = """    local place="" word
    for word in "${before[@]}"; do
        case "$place $word" in
            %s) place="${place:+$place }$word" ;;
        esac
    done"""
"""Goes along the words before the cursor as far as they name a command; a pattern has a blank in front."""


def _walk(tree: Mapping[str, list[Word]]) -> str:
    known = []
    for path in tree:
        before, _, last = path.rpartition(" ")
        known += [f'"{before} {last}"'] if path else []
    return _WALK % "|".join(known)


def _bash(tree: Mapping[str, list[Word]]) -> str:
    cases = "\n".join(
        f'        "{path}") found="{" ".join(word.text for word in words)}" ;;'
        for path, words in tree.items()
    )
    return f"""# bash completion of pitwall; written by workshop.completions
_pitwall() {{
    local found="" cur="${{COMP_WORDS[COMP_CWORD]}}"
    local before=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
{_walk(tree)}
    case "$place" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$found" -- "$cur"))
}}
complete -o bashdefault -o default -F _pitwall pitwall
"""


def _zsh(tree: Mapping[str, list[Word]]) -> str:
    cases = "\n".join(
        f'        "{path}") found=({" ".join(_described(word) for word in words)}) ;;'
        for path, words in tree.items()
    )
    return f"""#compdef pitwall
# zsh completion of pitwall; written by workshop.completions
_pitwall() {{
    local -a found before
    before=("${{(@)words[2,CURRENT-1]}}")
{_walk(tree)}
    case "$place" in
{cases}
    esac
    _describe -o command found || _files
}}
_pitwall "$@"
"""


def _described(word: Word) -> str:
    text = f"{word.text}:{word.help}" if word.help else word.text
    return "'" + text.replace("'", "’") + "'"


def _fish(tree: Mapping[str, list[Word]]) -> str:
    lines = [
        "# fish completion of pitwall; written by workshop.completions",
        "function __pitwall_at",
        "    set -l place",
        "    for word in (commandline -opc)[2..-1]",
        '        if contains -- (string join " " $place $word) $__pitwall_places',
        "            set place $place $word",
        "        end",
        "    end",
        '    set -l named (string join " " $place)',
        '    test "$named" = "$argv"',
        "end",
        f"set -g __pitwall_places {' '.join(_quoted(path) for path in tree if path)}",
    ]
    for path, words in tree.items():
        at = f"complete -c pitwall -n {_quoted('__pitwall_at ' + path if path else '__pitwall_at')}"
        for word in words:
            name = f"-l {word.text[2:]}" if word.text.startswith("--") else f"-a {_quoted(word.text)}"
            lines.append(f"{at} {name} -d {_quoted(word.help)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


if __name__ == "__main__":
    for name, text in completions().items():
        (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
