"""The reaction graph: readers, cleaning, fingerprint, loading and passages."""
