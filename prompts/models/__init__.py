"""Models and the response cache."""
