"""Agrees with an endpoint on the optional parameters of a chat.

Servers differ in the parameters that they take, and name what they refuse. The refused parameter is changed
or left out, and the agreement is kept for the address and its model. Only a refusal that names nothing costs
the reply's schema its form.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, replace
from typing import Any

from pitwall.host.backends.endpoint import Json, RefusedByEndpoint

_FORMS = ("openai", "unstrict", "llama", "object", "none")
"""Ways to pass a reply's schema, best first: OpenAI's, the same without its strictness, llama.cpp's older
way, the demand for some JSON object, not at all."""
_ABOUT_SCHEMA = re.compile(r"strict|additionalproperties|invalid schema")
_UNKNOWN_FORM = (400, 422, 500, 501)
"""What servers answer to a form or a parameter that they do not know."""
_OPTIONAL = (
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "response_format",
    "tools",
    "tool_choice",
)
_PATTERNS = {"stream": "stream(?:ing)?"}
"""Patterns of parameters that servers also name by other words."""
_LIMITS = ("max_tokens", "max_completion_tokens")
_REFUSAL = re.compile(
    r"un(?:supported|known|recogni[sz]ed|expected|available)|extra|invalid|must|cannot|can't|only"
    r"|deprecated|no longer|too (?:large|high|big|many|small|low)|exceed|at most"
    r"|not (?:be )?(?:supported|permitted|allowed|available|implemented)"
    r"|(?:does|do)(?: not|n't) (?:support|accept|allow)"
)
_MOST = re.compile(
    r"(?:at most|up to|less than or equal to|no more than|not exceed|<=|≤|limit of"
    r"|maximum(?: value)?(?: is| of|:)?|\[\s*\d+\s*,)\s*(\d+)"
)
_POSITIVE = re.compile(r"positive|greater than 0|> ?0\b")
_LEAST_TEMPERATURE = 0.01
_SYSTEM = re.compile(
    r"system\W{0,3}(?:role|message|prompt|instruction)|role\W+(?:\w+ ){0,3}\W?system|developer instruction"
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The form of a request that an endpoint takes.

    Attributes:
        form: how the reply's schema is passed, of `_FORMS`.
        limit: the parameter that bounds the reply's tokens. most_tokens: its largest value; 0: not known.
        left_out: parameters that it refuses.
        least_temperature: the smallest one that it takes. folds: the system's text begins the user's turn.
    """

    form: str = _FORMS[0]
    limit: str = _LIMITS[0]
    most_tokens: int = 0
    left_out: frozenset[str] = frozenset()
    least_temperature: float = 0.0
    folds: bool = False

    def fitted(self, body: Json, schema: Json | None) -> Json:
        """Return a request's body as the endpoint takes it.

        Args:
            body: with every parameter under its usual name. schema: the reply's; None for free text.
        """
        fitted = dict(body)
        most = int(fitted.pop("max_tokens"))
        fitted[self.limit] = min(most, self.most_tokens) if self.most_tokens else most
        fitted["temperature"] = max(fitted["temperature"], self.least_temperature)
        if self.folds:
            fitted["messages"] = _folded(fitted["messages"])
        if schema is not None and (form := _format(self.form, schema)):
            fitted["response_format"] = form
        if "stream" in self.left_out:
            fitted.pop("stream_options", None)
        if "tools" in self.left_out:
            fitted.pop("tool_choice", None)
        return {key: value for key, value in fitted.items() if key not in self.left_out}

    def revised(self, refused: RefusedByEndpoint, body: Json) -> Agreement | None:
        """Return the agreement after a refusal; None where nothing is left to change.

        Args:
            body: the refused request.
        """
        if refused.status not in _UNKNOWN_FORM:
            return None
        words = refused.answer.lower()
        places = _faulty_places(refused.answer)
        named = _named(places, words, body)
        turns = places is None or "messages" in places
        if not named and turns and not self.folds and _SYSTEM.search(words):
            return replace(self, folds=True)
        if not named and places is None and "response_format" in body:
            named = ["response_format"]
        agreement = self
        for key in named:
            agreement = agreement._without(key, words, body)
        return agreement if agreement != self else None

    def _without(self, key: str, words: str, body: Json) -> Agreement:
        if key == "response_format":
            at = _FORMS.index(self.form) + 1
            if _FORMS[at] == "unstrict" and not _ABOUT_SCHEMA.search(words):
                at += 1
            return replace(self, form=_FORMS[at])
        if key in _LIMITS:
            most = _MOST.search(words)
            if most is not None and 0 < int(most[1]) < body[key]:
                return replace(self, most_tokens=int(most[1]))
            if key == _LIMITS[0]:
                return replace(self, limit=_LIMITS[1])
        if key == "temperature" and _POSITIVE.search(words) and not self.least_temperature:
            return replace(self, least_temperature=_LEAST_TEMPERATURE)
        return replace(self, left_out=self.left_out | {key})


def _named(places: set[str] | None, words: str, body: Json) -> list[str]:
    """Return the parameters of a request that a refusal names."""
    asked = [key for key in _OPTIONAL if key in body]
    named = []
    if places is not None:
        named = [key for key in asked if key in places]
    elif _REFUSAL.search(words):
        named = [key for key in asked if re.search(rf"(?<![\w.]){_PATTERNS.get(key, key)}(?!\w)", words)]
        if "max_tokens" in asked and "max_completion_tokens" in words and "max_tokens" not in named:
            named.append("max_tokens")
    if "context length" in words:  # the prompt is too long, whatever bounds the reply
        named = [key for key in named if key not in _LIMITS]
    if "stream" in named and "stream_options" in named:
        named.remove("stream")  # "stream_options only with stream"
    if "tools" in named and "tool_choice" in named:
        named.remove("tools")
    return named


def _faulty_places(answer: str) -> set[str] | None:
    """Return the parameters of `error.param`, or of a list of faults with places; None for neither."""
    places: list[Any] = []
    with contextlib.suppress(ValueError, RecursionError):
        parsed = json.loads(answer)
        error = parsed.get("error", parsed) if isinstance(parsed, dict) else None
        if isinstance(error, dict) and isinstance(error.get("param"), str) and error["param"]:
            return {re.split(r"[.\[]", error["param"])[0]}
        details = parsed.get("detail") if isinstance(parsed, dict) else None
        for detail in details if isinstance(details, list) else []:
            if isinstance(detail, dict) and isinstance(detail.get("loc"), list):
                places += detail["loc"]
    return {str(place) for place in places} or None


def _format(form: str, schema: Json) -> Json | None:
    match form:
        case "openai" | "unstrict":
            described = {"name": "reply", "schema": schema, "strict": form == "openai"}
            return {"type": "json_schema", "json_schema": described}
        case "llama":
            return {"type": "json_object", "schema": schema}
        case "object":
            return {"type": "json_object"}
    return None


def _folded(messages: list[Json]) -> list[Json]:
    """Return messages without system turns: their texts begin the next turn."""
    folded: list[Json] = []
    before = ""
    for message in messages:
        content = message["content"]
        if message["role"] == "system":
            before += f"{content}\n"
        elif isinstance(content, list):
            folded.append({**message, "content": [{"type": "text", "text": before}, *content]})
            before = ""
        else:
            folded.append({**message, "content": before + content})
            before = ""
    return folded
