"""Summary, comparison, ledger, baselines and the gate."""
