"""What PyTorch keeps in `torch.fx.experimental`: `proxy_tensor` (`make_fx`), `symbolic_shapes`."""
