"""Text adventures of the published exam: their log, the events in it, and a rule for each wording."""
