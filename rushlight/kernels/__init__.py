"""How things are computed on a CPU, on bare arrays. Nothing here knows a Tensor."""
