"""Version of this package, under PyTorch's names; under the drop-in `__version__` is PyTorch's."""

from __future__ import annotations

from rushlight import __version__

cuda = None
hip = None
debug = False
git_version = ""
rushlight = __version__
__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rushlight"]
