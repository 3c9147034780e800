"""What layers compute: convolutions, pooling, norms, losses, attention, recurrent layers."""
