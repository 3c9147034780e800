"""Norms, factors and limits of many arrays at once: the choice and the machine code."""

from ... import late

late.modules(__name__, "reference", "select")
