"""Made by tools/stubs.py: the module is found in rushlight/namespaces."""

from rushlight.namespaces.quantization import *
