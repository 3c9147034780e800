"""Running sums, products and extremes: the choice and the machine code."""

from ... import late

late.modules(__name__, "reference", "select")
