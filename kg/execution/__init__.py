"""One query run under guard."""
