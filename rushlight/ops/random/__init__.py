"""Tensors of random numbers, and filling with them."""
