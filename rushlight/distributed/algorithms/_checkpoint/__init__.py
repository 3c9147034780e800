"""Modules that do not keep their activations."""
