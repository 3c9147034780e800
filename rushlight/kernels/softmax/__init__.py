"""Softmax and its like along rows or columns: the choice and the machine code."""

from ... import late

late.modules(__name__, "select", "softmax")
