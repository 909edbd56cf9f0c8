"""The shipped model's card: its training data, its size, its scores, its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CANNOT = (
    "It sees no pictures.",
    "It plans and reacts; it answers none of GameSense's seven stages, sums up no run, proposes no skill.",
    "It weighs no condition by itself: a prompt lists only skills whose trigger holds.",
    "It knows no game: where no skill applies it does what memory hints at, goes on, or tries what is left.",
    "It reads past summaries of earlier runs, notes and added knowledge: they change nothing that it does.",
    "It follows a skill by its name and keeps to a plan; a plan of its own is one action.",
)


def card_of(about: Mapping[str, Any], examined: Mapping[str, Any] | None = None) -> str:
    """Write the card as Markdown from `about.json`.

    Args:
        examined: the result of `evaluate-default`; None: not evaluated yet.
    """
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
        "- In about one in ten of the games and of the episodes nobody plans: each reply is an action.",
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
    if examined is not None:
        lines += ["", "## Asked in the host, under its grammar (95 % interval)"]
        lines += [f"- {line}" for line in figures(examined)]
    lines += ["", "## What it cannot do", *(f"- {text}" for text in _CANNOT)]
    if not about["done"]:
        lines += ["", "The training was not finished."]
    return "\n".join(lines) + "\n"


def figures(findings: Mapping[str, Any]) -> list[str]:
    """List an evaluation's findings, a line each."""
    lines = [f"agreement, {name}: {_share(shares['all'])}" for name, shares in findings["agreement"].items()]
    alone = findings["agreement_alone"].items()
    lines += [f"agreement where nobody plans, {name}: {_share(shares['all'])}" for name, shares in alone]
    lines.append(f"reading: {_share(findings['reading']['all'])}")
    lines += [
        f"memory changed, {kind}: {_share(agreement)}"
        for kind, agreement in findings["memory_changed"].items()
    ]
    for tier, latency in findings["latency_ms"].items():
        lines.append(
            f"{tier}: {latency['p50']:.0f} ms, p95 {latency['p95']:.0f} ms over {latency['calls']} calls"
        )
    resident = findings["host_resident_bytes"]
    if resident is not None:
        lines.append(f"memory of the host: {resident / 1e6:.0f} MB")
    differs = findings["differs_from_full_precision"]
    if differs is not None:
        lines.append(f"differs from full precision: {_share(differs)}")
    return lines


def _share(agreement: Mapping[str, Any]) -> str:
    if agreement["share"] is None:
        return "nothing was asked"
    interval = f"({agreement['low']:.1%} to {agreement['high']:.1%})"
    return f"{agreement['share']:.1%} {interval} of {agreement['asked']:,}"
