"""Products, systems, factorizations and norms of matrices."""
