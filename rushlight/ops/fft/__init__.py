"""Fourier transforms, of whole signals and of short pieces."""
