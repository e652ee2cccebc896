"""Run directories and their records."""
