"""The shipped model's card: what it learned from, how big it is, what it scores, what it cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CANNOT = (
    "It sees no pictures.",
    "It plans and reacts; it answers none of GameSense's seven stages, sums up no run, proposes no skill.",
    "It weighs no condition by itself: a prompt lists only skills whose trigger holds.",
    "It knows no game: where no skill applies it does what memory hints at, goes on, or tries what is legal.",
    "It writes stop conditions of at most two comparisons.",
)


def card_of(about: Mapping[str, Any]) -> str:
    """The card, as Markdown, from `about.json`."""
    corpus = about["order"]["corpus"]
    games = corpus["invented_shards"] * corpus["games_a_shard"]
    episodes = ", ".join(f"{name} {number}" for name, number in corpus["episodes"].items())
    minutes = about["wall_s"] / 60
    lines = [
        f"# {about['name']}",
        "",
        about["what"],
        "",
        "## Data",
        f"- {games:,} invented games, {corpus['states_a_game']} states of each.",
        f"- Headless episodes: {episodes}.",
        "- Prompts by the project's own composers; replies by the skill planner and the rules.",
        "",
        "## Size",
        f"- {about['parameters']:,} parameters, 8 bits each in the file; {corpus['tokens']:,} tokens.",
        f"- {about['steps']:,} steps, {about['tokens_learned_from']:,} tokens, {minutes:,.0f}\u00a0min.",
        "",
        "## Replies that are the teacher's to the letter, held-out (95 % interval)",
    ]
    for name, score in about["to_the_letter"].items():
        interval = f"{score['low']:.1%} to {score['high']:.1%}"
        lines.append(f"- {name}: {score['share']:.1%} ({interval}) of {score['replies']:,}")
    lines += ["", "## What it cannot do", *(f"- {text}" for text in _CANNOT)]
    if not about["done"]:
        lines += ["", "The training was not finished."]
    return "\n".join(lines) + "\n"
