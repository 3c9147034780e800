"""Averaging the models of all ranks once in a while, instead of gradients in each step."""
