"""Attention block by block, as FlashAttention computes it: the choice and the machine code."""

from ... import late

late.modules(__name__, "reference", "select")
