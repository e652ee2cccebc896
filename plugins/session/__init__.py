"""One pytest session of the suite."""
