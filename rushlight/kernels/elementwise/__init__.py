"""Formulas about one element: the choice, operands of one shape, operands that broadcast."""
