"""The skill planner: which skill fires, what negative evidence does, and when a plan is kept."""

from __future__ import annotations

import pytest

from pitwall.core.actions import Proposal
from pitwall.core.errors import ConditionError
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, Signals
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest
from pitwall.engine.control.proposal_state import ProposalState
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.games.schema.modules import Module, Rule
from pitwall.games.schema.profile import Skill
from pitwall.gsm.rule_module import RuleModule

FIELDS = frozenset({"enemy", "door", "health"})
CALM: dict[str, Value] = {"enemy": False, "door": False, "health": 90, "status": "playing"}
FIGHT: dict[str, Value] = {**CALM, "enemy": True}

WALK = Skill(name="walk", when="true", subgoal="explore", actions=["forward"], priority=1)
LEFT = Skill(name="left", when="true", subgoal="look left", actions=["turn_left"])
RIGHT = Skill(name="right", when="true", subgoal="look right", actions=["turn_right"])
OPEN = Skill(name="open", when="door", subgoal="open it", actions=["use"], priority=5, cooldown_steps=6)
SHOOT = Skill(name="shoot", when="enemy", subgoal="shoot", module="shooter", priority=9, stop="health < 20")


def shooter() -> RuleModule:
    rules = [Rule(when="enemy", action="use")]
    return RuleModule(Module(name="shooter", ends="not enemy", rules=rules), FIELDS)


class Asking:
    """Asks a planner step by step, and keeps what it answered."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.step = 0
        self.progress = 0
        self.notes: list[FailureNote] = []
        self.running: Proposal | None = None

    def failed(self, source: str, action: str = "", *, transient: bool = False) -> None:
        number = len(self.notes) + 1
        self.notes.append(
            FailureNote(
                number=number,
                step=self.step,
                action=action,
                source=source,
                problem="it failed",
                transient=transient,
            )
        )

    def ask(
        self,
        *reasons: Reason,
        values: dict[str, Value] | None = None,
        running: Proposal | None = None,
        flush: bool = False,
    ) -> PlanReply:
        self.step += 1
        request = PlanRequest(
            request_id=self.step,
            step=self.step,
            now_ns=self.step,
            values=CALM if values is None else values,
            status=GameStatus.PLAYING,
            signals=Signals(progress=self.progress),
            reasons=reasons or (Reason.REQUESTED,),
            trace=tuple(self.notes[-8:]),
            running=running,
            flush=flush,
        )
        self.planner.request(request)
        reply = self.planner.poll()
        assert reply is not None
        assert reply.request_id == self.step
        assert self.planner.poll() is None
        return reply

    def fires(self, *reasons: Reason, values: dict[str, Value] | None = None, flush: bool = False) -> str:
        reply = self.ask(*reasons, values=values, flush=flush)
        return reply.proposal.source.removeprefix("skill:") if reply.proposal else ""


def asking(space: ActionSpace, *skills: Skill) -> Asking:
    return Asking(SkillPlanner(skills, space, fields=FIELDS, modules={"shooter": shooter()}))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (CALM, "walk"),
        ({**CALM, "door": True}, "open"),
        ({**FIGHT, "door": True}, "shoot"),
        ({**FIGHT, "health": 10}, "walk"),
        ({**CALM, "door": None}, "walk"),
    ],
)
def test_the_highest_priority_that_applies_fires(
    space: ActionSpace, values: dict[str, Value], expected: str
) -> None:
    assert asking(space, LEFT, WALK, OPEN, SHOOT).fires(values=values) == expected


def test_it_ranks_for_another_planner_as_it_would_choose_itself(space: ActionSpace) -> None:
    ranks = SkillPlanner((LEFT, WALK, RIGHT), space, fields=FIELDS)
    asked = Asking(Ranked(ranks))
    assert asked.ask().why == "walk, left, right"
    ranks.took("walk", asked.step)
    asked.failed("model:tiny skill:walk", "forward")
    assert asked.ask().why == "left, right, walk", "what has failed has its turn after the others"
    running = Proposal(proposal_id=1, situation="", subgoal="look right", source="model:tiny skill:right")
    ranks.took("right", asked.step)
    assert asked.ask(running=running).why.startswith("right"), "what is in force goes on among equals"


class Ranked:
    """A planner that tells the order of a skill planner's skills, and does nothing."""

    name = "ranked"

    def __init__(self, ranks: SkillPlanner) -> None:
        self._ranks = ranks
        self._reply: PlanReply | None = None

    def request(self, request: PlanRequest) -> None:
        why = ", ".join(self._ranks.rank(request))
        self._reply = PlanReply(request_id=request.request_id, proposal=None, why=why)

    def poll(self) -> PlanReply | None:
        reply, self._reply = self._reply, None
        return reply

    def cancel(self) -> None:
        self._reply = None


