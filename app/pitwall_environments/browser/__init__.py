"""Games that are web pages: a Chromium of their own, chance and time in hand, their state for evaluators."""
