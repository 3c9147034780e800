"""Sparse arrays: how they are held (`arrays.py`) and multiplied (`products.py`)."""

from __future__ import annotations
