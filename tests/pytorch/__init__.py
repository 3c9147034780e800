"""PyTorch's own test files through the drop-in: `python -m tests.pytorch FILE…` (see __main__.py).

The files are not here: they belong to PyTorch, and a checkout of it has them in its folder `test`.
"""
