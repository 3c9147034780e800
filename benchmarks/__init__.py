"""Measurements against PyTorch: our process and its process alternate, and ratios are printed."""
