"""An interpreter of Cypher over a small graph in memory."""
