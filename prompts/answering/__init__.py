"""Written answers and the context they are written from."""
