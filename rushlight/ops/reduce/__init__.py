"""Ops that reduce, run along or order a dimension."""
