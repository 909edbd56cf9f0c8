"""The forms of calls by name."""

from __future__ import annotations

from pitwall.models.call_forms.anthropic import ANTHROPIC
from pitwall.models.call_forms.contract import CallForm
from pitwall.models.call_forms.qwen_vl import QWEN_VL
from pitwall.models.call_forms.tools import TOOLS
from pitwall.models.call_forms.ui_tars import UI_TARS

_FORMS = {"tools": TOOLS, "qwen-vl": QWEN_VL, "ui-tars": UI_TARS, "anthropic": ANTHROPIC}


def call_form(name: str) -> CallForm | None:
    """Return a form by the name that `models.calls` has; None for Pitwall's own JSON."""
    return _FORMS.get(name)
