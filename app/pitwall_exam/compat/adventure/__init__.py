"""Text adventures of the published exam: their log, its events, and a rule for each wording."""
