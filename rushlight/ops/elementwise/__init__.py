"""Ops about one element: arithmetic, activations, special functions, comparisons."""
