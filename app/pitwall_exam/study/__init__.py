"""EMemBench as a study: episodes are played, examined and answered, and everything lands in one report."""
