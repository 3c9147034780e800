"""Formulas about one element: the choice, operands of one shape, operands that broadcast."""

from ... import late

late.modules(__name__, "axes", "where")
