"""Losses over classes: the choice, the machine code, and CTC by NumPy."""

from ... import late

late.modules(__name__, "cross_entropy", "ctc", "reference", "select")
