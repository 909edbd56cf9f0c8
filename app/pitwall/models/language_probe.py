"""Finds out whether a model answers in language: damaged weights load and answer too, in words of none."""

from __future__ import annotations

import re

from pitwall.core.prompts import Layer, Message, Span
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Complete, Completed
from pitwall.models.spec import ModelSpec

_QUESTION = "Describe in three plain English sentences what a bird does all day."
_TOKENS = 64
_SLOT = "bench"
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_COMMONEST = """
the a an and or but of to in on at by for from with as into is are was be been it its they their them
this that these those he she his her you your we our i my not no can will would do does all when what
which who there then so some up out about
"""
_COMMON = frozenset(_COMMONEST.split())
_LEAST_WORDS, _LEAST_COMMON, _LEAST_DIFFERENT, _LEAST_LETTERS = 8, 0.2, 3, 0.6


def answers_in_language(client: HostClient, spec: ModelSpec) -> bool:
    """Ask a model one question, with the likeliest answer, and judge the reply.

    Raises:
        RequestFailed: it could not be asked. ChildDied: it killed the host.
    """
    message = Message(role="user", spans=(Span(layer=Layer.STATE, text=_QUESTION),))
    request = Complete(
        request_id=client.number(),
        model=spec,
        messages=(message,),
        slot=_SLOT,
        max_tokens=_TOKENS,
        deadline_ms=600_000,
    )
    return is_language(client.answer(request, kind=Completed).text)


def is_language(text: str) -> bool:
    """Judge a reply in English: it has words, and the common ones among them.

    Of at least 8 words a fifth are among the commonest of English, 3 different ones at least; and of all that
    is no blank 60 % are letters of words.
    """
    words = _WORD.findall(text.lower())
    common = [word for word in words if word in _COMMON]
    return (
        len(words) >= _LEAST_WORDS
        and len(common) >= _LEAST_COMMON * len(words)
        and len(set(common)) >= _LEAST_DIFFERENT
        and sum(map(len, words)) >= _LEAST_LETTERS * len("".join(text.split()))
    )
