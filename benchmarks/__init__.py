"""The benchmark questions as pytest cases."""
