"""Numbers and untrusted text for people."""
