"""Version of this package, under PyTorch's names."""

from __future__ import annotations

from . import __version__

cuda = None
hip = None
debug = False
git_version = ""
__all__ = ["__version__", "cuda", "debug", "git_version", "hip"]
