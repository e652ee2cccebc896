"""Everything that formats results for people."""
