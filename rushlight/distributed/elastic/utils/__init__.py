"""Small things that programs borrow from PyTorch's launcher."""
