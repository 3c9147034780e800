"""Optimiser steps: the formulas, by NumPy, and all parameters in one call."""

from ... import late

late.modules(__name__, "formulas", "reference", "select", "update")
