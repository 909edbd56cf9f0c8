"""Names of settings, their sections and choices as a player understands them; a star marks the basic ones.

What a setting does, its unit and its bounds are declared with it in core.settings; a setting without a name
here fails a test. No Qt.
"""

from __future__ import annotations

_NAMES = """
capture.backend            How the game is watched
capture.screen_fps         Screen pictures a second
perception.text_every_ms   Interval of reading text
control.planner            * Who plans
control.interface          How the agent acts
control.protocol           * Game time
control.player             * Who plays
control.shadow             * The agent decides beside a person
control.grant_at           Agreement that earns control
control.reactive           Who reacts
control.consult            When the reacting model is asked
control.workflow           How the planning model works
control.routing            Who decides when
control.schedule_steps     A plan every so many steps
control.while_thinking     * While a plan is made
control.override           Reactions may correct a plan
control.enforce_evidence   Actions without effect rest for a while
control.trust              * Model or skills
control.stand_in           Who plans where the model does not
control.dropped_in_a_row   Late plans dropped in a row
control.effect_wait_ms     Wait for an action's effect
control.reflex_step_ms     Length of a module's step
models.fast                * Model that reacts
models.strategic           * Model that plans
models.analysis            * Model that sums a run up
models.evolution           * Model that improves skills
models.shipped             * Use the model that ships with Pitwall
models.replies             How models answer
models.grammar             Bind replies to their form
models.calls               How an action is written
models.prompt              How an action is asked for
models.prompt_budget       Shorten prompts to this machine's speed
models.strategic_read_ms   Time to read a plan's prompt
models.reactive_read_ms    Time to read a reaction's prompt
models.strategic_temperature  Chance in plans
models.fast_temperature    Chance in reactions
models.seed                Seed of the models' chance
models.description_tokens  Longest description of the scene
models.inference_tokens    Longest guess at the task
models.reflection_tokens   Longest reflection
models.planning_tokens     Longest plan
models.reactive_tokens     Longest reaction
models.image_px            Size of pictures for models
models.look                When a model sees the screen
models.recent_steps        Steps a prompt looks back
models.strategic_deadline_ms  * A plan must come within
models.reactive_deadline_ms   * A reaction must come within
layers.l1                  L1: rules of the answer
layers.l2                  L2: what is seen and can be done
layers.l3                  * L3: what is known of the game
layers.l3_filter           L3: only headings with
layers.l4                  * L4: what happened before
layers.l5                  * L5: skills
layers.modules             * Modules may drive
layers.l1_tokens           L1: most tokens
layers.l2_tokens           L2: most tokens
layers.l3_items            L3: most entries
layers.l3_tokens           L3: most tokens
layers.l4_items            L4: most entries
layers.l4_tokens           L4: most tokens
layers.l5_items            L5: most skills
layers.l5_tokens           L5: most tokens
layers.state_tokens        Present state: most tokens
layers.thread_messages     Messages kept within a fight
memory.form                * Kind of memory
memory.rounds              Rounds kept
memory.write               * Learn while playing
memory.action_bank         * Hints from single moments
memory.knowledge_graph     * Hints from the map of states
memory.global_only         Only the present run and the game's rules
memory.controllers         What planning and acting remember
memory.graph_tokens        State map: most tokens in a prompt
memory.write_failures      Remember failures too
memory.act_directly        * Sure hints act by themselves
memory.embedder            Model that compares texts
memory.hints               Hints at once
memory.hint_at             Likeness that gives a hint
memory.act_at              Likeness that may act
memory.jaccard             Weight of shared words (J)
memory.cosine              Weight of similar word frequencies (C)
memory.reward              Weight of the reward (R)
memory.success             Weight of the success rate (P)
memory.age_h               Memories fade within
memory.reward_keeps        Weight of the old reward
memory.graph_neighbours    State map: near states asked
memory.graph_least         State map: least likeness
memory.graph_likeness      State map: weight of likeness (v)
memory.graph_success       State map: weight of success (ρ)
memory.graph_nodes         State map: most states a game
memory.bank_items          Most moments a game
memory.fuse_bank           Weight of single moments
memory.fuse_graph          Weight of the state map
memory.promote_at          Confidence that puts a moment on the map
memory.skill_duplicate     Skills: likeness of a duplicate
memory.skill_near          Skills: likeness that may merge
memory.skill_doubt         Skills: likeness that asks a judge
memory.skill_trigger       Skills: share of equal conditions to merge
memory.skill_trials        Skills: trials of a new one
memory.skill_retire        Skills: success rate for removal
memory.skill_retire_uses   Skills: uses before removal
gsm.invent_modules         * Models may invent modules
broker.actions_per_second  * Most presses a second
broker.held_keys           Keys held at once
broker.hold_ms             Longest hold of a key
broker.observation_age_ms  Oldest picture acted on
broker.heartbeat_ms        Silence that counts as a hang
broker.own_seat            * The agent has its own keyboard and pointer
broker.takeover            * Your own keys pause the agent
hotkeys.stop               * Emergency stop
hotkeys.start              * Start the agent
hotkeys.pause              * Pause or resume the agent
hotkeys.overlay            * Overlay on the game
hotkeys.clip               * Keep the last 30 s as a clip
hotkeys.keep               Keep a picture while adding a game
recording.step_frames      * Keep a picture of each step
recording.frame_format     Format of step pictures
recording.jpeg_quality     Quality of step pictures
recording.video            * Keep a film of each run
recording.video_fps        * Pictures a second of the film
recording.video_px         Longest side of the film
recording.video_most_mib   * Room for all films
recording.sound            * Record what the computer plays
teach.pictures_fps         * Pictures a second of a demonstration
teach.picture_px           Size of a demonstration's pictures
teach.most_mib             * Largest demonstration
teach.enough               Presses that are too few
teach.keep_typing          * Keep what is typed
teach.corrections          * Keep what you correct
console.theme              * Colours
console.language           * Language
console.advanced           * Advanced
console.live_fps           * Redraws a second of the live picture
console.overlay            * Overlay on the game
console.show_boxes         * Boxes on the live picture
console.show_detections    * Detections on the live picture
console.show_keys          * Keys on the live picture
console.show_badge         * Route on the live picture
console.keyboard_in_game   * Clicks leave the keyboard in the game
console.back_to_game_s     * Back to the game after typing
console.hold_while_typing  * Hold the game while you type
console.live_layout        Layout of the Live page
console.pane_layout        Layout of the other pages
console.last_game          Game played last
console.strip              * A strip where the window has no room
console.tour_done          Tour taken
console.preflight_done     First-start checks passed
"""
_LINES = dict(line.split(maxsplit=1) for line in _NAMES.strip().splitlines())
SETTING_LABELS = {key: words.removeprefix("* ").strip() for key, words in _LINES.items()}
BASIC_SETTINGS = frozenset(key for key, words in _LINES.items() if words.startswith("* "))

