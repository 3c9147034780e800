"""Attention block by block, as FlashAttention computes it: the choice and the machine code."""
