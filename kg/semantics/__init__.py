"""What a query means: schema, query model and the correction of directions."""
