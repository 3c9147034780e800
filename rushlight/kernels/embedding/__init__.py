"""Lookups in a table and their gradients: the choice and the machine code."""
