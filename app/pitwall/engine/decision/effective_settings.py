"""The settings in force: some settings switch others off.

The floor's planners, the default agent and the published baselines decide every step alone. The computer-use
interface knows no named actions, so it has no use for skills and modules. Rolling rounds replace layered
memory. A setting that is switched off here is off everywhere: in prompts, plans and hints.
"""

from __future__ import annotations

from pitwall.core.commands import PlayMode
from pitwall.core.errors import PitwallError
from pitwall.core.model_telemetry import PUBLISHED
from pitwall.core.settings import Settings
from pitwall.engine.control.baselines import BASELINES, LONE
from pitwall.engine.inference.model_manager import decider_name, thinker_name, wanted_planner
from pitwall.models.call_forms.by_name import call_form


def acts_by_name(settings: Settings) -> bool:
    """Return whether the agent acts by the profile's named actions."""
    return settings.control.interface == "semantic"


def remembers(settings: Settings) -> bool:
    """Return whether layered memory is read and written at all."""
    return settings.memory.form == "layered" and thinker_name(settings) not in (*BASELINES, "person")


def effective(settings: Settings) -> Settings:
    """Return the settings in force: those that the chosen agent cannot use are off."""
    if wanted_planner(settings) in LONE or settings.control.workflow in PUBLISHED:
        settings = _with(settings, "control", routing="strategic-only")
    if not acts_by_name(settings):
        settings = _with(settings, "layers", l5="disable")
    if settings.memory.form == "rounds":
        rules = settings.layers.l3 if settings.models.prompt == "sections" else "off"
        settings = _with(settings, "layers", l3=rules, l4="disable", l5="disable", thread_messages=0)
        settings = _with(settings, "models", recent_steps=0)
    if settings.control.protocol == "paused":
        settings = _with(settings, "control", while_thinking="pause")
    return settings


def check_agent(settings: Settings) -> None:
    """Make sure that the chosen agent can play at all.

    Raises:
        PitwallError: it cannot; says what to change.
    """
    control, mode = settings.control, PlayMode.chosen_in(settings)
    if mode.by_person:
        if control.protocol == "paused":
            raise PitwallError(
                "a person plays in real time: the paused protocol is for agents.",
                "Set control.protocol to real-time.",
            )
        if not mode.has_shadow:
            return
    form = call_form(settings.models.calls)
    if form is not None and not form.named and control.interface == "semantic":
        raise PitwallError(
            f"{settings.models.calls} calls name keys and pointer, not the game's actions.",
            "Set control.interface to computer-use, or models.calls to tools or json.",
        )
    if control.interface == "computer-use" and decider_name(settings) == "skills":
        raise PitwallError(
            "skills are written in the game's named actions, which the computer-use interface has not.",
            "Choose a model, or control.planner explore, random or idle; or the semantic interface.",
        )


def _with(settings: Settings, section: str, **values: object) -> Settings:
    return settings.model_copy(update={section: getattr(settings, section).model_copy(update=values)})
