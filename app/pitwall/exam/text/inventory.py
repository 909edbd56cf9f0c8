"""The inventory of text games: every template of the source's Table 14, over Trace[TextState]."""

from __future__ import annotations

from pitwall.exam.episode.states import TextState
from pitwall.exam.questions.template import Inventory, declared
from pitwall.exam.text.counting import COUNTING
from pitwall.exam.text.later import LATER
from pitwall.exam.text.map import MAP
from pitwall.exam.text.order import ORDER
from pitwall.exam.text.single import SINGLE

TEXT_GAME: Inventory[TextState] = Inventory("text", declared("text", SINGLE | LATER | COUNTING | MAP | ORDER))
