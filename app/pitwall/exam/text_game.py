"""The text game's inventory: every template of the source's Table 14, over Trace[TextState]."""

from __future__ import annotations

from pitwall.exam.states import TextState
from pitwall.exam.template import Inventory
from pitwall.exam.text_counting import COUNTING
from pitwall.exam.text_later import LATER
from pitwall.exam.text_map import MAP
from pitwall.exam.text_order import ORDER
from pitwall.exam.text_single import SINGLE

TEXT_GAME: Inventory[TextState] = Inventory("text", (*SINGLE, *LATER, *COUNTING, *MAP, *ORDER))
