"""What a query means, as far as its text and the schema tell: ``queries.read_query`` gives its model."""
