"""The shipped model's tokenizer: whole phrases of the project's own prompts, else pieces of words.

Fixed sentences of prompts are single tokens, so that a prompt takes a few hundred. All other text is split so
that a name has the same tokens everywhere, in a skill, in a field's value or in a reply: letters, digits and
punctuation never share a token, and a space is a token of its own. That lets a small model copy.

llama.cpp makes exactly the same tokens: phrases are its user-defined tokens, pieces those of its
SentencePiece kind, merged by their rank.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import tokenizers

from pitwall.core.prompts import Message

UNKNOWN, END, SYSTEM, USER, ASSISTANT = range(5)
CONTROL_TOKENS = ("<unk>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
ROLES = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT}
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
BYTES = 256
_MOST_COUNTS = 4_096
_FIRST_MARK = 0xF0000
"""Private-use characters that stand for phrases while a text is split."""
_MARK = re.compile("([\U000f0000-\U000fffff])")
_WORD = re.compile(r"[A-Za-z_]+")
_RUN = re.compile(r"[A-Za-z_]+|[0-9]+|[^A-Za-z0-9_]+")


class Tokenizer:
    """Converts texts to tokens and back.

    Args:
        phrases: texts that are a single token wherever they occur.
        pieces: of all other text, in the order in which they are merged.
    """

    def __init__(self, phrases: Sequence[str], pieces: Sequence[str]) -> None:
        self.phrases = tuple(phrases)
        self.pieces = tuple(pieces)
        first_piece = len(CONTROL_TOKENS) + BYTES + len(self.phrases)
        self._ids = {text: first_piece + at for at, text in enumerate(self.pieces)}
        marks = [(text, chr(_FIRST_MARK + at)) for at, text in enumerate(self.phrases)]
        self._marks = sorted(marks, key=lambda pair: -len(pair[0].encode()))
        self._known: dict[str, tuple[int, ...]] = {}
        self._counts: dict[str, int] = {}

    @property
    def size(self) -> int:
        """Return the number of tokens of the vocabulary."""
        return len(CONTROL_TOKENS) + BYTES + len(self.phrases) + len(self.pieces)

    @property
    def names(self) -> list[int]:
        """Return the tokens of which names are made: pieces of words, and their joiners."""
        return [token for text, token in self._ids.items() if _WORD.fullmatch(text)]

    def phrase(self, text: str) -> int:
        """Return the token of a whole phrase.

        Raises:
            ValueError: there is no such phrase.
        """
        return len(CONTROL_TOKENS) + BYTES + self.phrases.index(text)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, never marks between messages."""
        tokens: list[int] = []
        for part in self._parted(text):
            if isinstance(part, int):
                tokens.append(part)
            else:
                self._plain(part, tokens)
        return tokens

    def count(self, text: str) -> int:
        """Count the tokens of a text; results are cached, because most texts repeat."""
        if text not in self._counts:
            if len(self._counts) >= _MOST_COUNTS:
                self._counts.clear()
            self._counts[text] = len(self.encode(text))
        return self._counts[text]

    def prompt(self, messages: Iterable[Message]) -> list[int]:
        """Return the tokens of a prompt that asks for the next reply, as the chat template writes it."""
        tokens: list[int] = []
        for message in messages:
            tokens += [ROLES[message.role], *self.encode(message.text), END]
        return [*tokens, ASSISTANT]

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of tokens without marks between messages."""
        return b"".join(self._texts[token] for token in tokens).decode("utf-8", "replace")

    @cached_property
    def _texts(self) -> list[bytes]:
        raw = [bytes([byte]) for byte in range(BYTES)]
        words = [text.encode() for text in (*self.phrases, *self.pieces)]
        return [b""] * len(CONTROL_TOKENS) + raw + words

    def _parted(self, text: str) -> Iterator[str | int]:
        """Split a text into tokens of phrases, the longest first, and the texts between them."""
        for number, piece in enumerate(_MARK.split(text)):
            if number % 2:  # a private-use character that was in the text itself
                yield piece
                continue
            marked = piece
            for phrase, mark in self._marks:
                if phrase in marked:
                    marked = marked.replace(phrase, mark)
            for at, part in enumerate(_MARK.split(marked)):
                if at % 2:
                    yield ord(part) - _FIRST_MARK + len(CONTROL_TOKENS) + BYTES
                elif part:
                    yield part

    def _plain(self, text: str, into: list[int]) -> None:
        for run in _RUN.findall(text):
            tokens = self._known.get(run)
            if tokens is None:
                tokens = tuple(self._merged(run))
                self._known[run] = tokens
            into.extend(tokens)

    def _merged(self, run: str) -> list[int]:
        """Merge neighbours whose text is a piece, the best piece first, the leftmost of equals."""
        parts = list(run)
        while len(parts) > 1:
            best, place = len(self.pieces), -1
            for at in range(len(parts) - 1):
                rank = self._ids.get(parts[at] + parts[at + 1])
                if rank is not None and rank < best + self._first_piece:
                    best, place = rank - self._first_piece, at
            if place < 0:
                break
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        tokens: list[int] = []
        for part in parts:
            known = self._ids.get(part)
            tokens += [known] if known is not None else [len(CONTROL_TOKENS) + byte for byte in part.encode()]
        return tokens

    @property
    def _first_piece(self) -> int:
        return len(CONTROL_TOKENS) + BYTES + len(self.phrases)

    # ---- building and saving

    @classmethod
    def made_of(cls, texts: Iterable[str], phrases: Sequence[str], size: int) -> Tokenizer:
        """Build a tokenizer of `size` tokens from texts; the same texts give the same tokenizer."""
        bare = cls(phrases, ())
        runs: Counter[str] = Counter()
        for text in texts:
            for part in bare._parted(text):
                runs.update(_RUN.findall(part) if isinstance(part, str) else ())
        learner = tokenizers.Tokenizer(tokenizers.models.BPE())
        learner.pre_tokenizer = tokenizers.pre_tokenizers.Split("\x00", "removed")
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=size - bare.size, show_progress=False, special_tokens=[]
        )
        lines = ("\x00".join([run] * min(count, 1000)) for run, count in sorted(runs.items()))
        learner.train_from_iterator(lines, trainer)
        vocabulary = learner.get_vocab()
        ranked = sorted((rank, piece) for piece, rank in vocabulary.items() if piece != "\x00")
        return cls(phrases, [piece for _, piece in ranked])

    def as_json(self) -> str:
        """Write the tokenizer for a file."""
        return json.dumps({"phrases": self.phrases, "pieces": self.pieces}, ensure_ascii=False, indent=0)

    @classmethod
    def read(cls, file: Path) -> Tokenizer:
        """Read the tokenizer from a file."""
        kept = json.loads(file.read_text(encoding="utf-8"))
        return cls(kept["phrases"], kept["pieces"])
