"""A game as data: profile, vocabulary and legality, launcher, status, registry, check."""
