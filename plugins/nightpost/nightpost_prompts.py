"""Measures prompts over whole runs: tokens by layer at each decision, an accumulating transcript beside them.

Run: nightpost_prompts.py [--runs 10] [--first-seed 7000000] [--hero pip] [--json FILE]
The search player plays; before each of its moves Pitwall's strategic controller asks for a plan, and gets
that move as the reply. So the prompts are those of an agent that asks a model at every decision, without a
model and a window.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import llama_cpp
import numpy as np
from nightpost_rules.eyes import action_of, fields_of
from nightpost_rules.rules_player import RulesPlayer
from nightpost_rules.search_player import SearchPlayer
from nightpost_rules.session import Session
from nightpost_rules.tables import TABLES

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.core.prompts import Prompt
from pitwall.core.settings import Settings
from pitwall.core.signals import Reason, Signals
from pitwall.engine.control.model_caller import CompletionReply, CompletionRequest
from pitwall.engine.control.model_planner import ModelPlanner
from pitwall.engine.control.planner import PastStep, PlanRequest
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.perception.status import status
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.memory_entries import usable_skills

FIRST_SEED = 7_000_000
HEAD = (
    *("seed", "act", "decisions", "first", "last", "change", "first turn of a fight", "last turn", "change"),
    *("all within", "by a line", "transcript, first", "last", "growth"),
)
_HISTORY = 20
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision's prompt: where it was made, and its tokens by layer."""

    number: int
    screen: str
    act: int
    layers: Mapping[str, int]
    transcript: int

    @property
    def tokens(self) -> int:
        """Return the tokens of the whole prompt."""
        return sum(self.layers.values())


class Tokeniser:
    """Counts tokens by a model's vocabulary; equal texts are counted once."""

    def __init__(self, path: Path) -> None:
        self._model = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
        self._kept: dict[str, int] = {}

    def of(self, text: str) -> int:
        """Return the tokens of a text."""
        if text not in self._kept:
            self._kept[text] = len(self._model.tokenize(text.encode(), add_bos=False))
        return self._kept[text]


class Scripted:
    """A caller of models: keeps the prompt of a plan, and answers with the move that is set."""

    def __init__(self, tokens: Tokeniser) -> None:
        self._tokens = tokens
        self.move = ""
        self.prompt = Prompt(messages=())

    def available(self, _: Purpose) -> bool:
        return True

    def sees(self, _: Purpose) -> bool:
        return False

    def picture_size(self, *, before: bool = False) -> tuple[int, int]:
        del before
        return (0, 0)

    def picture_tokens(self, _: Purpose) -> int:
        return 0

    def chooses(self, _: Purpose) -> bool:
        return False

    def no_text(self, _: Purpose) -> str:
        return ""

    def ask(self, ask: CompletionRequest) -> int:
        if ask.purpose is Purpose.PLAN:
            self.prompt = ask.prompt
        return 1

    def answer(self, call: int) -> CompletionReply:
        plan = {"situation": "as the state says", "subgoal": "go on", "actions": [self.move], "steps": 1}
        return CompletionReply(call=call, text=json.dumps(plan), finish="stop")

    def settle(self, *_: object, **__: object) -> None:
        pass

    def cancel(self, _: int) -> None:
        pass

    def count(self, _: Purpose, text: str) -> int:
        return self._tokens.of(text)

    def room(self, _: Purpose) -> int:
        return 0

    def prompt_budget(self, _: Purpose) -> int:
        return 0

    def counted(self, _: Purpose, texts: Iterable[str]) -> bool:
        del texts
        return True


class Prompts:
    """Plays runs and composes the prompt of each decision."""

    def __init__(self, game: Game, tokens: Tokeniser) -> None:
        self._game, self._tokens = game, tokens
        self._space = Vocabulary(game.profile)
        task = next(task for task in game.profile.tasks if task.id == "deliver")
        self._settings = Settings()
        self._book = PromptLayers(
            game,
            forms=self._space.forms,
            layers=self._settings.layers,
            memory=self._settings.memory,
            instruction=task.instruction,
        )

    def play(self, seed: int, hero: str) -> Iterator[Decision]:
        """Play a run to its end and yield its decisions."""
        session, player, eyes = Session(seed, hero), SearchPlayer(seed=seed), RulesPlayer()
        session.press("Enter")
        run = session.run
        assert run is not None
        caller = Scripted(self._tokens)
        planner = self._planner(caller)
        history: deque[PastStep] = deque(maxlen=_HISTORY)
        transcript, number = 0, 0
        while not run.over:
            number += 1
            sight = session.sight
            before = fields_of(sight, eyes)
            move = player.move(run)
            caller.move = action_of(move, sight)
            prompt = self._asked(planner, caller, number, before, tuple(history))
            layers = Counter[str]()
            for span in prompt.spans:
                layers[span.layer.value] += self._tokens.of(span.text)
            transcript += layers["state"] + self._tokens.of(caller.answer(1).text)
            fixed = layers["L1"] + layers["L2"] + layers["L3"]
            yield Decision(number, sight.screen, sight.act, dict(layers), fixed + transcript)
            run.do(move)
            after = fields_of(session.sight, eyes)
            changed = {name: (before[name], value) for name, value in after.items() if before[name] != value}
            action: SemanticAction = self._space.parse(caller.move)
            history.append(PastStep(step=number, action=action, effect=Effect.CONFIRMED, changed=changed))

    def _planner(self, caller: Scripted) -> ModelPlanner:
        skills, _ = usable_skills(self._game.profile, ())
        names = frozenset(field.name for field in self._game.profile.fields) | {"status"}
        return ModelPlanner(
            caller=caller,
            book=lambda: self._book,
            space=self._space,
            fields=names,
            modules=(),
            settings=lambda: self._settings,
            stand_in=None,
            ranks=SkillPlanner(skills, self._space, fields=names),
        )

    def _asked(
        self,
        planner: ModelPlanner,
        caller: Scripted,
        number: int,
        fields: Mapping[str, Value],
        history: tuple[PastStep, ...],
    ) -> Prompt:
        phase = status(self._game.profile.status, fields)
        planner.request(
            PlanRequest(
                request_id=number,
                step=number,
                now_ns=0,
                values={**fields, "status": phase.value},
                status=phase,
                signals=Signals(),
                reasons=(Reason.REQUESTED,),
                recent=tuple(step.action for step in history),
                history=history,
            )
        )
        while planner.poll() is None:
            pass
        return caller.prompt


