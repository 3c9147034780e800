"""Softmax and its like along rows or columns: the choice and the machine code."""
