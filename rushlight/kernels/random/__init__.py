"""Random numbers, PyTorch's to the last bit: the generator and the distributions."""
