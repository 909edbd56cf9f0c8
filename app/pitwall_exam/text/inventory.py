"""The inventory of text games: every template of the source's Table 14, over Trace[TextState]."""

from __future__ import annotations

from pitwall_exam.episode.states import TextState
from pitwall_exam.questions.template import Inventory, declared
from pitwall_exam.text.counting import COUNTING
from pitwall_exam.text.map import MAP
from pitwall_exam.text.order import ORDER
from pitwall_exam.text.single import LATER, SINGLE

TEXT_GAME: Inventory[TextState] = Inventory("text", declared("text", SINGLE | LATER | COUNTING | MAP | ORDER))
