"""Looking for errors and conflicts in a graph of reactions."""
