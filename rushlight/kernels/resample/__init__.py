"""Interpolation and sampling at points."""

from ... import late

late.modules(__name__, "select", "taps")
