"""Composes the prompt of a call. The layers' caps bound its size, not the length of the run (SPEC §4).

The layers that change least come first, so a model's prefix cache can be reused. The system message holds
L1 (protocol), L2 (schema and legal actions) and L3 (game knowledge). The user's message begins with L4
(summaries of earlier runs) and L5 (skills), continues with the state and ends with the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pitwall.core.calls import Purpose
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.settings import LayerSettings
from pitwall.memory.prompt.layer_entries import HEADINGS, PromptLayers
from pitwall.memory.prompt.layers import LayerItem

CUT = "[the rest of the state is cut]\n"
"""Replaces the end of a state that exceeds its cap."""
Count = Callable[[str], int]
_EXPERT = (
    "You are an expert agent that plays video games. Reach the task's goal. Look at the current screen, find "
    "your character and the things that matter, and keep to the rules and the task. Do one action at a "
    "time, only one of those listed.\n"
)
_SCREEN = "The current screen. Choose the next action.\n"
_MOST_STATE = 32_768


def compose(
    book: PromptLayers,
    *,
    purpose: Purpose,
    values: Mapping[str, Value],
    turn: Sequence[Message],
    count: Count,
    layers: LayerSettings,
    skills: Sequence[str] | None = None,
    room: int = 0,
    rounds: Sequence[Message] = (),
) -> Prompt:
    """Compose the prompt of one model call.

    Args:
        book: the entries; its switches should be those of `layers`.
        values: the observation's fields, including `status`.
        turn: the messages of this call. The last one is a user's message with the state's text. Earlier
            messages of a conversation come before it.
        count: counts the tokens of a text.
        layers: the caps.
        skills: names of the skills to list, best first; None: all that apply, by priority.
        room: greatest number of tokens of the prompt (a model's context without reply and template); 0: as
            many as the caps allow. If it is short, the state gets half of the room that the protocol and the
            schema (L1, L2) leave. Summaries (L4) are shortened first, then skills (L5), then knowledge (L3),
            which comes before the skills where it shares its tokens with them.
        rounds: questions and answers of a rolling memory, included whole; the oldest are dropped first.

    Raises:
        ValueError: the turn does not end with a user's message.
    """
    if not turn or turn[-1].role != "user":
        raise ValueError("a turn ends with a user's message")
    left, asked = _Room(room), book.ask(purpose)
    left.take(asking := count(asked) if asked else 0)

    def enter(layer: Layer, most_items: int | None, most_tokens: int) -> tuple[Span, ...]:
        items = book.items(layer, purpose=purpose, values=values)
        if layer is Layer.SKILLS and skills is not None:
            items = _in_order(items, skills)
        spans, used = _fitting(layer, items, most_items, left.of(most_tokens), count)
        left.take(used)
        return spans

    protocol = enter(Layer.PROTOCOL, None, layers.l1_tokens)
    schema = enter(Layer.SCHEMA, None, layers.l2_tokens)
    others = layers.l3_tokens + layers.l4_tokens + layers.l5_tokens
    reserved = left.share(layers.state_tokens - asking, others)
    thread = _thread(turn, layers.thread_messages, reserved, count)
    most_knowledge, shared = layers.l3_tokens, book.shared_tokens
    left.take(_sizes(thread, (), count) if shared else reserved)
    earlier = _newest(rounds, left, count)
    if shared:
        learnt = enter(Layer.SKILLS, layers.l5_items, layers.l5_tokens)
        most_knowledge = min(most_knowledge, max(0, shared - asking - _sizes(thread, learnt, count)))
    knowledge = enter(Layer.KNOWLEDGE, layers.l3_items, most_knowledge)
    if not shared:
        learnt = enter(Layer.SKILLS, layers.l5_items, layers.l5_tokens)
    episodes = enter(Layer.EPISODES, layers.l4_items, layers.l4_tokens)
    return _whole((*protocol, *schema, *knowledge), earlier, (*episodes, *learnt), thread, asked)


def compose_sections(
    book: PromptLayers,
    *,
    purpose: Purpose,
    values: Mapping[str, Value],
    turn: Message,
    count: Count,
    room: int = 0,
    rounds: Sequence[Message] = (),
) -> Prompt:
    """Compose the prompt of an action in GameWorld's four sections, with the newest rounds after them.

    The sections are game rules, role and controls, task instruction and output format; an empty section is
    left out. A message with a picture shows no state in words.
    """
    known = book.items(Layer.KNOWLEDGE, purpose=purpose, values=values)
    roles = [item for item in known if item.item.startswith("role ")]
    rules = [item for item in known if item not in roles]
    actions = [
        item for item in book.items(Layer.SCHEMA, purpose=purpose, values=values) if item.item == "actions"
    ]
    task = LayerItem(
        layer=Layer.PROTOCOL, item="task", text=f"{book.instruction}\n" if book.instruction else ""
    )
    answer = LayerItem(layer=Layer.PROTOCOL, item="answer", text=book.ask(purpose).lstrip("\n"))
    spans = [Span(layer=Layer.PROTOCOL, text=_EXPERT)]
    named = (("Game Rules", rules), ("Role and Controls", [*roles, *actions]))
    for heading, items in (*named, ("Task Instruction", [task]), ("Output Format", [answer])):
        texts = [Span(layer=item.layer, text=item.text, item=item.item) for item in items if item.text]
        if texts:
            spans += [Span(layer=texts[0].layer, text=f"\n# {heading}\n"), *texts]
    left = _Room(room)
    left.take(sum(count(span.text) for span in spans))
    last = Message(role="user", spans=(Span(layer=Layer.STATE, text=_SCREEN),), image=True)
    if not turn.image:
        last, used = _cut(turn, left.of(_MOST_STATE), count)
        left.take(used)
    earlier = _newest(rounds, left, count)
    return Prompt(messages=(Message(role="system", spans=tuple(spans)), *earlier, last))


def _whole(
    head: tuple[Span, ...],
    earlier: Sequence[Message],
    memory: tuple[Span, ...],
    thread: Sequence[Message],
    asked: str,
) -> Prompt:
    """Return the prompt of its parts: the memory stands before the thread, what is asked at the end."""
    messages = [*earlier, _with_spans(thread[0], before=memory), *thread[1:]]
    if asked:
        messages[-1] = _with_spans(messages[-1], after=(Span(layer=Layer.STATE, text=asked, item="ask"),))
    return Prompt(messages=(*([Message(role="system", spans=head)] if head else ()), *messages))


def _sizes(messages: Sequence[Message], spans: Sequence[Span], count: Count) -> int:
    """Return the tokens of messages and spans together."""
    inside = [span for message in messages for span in message.spans]
    return sum(count(span.text) for span in (*inside, *spans))


def _in_order(items: Sequence[LayerItem], names: Sequence[str]) -> tuple[LayerItem, ...]:
    """Return the items with these names, in the order of the names."""
    by_name = {item.item: item for item in items}
    return tuple(by_name[name] for name in names if name in by_name)


def _with_spans(message: Message, before: tuple[Span, ...] = (), after: tuple[Span, ...] = ()) -> Message:
    return Message(role=message.role, spans=(*before, *message.spans, *after), image=message.image)


class _Room:
    """Counts the tokens that a prompt may still use."""

    def __init__(self, tokens: int) -> None:
        self._left = tokens if tokens > 0 else None

    def of(self, cap: int) -> int:
        """Return how much of `cap` is left."""
        return max(0, cap if self._left is None else min(cap, self._left))

    def share(self, cap: int, others: int) -> int:
        """Return how much of `cap` the caps of the others leave, but at least half of the room.

        The result does not depend on the state's text, so that the layers before it stay unchanged.
        """
        if self._left is None:
            return cap
        return max(0, min(cap, max(self._left - others, self._left // 2)))

    def take(self, tokens: int) -> None:
        if self._left is not None:
            self._left -= tokens


def _newest(rounds: Sequence[Message], left: _Room, count: Count) -> list[Message]:
    """Return the newest whole rounds that fit, in order, and take their tokens."""
    kept: list[Message] = []
    for at in range(len(rounds) - 2, -1, -2):
        tokens = sum(count(message.text) for message in rounds[at : at + 2])
        if left.of(tokens) < tokens:
            break
        left.take(tokens)
        kept = [*rounds[at : at + 2], *kept]
    return kept


def _fitting(
    layer: Layer, items: Sequence[LayerItem], most_items: int | None, most_tokens: int, count: Count
) -> tuple[tuple[Span, ...], int]:
    """Return the entries that fit whole, in order, and their tokens. Entries of a lower rank enter first."""
    heading = HEADINGS.get(layer, "")
    spent = count(heading) if heading else 0
    whole = _shortened(items, most_tokens, count) if layer in (Layer.PROTOCOL, Layer.SCHEMA) else items
    chosen: set[int] = set()
    for place in sorted(range(len(whole)), key=lambda place: whole[place].rank):
        if most_items is not None and len(chosen) >= most_items:
            break
        tokens = count(whole[place].text)
        if spent + tokens <= most_tokens:
            chosen.add(place)
            spent += tokens
    if not chosen:
        return (), 0
    spans = [
        Span(layer=layer, text=item.text, item=item.item)
        for place, item in enumerate(whole)
        if place in chosen
    ]
    return ((Span(layer=layer, text=heading), *spans) if heading else tuple(spans)), spent


def _shortened(items: Sequence[LayerItem], most_tokens: int, count: Count) -> Sequence[LayerItem]:
    """Return the entries, shortening them from the last on until all fit."""
    short = list(items)
    sizes = [count(item.text) for item in items]
    for place in reversed(range(len(short))):
        if sum(sizes) <= most_tokens:
            break
        item = short[place]
        if item.brief:
            short[place] = LayerItem(layer=item.layer, item=item.item, text=item.brief)
            sizes[place] = count(item.brief)
    return short


def _thread(turn: Sequence[Message], most: int, tokens: int, count: Count) -> list[Message]:
    """Return the newest messages of a turn within their cap.

    The last one is cut at a line if necessary; earlier ones are kept in whole pairs of question and reply.
    """
    last, used = _cut(turn[-1], tokens, count)
    kept = [last]
    earlier = list(turn[:-1])
    while len(earlier) >= 2 and len(kept) + 2 <= most:
        question, reply = earlier[-2:]
        size = count(question.text) + count(reply.text)
        if question.role != "user" or reply.role != "assistant" or used + size > tokens:
            break
        used += size
        kept = [question, reply, *kept]
        del earlier[-2:]
    return kept


def _cut(message: Message, tokens: int, count: Count) -> tuple[Message, int]:
    """Return a message cut at its end to fit, and its tokens."""
    size = count(message.text)
    if size <= tokens:
        return message, size
    spans: list[Span] = []
    used = count(CUT)
    if used > tokens:
        return Message(role=message.role, spans=(), image=message.image), 0
    for span in message.spans:
        size = count(span.text)
        if used + size <= tokens:
            spans.append(span)
            used += size
            continue
        lines = span.text.splitlines(keepends=True)
        fit, size = _most_lines(lines, tokens - used, count)
        spans.append(Span(layer=span.layer, text="".join(lines[:fit]) + CUT, item=span.item))
        used += size
        break
    return Message(role=message.role, spans=tuple(spans), image=message.image), used


def _most_lines(lines: Sequence[str], tokens: int, count: Count) -> tuple[int, int]:
    """Return how many lines fit, and their tokens."""
    low, high, size = 0, len(lines) - 1, 0
    while low < high:
        middle = (low + high + 1) // 2
        tried = count("".join(lines[:middle]))
        if tried <= tokens:
            low, size = middle, tried
        else:
            high = middle - 1
    return low, size
