"""Losses over classes: the choice, the machine code, and CTC by NumPy."""

from ... import late

late.modules(__name__, "at_classes", "cross_entropy", "ctc", "reference", "select", "totals")