SECTION_WORDS = {
    "capture": ("Watching", "How the game's window is watched."),
    "perception": ("Reading", "How the picture becomes figures."),
    "control": ("Playing", "How the agent decides what to do."),
    "models": ("Models", "Which model does what, and how long it may take."),
    "layers": ("Prompts", "The parts of a model's prompt; papers call them layers."),
    "memory": ("Memory", "What the agent remembers and recalls."),
    "gsm": (
        "Modules",
        "Trained or written reflexes beside a game's own; papers call them game sense modules.",
    ),
    "broker": ("Safety", "What may be pressed at most."),
    "hotkeys": ("Keys", "Your keys, also while the game has the keyboard."),
    "recording": ("Recording", "What is kept of a run."),
    "teach": ("Teaching", "What is kept while you play, to be learned from."),
    "console": ("This window", "How it looks, and what it does while the agent plays."),
}
"""Title and summary of each section."""

_CHOICES = """
capture.backend  window         = The window's pixels
capture.backend  screen         = A part of the screen
control.planner  skills         = Stored skills
control.planner  model          = The model
control.planner  explore        = Default agent
control.planner  random         = Chance
control.planner  idle           = No plans
control.interface  semantic     = Named actions
control.interface  computer-use = Keys and pointer
control.protocol  real-time     = Keeps running
control.protocol  paused        = Pauses between actions
control.player  agent           = The agent
control.player  person          = You
control.reactive  rules         = Rules
control.reactive  model         = The model
control.consult  in-doubt       = In doubt
control.consult  every-step     = At every step
control.workflow  spike         = Reflect, then plan
control.workflow  gamesense     = Seven stages
control.workflow  react         = Think and act
control.workflow  transcript    = The whole conversation
control.workflow  reflexion     = Learn from failures
control.workflow  stardojo      = Four calls a step
control.workflow  voyager       = Collect skills
control.workflow  cradle        = Six modules
control.routing  events         = What happens
control.routing  strategic-only = Always the planner
control.routing  reactive-only  = Never the planner
control.routing  fixed-schedule = A fixed schedule
control.stand_in        skills  = The skills
control.stand_in        hold    = Wait
control.stand_in        random  = Chance
models.look             scene      = At first and after a scene cut
models.look             escalation = Where it decides
models.look             always     = In every call
models.look             never      = Never
memory.controllers      own     = Acting: moments, planning: states
memory.controllers      both    = Both read both
memory.controllers      swapped = Acting: states, planning: moments
memory.controllers      shared  = Both read the same hints
control.while_thinking  profile = As the game says
control.while_thinking  go-on   = Play on
control.while_thinking  hold    = Release the keys
control.while_thinking  pause   = Pause the game
control.trust  earned           = The one with the better record
control.trust  model            = Always the model
control.trust  skills           = Always the skills
models.replies  write           = By writing
models.replies  choose          = By choosing
models.calls  json              = As JSON
models.calls  tools             = As a native tool call
models.calls  qwen-vl           = As Qwen-VL's computer use
models.calls  ui-tars           = As UI-TARS's computer use
models.calls  anthropic         = As Anthropic's computer use
models.prompt  layers           = With the layers
models.prompt  sections         = In four sections
memory.form  layered            = In layers
memory.form  rounds             = The last rounds
recording.frame_format  jpg     = JPEG
recording.frame_format  png     = PNG
console.language  en            = English
console.language  de            = Deutsch
console.theme  dark             = Dark
console.theme  light            = Light
auto                            = Automatic
on                              = On
off                             = Off
full                            = Whole
stripped                        = Shortened
update                          = Read and write
freeze                          = Read only
disable                         = Off
"""
CHOICE_WORDS = {
    " ".join(key.split()): words
    for key, words in (line.split(" = ") for line in _CHOICES.strip().splitlines())
}
"""Words of a setting's choice by "key value", and of choices that several settings have by their value."""


def choice_words(key: str, value: str) -> str:
    """Name a choice of a setting as a player reads it; the value itself where it has no other name."""
    return CHOICE_WORDS.get(f"{key} {value}") or CHOICE_WORDS.get(value) or value
