"""Cypher text: the server's grammar, tokens, trees and edits in place."""
