"""The Evaluate page: suites, the editor of a suite, and results as plots and tables."""
