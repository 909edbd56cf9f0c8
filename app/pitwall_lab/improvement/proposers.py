"""Proposers of changes: the evolution tier's model, a search over a module's rules, the operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.settings import Settings
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.detectors import OnnxDetector
from pitwall.games.schema.modules import Trial
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall.memory.prompt.layers import ask, protocol
from pitwall.models.replies.reply_object import BadReply
from pitwall_lab.analysis.figures import Analysis
from pitwall_lab.improvement.changes import Change, ChangeRefused, NoProposal
from pitwall_lab.improvement.evolution_model import EvolutionModel, evolution_model
from pitwall_lab.improvement.improvement_replies import (
    parse_labels_draft,
    parse_reward_draft,
    parse_rules_draft,
)
from pitwall_lab.improvement.playing import Playing
from pitwall_lab.improvement.recipe_advice import advised_change
from pitwall_lab.improvement.reply_shapes import module_reply_shape
from pitwall_lab.improvement.rule_edits import with_edits
from pitwall_lab.improvement.rule_numbers import numbered_rules, with_numbers
from pitwall_lab.improvement.rule_search import search_change
from pitwall_lab.improvement.search_budget import SearchBudget, ignore_progress

_ANALYSES = (4_000, 2_000, 900, 300)
"""Possible lengths of the analysis in a prompt, in characters; the longest that fits is used."""
_DESCRIPTION = 160
_MOST_FIELDS = 60
_PICTURE = (
    "The picture shows the last decision of each game that it played, side by side. Orange boxes: fields "
    "with their readings; green boxes: what detectors found.\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The facts that a proposer is given.

    Attributes:
        about: the version to improve. playing: where it is played. reward: its source; empty for rules.
        number: of the iteration, from 1. refused: reasons why earlier proposals of this iteration were
            refused.
    """

    folder: ModuleFolder
    about: VersionRecord
    trial: Trial
    playing: Playing
    analysis: Analysis
    reward: str
    number: int
    refused: tuple[str, ...] = ()
    should_stop: Callable[[], bool] = lambda: False
    on_progress: Callable[[int, int], None] = ignore_progress


class Proposer(Protocol):
    """Proposes one change."""

    def __call__(self, situation: Situation) -> Change:
        """Propose a change.

        Raises:
            ChangeRefused: the proposal is unfit; it may be asked again.
            NoProposal: it has nothing to propose.
        """
        ...


def by_operator(*changes: Change) -> Proposer:
    """Propose the operator's changes, one in each iteration."""
    waiting = list(changes)

    def propose(situation: Situation) -> Change:
        if situation.refused:
            raise NoProposal(situation.refused[-1])
        if not waiting:
            raise NoProposal("every change that was given has been tried.")
        return waiting.pop(0).model_copy(update={"by": "operator"})

    return propose


def by_rules(*, seed: int = 0, search: SearchBudget | None = None) -> Proposer:
    """Propose without a model.

    For rules it searches their numbers and logic (`rule_search`); for a policy it takes the change of recipe,
    reward weights or actions that fits its analysis (`recipe_advice`).
    """

    def propose(situation: Situation) -> Change:
        if situation.refused:
            raise NoProposal(situation.refused[-1])
        if situation.about.kind == "policy":
            return advised_change(situation.analysis, situation.about, situation.number, situation.reward)
        return search_change(
            situation.folder,
            situation.about,
            situation.trial,
            situation.playing,
            seen=situation.analysis.play.seen if situation.analysis.play is not None else {},
            seed=seed + situation.number,
            search=search,
            on_candidate=situation.on_progress,
            should_stop=situation.should_stop,
        )

    return propose


@contextmanager
def by_model(data: DataFolder, settings: Settings, *, detector: str = "") -> Iterator[Proposer]:
    """Propose with the evolution tier's model, in a host process that ends with the block.

    Args:
        detector: propose labels for this ONNX detector, instead of a reward or numbers of rules.

    Raises:
        NoProposal: no model is chosen for the tier. UnknownModel: the registry has none of that name.
    """
    otherwise = "improve by rules, or give a change of your own"
    with evolution_model(data, settings, otherwise=otherwise) as model:
        yield lambda situation: propose_by_model(model, situation, detector=detector)


def propose_by_model(model: EvolutionModel, situation: Situation, *, detector: str = "") -> Change:
    """Ask a model for a change.

    Raises:
        ChangeRefused: its reply holds no change, or names something that does not exist.
        NoProposal: the prompt does not fit into the model's context, or there is no such detector.
        RequestFailed, ChildDied: the host could not answer.
    """
    purpose, profile = _purpose(situation, detector), situation.folder.game.profile
    fields = [field.name for field in profile.fields]
    play = situation.analysis.play
    picture = play.picture if play is not None and model.sees else b""
    asked = model.ask(
        purpose,
        module_reply_shape(purpose, Vocabulary(profile).forms, fields),
        lambda most: prompt_of(purpose, situation, detector, most=most, picture=bool(picture)),
        _ANALYSES,
        seed=1000 * situation.number,
        again=len(situation.refused),
        picture=picture,
    )
    try:
        return change_of(asked.reply, purpose, situation, detector)
    except BadReply as error:
        raise ChangeRefused(f"the model's proposal cannot be read: {error.what}") from None


