"""Lookups in a table and their gradients: the choice and the machine code."""

from ... import late

late.modules(__name__, "along", "gather", "picked", "reference", "select", "table")
