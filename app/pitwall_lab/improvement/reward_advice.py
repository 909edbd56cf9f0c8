"""Proposes changes of a reward function's weights without a model: rules of thumb on its parts' figures.

They may be wrong for a game; the held-out comparison afterwards decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from pitwall_lab.analysis.figures import Analysis
from pitwall_lab.improvement.changes import Change
from pitwall_lab.rewards.contract import PARAMETERS

_WEIGHTS = "PART_WEIGHTS"
_UNWEIGHTED = "unweighted_reward"
_DROWNS, _FAINT = 0.6, 0.03
_SAME = 0.25
_LESS, _MORE = 0.5, 4.0
_WEIGHTED = """

{weights} = {{}}


def reward({parameters}):
    parts = {unweighted}({parameters})
    if not isinstance(parts, dict):
        return parts
    return {{name: {weights}.get(name, 1.0) * part for name, part in parts.items()}}
"""


def other_rewards(of: Analysis, reward: str) -> Iterator[Change]:
    """Yield changes of a reward's weights that fit the analysis of its training, the best fitting first.

    A part that makes up most of the reward whatever is done gets half its weight; a part that is hardly felt
    beside the others gets four times its weight.

    Args:
        reward: source of the reward function; one that returns a plain number has no parts to weigh.
    """
    parts = sorted(of.rewards, key=lambda part: -part.weight)
    if len(parts) < 2:
        return
    most = parts[0]
    if most.weight >= _DROWNS and abs(most.change) <= _SAME * abs(most.mean):
        yield Change(
            title=f"half the weight of {most.name}",
            why=f"{most.name} makes up {most.weight:.0%} of the reward and hardly changed: "
            f"{most.first:.3g} → {most.last:.3g}.",
            reward=with_part_weights(reward, {most.name: _LESS}),
        )
    for part in reversed(parts):
        if 0.0 < part.weight < _FAINT:
            yield Change(
                title=f"{_MORE:g} times the weight of {part.name}",
                why=f"{part.name} makes up {part.weight:.1%} of the reward: it is hardly felt.",
                reward=with_part_weights(reward, {part.name: _MORE}),
            )


def with_part_weights(source: str, factors: Mapping[str, float]) -> str:
    """Return a reward function's source with some of its named parts multiplied by factors.

    The function is kept as it is under another name. The weights stand in a dict above the new function, and
    a further change multiplies those.
    """
    tree = ast.parse(source)
    assignments = (node for node in tree.body if isinstance(node, ast.Assign))
    known = next((node for node in assignments if ast.unparse(node.targets[0]) == _WEIGHTS), None)
    if known is None:
        source = re.sub(r"^def reward\(", f"def {_UNWEIGHTED}(", source, flags=re.MULTILINE)
        source = source.rstrip() + _WEIGHTED.format(
            weights=_WEIGHTS, unweighted=_UNWEIGHTED, parameters=", ".join(PARAMETERS)
        )
        return with_part_weights(source, factors)
    weights: dict[str, float] = ast.literal_eval(known.value)
    for name, factor in factors.items():
        weights[name] = round(weights.get(name, 1.0) * factor, 6)
    lines = source.splitlines()
    lines[known.lineno - 1 : known.end_lineno] = [f"{_WEIGHTS} = {weights!r}"]
    return "\n".join(lines) + "\n"
