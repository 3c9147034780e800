"""Extremes together with their places: the choice and the machine code."""

from ... import late

late.modules(__name__, "reference", "select")
