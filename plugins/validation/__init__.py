"""Whether a query answers its question, shown on small graphs."""
