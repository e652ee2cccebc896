"""The suite: the pytest plugin, runs, scores, analysis, reports and the command line."""
