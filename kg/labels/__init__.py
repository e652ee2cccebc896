"""The labels of errors."""
