"""Writes the arguments of an action inside a reply as GBNF and as regular expression, side by side."""

from __future__ import annotations

import re

from pitwall.core.actions import ActionForm, ArgumentForm, argument_text
from pitwall.models.grammars.gbnf import either, inside_string
from pitwall.models.grammars.number_patterns import decimal_patterns, whole_patterns


def arguments_shape(form: ActionForm, *, bare: bool) -> tuple[str, str] | None:
    """Write the arguments after an action's name, as GBNF and as regular expression; None: no value fits."""
    if not form.arguments:
        return "", ""
    gbnf, pattern = [], []
    for number, argument in enumerate(form.arguments):
        values = _values(argument)
        if values is None:
            return None
        before = f"{', ' if number else '('}{argument.name}="
        gbnf += [inside_string(before), values[0]]
        pattern += [escaped(before), f"({values[1]})"]
    written, matched = f'{" ".join(gbnf)} ")"', f"{''.join(pattern)}\\)"
    if bare and all(argument.default is not None for argument in form.arguments):
        return f"({written})?", f"({matched})?"
    return written, matched


def escaped(text: str) -> str:
    """Return a text as a regular expression that every dialect reads alike."""
    return re.sub(r"[\\^$.|?*+()\[\]{}]", r"\\\g<0>", text)


def _values(argument: ArgumentForm) -> tuple[str, str] | None:
    if argument.kind == "choice":
        texts = [argument_text(choice) for choice in argument.choices]
        if not texts:
            return None
        return either([inside_string(text) for text in texts]), "|".join(escaped(text) for text in texts)
    if argument.kind in ("keys", "text"):
        return _several(argument)
    find = whole_patterns if argument.kind == "int" else decimal_patterns
    patterns = find(argument.minimum, argument.maximum)
    return (either(patterns), "|".join(patterns)) if patterns else None


def _several(argument: ArgumentForm) -> tuple[str, str] | None:
    """Return keys joined by +, or letters in quotes; a key that needs quotes can only be pressed alone."""
    keys = argument.kind == "keys"
    parts = [choice for choice in argument.choices if not keys or argument_text(choice) == choice]
    if len(parts) < 1 + keys:
        return None
    if not keys and all(len(part) == 1 for part in parts):
        letters = _letters(parts)
        return f'"\'" {letters}{{1,{argument.most}}} "\'"', f"'{letters}{{1,{argument.most}}}'"
    gbnf, pattern = either([inside_string(part) for part in parts]), "|".join(escaped(part) for part in parts)
    if keys:
        most = argument.most - 1
        return f'{gbnf} ("+" {gbnf}){{1,{most}}}', f"({pattern})([+]({pattern})){{1,{most}}}"
    return f'"\'" ({gbnf}){{1,{argument.most}}} "\'"', f"'({pattern}){{1,{argument.most}}}'"


def _letters(parts: list[str]) -> str:
    """Write a choice of letters as a character class, in GBNF and in regular expressions."""
    plain = "".join(sorted(set(parts) - set("[]-")))
    brackets = "".join(f"\\{bracket}" for bracket in "[]" if bracket in parts)
    return f"[{plain}{brackets}{'-' * ('-' in parts)}]"
