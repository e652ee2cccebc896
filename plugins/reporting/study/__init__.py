"""The figures and tables of the papers, drawn from runs."""