def prompt_of(
    purpose: Purpose,
    situation: Situation,
    detector: str = "",
    *,
    most: int = _ANALYSES[0],
    picture: bool = False,
) -> Prompt:
    """Write the model's prompt with at most `most` characters of the analysis.

    Args:
        picture: the analysis's picture is sent with it.
    """
    system = (
        Span(layer=Layer.PROTOCOL, text=protocol(purpose), item="protocol"),
        Span(layer=Layer.SCHEMA, text=_schema(situation), item="schema"),
    )
    parts = [
        _now(purpose, situation, detector),
        f"What its training or its play showed:\n{situation.analysis.text(most)}\n",
    ]
    if picture:
        parts.append(_PICTURE)
    if situation.refused:
        parts.append(
            f"Your last proposal was refused: {situation.refused[-1][:400]!r}. Propose another one.\n"
        )
    state = Span(layer=Layer.STATE, text="\n".join(parts), item="module")
    last = Span(layer=Layer.PROTOCOL, text=ask(purpose), item="ask")
    return Prompt(
        messages=(
            Message(role="system", spans=system),
            Message(role="user", spans=(state, last), image=picture),
        )
    )


def _purpose(situation: Situation, detector: str) -> Purpose:
    if detector:
        return Purpose.IMPROVE_LABELS
    return Purpose.IMPROVE_REWARD if situation.about.kind == "policy" else Purpose.IMPROVE_RULES


def _schema(situation: Situation) -> str:
    """List the fields with their units, and the actions by index."""
    profile = situation.folder.game.profile
    lines = ["Fields of a state:"]
    for field in profile.fields[:_MOST_FIELDS]:
        unit = f" ({field.unit})" if field.unit else ""
        about = f": {field.description[:_DESCRIPTION]}" if field.description else ""
        lines.append(f"- {field.name}{unit}{about}")
    lines.append("- status: 'playing', 'terminal', 'menu', 'paused', 'loading' or 'ready'")
    learned = situation.about.learned
    lines.append("Actions:")
    if learned is not None:
        lines += [f"- {index}: {text or '(begin nothing new)'}" for index, text in enumerate(learned.actions)]
    else:
        lines += [f"- {action.name}: {action.description[:_DESCRIPTION]}" for action in profile.actions]
    module, trial = situation.folder.declared, situation.trial
    better = "more is better" if trial.higher else "less is better"
    lines.append(f"The routine {module.name!r}: {module.description or 'no description'}.")
    lines.append(f"It is scored by {trial.score} {f'in {trial.unit}' if trial.unit else ''}; {better}.")
    return "\n".join(lines) + "\n"


def _now(purpose: Purpose, situation: Situation, detector: str) -> str:
    if purpose is Purpose.IMPROVE_LABELS:
        of = _detector(situation, detector)
        return f"The detector {of.name!r} looks for {of.labels!r} with a confidence of {of.confidence:g}.\n"
    if purpose is Purpose.IMPROVE_RULES:
        rules = situation.about.rules or situation.folder.declared
        head = "Its rules now; each number stands as [place: value]. The first that holds acts."
        return f"{head}\n{numbered_rules(rules)}\nIt ends when {rules.ends}.\n"
    return f"Its reward function now:\n{situation.reward}"


def _detector(situation: Situation, name: str) -> OnnxDetector:
    changed = {detector.name: detector for detector in situation.about.detectors}
    for detector in situation.folder.game.profile.detectors:
        of = changed.get(detector.name, detector)
        if of.name == name and isinstance(of, OnnxDetector):
            return of
    raise NoProposal(f"the game has no ONNX detector {name!r}.", "Labels belong to detectors of kind onnx.")


def change_of(text: str, purpose: Purpose, situation: Situation, detector: str = "") -> Change:
    """Read the change from a model's reply.

    Raises:
        BadReply: it holds no change. ChangeRefused: it names a rule or number that does not exist.
        NoProposal: there is no such detector.
    """
    if purpose is Purpose.IMPROVE_REWARD:
        reward = parse_reward_draft(text)
        return Change(title=reward.title, why=reward.why, by="model", reward=reward.source)
    if purpose is Purpose.IMPROVE_LABELS:
        labels = parse_labels_draft(text)
        update = {"labels": list(labels.labels), "confidence": labels.confidence}
        changed = _detector(situation, detector).model_copy(update=update)
        return Change(title=labels.title, why=labels.why, by="model", detectors=(changed,))
    rules = parse_rules_draft(text)
    before = situation.about.rules or situation.folder.declared
    if rules.edits:
        return Change(title=rules.title, why=rules.why, by="model", rules=with_edits(before, rules.edits))
    try:
        after = with_numbers(before, {(change.rule, change.number): change.value for change in rules.changes})
    except KeyError as error:
        rule, number = error.args[0]
        raise ChangeRefused(f"there is no number {number} in rule {rule}.") from None
    return Change(title=rules.title, why=rules.why, by="model", rules=after)


def as_refusal(error: PitwallError) -> str:
    """Describe the reason of a refusal in a sentence."""
    return f"{error.what} {error.fix}".strip()
