"""`torch._functorch`: where PyTorch keeps what `torch.func` and `functorch` export."""