def test_a_proposal_carries_the_skill(space: ActionSpace) -> None:
    reply = asking(space, SHOOT).ask(values=FIGHT)
    proposal = reply.proposal
    assert proposal is not None
    assert (proposal.module, proposal.candidates, proposal.stop) == ("shooter", (), "health < 20")
    assert (proposal.subgoal, proposal.steps, proposal.situation) == ("shoot", 8, "enemy")
    assert "shoot" in reply.why
    assert reply.calls == 0


def test_where_no_skill_applies_it_holds(space: ActionSpace) -> None:
    reply = asking(space, SHOOT).ask()
    assert (reply.proposal, reply.keep) == (None, False)
    assert reply.why == "No skill applies; holding."


def test_a_skill_cools_down_in_steps_from_its_firing(space: ActionSpace) -> None:
    asked = asking(space, OPEN, WALK)
    door: dict[str, Value] = {**CALM, "door": True}
    assert [asked.fires(values=door) for _ in range(8)] == ["open", *["walk"] * 5, "open", "walk"]


def test_equal_priorities_take_turns(space: ActionSpace) -> None:
    asked = asking(space, LEFT, RIGHT)
    assert [asked.fires() for _ in range(4)] == ["left", "right", "left", "right"]


def test_a_failed_skill_waits_until_another_was_tried(space: ActionSpace) -> None:
    asked = asking(space, WALK, LEFT)
    assert asked.fires() == "walk"
    asked.failed("skill:walk", "forward")
    assert asked.fires(Reason.FAILURE) == "left"
    assert asked.fires() == "walk", "one line of the trace counts once"


def test_who_fails_again_and_again_waits_for_a_widening_sweep(space: ActionSpace) -> None:
    asked = asking(space, WALK, LEFT, RIGHT)
    fired = []
    for _ in range(15):
        fired.append(asked.fires())
        if fired[-1] == "walk":
            asked.failed("skill:walk", "forward")
    assert "".join(name[0] for name in fired) == "wlwrrwlllwrrrrw"


def test_success_shortens_the_wait_again(space: ActionSpace) -> None:
    asked = asking(space, WALK, LEFT)
    for _ in range(3):
        assert asked.fires() == "walk"
        asked.failed("skill:walk", "forward")
        assert asked.fires() == "left"
        assert asked.fires() == "walk"
        asked.progress += 1
        assert asked.fires() == "walk", "it got on: all is forgotten"


def test_the_only_skill_goes_on_in_spite_of_failures(space: ActionSpace) -> None:
    asked = asking(space, WALK)
    for _ in range(4):
        assert asked.fires() == "walk"
        asked.failed("skill:walk", "forward")


def test_a_skill_of_the_same_failed_action_waits_too(space: ActionSpace) -> None:
    charge = Skill(name="charge", when="true", subgoal="charge", actions=["forward"], priority=7)
    asked = asking(space, charge, WALK, LEFT)
    assert asked.fires() == "charge"
    asked.failed("skill:charge", "forward")
    assert asked.fires() == "left"


