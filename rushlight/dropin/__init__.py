"""Programs that say `import torch` run on Rushlight, unchanged.

    python -m rushlight script.py        # or -m module, or -c code; see command.py
    rushlight.dropin.install()           # the same inside a program, before it imports torch

`torch`, `torchvision`, `safetensors.torch` and all that is below them then *are* Rushlight's
modules (`sys.modules["torch.nn"] is sys.modules["rushlight.nn"]`), in this process and in the
Python processes that it starts. Nothing is copied, and nothing is done for modules of other names.
Read next: `finder.py` (imports), `missing.py` (names that we lack), `children.py` (processes),
`runner.py` (scripts), `distribution.py` (versions).
"""

from __future__ import annotations

import sys
import warnings

from ..errors import message
from . import children, distribution, finder, missing, renaming

__all__ = ["API", "VISION_API", "install", "is_installed", "uninstall"]

API = distribution.API
VISION_API = distribution.VISION_API


def is_installed() -> bool:
    """Whether `import torch` gives Rushlight in this process.

    >>> is_installed()
    False
    """
    return finder.FINDER in sys.meta_path


def install(*, with_children: bool = True) -> None:
    """Make `import torch` and `import torchvision` give Rushlight from now on.

    While it is installed, `torch.__version__` is the version of PyTorch's interface that Rushlight
    follows, because programs compare it. `with_children=False` leaves the environment and
    `sys.path` alone, so that processes started from here import what they find; modules and classes
    then keep their names, for what is sent to such a process must be found there. Installing
    twice is harmless.

    Raises RuntimeError if PyTorch itself has been imported already.
    """
    if is_installed():
        return
    for root in finder.ROOTS:
        found = sys.modules.get(root)
        if found is not None and not finder.is_ours(found):
            raise RuntimeError(
                message(
                    f"the drop-in cannot take the name '{root}'",
                    f"{root} from {getattr(found, '__file__', None)}, imported already",
                    "a process in which it has not been imported",
                    "call rushlight.dropin.install() before the first import of torch, or start "
                    "the program by python -m rushlight",
                )
            )
    sys.meta_path.insert(0, finder.FINDER)
    missing.attach_all()
    distribution.show()
    if with_children:
        renaming.take_all()
        children.reach()


def uninstall() -> None:
    """Undo `install`: modules imported so far stay what they are, later imports look elsewhere."""
    if not is_installed():
        warnings.warn("rushlight.dropin is not installed", stacklevel=2)
        return
    sys.meta_path.remove(finder.FINDER)
    for name in [n for n in sys.modules if finder.target(n) is not None]:
        if finder.is_ours(sys.modules[name]):
            del sys.modules[name]
    missing.detach_all()
    distribution.hide()
    renaming.give_back()
    children.leave()
