"""Cypher and rows in, verdict out: pytest options, recording, scoring, summaries, Allure and the command."""