def test_a_transient_problem_is_no_evidence(space: ActionSpace) -> None:
    asked = asking(space, WALK, LEFT)
    assert asked.fires() == "walk"
    asked.failed("skill:walk", "forward", transient=True)
    assert asked.fires() == "walk"


@pytest.mark.parametrize("reason", [Reason.REFRESH, Reason.SCENE, Reason.STALL])
def test_a_plan_that_works_is_kept(space: ActionSpace, reason: Reason) -> None:
    asked = asking(space, LEFT, RIGHT)
    running = asked.ask().proposal
    reply = asked.ask(reason, running=running)
    assert (reply.keep, reply.proposal) == (True, None)
    assert "left" in reply.why


def test_a_plan_is_kept_while_its_own_skill_cools_down(space: ActionSpace) -> None:
    asked = asking(space, OPEN, WALK)
    door: dict[str, Value] = {**CALM, "door": True}
    running = asked.ask(values=door).proposal
    assert asked.ask(Reason.REFRESH, values=door, running=running).keep


def test_a_plan_is_given_up_for_a_more_urgent_one(space: ActionSpace) -> None:
    asked = asking(space, WALK, SHOOT)
    running = asked.ask().proposal
    reply = asked.ask(Reason.SCENE, values=FIGHT, running=running)
    assert reply.proposal is not None
    assert reply.proposal.module == "shooter"


def test_a_plan_whose_trigger_no_longer_holds_is_given_up(space: ActionSpace) -> None:
    asked = asking(space, OPEN, WALK)
    running = asked.ask(values={**CALM, "door": True}).proposal
    reply = asked.ask(Reason.REFRESH, running=running)
    assert reply.proposal is not None
    assert reply.proposal.source == "skill:walk"


def test_a_failed_plan_of_actions_is_begun_anew_but_a_module_goes_on(space: ActionSpace) -> None:
    asked = asking(space, WALK, SHOOT)
    running = asked.ask().proposal
    asked.failed("skill:walk", "forward")
    again = asked.ask(Reason.FAILURE, running=running)
    assert again.proposal is not None

    alone = asking(space, SHOOT)
    running = alone.ask(values=FIGHT).proposal
    alone.failed("skill:shoot")
    assert alone.ask(Reason.STALL, values=FIGHT, running=running).keep


def test_a_module_that_would_end_at_once_is_not_started(space: ActionSpace) -> None:
    always = Skill(name="always", when="true", subgoal="shoot", module="shooter", priority=9)
    assert asking(space, always, WALK).fires() == "walk"


def test_a_flush_forgets_old_grudges_but_not_the_last_failures(space: ActionSpace) -> None:
    asked = asking(space, WALK, LEFT, RIGHT)
    for _ in range(3):
        asked.failed("skill:walk", "forward")
        asked.fires()
    asked.notes.clear()
    asked.notes.append(FailureNote(number=9, step=3, action="turn_left", source="skill:left", problem=""))
    assert asked.fires(Reason.FAILURE, flush=True) == "walk"


def test_illegal_actions_are_left_out_and_skills_without_any_never_fire(space: ActionSpace) -> None:
    partly = Skill(name="partly", when="true", subgoal="go", actions=["swim", "forward"], priority=2)
    wholly = Skill(name="wholly", when="true", subgoal="swim", actions=["swim"], priority=3)
    unknown = Skill(name="unknown", when="true", subgoal="fly", module="flyer", priority=4)
    planner = SkillPlanner([partly, wholly, unknown], space, fields=FIELDS)
    assert planner.unusable == ("wholly", "unknown")
    reply = Asking(planner).ask()
    assert reply.proposal is not None
    assert [str(action) for action in reply.proposal.candidates] == ["forward"]


