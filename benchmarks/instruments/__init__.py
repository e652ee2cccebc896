"""Trials of the project's own instruments: error labels, validator, verification of written answers."""
