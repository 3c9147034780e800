"""New tensors: of one value, of ranges, from data."""
