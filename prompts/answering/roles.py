"""Roles of the rounds in which a written answer is made."""

TEXT_ROLE = "answer:text"
CLAIMS_ROLE = "answer:claims"
