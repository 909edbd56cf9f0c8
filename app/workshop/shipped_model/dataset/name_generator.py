"""Generates names that no game has, so that a model has to read them and cannot know them."""

from __future__ import annotations

import random

_VERBS = (
    "take drop open shut push pull lift throw catch climb crawl dig fill pour light douse ring knock "
    "carve paint fold cut sew plant reap feed call follow guard hide seek trade buy sell pack load "
    "aim fire block parry roll jump swim row sail steer brake turn lean kneel rest wake eat drink "
    "brew cook bake mine smelt forge sharpen mend patch build break scan read write draw count weigh "
    "measure melt freeze heat cool spin slide grab release"
)
_NOUNS = (
    "door gate lever rope ladder bridge tower cellar lamp torch candle bell drum horn flag banner map "
    "scroll coin gem ring crown shield spear bow arrow sword axe hammer nail plank log stone brick "
    "clay sand glass iron copper silver gold salt grain bread apple pear fish meat herb root seed "
    "flower tree bush vine nest egg feather wolf bear fox hare crow owl snake spider ghost knight "
    "guard thief king queen ship boat oar sail anchor rock reef cave lake river well spring storm "
    "cloud snow ice fire smoke ash moon star north south east west left right engine wheel brake gear "
    "valve pipe pump tank wire switch fuse panel screen drone rover crate barrel sack cart"
)
_ADJECTIVES = (
    "old new red blue green dark bright cold warm heavy light long short high low deep near far empty "
    "full open locked broken sharp dull wet dry quiet loud quick slow safe weak strong hidden lost "
    "rusty golden frozen"
)
_STARTS = (
    "b bl br c ch cl cr d dr f fl fr g gl gr h j k kl kr l m n p pl pr qu r s sh sk sl sn st t th tr v w z"
)
_MIDDLES = "a e i o u ai ea ee oo ou"
_ENDS = "b ck d ff g k l ll m n nd ng nk nt p r rk rn sh sk ss st t x z"
_HELD_OUT_EVERY = 8
"""Every word and nonsense syllable at this interval is held out of lessons, for examinations."""


class NameGenerator:
    """Generates names.

    Args:
        held_out: use words that no lesson has; otherwise words that evaluations do not have.
    """

    def __init__(self, rng: random.Random, *, held_out: bool) -> None:
        self._rng = rng
        self._verbs, self._nouns = _share(_VERBS, held_out), _share(_NOUNS, held_out)
        self._adjectives, self._starts = _share(_ADJECTIVES, held_out), _share(_STARTS, held_out)
        self._used: set[str] = set()

    def nonsense(self) -> str:
        """Make a nonsense word of one to three syllables."""
        rng = self._rng
        syllables = rng.choice((1, 1, 2, 2, 3))
        word = "".join(rng.choice(self._starts) + rng.choice(_MIDDLES.split()) for _ in range(syllables))
        return word + rng.choice(_ENDS.split())

    def verb(self) -> str:
        return self._one_of(self._verbs)

    def noun(self) -> str:
        return self._one_of(self._nouns)

    def adjective(self) -> str:
        return self._one_of(self._adjectives)

    def action(self) -> str:
        """Make a new name for an action."""
        rng = self._rng
        forms = (
            lambda: self.verb(),
            lambda: f"{self.verb()}_{self.noun()}",
            lambda: f"{self.verb()}_{self.noun()}",
            lambda: f"{self.verb()}_{self.adjective()}_{self.noun()}",
            lambda: f"{self.verb()}_{self.nonsense()}",
        )
        return self._fresh(lambda: rng.choice(forms)())

    def field(self) -> str:
        """Make a new name for a field."""
        rng = self._rng
        forms = (
            lambda: self.noun(),
            lambda: f"{self.noun()}_{self.noun()}",
            lambda: f"{self.adjective()}_{self.noun()}",
            lambda: f"{self.noun()}_{rng.choice(('x', 'y', 'steps', 'count', 'level', 'near', 'dx'))}",
        )
        return self._fresh(lambda: rng.choice(forms)())

    def phrase(self) -> str:
        """Make a few words for a skill's name or subgoal."""
        rng = self._rng
        forms = (
            lambda: f"{self.verb()} the {self.noun()}",
            lambda: f"{self.verb()} {self.noun()}",
            lambda: f"{self.adjective()} {self.noun()}",
            lambda: f"{self.verb()} the {self.adjective()} {self.noun()}",
            lambda: f"{self.noun()} and {self.noun()}",
            lambda: f"{self.verb()} to the {self.noun()}",
        )
        return rng.choice(forms)()

    def _one_of(self, words: list[str]) -> str:
        return self.nonsense() if self._rng.random() < 0.3 else self._rng.choice(words)

    def _fresh(self, make: object) -> str:
        assert callable(make)
        while True:
            name = str(make())
            if name not in self._used and name not in ("status", "true", "false", "none", "not", "and", "or"):
                self._used.add(name)
                return name


def _share(words: str, held_out: bool) -> list[str]:
    unique = list(dict.fromkeys(words.split()))
    return [word for at, word in enumerate(unique) if (at % _HELD_OUT_EVERY == 0) is held_out]
