"""How question sets are built, with their gold."""