def test_actions_are_taken_as_the_vocabulary_spells_them(space: ActionSpace) -> None:
    skill = Skill(name="dodge", when="true", subgoal="dodge", actions=["strafe(side=arrowleft)", "Ahead"])
    proposal = Asking(SkillPlanner([skill], space)).ask().proposal
    assert proposal is not None
    assert [str(action) for action in proposal.candidates] == ["strafe(side=ArrowLeft, ms=100)", "forward"]
    grounded = ReactiveController(space).decide(CALM, ProposalState(proposal), None)
    assert grounded.action == proposal.candidates[0]


@pytest.mark.parametrize(("when", "stop"), [("enemi", ""), ("true", "enemi"), ("true ==", "")])
def test_a_wrong_condition_names_its_skill(space: ActionSpace, when: str, stop: str) -> None:
    skill = Skill(name="odd one", when=when, stop=stop, subgoal="go", actions=["forward"])
    with pytest.raises(ConditionError, match="skill 'odd one'"):
        SkillPlanner([skill], space, fields=FIELDS)


def test_a_cancelled_question_is_not_answered(space: ActionSpace) -> None:
    planner = SkillPlanner([WALK], space)
    assert planner.poll() is None
    planner.request(
        PlanRequest(
            request_id=1,
            step=1,
            now_ns=0,
            values=CALM,
            status=GameStatus.PLAYING,
            signals=Signals(),
            reasons=(),
        )
    )
    planner.cancel()
    assert planner.poll() is None


GO = Skill(name="go", when="true", subgoal="get there", actions=["{way}"], steps=3)


def go(space: ActionSpace, way: Value, *others: Skill) -> Proposal | None:
    planner = SkillPlanner([GO, *others], space, fields=frozenset({"way"}))
    assert planner.unusable == ()
    return Asking(planner).ask(values={"way": way, "status": "playing"}).proposal


def test_actions_that_a_field_names_are_taken_as_it_fires(space: ActionSpace) -> None:
    plan = go(space, "forward; turn_left ;ahead; use; wait")
    assert plan is not None
    assert [str(candidate) for candidate in plan.candidates] == [
        "forward",
        "turn_left",
        "forward",
        "use",
        "wait",
    ]
    assert plan.named and plan.steps == 3
    short = go(space, "strafe(side=ArrowLeft, ms=70)")
    assert short is not None
    assert [str(candidate) for candidate in short.candidates] == ["strafe(side=ArrowLeft, ms=70)"]


def test_a_field_names_anew_for_a_skill_that_goes_on_and_nothing_where_another_comes_first(
    space: ActionSpace,
) -> None:
    there = Skill(name="there", when="health >= 5", subgoal="use it", actions=["use"])
    low = Skill(name="low", when="true", subgoal="explore", actions=["forward"], priority=-1)
    planner = SkillPlanner([GO, there, low], space, fields=frozenset({"way", "health"}))
    now: dict[str, Value] = {"way": "use; jump; forward", "health": 1, "status": "playing"}
    assert [str(action) for action in planner.next_actions("go", now)] == ["use", "forward"]
    assert planner.next_actions("go", {**now, "health": 5}) == (), "an equal one applies"
    assert planner.next_actions("go", {**now, "way": "jump"}) == ()
    assert planner.next_actions("low", now) == (), "no field names its actions"
    assert planner.next_actions("nobody's", now) == ()


@pytest.mark.parametrize("way", [None, "", ";", 5, True, "jump", "quit()"])
def test_a_field_that_names_nothing_legal_lets_another_skill_fire(space: ActionSpace, way: Value) -> None:
    assert go(space, way) is None
    other = go(space, way, LEFT)
    assert other is not None
    assert other.source == "skill:left"


def test_what_is_illegal_of_a_field_is_left_out(space: ActionSpace) -> None:
    plan = go(space, "jump; forward; strafe(side=Escape); use")
    assert plan is not None
    assert [str(candidate) for candidate in plan.candidates] == ["forward", "use"]