def slope(decisions: Sequence[Decision]) -> tuple[float, float]:
    """Return how a prompt changes over its run by a straight line, and half the 95 % interval, in shares.

    Tokens are fitted to the decision's number, with a constant of its own for each screen: like with like.
    """
    numbers = np.array([decision.number for decision in decisions], float)
    numbers = (numbers - numbers.mean()) / (numbers.max() - numbers.min())
    tokens = np.array([decision.tokens for decision in decisions], float)
    screens = sorted({decision.screen for decision in decisions})
    kinds = np.array([[decision.screen == screen for screen in screens] for decision in decisions], float)
    columns = np.column_stack([numbers, kinds])
    fitted, *_ = np.linalg.lstsq(columns, tokens, rcond=None)
    rest = tokens - columns @ fitted
    spread = float(rest @ rest) / max(1, len(tokens) - columns.shape[1])
    error = float(np.sqrt(spread * np.linalg.inv(columns.T @ columns)[0, 0]))
    return float(fitted[0]) / float(tokens.mean()), _Z * error / float(tokens.mean())


def row(seed: int, decisions: Sequence[Decision]) -> str:
    """Return a line of the table."""
    sizes = [decision.tokens for decision in decisions]
    fights = [decision.tokens for decision in decisions if decision.screen == "fight"]
    change, half = slope(decisions)
    growth = decisions[-1].transcript / decisions[0].transcript
    cells = (
        f"{seed}",
        f"{decisions[-1].act}",
        f"{len(decisions)}",
        *_change(sizes[0], sizes[-1]),
        *_change(fights[0], fights[-1]),
        f"{min(sizes):,} to {max(sizes):,}",
        f"{_percent(change)} ± {100 * half:.1f}",
        f"{decisions[0].transcript:,}",
        f"{decisions[-1].transcript:,}",
        f"{growth:.0f} times",
    )
    return f"| {' | '.join(cells)} |"


def summary(runs: Sequence[Sequence[Decision]]) -> str:
    """Return the means over runs, and each layer in the first and the last quarter of a run."""
    fights = [[decision for decision in run if decision.screen == "fight"] for run in runs]
    return (
        f"Last to first decision: {_spread(runs)}. Last to first turn of a fight: {_spread(fights)}. "
        f"By a line: {_percent(fmean(slope(run)[0] for run in runs))}.\n"
        f"Tokens by layer, first and last quarter: {_by_layer(runs)}."
    )


def _spread(runs: Sequence[Sequence[Decision]]) -> str:
    shares = [run[-1].tokens / run[0].tokens - 1 for run in runs]
    furthest = max(abs(share) for share in shares)
    return f"{_percent(fmean(shares))}, at most {100 * furthest:.1f} %"


def _by_layer(runs: Sequence[Sequence[Decision]]) -> str:
    names = sorted({name for run in runs for decision in run for name in decision.layers})
    parts = []
    for name in names:
        first = fmean(_mean(name, run[: len(run) // 4 + 1]) for run in runs)
        last = fmean(_mean(name, run[-(len(run) // 4 + 1) :]) for run in runs)
        parts.append(f"{name} {first:.0f} and {last:.0f}")
    return ", ".join(parts)


def _mean(name: str, decisions: Sequence[Decision]) -> float:
    return fmean(decision.layers.get(name, 0) for decision in decisions)


def _change(first: int, last: int) -> tuple[str, str, str]:
    return f"{first:,}", f"{last:,}", _percent(last / first - 1)


def _percent(share: float) -> str:
    return f"{100 * share + 0.0:+.1f} %"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description="Measure Night Post's prompts over whole runs.")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--hero", choices=sorted(TABLES.heroes), default="pip")
    parser.add_argument("--json", type=Path, help="Keep each decision's tokens by layer in this file.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        game = Registry(DataFolder(Path(folder))).load("nightpost")
    prompts = Prompts(game, Tokeniser(resources_dir() / "models" / "pitwall-small.gguf"))
    _say(f"| {' | '.join(HEAD)} |")
    _say("|---" * len(HEAD) + "|")
    runs = []
    for seed in range(options.first_seed, options.first_seed + options.runs):
        runs.append(list(prompts.play(seed, options.hero)))
        _say(row(seed, runs[-1]))
        if options.json:
            kept = [[asdict(decision) for decision in run] for run in runs]
            options.json.write_text(json.dumps(kept), encoding="utf-8")
    _say(f"\n{summary(runs)}")


if __name__ == "__main__":
    main()
